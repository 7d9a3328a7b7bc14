"""Local gain with ffn_core: run from the folder that holds ffn_core, `python local_gain.py`."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.gain import actual_change, local_gains, open_gates, prediction_error, probe, spread
from ffn_core.lesson import draw_example

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
kind = "principal"  # or channel, random
number = 1
size = 1.0

example = draw_example(seed, T, d_model, d_ff)
weights, act = example.weights, ACTIVATIONS[sigma]
np.set_printoptions(precision=6, floatmode="fixed", suppress=True)

local = local_gains(example.H, weights, act)
for t in range(T):
    print("token", t + 1, "open gates:", open_gates(local.gates[t]), "J singular values:", local.values[t])
largest, smallest = local.values[:, 0], local.values[:, -1]
print(f"spread of the largest: {spread(largest):.2f}, of the smallest: {spread(smallest):.1f}")

x = example.H[token - 1]
found = probe(x, weights, act, kind, number - 1)
actual = actual_change(x, found.along, size, weights, act)
print("direction:", found.along, "size:", size)
print("predicted change of the output, dx @ J:", size * found.slope)
print("actual change:", actual)
print("relative error:", float(prediction_error(x, found.along, size, found.slope, weights, act)))
print("the error passes 10% at size", found.reach)
