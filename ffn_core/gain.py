"""The small-signal gain of the block: its Jacobian, its open gates, how far it predicts, what a token can close."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from . import lesson
from .checks import finite_array, last_axis
from .ffn import forward
from .rng import LessonStream

OPEN_GATE = 0.5  # the lesson counts a gate as open when its gain is above one half
DIRECTIONS = ("principal", "channel", "random")
RANDOM_SEEDS = 2**32  # random directions take the seeds from here on, which no bench uses
SIZES = np.geomspace(1e-4, 10.0, 101)  # of a perturbation, when its error is followed
TOLERATED = 0.1  # relative error at which a prediction is said to have left "local"


def jacobian(x, weights, sigma):
    """J = W1 diag(sigma'(x W1 + b1)) W2, the local linear map of the block at one token.

    Parameters
    ----------
    x : array_like of shape (d_model,)
    weights : Weights
    sigma : Activation

    Returns
    -------
    ndarray of shape (d_model, d_model)
        J[i, j] = d out[j] / d x[i], so a small change dx of the token changes the output by dx @ J.
    """
    x = finite_array("x", x)
    if x.ndim != 1:
        raise ValueError(f"x has shape {x.shape}; one token of shape ({weights.d_model},) is wanted")
    last_axis("x", x, weights.d_model, f"W1 {weights.W1.shape}")
    gains = sigma.gain(x @ weights.W1 + weights.b1)
    return (weights.W1 * gains) @ weights.W2


def singular_values(J):
    """Singular values of a matrix, largest first: the gain of each principal direction."""
    return np.linalg.svd(J, compute_uv=False)


def open_gates(gains, threshold=OPEN_GATE):
    """How many gains along the last axis are above the threshold.

    Parameters
    ----------
    gains : ndarray of shape (..., d_ff)

    Returns
    -------
    ndarray of shape (...), dtype int
    """
    return np.sum(gains > threshold, axis=-1)


def central_difference(f, x, h=1e-4):
    """(f(x + h) - f(x - h)) / 2h: an estimate of f'(x) with error of order h^2, plus rounding of order 1e-16 / h."""
    return (f(x + h) - f(x - h)) / (2.0 * h)


@dataclass(frozen=True)
class GainFacts:
    """What the lesson's Signals lens prints of a gain curve.

    Attributes
    ----------
    at_zero, at_minus_3, at_plus_3 : float
    peak, peak_x : float
        The largest gain on the lesson's grid of 801 points from -4 to 4, and where it is.
    difference : float
        Largest distance between the closed form and a central difference (h = 1e-4) on -3:0.05:3. Of the size of a
        rounding over h for a smooth activation; one half for ReLU, which has no derivative at its kink.
    """

    at_zero: float
    at_minus_3: float
    at_plus_3: float
    peak: float
    peak_x: float
    difference: float


def gain_facts(sigma):
    """Read an activation's gain curve the way the lesson does.

    Returns
    -------
    GainFacts
    """
    low, middle, high = sigma.gain(np.array([-3.0, 0.0, 3.0])).tolist()
    grid, fine = lesson.derivative_grid(), lesson.gain_grid()
    curve = sigma.gain(fine)
    peak = int(np.argmax(curve))
    difference = np.max(np.abs(sigma.gain(grid) - central_difference(sigma.f, grid, lesson.STEP)))
    return GainFacts(middle, low, high, float(curve[peak]), float(fine[peak]), float(difference))


@dataclass(frozen=True)
class LocalGains:
    """The local gain of the block at every token.

    Attributes
    ----------
    gates : ndarray of shape (T, d_ff)
        The gain of each slot.
    values : ndarray of shape (T, d_model)
        Singular values of J, largest first; rounding noise is set to 0.
    """

    gates: np.ndarray
    values: np.ndarray


def _noise(values, weights):
    """Singular values up to this size are rounding: eps times the longest side times the largest."""
    return max(weights.W1.shape) * np.finfo(values.dtype).eps * np.max(values, axis=-1, keepdims=True, initial=0.0)


def local_gains(H, weights, sigma):
    """Open gates and singular values of J, token by token.

    Parameters
    ----------
    H : ndarray of shape (T, d_model)
    weights : Weights
    sigma : Activation

    Returns
    -------
    LocalGains
    """
    gates = sigma.gain(H @ weights.W1 + weights.b1)
    opened = weights.W1 * gates[:, None, :]  # (T, d_model, d_ff): multiplied in one go, which is much the fastest
    J = (opened.reshape(-1, weights.d_ff) @ weights.W2).reshape(len(H), weights.d_model, weights.d_model)
    values = singular_values(J)
    values[values <= _noise(values, weights)] = 0.0
    return LocalGains(gates, values)


def spread(values):
    """How many times the smallest of some non-negative values the largest is.

    Returns
    -------
    float
        Infinite when only some of them are 0, NaN when all are.
    """
    low, high = float(np.min(values)), float(np.max(values))
    if low > 0.0:
        return high / low
    return math.inf if high > 0.0 else math.nan


def direction(kind, number, J):
    """A direction in which to perturb a token.

    Parameters
    ----------
    kind : str
        One of DIRECTIONS. `principal` is a left singular vector of J, ordered by gain, its largest entry positive.
    number : int
        Which one, counted from 0.
    J : ndarray of shape (d_model, d_model)

    Returns
    -------
    ndarray of shape (d_model,), of length 1
    """
    d_model = len(J)
    if kind == "principal":
        along = np.linalg.svd(J)[0][:, number]
        return along * np.copysign(1.0, along[np.argmax(np.abs(along))])
    if kind == "channel":
        return np.eye(d_model)[number]
    if kind == "random":
        along = LessonStream(RANDOM_SEEDS + number).randn(d_model)
        return along / np.linalg.norm(along)
    raise ValueError(f"kind is {kind!r}; one of {', '.join(DIRECTIONS)} is wanted")


@dataclass(frozen=True)
class Probe:
    """One token, pushed in one direction.

    Attributes
    ----------
    J : ndarray of shape (d_model, d_model)
    along : ndarray of shape (d_model,)
        The direction, of length 1.
    slope : ndarray of shape (d_model,)
        Predicted change of the output per unit of size: along @ J; exactly 0 where that is rounding noise.
    errors : ndarray of shape (101,)
        Relative error of the prediction at each of SIZES; NaN when nothing is predicted.
    reach : float
        The size at which the error first passes TOLERATED; the first of SIZES when it does so there already, infinite
        when it never does, NaN when nothing is predicted.
    """

    J: np.ndarray
    along: np.ndarray
    slope: np.ndarray
    errors: np.ndarray
    reach: float


def actual_change(x, along, sizes, weights, sigma):
    """FFN(x + size along) - FFN(x) for every size.

    Parameters
    ----------
    x, along : ndarray of shape (d_model,)
    sizes : float or ndarray of shape (...)
    weights : Weights
    sigma : Activation

    Returns
    -------
    ndarray of shape (..., d_model)
    """
    moved = x + np.asarray(sizes)[..., None] * along
    return forward(moved, weights, sigma).out - forward(x, weights, sigma).out


def prediction_error(x, along, sizes, slope, weights, sigma):
    """Length of actual minus predicted change over length of the predicted one, for every size.

    See `actual_change` for the parameters, `Probe` for the slope.

    Returns
    -------
    ndarray of shape (...)
        NaN when the slope is 0: nothing is predicted.
    """
    sizes = np.asarray(sizes)
    missed = actual_change(x, along, sizes, weights, sigma) - sizes[..., None] * slope
    predicted = sizes * (np.linalg.norm(slope) or math.nan)
    return np.linalg.norm(missed, axis=-1) / predicted


def probe(x, weights, sigma, kind, number):
    """Push a token in one direction and follow how well J predicts what comes out.

    Parameters
    ----------
    x : ndarray of shape (d_model,)
    weights : Weights
    sigma : Activation
    kind, number : str, int
        See `direction`.

    Returns
    -------
    Probe
    """
    J = jacobian(x, weights, sigma)
    along = direction(kind, number, J)
    slope = along @ J
    if np.linalg.norm(slope) <= _noise(singular_values(J), weights)[0]:
        slope = np.zeros_like(slope)

    def errors_at(sizes):
        return prediction_error(x, along, sizes, slope, weights, sigma)

    return Probe(J, along, slope, errors_at(SIZES), first_above(errors_at, TOLERATED, SIZES))


def first_above(f, level, sizes, zooms=2):
    """Where a function first passes a level, on a grid that then zooms in on the cell where it does.

    Parameters
    ----------
    f : callable
        Elementwise.
    level : float
    sizes : ndarray of shape (n,), positive and increasing
    zooms : int
        Each one narrows the cell by a factor n.

    Returns
    -------
    float
        Infinite when it does so nowhere, NaN when f is.
    """
    for _ in range(zooms + 1):
        values = f(sizes)
        above = values > level
        if not above.any():
            return math.nan if np.isnan(values).all() else math.inf
        first = int(np.argmax(above))
        if first == 0:
            break
        sizes = np.geomspace(sizes[first - 1], sizes[first], len(sizes))
    return float(sizes[first])


def most_negative_units(W1):
    """How many pre-activations x W1 can be driven negative at once by one row x, zero bias, decided exactly.

    Scaling x up then drives them below any bound. The region of x in which a given set of keys is negative is a cone;
    the largest set is found beside an edge of such a cone, where d_model - 1 keys are exactly zero and can all be
    tipped negative together. So it suffices to try every d_model - 1 keys, both signs of the edge. Keys must be in
    general position (random ones are): every d_model of them linearly independent.

    Parameters
    ----------
    W1 : array_like of shape (d_model, d_ff), d_model >= 2, d_ff >= d_model

    Returns
    -------
    count : int
    row : ndarray of shape (d_model,)
        A row of length 1 that does it.

    Raises
    ------
    ValueError
        When there would be more than a million edges to try.
    """
    W1 = finite_array("W1", W1)
    if W1.ndim != 2 or W1.shape[0] < 2 or W1.shape[1] < W1.shape[0]:
        raise ValueError(f"W1 has shape {W1.shape}; (d_model, d_ff) with 2 <= d_model <= d_ff is wanted")
    d_model, d_ff = W1.shape
    n_edges = math.comb(d_ff, d_model - 1)
    if n_edges > 1_000_000:
        raise ValueError(f"W1 {W1.shape} has {n_edges} edges to try; at most 1,000,000 are tried. Take a smaller block")
    subsets = np.array(list(combinations(range(d_ff), d_model - 1)))
    keys = W1.T[subsets]  # (n_edges, d_model - 1, d_model)
    edges = np.linalg.svd(keys)[2][:, -1, :]  # the direction at right angles to each subset's keys
    matches = edges @ W1
    np.put_along_axis(matches, subsets, 0.0, axis=1)  # zero by construction; rounding must not decide the sign
    below, above = np.sum(matches < 0, axis=1), np.sum(matches > 0, axis=1)
    sign = 1.0 if below.max() >= above.max() else -1.0
    best = int(np.argmax(below if sign > 0 else above))
    edge, subset = sign * edges[best], subsets[best]
    # Tip every key of the subset to the negative side: solve tip . k = -1 for each, then step a little that way.
    tip = np.linalg.lstsq(W1[:, subset].T, -np.ones(d_model - 1), rcond=None)[0]
    others = np.setdiff1d(np.flatnonzero(sign * matches[best] < 0), subset)
    slack = np.abs(edge @ W1[:, others]) / np.maximum(np.abs(tip @ W1[:, others]), 1e-300)
    row = edge + tip * 0.5 * min(1.0, slack.min(initial=1.0))
    return len(others) + d_model - 1, row / np.linalg.norm(row)
