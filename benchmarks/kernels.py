"""The mathematics against the bare numpy it cannot do without."""

import subprocess
import sys

import numpy as np

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.distributions import reshape_by
from ffn_core.ffn import Weights, forward
from ffn_core.rng import LessonStream

from .figures import paired_ratio, seconds

GELU = ACTIVATIONS["GELU"]


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
        "value": paired_ratio(lambda: GELU.f(x), lambda: np.tanh(x)), "unit": "×", "budget": 1.6,
    }  # fmt: skip

    T, d_model, d_ff = 4096, 384, 1536
    stream = LessonStream(3)
    H = stream.randn(T, d_model)
    weights = Weights(stream.randn(d_model, d_ff), np.zeros(d_ff), stream.randn(d_ff, d_model), np.zeros(d_model))
    pre = H @ weights.W1

    def bare():
        hidden = H @ weights.W1
        np.tanh(hidden, out=hidden)
        return hidden @ weights.W2

    yield {
        "what": f"forward / two products and one tanh, {T} × {d_model} × {d_ff}",
        "value": paired_ratio(lambda: forward(H, weights, GELU), bare, repeats=5), "unit": "×", "budget": 1.3,
    }  # fmt: skip
    del pre

    W1 = lesson.worked_example().weights.W1
    tokens = 2**20 // W1.shape[1]
    taken = seconds(lambda: reshape_by(GELU, W1, 1, tokens), repeats=3)
    yield {"what": "million-value histogram with theory and gains", "value": taken * 1e3, "unit": "ms", "budget": None}

    command = [sys.executable, "-c", "import ffn_core.activations, ffn_core.ffn, ffn_core.gain, ffn_core.lesson"]
    bare_start = seconds(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True), repeats=5)
    taken = seconds(lambda: subprocess.run(command, check=True), repeats=5) - bare_start
    yield {"what": "import ffn_core, beyond import numpy", "value": taken * 1e3, "unit": "ms", "budget": None}
