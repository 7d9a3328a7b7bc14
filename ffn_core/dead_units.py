"""Dead units: hidden units that pass nothing for any of many inputs, expected and counted, over the bias.

A unit is dead over n inputs when its gain is within some set of "closed" values for all of them. Its pre-activation
over random tokens is s (Z + bias), Z standard normal, s the length of its key, the bias in units of s; so the chance
is P(one closed)^n.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from . import lesson
from .activations import normal_cdf
from .lesson import read_only
from .rng import LessonStream

N_INPUTS = 1000  # "feed it 1000 random inputs" (exercise 2)
SMALL_GAIN = 0.01  # "units whose gain is below 0.01 everywhere" (exercise 2)
N_BLOCKS = 25  # blocks of the lesson's size, 400 units together
BIASES = np.round(np.arange(-70, 1) / 10.0, 10)  # the dial, in pre-activation standard deviations
READINGS = ("ReLU", "GELU, size of the gain", "GELU, gain with its sign")  # the last two: below SMALL_GAIN


def silent_share(bias, n_inputs=N_INPUTS):
    """Chance that a unit's pre-activation is negative for every input: Phi(-bias)^n.

    Parameters
    ----------
    bias : float or ndarray
        In standard deviations of the pre-activation.
    n_inputs : int

    Returns
    -------
    float or ndarray
    """
    return normal_cdf(-np.asarray(bias)) ** n_inputs


def half_silent_bias(n_inputs=N_INPUTS):
    """The bias, in pre-activation standard deviations, at which half the ReLU units are silent over n inputs.

    >>> round(half_silent_bias(1000), 4)
    -3.1976
    """
    return -NormalDist().inv_cdf(0.5 ** (1.0 / n_inputs))


def crossing(f, low, high):
    """Where f, of opposite signs at low and high, is zero: by halving the interval until it cannot be halved."""
    rises = f(high) > 0.0
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if (f(middle) > 0.0) == rises else (middle, high)
    return middle


def closed_sets(sigma=lesson.SIGMA):
    """Where each of READINGS calls a unit closed, as intervals of the pre-activation; GELU unless said.

    The gain of GELU and its kin is negative left of the activation's minimum and has one valley there. So |gain| < 0.01
    holds far on the left and in a narrow window around the minimum; gain < 0.01 holds everywhere left of that window's
    right end.

    Returns
    -------
    dict of str to tuple of (float, float)
    """
    grid = np.linspace(-8.0, 0.0, 8001)
    valley = float(grid[np.argmin(sigma.gain(grid))])
    far, before = (
        crossing(lambda x: float(sigma.gain(x)) + SMALL_GAIN, *ends) for ends in ((-8.0, valley), (valley, 0.0))
    )
    after = crossing(lambda x: float(sigma.gain(x)) - SMALL_GAIN, valley, 0.0)
    sets = (((-math.inf, 0.0),), ((-math.inf, far), (before, after)), ((-math.inf, after),))
    return dict(zip(READINGS, sets, strict=True))


def expected_share(intervals, sds, biases=BIASES, n_inputs=N_INPUTS):
    """Share of units expected to stay within the intervals for all inputs.

    Parameters
    ----------
    intervals : sequence of (float, float)
        Of the pre-activation, disjoint.
    sds : ndarray of shape (n_units,)
        Standard deviation of each unit's pre-activation.
    biases : ndarray of shape (n,)
        In these standard deviations.
    n_inputs : int

    Returns
    -------
    ndarray of shape (n,)
    """
    one = np.zeros((len(biases), len(sds)))
    for low, high in intervals:
        one += normal_cdf(high / sds - biases[:, None])
        if low > -math.inf:
            one -= normal_cdf(low / sds - biases[:, None])
    return np.mean(one**n_inputs, axis=1)


def counted_share(intervals, units, sds, biases=BIASES):
    """Share of units that do stay within the intervals.

    Parameters
    ----------
    intervals : sequence of (float, float)
        The first one reaches to minus infinity.
    units : ndarray of shape (n_units, n_inputs)
        Pre-activations without bias, divided by their standard deviation.
    sds : ndarray of shape (n_units,)
    biases : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)
    """
    highest = units.max(axis=1)
    shares = np.empty(len(biases))
    for k, bias in enumerate(biases):
        top = sds * (highest + bias)
        all_inside = top < intervals[0][1]
        rest = np.flatnonzero(~all_inside & _inside(top, intervals))  # few; the others are out at their highest value
        all_inside[rest] = _inside(sds[rest, None] * (units[rest] + bias), intervals).all(axis=1)
        shares[k] = all_inside.mean()
    return shares


def _inside(x, intervals):
    """Whether each x lies in one of the intervals."""
    return np.any([(low < x) & (x < high) for low, high in intervals], axis=0)


@dataclass(frozen=True)
class DeadUnits:
    """Dead units over the bias, for each of READINGS.

    Attributes
    ----------
    biases : ndarray of shape (n,)
    expected, counted : ndarray of shape (3, n)
        Shares, in the order of READINGS.
    n_units : int
    """

    biases: np.ndarray
    expected: np.ndarray
    counted: np.ndarray
    n_units: int

    def at(self, bias):
        """Expected and counted share of each reading at a bias of the dial.

        Returns
        -------
        dict of str to (float, float)
        """
        k = int(np.argmin(np.abs(self.biases - bias)))
        return {name: (self.expected[j, k], self.counted[j, k]) for j, name in enumerate(READINGS)}


def dead_units(seed):
    """25 blocks of the lesson's size, each with 1,000 inputs of its own: dead units expected and counted.

    Parameters
    ----------
    seed : int
        First the inputs of all blocks are drawn, then their W1, with He weights as in the lesson.

    Returns
    -------
    DeadUnits
    """
    stream = LessonStream(seed)
    inputs = stream.randn(N_BLOCKS, N_INPUTS, lesson.D_MODEL)
    W1 = stream.randn(N_BLOCKS, lesson.D_MODEL, lesson.D_FF) * math.sqrt(2.0 / lesson.D_MODEL)
    sds = np.linalg.norm(W1, axis=1)
    units = np.swapaxes(inputs @ (W1 / sds[:, None, :]), 1, 2).reshape(-1, N_INPUTS)
    sds = sds.ravel()
    sets = closed_sets().values()
    expected = np.array([expected_share(s, sds) for s in sets])
    counted = np.array([counted_share(s, units, sds) for s in sets])
    return DeadUnits(read_only(BIASES.copy()), read_only(expected), read_only(counted), len(sds))
