"""The small-signal gain of the block: its Jacobian, its open gates, and how many units one token can close."""

import math
from itertools import combinations

import numpy as np

from .checks import finite_array, last_axis

OPEN_GATE = 0.5  # the lesson counts a gate as open when its gain is above one half


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
