"""Exercise 4, worked: how many gates one token can close, and the singular values that are left."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.closed_gates import closed_row
from ffn_core.gain import most_negative_units
from ffn_core.lesson import draw_example
from ffn_core.rng import LessonStream

seed = 11

w = draw_example(seed, T=5, d_model=4, d_ff=16).weights
tried = LessonStream(seed + 1).randn(200_000, 4)
print("best of 200,000 random rows:", (tried @ w.W1 < 0).sum(axis=1).max())
print("exact search over all triples of keys:", most_negative_units(w.W1)[0])

row = closed_row(w).row
pre = row @ w.W1
print("row:", row, " below -3:", np.sum(pre < -3), " open gates:", np.sum(pre > 0))
for name in ("ReLU", "GELU"):
    J = w.W1 @ np.diag(ACTIVATIONS[name].gain(pre)) @ w.W2
    s = np.linalg.svd(J)[1]
    print(f"{name}: {np.sum(s > 1e-3)} singular values above 0.001 of", s)
