"""What the activation does to a distribution: many tokens counted into bins, and what theory expects there."""

import math
from dataclasses import dataclass

import numpy as np

from .activations import normal_cdf
from .ffn import Weights
from .lesson import NEAR_ZERO, read_only
from .rng import LessonStream

MOST_VALUES = 2**20  # about a second of counting
CHUNK_VALUES = 65_536
THEORY_POINTS = 8_001
SLICES = 24_000
NEAR_REACH, NEAR_BINS = 0.3, 60  # holds the dip of every activation, and 0 and +-NEAR_ZERO are borders of bins
THEORY_REACH = 9.0  # standard deviations on either side; what lies beyond is 1e-19 of the mass


@dataclass(frozen=True)
class Counts:
    """A histogram together with what theory expects in each of its bins.

    Attributes
    ----------
    edges : ndarray of shape (bins + 1,)
    counted, expected : ndarray of shape (bins,)
        Values a bin (counts).
    """

    edges: np.ndarray
    counted: np.ndarray
    expected: np.ndarray


@dataclass(frozen=True)
class Statistics:
    """What theory expects of a very large number of tokens.

    Attributes
    ----------
    pre_negative, pre_near_zero, post_near_zero, post_zero : float
        Shares of the values: pre < 0, |pre| < 0.05, |post| < 0.05, post = 0 exactly.
    post_min : float
        The least value sigma can give; -inf when it falls without limit.
    post_mean, mean_gain, rms_gain : float
    """

    pre_negative: float
    pre_near_zero: float
    post_near_zero: float
    post_zero: float
    post_min: float
    post_mean: float
    mean_gain: float
    rms_gain: float


@dataclass(frozen=True)
class Reshaping:
    """Pre- and post-activation values of many tokens, counted.

    Attributes
    ----------
    pre, post : Counts
        Over the range of the values.
    near : Counts
        Those of post from -NEAR_REACH to NEAR_REACH.
    n_values : int
    pre_negative, pre_near_zero, post_near_zero, post_zero, post_min, post_mean, mean_gain, rms_gain : float
        Counted, see `Statistics`.
    theory : Statistics
        The same, expected.
    """

    pre: Counts
    post: Counts
    near: Counts
    n_values: int
    pre_negative: float
    pre_near_zero: float
    post_near_zero: float
    post_zero: float
    post_min: float
    post_mean: float
    mean_gain: float
    rms_gain: float
    theory: Statistics


