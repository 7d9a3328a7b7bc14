"""Where the lesson's short text needs care: what it says, what is so, with the numbers computed when they are read.

A lesson has to be short; an app that computes live shows the fine print. Each note names the part of the lesson it
belongs to, by the same words as `reference.REFERENCE` where it prints numbers.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from . import lesson
from .activations import ACTIVATIONS
from .counts import attention_params, ffn_share, model_configs
from .curves import dead_below, distance, landmarks
from .ffn import rounding_bound
from .gain import central_difference, most_negative_units
from .information import TABLES, merge, mutual_information
from .reference import shuffle_error

GELU, EXACT, RELU = ACTIVATIONS["GELU"], ACTIVATIONS["GELU-exact"], ACTIVATIONS["ReLU"]
MINUS = re.compile(r"(?<![A-Za-z0-9])-(?=\d)")  # of a number; the hyphen of GPT-2 stays
RECENT = 2023  # the first year that counts as recent
N_INPUTS = 1_000  # of exercise 2
QUADRATURE_POINTS = 200


@dataclass(frozen=True)
class Note:
    """One place that needs care.

    Attributes
    ----------
    section : str
        The part of the lesson.
    says : str
        The lesson, in short.
    so : str
        What is so; braces stand for the numbers.
    numbers : callable
        No argument in, what goes into the braces out.
    """

    section: str
    says: str
    so: str
    numbers: Callable = tuple

    @cached_property
    def text(self):
        """What is so, with its numbers, computed once a process."""
        return MINUS.sub("−", self.so.format(*self.numbers()))


def rms_gain(sigma, variance):
    """Root of the mean squared gain for pre-activations from N(0, variance), by Gauss-Hermite quadrature.

    Returns
    -------
    float
    """
    x, weight = np.polynomial.hermite_e.hermegauss(QUADRATURE_POINTS)
    return float(np.sqrt(np.sum(weight * sigma.gain(np.sqrt(variance) * x) ** 2) / weight.sum()))


def silent_bias(n_inputs):
    """How far below zero, in sd of the pre-activation, half of all ReLU units stay silent on n random inputs.

    A unit with mean -b is silent on one input with probability Phi(b), on all with Phi(b)^n; this is one half at

    Returns
    -------
    float
        b = Phi^-1(2^(-1/n)).
    """
    return NormalDist().inv_cdf(0.5 ** (1.0 / n_inputs))


def _shuffling():
    return shuffle_error(), rounding_bound(lesson.worked_trace(), lesson.worked_example().weights)


def _half_at_zero():
    grid = lesson.derivative_grid()
    x = grid[int(np.argmin(np.abs(grid)))]
    return float(central_difference(GELU.f, x, lesson.STEP)), x, float(GELU.gain(0.0))


def _valley():
    found = landmarks(GELU)
    return found.zero_x, found.valley, found.valley_x


def _tanh_form():
    found = distance(GELU, EXACT)
    return found.value, found.value_x, found.gain, found.gain_x


def _minima():
    return tuple(float(a.f(landmarks(a).zero_x)) for a in (EXACT, GELU))


def _dead():
    return tuple(dead_below(GELU, dtype) for dtype in ("float16", "float32", "float64"))


def _decoders():
    recent = [c for c in model_configs() if c.year >= RECENT]
    return len(recent), sum(c.gated for c in recent), sum(c.activation == "silu" for c in recent if c.gated)


def _by_name():
    return {c.model: c for c in model_configs()}


def _ratios():
    models = _by_name()
    llama = [models[f"LLaMA-1 {size}"].ratio for size in ("7B", "13B", "33B", "65B")]
    return min(llama), max(llama), models["Mistral 7B v0.1"].ratio, models["Llama-3 8B"].ratio


def _shares():
    models, d = _by_name(), lesson.TYPICAL_D_MODEL
    names = ("Llama-3 8B", "Gemma-2 27B", "Mixtral 8x7B", "Qwen3 0.6B")
    return ffn_share(d, 4 * d, attention=attention_params(d)), *(models[name].share for name in names)


def _depth():
    return rms_gain(GELU, 2.0), np.sqrt(2.0) * rms_gain(GELU, 2.0), float(GELU.gain(0.0))


def _gain_of_a_hundredth():
    """Where GELU's gain reaches 0.01 on its way up, between its zero and the origin."""
    low, high = landmarks(GELU).zero_x, 0.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if GELU.gain(middle) < 0.01 else (low, middle)
    return low


def _silence():
    return 2.0**-N_INPUTS, silent_bias(N_INPUTS)


def _closed():
    seeds = (lesson.SEED, 3, 7, 12)
    shape = (lesson.T, lesson.D_MODEL, lesson.D_FF)
    return tuple(most_negative_units(lesson.draw_example(seed, *shape).weights.W1)[0] for seed in seeds)


def _free_merge():
    alike = TABLES["x2 and x3 alike"]
    whole = mutual_information(alike)
    return whole, mutual_information(merge(alike, [[0], [1, 2], [3]])), mutual_information(lesson.JOINT)


