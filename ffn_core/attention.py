"""Multi-head attention and rotary positions, in the row convention: the stage that does mix tokens."""

import math
from dataclasses import dataclass

import numpy as np

from .checks import finite_array, last_axis

ROPE_BASE = 10000.0  # Su et al. 2021 (RoFormer), section 3.2.2


def softmax(scores):
    """exp(s) / sum exp(s) along the last axis, shifted so that exp never overflows; -inf gives 0."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    return weights / weights.sum(axis=-1, keepdims=True)


def rope_frequencies(d, base=ROPE_BASE):
    """theta_k = base^(-2k / d), the angle by which pair k turns a position.

    Parameters
    ----------
    d : int
        Even width of a head.

    Returns
    -------
    ndarray of shape (d / 2,)
        Radians a position, fastest first.
    """
    if d < 2 or d % 2:
        raise ValueError(f"d is {d}; an even width of at least 2 is wanted, since coordinates turn in pairs")
    return base ** (-2.0 * np.arange(d // 2) / d)


def rope_wavelengths(d, base=ROPE_BASE):
    """2 pi / theta_k: after so many positions pair k points the same way again.

    Returns
    -------
    ndarray of shape (d / 2,)
        Positions, shortest first.
    """
    return 2.0 * math.pi / rope_frequencies(d, base)


def rope(x, positions, base=ROPE_BASE):
    """Turn the pairs (0, 1), (2, 3), ... of each row by its position times the pair's frequency.

    Su et al. 2021, section 3.4.2.

    Parameters
    ----------
    x : array_like of shape (..., T, d)
        Queries or keys; d even.
    positions : array_like of shape (T,)
        Position of each row; any real numbers. A single number turns all rows alike.
    base : float

    Returns
    -------
    ndarray of the shape of x
        Rows keep their length; q . k afterwards depends on the two positions only through their difference.

    Raises
    ------
    ValueError
        When d is odd or the positions do not fit.
    """
    x, positions = finite_array("x", x), finite_array("positions", positions)
    if x.ndim == 0 or (positions.ndim and positions.shape != x.shape[-2:-1]):
        raise ValueError(f"positions has shape {positions.shape}; x {x.shape} calls for {x.shape[-2:-1]}")
    angles = positions[..., None] * rope_frequencies(x.shape[-1], base)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    turned = np.empty_like(x)
    turned[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    turned[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return turned


def relative_scores(q, k, offsets, base=ROPE_BASE):
    """q . k / sqrt(d) after `rope`, for a key that stands `offset` positions after the query.

    Nothing is turned here: with the pairs read as complex numbers z and w, the score is the real part of
    sum_k z_k conj(w_k) exp(-i offset theta_k), in which the two positions no longer occur.

    Parameters
    ----------
    q, k : array_like of shape (..., d)
    offsets : array_like of shape (n,)
        Position of the key minus position of the query.
    base : float

    Returns
    -------
    ndarray of shape (..., n)
    """
    q, k = finite_array("q", q), finite_array("k", k)
    angles = np.multiply.outer(rope_frequencies(q.shape[-1], base), finite_array("offsets", offsets))
    along = q[..., 0::2] * k[..., 0::2] + q[..., 1::2] * k[..., 1::2]
    across = q[..., 1::2] * k[..., 0::2] - q[..., 0::2] * k[..., 1::2]
    return (along @ np.cos(angles) + across @ np.sin(angles)) / math.sqrt(q.shape[-1])


@dataclass(frozen=True)
class OffsetScores:
    """Scores under `rope` over the offset of the key, all of standard normal queries and keys.

    Attributes
    ----------
    query, key : ndarray of shape (d,)
        The first of them.
    one : ndarray of shape (n,)
        Of this query and this key.
    unrelated : ndarray of shape (n,)
        Root mean square over many unrelated queries and keys.
    itself : ndarray of shape (n,)
        Mean over many queries with themselves as the key.
    expected : ndarray of shape (n,)
        What `itself` tends to: 2 sum_k cos(offset theta_k) / sqrt(d).
    """

    query: np.ndarray
    key: np.ndarray
    one: np.ndarray
    unrelated: np.ndarray
    itself: np.ndarray
    expected: np.ndarray


def offset_scores(stream, d, offsets, base=ROPE_BASE, n_pairs=256):
    """Draw queries, then keys, and score them at each offset.

    Parameters
    ----------
    stream : LessonStream
    d : int
    offsets : array_like of shape (n,)
    base : float
    n_pairs : int

    Returns
    -------
    OffsetScores
    """
    queries, keys = stream.randn(n_pairs, d), stream.randn(n_pairs, d)
    scores, own = relative_scores(queries, keys, offsets, base), relative_scores(queries, queries, offsets, base)
    expected = 2.0 * np.sum(np.cos(np.multiply.outer(rope_frequencies(d, base), offsets)), axis=0) / math.sqrt(d)
    unrelated = np.sqrt(np.mean(scores * scores, axis=0))
    return OffsetScores(queries[0], keys[0], scores[0], unrelated, np.mean(own, axis=0), expected)


def repeated_scores(query, key, T, base=ROPE_BASE):
    """Scores when every position holds the same query and the same key: what is left is the pattern of `rope`.

    Parameters
    ----------
    query, key : array_like of shape (d,)
    T : int
    base : float

    Returns
    -------
    ndarray of shape (T, T)
        Row: position of the query; column: position of the key.
    """
    Q, K = (rope(np.tile(x, (T, 1)), np.arange(T), base) for x in (query, key))
    return attention_scores(Q, K)


def diagonal_spread(scores):
    """The largest difference between two entries on one diagonal of a square matrix, at least 1 by 1.

    Returns
    -------
    float
    """
    T = len(scores)
    return float(max(np.ptp(np.diagonal(scores, k)) for k in range(1 - T, T)))


def split_heads(X, n_heads):
    """(..., T, n_heads * d_head) -> (..., n_heads, T, d_head); head h takes a run of neighbouring columns."""
    return X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads).swapaxes(-2, -3)


def merge_heads(X):
    """(..., n_heads, T, d_head) -> (..., T, n_heads * d_head), the inverse of `split_heads`."""
    X = X.swapaxes(-3, -2)
    return X.reshape(*X.shape[:-2], X.shape[-2] * X.shape[-1])


def attention_scores(Q, K, causal=False):
    """Q K^T / sqrt(d_head); with `causal`, -inf where the key comes after the query.

    Parameters
    ----------
    Q, K : ndarray of shape (..., T, d_head)

    Returns
    -------
    ndarray of shape (..., T, T)
    """
    scores = Q @ np.swapaxes(K, -1, -2) / math.sqrt(Q.shape[-1])
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    return scores


@dataclass(frozen=True)
class AttentionTrace:
    """What attention computed on the way.

    Attributes
    ----------
    Q, K, V : ndarray of shape (..., n_heads, T, d_head)
        After the rotation, where there is one.
    weights : ndarray of shape (..., n_heads, T, T)
        Each row sums to 1.
    out : ndarray of shape (..., T, d_model)
    """

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    weights: np.ndarray
    out: np.ndarray


def attention_trace(H, W_Q, W_K, W_V, W_O, n_heads, causal=False, positions=None, base=ROPE_BASE):
    """Multi-head attention with everything it computed; parameters as in `multi_head_attention`."""
    H = finite_array("H", H)
    W_Q, W_K, W_V, W_O = (
        finite_array(n, W) for n, W in zip(("W_Q", "W_K", "W_V", "W_O"), (W_Q, W_K, W_V, W_O), strict=True)
    )
    if H.ndim < 2:
        raise ValueError(f"H has shape {H.shape}; (..., T, d_model) is wanted")
    for name, W in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V)):
        if W.ndim != 2 or W.shape[0] != H.shape[-1]:
            raise ValueError(f"{name} has shape {W.shape}; H {H.shape} calls for ({H.shape[-1]}, ...)")
    if n_heads < 1 or W_Q.shape[1] % n_heads:
        raise ValueError(f"n_heads is {n_heads}; a divisor of the {W_Q.shape[1]} columns of W_Q is wanted")
    d_head = W_Q.shape[1] // n_heads
    n_kv_heads, rest = divmod(W_K.shape[1], d_head)
    if rest or not n_kv_heads or n_heads % n_kv_heads or W_V.shape != W_K.shape:
        raise ValueError(
            f"W_K has shape {W_K.shape} and W_V {W_V.shape}; equal shapes with a number of heads of {d_head} columns "
            f"that divides n_heads = {n_heads} are wanted"
        )
    last_axis("W_O transposed", W_O.T, W_Q.shape[1], f"W_Q {W_Q.shape}")
    Q, K, V = split_heads(H @ W_Q, n_heads), split_heads(H @ W_K, n_kv_heads), split_heads(H @ W_V, n_kv_heads)
    if positions is not None:
        Q, K = rope(Q, positions, base), rope(K, positions, base)
    K, V = (np.repeat(X, n_heads // n_kv_heads, axis=-3) for X in (K, V))
    weights = softmax(attention_scores(Q, K, causal))
    return AttentionTrace(Q, K, V, weights, merge_heads(weights @ V) @ W_O)


def multi_head_attention(H, W_Q, W_K, W_V, W_O, n_heads, causal=False, positions=None, base=ROPE_BASE):
    """Concat over heads of softmax(Q K^T / sqrt(d_head)) V, times W_O (Vaswani et al. 2017, section 3.2).

    Parameters
    ----------
    H : array_like of shape (..., T, d_model)
    W_Q : array_like of shape (d_model, n_heads * d_head)
    W_K, W_V : array_like of shape (d_model, n_kv_heads * d_head)
        As wide as W_Q, or narrower when several query heads share one key and value head.
    W_O : array_like of shape (n_heads * d_head, d_model)
    n_heads : int
    causal : bool
        A token attends to itself and to earlier tokens only.
    positions : array_like of shape (T,), optional
        With them, queries and keys are rotated by `rope`.
    base : float

    Returns
    -------
    ndarray of shape (..., T, d_model)

    Raises
    ------
    ValueError
        When a shape does not fit, or a number is not finite.
    """
    return attention_trace(H, W_Q, W_K, W_V, W_O, n_heads, causal, positions, base).out


def sinusoids(T, d_model, base=ROPE_BASE):
    """The added position vectors of the original transformer (Vaswani et al. 2017, section 3.5).

    Returns
    -------
    ndarray of shape (T, d_model)
        sin and cos of position / base^(2k / d_model) in columns 2k and 2k + 1.
    """
    column = np.arange(d_model)
    angles = np.arange(T)[:, None] / base ** (2.0 * (column // 2) / d_model)
    return np.where(column % 2, np.cos(angles), np.sin(angles))
