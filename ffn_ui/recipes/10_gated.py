"""A gated FFN with ffn_core: run from the folder that holds ffn_core, `python gated.py`."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.counts import equal_budget_width, ffn_params
from ffn_core.gated import convention_error, draw_gated_example, gated_forward, growth, missing_transpose, variant

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
slot = 1
B = 2
D = 4096
M = 16384
multiple = 256

example = draw_gated_example(seed, T, d_model, d_ff, B)
trace = gated_forward(example.H, example.weights, ACTIVATIONS[sigma])
print(variant(ACTIVATIONS[sigma]), "shapes:", trace.H.shape, trace.gate.shape, trace.hidden.shape, trace.out.shape)
unit = (0, token - 1, slot - 1)
print("gate, value, product of the chosen unit:", trace.gate[unit], trace.value[unit], trace.hidden[unit])
print("gates above 0.1 in the first sequence:", np.sum(trace.gate[0] > 0.1), "of", trace.gate[0].size)
plain, gated = growth(example.H[0, token - 1], example.weights, ACTIVATIONS[sigma])
print("the token doubles; plain output grows", plain, "times, gated", gated, "times")

width = equal_budget_width(M, multiple)
print("plain 2DM:", ffn_params(D, M), " gated 3DM:", ffn_params(D, M, gated=True))
print("M within the budget:", equal_budget_width(M), " rounded:", width)
print("of the plain block:", ffn_params(D, width, gated=True) / ffn_params(D, M))

print("rows against columns:", convention_error(example.H, example.weights, ACTIVATIONS[sigma]))
for M_used in (d_ff, d_model):
    drawn = draw_gated_example(seed, T, d_model, M_used, B)
    mistake = missing_transpose(drawn.H, drawn.weights, ACTIVATIONS[sigma])
    print(f"M = {M_used}, without the transpose:", mistake.message or f"no error, off by {mistake.off_by:.0%}")
