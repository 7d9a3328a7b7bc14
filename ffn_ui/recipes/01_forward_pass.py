"""Position-wise FFN with ffn_core: run from the folder that holds ffn_core, `python forward_pass.py`."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import forward
from ffn_core.lesson import draw_example

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
order = [3, 1, 2, 5, 4]
channel = 1
added = 1.0

example = draw_example(seed, T, d_model, d_ff)
trace = forward(example.H, example.weights, ACTIVATIONS[sigma])
print("shapes:", trace.H.shape, trace.pre.shape, trace.post.shape, trace.out.shape)
print("out of the chosen token:", trace.out[token - 1])

rows = np.array(order) - 1
shuffled = forward(example.H[rows], example.weights, ACTIVATIONS[sigma]).out
print("max |FFN(P H) - P FFN(H)|:", np.max(np.abs(shuffled - trace.out[rows])))

changed = example.H.copy()
changed[token - 1, channel - 1] += added
moved = np.max(np.abs(forward(changed, example.weights, ACTIVATIONS[sigma]).out - trace.out), axis=1)
print("how far each row of the output moves:", moved)
