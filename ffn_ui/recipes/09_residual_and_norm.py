"""Residual and norm with ffn_core: run from the folder that holds ffn_core, `python residual_and_norm.py`."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.block import Wiring, dropout_passes
from ffn_core.lesson import draw_example
from ffn_core.norms import Edit, layer_norm, rms_norm
from ffn_core.rng import LessonStream
from ffn_core.stack import FLOAT16_LARGEST, READY, Setting, draw_stack, expected_ratio, run_stack

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
kind = "block"
placement = "pre-norm"
norm = "LayerNorm"
residual = True
step = 1.0
scale = 1.0
depth = 24
width = 16
centred = False
shift = 0.0
factor = 1.0
eps = 1e-5
rate = 0.1
n_passes = 12

activation = ACTIVATIONS[sigma]
print("gain at x = 0:", activation.gain(0.0))


def along_depth(setting):
    """The chosen token, and a small change of it, through a stack of random blocks."""
    stack = draw_stack(seed, T, setting.width, setting.kind, setting.depth)
    return run_stack(stack, setting, activation, token - 1)


setting = Setting(kind, Wiring(placement, norm, residual, step), scale, depth, width)
found = along_depth(setting)
print("rms of the token along depth:", found.size / np.sqrt(width))
print("what a change of length 1 becomes:", found.change)
print("factor of each block:", found.ratios)
print("mean gain:", np.nanmean(found.mean_gain))
print("weights x rms gain:", np.nanmean(expected_ratio(kind, scale, found.rms_gain)))
print("factor of a block on average:", found.mean_ratio())
print("float16 ends after block:", found.beyond(FLOAT16_LARGEST))
for name, ready in READY.items():
    print(f"{name}: factor in the last 8 blocks {along_depth(ready.setting).mean_ratio(-8):.2f}")

example = draw_example(seed, T, d_model, d_ff)
row = Edit(centred, shift, factor)(example.H[token - 1])
print("LayerNorm:", layer_norm(row, eps=eps))
print("RMSNorm:  ", rms_norm(row, eps=eps))

passes = dropout_passes(example.H[token - 1], example.weights, activation, rate, LessonStream(seed + 1), n_passes)
print("largest spread of an entry over the passes:", np.ptp(passes, axis=0).max())
