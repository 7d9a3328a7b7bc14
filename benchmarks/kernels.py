"""The mathematics against the bare numpy it cannot do without."""

import statistics
import subprocess
import sys

import numpy as np

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.distributions import reshape_by
from ffn_core.ffn import forward, random_weights
from ffn_core.rng import LessonStream

from .figures import paired_ratio, seconds

GELU = ACTIVATIONS["GELU"]
# In a process of its own: how long our modules take to load once numpy is there.
IMPORTS = """
import time, numpy
start = time.perf_counter()
import ffn_core.activations, ffn_core.ffn, ffn_core.gain, ffn_core.lesson
print(time.perf_counter() - start)
"""


def rows():
    """The kernel figures.

    Yields
    ------
    dict
        what, value, unit, budget (or None).
    """
    draws = 1_000_000
    generator = np.random.default_rng(1)
    ratio = paired_ratio(lambda: LessonStream(1).randn(draws), lambda: generator.standard_normal(draws))
    yield {"what": "LessonStream / default_rng, a million normals", "value": ratio, "unit": "×", "budget": 15.0}

    x = LessonStream(2).randn(1000, 1000)
    yield {
        "what": "GELU / np.tanh, a million values",
        "value": paired_ratio(lambda: GELU.f(x), lambda: np.tanh(x), repeats=31), "unit": "×", "budget": 1.6,
    }  # fmt: skip

    T, d_model, d_ff = 4096, 384, 1536
    stream = LessonStream(3)
    weights = random_weights(stream, d_model, d_ff)
    H = stream.randn(T, d_model)

    def bare():
        hidden = H @ weights.W1
        np.tanh(hidden, out=hidden)
        return hidden @ weights.W2

    yield {
        "what": f"forward / two products and one tanh, {T} × {d_model} × {d_ff}",
        "value": paired_ratio(lambda: forward(H, weights, GELU), bare, repeats=11), "unit": "×", "budget": 1.3,
    }  # fmt: skip

    W1 = lesson.worked_example().weights.W1
    tokens = 2**20 // W1.shape[1]
    taken = seconds(lambda: reshape_by(GELU, W1, 1, tokens), repeats=3)
    yield {"what": "million-value histogram with theory and gains", "value": taken * 1e3, "unit": "ms", "budget": None}

    command = [sys.executable, "-c", IMPORTS]
    taken = [float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(5)]
    yield {
        "what": "import ffn_core, beyond import numpy",
        "value": statistics.median(taken) * 1e3, "unit": "ms", "budget": None,
    }  # fmt: skip
