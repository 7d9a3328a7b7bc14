"""Exercise 2, worked: units that are silent for every one of many inputs."""

from statistics import NormalDist

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.rng import LessonStream

seed = 11
bias = -3.2

normal = NormalDist()
print("expected with zero bias:", 0.5**1000)
print(f"expected at a bias of {bias}:", normal.cdf(-bias) ** 1000)
for n in (10, 100, 1000, 5000):
    print(f"half of the units are silent over {n} inputs at a bias of", -normal.inv_cdf(0.5 ** (1 / n)))

# Count: 25 blocks of the lesson's size, each with 1,000 inputs of its own, every unit shifted by `bias` of its own sd.
gelu = ACTIVATIONS["GELU"].gain
stream = LessonStream(seed)
X = stream.randn(25, 1000, 4)
W1 = stream.randn(25, 4, 16) * np.sqrt(2 / 4)
pre = X @ W1 + bias * np.linalg.norm(W1, axis=1, keepdims=True)
dead = [np.sum(closed.all(axis=1)) for closed in (pre < 0, np.abs(gelu(pre)) < 0.01, gelu(pre) < 0.01)]
print("counted, of 400 units:")
print("  ReLU, negative for all inputs  ", dead[0] / 400)
print("  GELU, size of the gain < 0.01  ", dead[1] / 400)
print("  GELU, gain with its sign < 0.01", dead[2] / 400)
