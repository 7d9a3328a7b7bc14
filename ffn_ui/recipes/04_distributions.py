"""Distributions with ffn_core: run from the folder that holds ffn_core, `python distributions.py`."""

from ffn_core.activations import ACTIVATIONS
from ffn_core.distributions import reshape_by, with_scale_and_bias
from ffn_core.lesson import draw_example

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
tokens = 256
token_seed = 1
bins = 40
scale = 2.0
bias = 0.0

weights = with_scale_and_bias(draw_example(seed, T, d_model, d_ff).weights, scale, bias)
found = reshape_by(ACTIVATIONS[sigma], weights.W1, token_seed, tokens, bias, bins)
print("fraction pre < 0:      ", found.pre_negative)
print("min post:              ", found.post_min)
print("fraction |pre| < 0.05: ", found.pre_near_zero)
print("fraction |post| < 0.05:", found.post_near_zero)
print("exactly 0 after sigma: ", found.post_zero, "theory", found.theory.post_zero)
print("mean of post:          ", found.post_mean, "theory", found.theory.post_mean)
print("mean gain:             ", found.mean_gain, "theory", found.theory.mean_gain)
print("rms gain:              ", found.rms_gain, "theory", found.theory.rms_gain)
print("values a bin, counted: ", found.post.counted)
print("values a bin, expected:", found.post.expected.round(1))
