"""The lesson's worked examples, drawn in the lesson's own order and ready to read; every array is read-only."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from .activations import ACTIVATIONS
from .ffn import Trace, Weights, forward, random_weights
from .rng import LessonStream

SEED, T, D_MODEL, D_FF = 11, 5, 4, 16  # "A small FFN forward pass"
SIGMA = ACTIVATIONS["GELU"]
TOKEN = 1  # the slot-sum identity is shown for the second token, index 1
PERMUTATION = (2, 0, 1, 4, 3)  # [3, 1, 2, 5, 4] counted from 1
FIRED = 0.1  # a slot "fires" when its output is above this

DISTRIBUTION_SEED, DISTRIBUTION_TOKENS = 1, 256  # "Histogram pre- and post-activation"
NEAR_ZERO = 0.05
BINS = 40

STEP = 1e-4  # of the central difference in "Derivatives near zero"
TYPICAL_D_MODEL = 384  # "Parameter count for a typical config"

# Rows are the four symbols of X, columns the two outcomes of Y ("Information lens").
JOINT = np.array([[0.9, 0.1], [0.7, 0.3], [0.3, 0.7], [0.1, 0.9]]) / 4.0


def read_only(array):
    """The array itself, marked so that nobody who shares it can change it."""
    array.flags.writeable = False
    return array


JOINT = read_only(JOINT)


@dataclass(frozen=True)
class Example:
    """Tokens and a block drawn from one seed."""

    H: np.ndarray
    weights: Weights


def draw_example(seed, T, d_model, d_ff, scale=2.0):
    """T tokens, then W1, then W2, from one stream: the order of the lesson's worked example.

    Parameters
    ----------
    seed, T, d_model, d_ff : int
    scale : float
        Weight variance times the number of inputs; 2 is He initialisation.

    Returns
    -------
    Example
    """
    stream = LessonStream(seed)
    H = read_only(stream.randn(T, d_model))
    return Example(H, random_weights(stream, d_model, d_ff, scale))


@cache
def worked_example():
    """The lesson's example: seed 11, T = 5, d_model = 4, d_ff = 16."""
    return draw_example(SEED, T, D_MODEL, D_FF)


@cache
def worked_trace():
    """Its forward pass through GELU."""
    example = worked_example()
    trace = forward(example.H, example.weights, SIGMA)
    return Trace(*(read_only(a) for a in (trace.H, trace.pre, trace.post, trace.out)))


@cache
def derivative_grid():
    """-3 to 3 in steps of 0.05, by repeated addition as the lesson's range does it.

    Adding rounds each time, so the point called 0 is -2.3e-15; the lesson's printed gain of 0.49999999999999817 there
    shows it.

    Returns
    -------
    ndarray of shape (121,)
    """
    return read_only(np.cumsum(np.array([-3.0] + [0.05] * 120)))


@cache
def gain_grid():
    """linspace(-4, 4, 801), on which the lesson looks for the peak gain."""
    return read_only(np.linspace(-4.0, 4.0, 801))
