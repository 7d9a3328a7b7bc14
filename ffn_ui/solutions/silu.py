"""Exercise 5, worked: SiLU's gain, read off a grid and from closed forms."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.exercises import ASKED_BETAS, ASKED_X, pick, silu_landmarks

seed = 11

x = np.linspace(-5, 5, 200_001)
s = 1 / (1 + np.exp(-x))
gain = s + x * s * (1 - s)  # product rule: (x s)' = s + x s (1 - s)
print("gain at 0:", gain[np.argmin(np.abs(x))])
print("peak on the grid:", gain.max(), "at x =", x[gain.argmax()])
print("negative below x =", x[gain < 0].max())
print("closed forms:", silu_landmarks())

silu, h = ACTIVATIONS["SiLU"].f, 1e-5
print("largest distance from a central difference:", np.max(np.abs(gain - (silu(x + h) - silu(x - h)) / (2 * h))))

at, beta = pick(seed, ASKED_X), pick(seed, ASKED_BETAS)
print(f"gain at x = {at}:", float(ACTIVATIONS["SiLU"].gain(at)))
print(f"with beta = {beta}: negative below x =", silu_landmarks().zero_x / beta)