NOTES = (
    Note(
        "position-wise-ffn",
        "Shuffling the rows changes the result by exactly 0.",
        "As mathematics, yes. In floating point a processor may add the same numbers in another order. Here it is "
        "{:.1g}, elsewhere some 1e-16; up to {:.1e} would still be rounding, not mixing.",
        _shuffling,
    ),
    Note(
        "exercise-3",
        "Exercise 3: the symmetry under a shuffle is not true for attention.",
        "Attention without a mask and without positions has that very symmetry. What it never has is independent rows: "
        "change one token and all outputs move. A causal mask or positions break the symmetry too.",
    ),
    Note(
        "why-nonlinear",
        "With its nonlinearity the FFN can approximate any continuous function.",
        "Yes, if it may grow: the theorem asks for as many units as the accuracy needs. One block of fixed width "
        "cannot do everything.",
    ),
    Note(
        "relu-vs-gelu",
        "GELU lets some gradient through left of zero as well as right of it.",
        "On nearly all of it. The gain is 0 at x = {:.4f}, negative further left, and lowest, {:.4f}, at {:.4f}: there "
        "a larger pre-activation gives a smaller output.",
        _valley,
    ),
    Note(
        "relu-vs-gelu",
        "At x = 0 the derivative is exactly 0.5, and the printed digits are 0.49999999999999817.",
        "Both are right. The difference gives {!r}, because the grid point that is called 0 is {:.1e}: adding 0.05 "
        "sixty times rounds. At 0 itself the gain is {}.",
        _half_at_zero,
    ),
    Note(
        "relu-vs-gelu",
        "The tanh form matches x Φ(x) to about 1e-3.",
        "Better than that: at most {:.2e} in value, at x = ±{:.2f}, and {:.2e} in gain, at ±{:.2f}.",
        _tanh_form,
    ),
    Note(
        "relu-vs-gelu",
        "A GELU unit always keeps some gradient.",
        "As a formula yes, except at the one zero. In finite precision the tanh form is exactly 0, value and gain, "
        "below {:.2f} in float16, {:.2f} in float32 and {:.2f} in float64.",
        _dead,
    ),
    Note(
        "relu-vs-gelu",
        "GELU is the default in most recent decoders.",
        f"It was, from GPT-2 on. Of the {{}} models of {RECENT} or later in our table, {{}} are gated instead, {{}} of "
        "them with SiLU.",
        _decoders,
    ),
    Note(
        "distributions",
        "GELU squeezes the negative half into the band from −0.17 to 0.",
        "The lowest value is {:.5f} for x Φ(x) and {:.5f} for the tanh form, a hair below the band; and far on the "
        "left the result is exactly 0.",
        _minima,
    ),
    Note(
        "exercise-2",
        "Exercise 2: count the units that are negative on all 1,000 inputs.",
        "With zero bias the chance is 2^−1000 = {:.0e} a unit, so the count is 0. It takes a bias: at −{:.4f} sd of "
        "the pre-activation half of all ReLU units are silent on 1,000 inputs.",
        _silence,
    ),
    Note(
        "exercise-2",
        "Exercise 2: count the GELU units whose gain is below 0.01 everywhere.",
        "Take the size of the gain: a negative gain is below 0.01 as well, and without the absolute value every x "
        "below {:.2f} would count.",
        lambda: (_gain_of_a_hundredth(),),
    ),
    Note(
        "width",
        "Mistral and LLaMA take d_ff of about 8/3 d_model.",
        "The first LLaMA does, {:.2f} to {:.2f} after rounding to a good size. Mistral 7B takes {:.1f}, "
        "Llama-3 8B {:.1f}.",
        _ratios,
    ),
    Note(
        "width",
        "The FFN holds two thirds of a block's weights.",
        "{:.1%} when every head has its own keys and values, and the FFN is plain and 4 times as wide, or gated and "
        "8/3 times. Llama-3 8B: {:.1%}. Gemma-2 27B: {:.1%}. Mixtral 8x7B, all experts: {:.1%}. Qwen3 0.6B: {:.1%}.",
        _shares,
    ),
    Note(
        "depth",
        "The gain averages one half, so a stack without residuals decays by about one half a layer.",
        "The mean is one half for zero-mean Gaussian input; a perturbation grows with the rms gain times the weights. "
        "He weights give an rms gain of {:.4f} and a factor of {:.2f} a layer. With half their variance the signal "
        "fades, and then the factor is the gain at 0, {}.",
        _depth,
    ),
    Note(
        "exercise-4",
        "Exercise 4: a token can push 14 or more of the 16 pre-activations under −3.",
        "The lesson's own W1 does not allow it: no row makes more than {} of them negative, and that is exact, by "
        "trying every edge between the keys. Seed 3 allows {}, seed 7 {}, seed 12 {}.",
        _closed,
    ),
    Note(
        "information",
        "A map that merges two symbols loses bits.",
        "Unless they say the same about Y. With x2 and x3 at equal odds, {:.4f} bits before and {:.4f} after. "
        "In the lesson's table, {:.4f} bits, no two symbols do.",
        _free_merge,
    ),
)


def markdown_table(notes):
    """Notes as a table in Markdown: what the lesson says, and what is so."""
    rows = [("the lesson says", "what is so"), ("---", "---"), *((note.says, note.text) for note in notes)]
    return "\n".join(f"| {says} | {so} |" for says, so in rows)
