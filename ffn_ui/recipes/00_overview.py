"""The block in a few lines with ffn_core: run from the folder that holds ffn_core, `python overview.py`."""

from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import forward
from ffn_core.lesson import draw_example
from ffn_core.reference import results

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
slot = 1

example = draw_example(seed, T, d_model, d_ff)
trace = forward(example.H, example.weights, ACTIVATIONS[sigma])
pre, post = trace.pre[token - 1, slot - 1], trace.post[token - 1, slot - 1]
print("shapes:", trace.H.shape, trace.pre.shape, trace.post.shape, trace.out.shape)
print(f"token {token}, slot {slot}: before {pre}, after {post}, gain {ACTIVATIONS[sigma].gain(pre)}")
print("the token's row of out:", trace.out[token - 1])

found = results()
print(sum(r.ok for r in found), "of", len(found), "printed numbers reproduced")
