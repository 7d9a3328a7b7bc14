"""What the activation does to a distribution: many tokens counted into bins, and the curve theory expects."""

import math
from dataclasses import dataclass

import numpy as np

from .activations import normal_cdf
from .lesson import NEAR_ZERO
from .rng import LessonStream

CHUNK_VALUES = 65_536
THEORY_POINTS = 8_001
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
class Reshaping:
    """Pre- and post-activation values of many tokens, counted.

    Attributes
    ----------
    pre, post : Counts
    n_values : int
    pre_negative, pre_near_zero, post_near_zero, post_zero : float
        Shares of the values: pre < 0, |pre| < 0.05, |post| < 0.05, post = 0 exactly.
    post_min, mean_gain, rms_gain : float
    """

    pre: Counts
    post: Counts
    n_values: int
    pre_negative: float
    pre_near_zero: float
    post_near_zero: float
    post_zero: float
    post_min: float
    mean_gain: float
    rms_gain: float


def unit_sds(W1):
    """Standard deviation of each pre-activation when the token is N(0, I): the length of each key.

    Returns
    -------
    ndarray of shape (d_ff,)
    """
    return np.sqrt(np.sum(W1 * W1, axis=0))


def expected_counts(edges, n_values, sds, bias, f):
    """How many of n_values theory puts in each bin when f acts on a mixture of Gaussians.

    Every unit m is exactly N(bias, sds[m]^2) over random tokens, so all units together are their mixture. Its mass is
    cut into thin slices and each slice is carried through f to the bin where it lands; a density would be infinite
    where f is flat.

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
    reach = THEORY_REACH * sds.max()
    x = np.linspace(bias - reach, bias + reach, THEORY_POINTS)
    below = np.zeros_like(x)
    for sd in sds:
        below += _cdf_on_line((x - bias) / sd)
    slices = f(0.5 * (x[:-1] + x[1:]))
    return np.histogram(slices, bins=edges, weights=np.diff(below) * (n_values / len(sds)))[0]


_TABLE_X = np.linspace(-THEORY_REACH, THEORY_REACH, 18_001)
_TABLE_CDF = normal_cdf(_TABLE_X)


def _cdf_on_line(z):
    """Phi(z) from a fine table: good to 1e-7, and a hundred times faster than one erfc a point."""
    return np.interp(z, _TABLE_X, _TABLE_CDF)


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
    step = max(1, CHUNK_VALUES // d_ff)
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
    sds = unit_sds(W1)
    return Reshaping(
        pre=_count(pre, sds, bias, lambda x: x, bins),
        post=_count(post, sds, bias, sigma.f, bins),
        n_values=n_values,
        pre_negative=float(np.mean(pre < 0.0)),
        pre_near_zero=float(np.mean(np.abs(pre) < NEAR_ZERO)),
        post_near_zero=float(np.mean(np.abs(post) < NEAR_ZERO)),
        post_zero=float(np.mean(post == 0.0)),
        post_min=float(post.min()),
        mean_gain=gain_sum / n_values,
        rms_gain=math.sqrt(gain_square_sum / n_values),
    )


def _count(values, sds, bias, f, bins):
    """Histogram of the values over their own range, with the expected counts of the same bins."""
    counted, edges = np.histogram(values, bins=bins)
    return Counts(edges, counted, expected_counts(edges, values.size, sds, bias, f))
