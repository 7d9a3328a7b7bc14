"""Keyed memory with ffn_core: run from the folder that holds ffn_core, `python keyed_memory.py`."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import forward, slot_terms
from ffn_core.gain import gain_facts
from ffn_core.lesson import FIRED, draw_example
from ffn_core.memory import error_left, kept_slots, ledger, slot_sum_error

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
slot = 1
keep = 8
without = False  # or True: the chosen slot is off as well

example = draw_example(seed, T, d_model, d_ff)
weights = example.weights
trace = forward(example.H, weights, ACTIVATIONS[sigma])
print("slots with output > 0.1:", np.sum(trace.post > FIRED), "of", trace.post.size)
print("max |slot sum - out|:", slot_sum_error(trace, weights, token - 1), "(rounding noise)")

facts = gain_facts(ACTIVATIONS[sigma])
print("gain at 0, -3, +3:", facts.at_zero, facts.at_minus_3, facts.at_plus_3)
print("peak gain:", facts.peak, "at x =", round(facts.peak_x, 2))
print("max |closed form - central difference|:", facts.difference)

x, key = example.H[token - 1], weights.W1[:, slot - 1]
terms = slot_terms(trace, weights, token - 1)
print("match of the chosen slot, x . k + b1:", x @ key + weights.b1[slot - 1])
print("what it adds:", terms[slot - 1])

book = ledger(trace, weights, token - 1)
print("slots by what they add, largest first:", book.order + 1)
print("their lengths:", book.size)
kept = kept_slots(book.order, keep, slot - 1 if without else None)
print("relative error with", np.sum(kept), "slots kept:", error_left(terms, kept))
alone = kept_slots(book.order, d_ff, slot - 1)
print("relative error with only the chosen slot off:", error_left(terms, alone))
print("relative error with positive matches only:", error_left(terms, trace.pre[token - 1] > 0))
