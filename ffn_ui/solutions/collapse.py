"""Exercise 1, worked: the block without its activation is one linear map."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.exercises import asked_entry, biased_example
from ffn_core.ffn import forward

seed = 11

example = biased_example(seed)
w = example.weights

# (x W1 + b1) W2 + b2 = x (W1 W2) + (b1 W2 + b2)
W = w.W1 @ w.W2
b = w.b1 @ w.W2 + w.b2
print("combined bias:", " ".join(f"{x:.4f}" for x in b))
i, j = asked_entry(W)
print(f"entry in row {i + 1}, column {j + 1}: {W[i, j]:.4f}")

block = forward(example.H, w, ACTIVATIONS["Identity"]).out
print("largest difference from the block:", np.max(np.abs(block - (example.H @ W + b))))

# Twelve such blocks: still one matrix and one bias.
out, W12, b12 = example.H, np.eye(w.d_model), np.zeros(w.d_model)
for _ in range(12):
    out = forward(out, w, ACTIVATIONS["Identity"]).out
    W12, b12 = W12 @ W, b12 @ W + b
print("largest difference after twelve, relative:", np.max(np.abs(out - (example.H @ W12 + b12))) / np.max(np.abs(out)))