def tokens_within(n_tokens, d_ff):
    """How many of n_tokens may be sent through d_ff units, so that no more than MOST_VALUES values come out."""
    return min(n_tokens, MOST_VALUES // d_ff)


def with_scale_and_bias(weights, scale, bias):
    """He weights turned into weights of variance scale / d_model, with the same bias for every unit.

    Parameters
    ----------
    weights : Weights
        Drawn with scale 2, as the lesson does; at scale 2 and bias 0 the values stay as they are, to the last digit.
    scale, bias : float

    Returns
    -------
    Weights
        W2 and b2 are untouched.
    """
    return Weights(weights.W1 * math.sqrt(scale / 2.0), np.full(weights.d_ff, bias), weights.W2, weights.b2)


def unit_sds(W1):
    """Standard deviation of each pre-activation when the token is N(0, I): the length of each key.

    Returns
    -------
    ndarray of shape (d_ff,)
    """
    return np.sqrt(np.sum(W1 * W1, axis=0))


_TABLE_X = np.linspace(-THEORY_REACH, THEORY_REACH, 18_001)
_TABLE_CDF = normal_cdf(_TABLE_X)


def _cdf_on_line(z):
    """Phi(z) from a fine table: good to 1e-7, and a hundred times faster than one erfc a point."""
    return np.interp(z, _TABLE_X, _TABLE_CDF)


def _near_zero_borders(f, x):
    """Where |f| crosses the border of "near zero" on a fine grid x, by straight lines between its points."""
    above = np.abs(f(x)) - NEAR_ZERO
    at = np.flatnonzero(np.sign(above[:-1]) * np.sign(above[1:]) < 0)
    return x[at] + (x[at + 1] - x[at]) * above[at] / (above[at] - above[at + 1])


def _slices(sds, bias, f):
    """The mixture of the units' Gaussians, cut into thin slices.

    Every unit m is exactly N(bias, sds[m]^2) over random tokens, so all units together are their mixture. Slices end
    at 0 and where x or f(x) leaves "near zero", so that those shares come out exactly.

    Returns
    -------
    ends : ndarray of shape (slices + 1,)
    mass : ndarray of shape (slices,)
        The share of all values that lies in each slice.
    """
    reach = THEORY_REACH * sds.max()
    line = np.linspace(bias - reach, bias + reach, THEORY_POINTS)
    below = np.zeros_like(line)
    for sd in sds:
        below += _cdf_on_line((line - bias) / sd)
    ends = np.linspace(line[0], line[-1], SLICES + 1)
    borders = np.clip([-NEAR_ZERO, 0.0, NEAR_ZERO], line[0], line[-1])
    ends = np.sort(np.concatenate([ends, borders, _near_zero_borders(f, ends)]))
    return ends, np.diff(np.interp(ends, line, below)) / len(sds)


def _mass_in_bins(edges, ends, mass):
    """Mass in each bin when a slice lies between two of the ends, in either order, and is spread evenly over it.

    Parameters
    ----------
    edges : ndarray of shape (bins + 1,)
    ends : ndarray of shape (slices + 1,)
    mass : ndarray of shape (slices,)

    Returns
    -------
    ndarray of shape (bins,)
    """
    low, high = np.minimum(ends[:-1], ends[1:]), np.maximum(ends[:-1], ends[1:])
    first, last = (np.searchsorted(edges, a, side="right") for a in (low, high))
    inside = first == last
    total = np.bincount(first[inside], mass[inside], minlength=len(edges) + 1)[1:-1]
    cut = np.flatnonzero(~inside)  # the few slices across an edge
    below = np.clip((edges - low[cut, None]) / (high - low)[cut, None], 0.0, 1.0)
    return total + mass[cut] @ np.diff(below, axis=1)


def expected_counts(edges, n_values, sds, bias, f):
    """How many of n_values theory puts in each bin when f acts on a mixture of Gaussians.

    The mass of the mixture is cut into thin slices and each slice is carried through f to the bins where it lands; a
    density would be infinite where f is flat.

    Parameters
    ----------
    edges : ndarray of shape (bins + 1,)
    n_values : int
    sds : ndarray of shape (d_ff,)
    bias : float
    f : callable
        The activation, or the identity for the values before it.

    Returns
    -------
    ndarray of shape (bins,)
    """
    ends, mass = _slices(sds, bias, f)
    return n_values * _mass_in_bins(edges, f(ends), mass)


def gaussian_counts(edges, n_values, scale, bias):
    """How many of n_values a single Gaussian N(bias, scale) puts in each bin.

    With weights of variance scale / d_model the squared length of a key is `scale` on average, and the more channels
    the nearer to it: the mixture of the units then becomes this one Gaussian.

    Parameters
    ----------
    edges : ndarray of shape (bins + 1,)
    n_values : int
    scale, bias : float
        Variance and mean.

    Returns
    -------
    ndarray of shape (bins,)
    """
    return n_values * np.diff(normal_cdf((edges - bias) / math.sqrt(scale)))


def lowest_value(f):
    """The least value f gives, to about 1e-6; -inf when it falls without limit to the left.

    Parameters
    ----------
    f : callable
        An activation.

    Returns
    -------
    float
    """
    values = f(np.linspace(-50.0, 0.0, 20_001))
    return -math.inf if values[0] < values[1:].min() else float(values.min())


def _expected_statistics(sigma, ends, mass):
    """The statistics of the slices, each taken at its middle."""
    x = 0.5 * (ends[:-1] + ends[1:])
    post, gains = sigma.f(x), np.where(mass > 0.0, sigma.gain(x), 0.0)  # an empty slice may stand at a gain of inf
    return Statistics(
        pre_negative=float(mass[x < 0.0].sum()),
        pre_near_zero=float(mass[np.abs(x) < NEAR_ZERO].sum()),
        post_near_zero=float(mass[np.abs(post) < NEAR_ZERO].sum()),
        post_zero=float(mass[post == 0.0].sum()),
        post_min=lowest_value(sigma.f),
        post_mean=float(np.sum(mass * post)),
        mean_gain=float(np.sum(mass * gains)),
        rms_gain=math.sqrt(np.sum(mass * gains * gains)),
    )


def reshape_by(sigma, W1, seed, n_tokens, bias=0.0, bins=40, progress=None):
    """Send n_tokens random tokens through W1 and sigma, and count what comes out.

    Parameters
    ----------
    sigma : Activation
    W1 : ndarray of shape (d_model, d_ff)
    seed : int
        Of the tokens; the weights are given.
    n_tokens : int
    bias : float
        Added to every pre-activation.
    bins : int
    progress : callable, optional
        Called with the share done, from 0 to 1, after every part.

    Returns
    -------
    Reshaping
    """
    if n_tokens < 1 or bins < 1:
        raise ValueError(f"n_tokens is {n_tokens} and bins is {bins}; at least 1 of each is wanted")
    d_model, d_ff = W1.shape
    stream = LessonStream(seed)
    pre = np.empty((n_tokens, d_ff))
    post = np.empty_like(pre)
    gain_sum = gain_square_sum = 0.0
    step = max(1, CHUNK_VALUES // max(d_ff, d_model))
    for start in range(0, n_tokens, step):
        part = slice(start, min(start + step, n_tokens))
        pre[part] = stream.randn(part.stop - start, d_model) @ W1 + bias
        post[part] = sigma.f(pre[part])
        gains = sigma.gain(pre[part])
        gain_sum += float(gains.sum())
        gain_square_sum += float(np.vdot(gains, gains))
        if progress is not None:
            progress(part.stop / n_tokens)
    n_values = pre.size
    ends, mass = _slices(unit_sds(W1), bias, sigma.f)
    through = sigma.f(ends)
    return Reshaping(
        pre=_count(pre, bins, None, ends, mass),
        post=_count(post, bins, None, through, mass),
        near=_count(post, NEAR_BINS, (-NEAR_REACH, NEAR_REACH), through, mass),
        n_values=n_values,
        pre_negative=float(np.mean(pre < 0.0)),
        pre_near_zero=float(np.mean(np.abs(pre) < NEAR_ZERO)),
        post_near_zero=float(np.mean(np.abs(post) < NEAR_ZERO)),
        post_zero=float(np.mean(post == 0.0)),
        post_min=float(post.min()),
        post_mean=float(post.mean()),
        mean_gain=gain_sum / n_values,
        rms_gain=math.sqrt(gain_square_sum / n_values),
        theory=_expected_statistics(sigma, ends, mass),
    )


def _count(values, bins, span, ends, mass):
    """Histogram of the values over their own range, or over `span`, with the expected counts of the same bins."""
    counted, edges = np.histogram(values, bins, span)
    expected = values.size * _mass_in_bins(edges, ends, mass)
    return Counts(*(read_only(a) for a in (edges, counted, expected)))


def without_zeros(counts, found):
    """A histogram of post without the values that are exactly 0.

    They make no tall bin but an atom: however narrow the bins, they stay together. So they are to be drawn apart.

    Parameters
    ----------
    counts : Counts
        `found.post` or `found.near`.
    found : Reshaping

    Returns
    -------
    Counts
    """
    edges = counts.edges
    if not edges[0] <= 0.0 <= edges[-1]:
        return counts
    at = min(int(np.searchsorted(edges, 0.0, side="right")) - 1, len(counts.counted) - 1)
    counted, expected = counts.counted.copy(), counts.expected.copy()
    counted[at] -= round(found.post_zero * found.n_values)
    expected[at] = max(expected[at] - found.theory.post_zero * found.n_values, 0.0)
    return Counts(edges, counted, expected)
