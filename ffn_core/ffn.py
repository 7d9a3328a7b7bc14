"""The position-wise feed-forward block: FFN(x) = sigma(x W1 + b1) W2 + b2.

Row convention, here and everywhere in this project: a token is a row, a layer multiplies from the right (`H @ W1`).
Texts with column vectors write W x instead; their weights are the transposes of ours.
"""

import math
from dataclasses import dataclass

import numpy as np

from .checks import finite_array, last_axis


@dataclass(frozen=True)
class Weights:
    """The parameters of one feed-forward block, checked and read-only.

    Attributes
    ----------
    W1 : ndarray of shape (d_model, d_ff)
        Its column m is the key of slot m.
    b1 : ndarray of shape (d_ff,)
    W2 : ndarray of shape (d_ff, d_model)
        Its row m is the value of slot m.
    b2 : ndarray of shape (d_model,)

    Raises
    ------
    ValueError
        When a shape does not fit W1, or a number is not finite.
    """

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray

    def __post_init__(self):
        for name in ("W1", "b1", "W2", "b2"):
            view = finite_array(name, getattr(self, name)).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        if self.W1.ndim != 2 or 0 in self.W1.shape:
            raise ValueError(f"W1 has shape {self.W1.shape}; (d_model, d_ff) with both at least 1 is wanted")
        d_model, d_ff = self.W1.shape
        for name, wanted in (("b1", (d_ff,)), ("W2", (d_ff, d_model)), ("b2", (d_model,))):
            shape = getattr(self, name).shape
            if shape != wanted:
                raise ValueError(f"{name} has shape {shape}; W1 {self.W1.shape} calls for {wanted}")

    @property
    def d_model(self):
        """Width of a token, in channels."""
        return self.W1.shape[0]

    @property
    def d_ff(self):
        """Width of the hidden layer, in units (slots)."""
        return self.W1.shape[1]


def random_weights(stream, d_model, d_ff, scale=2.0):
    """Weights with variance `scale` over the number of inputs, and zero biases.

    Scale 2 is He initialisation (He et al. 2015, eq. 10), which the lesson uses. W1 is drawn first, then W2.

    Parameters
    ----------
    stream : LessonStream
    d_model, d_ff : int
    scale : float

    Returns
    -------
    Weights
    """
    W1 = stream.randn(d_model, d_ff) * math.sqrt(scale / d_model)
    W2 = stream.randn(d_ff, d_model) * math.sqrt(scale / d_ff)
    return Weights(W1, np.zeros(d_ff), W2, np.zeros(d_model))


@dataclass(frozen=True)
class Trace:
    """All that a forward pass computed, in order.

    Attributes
    ----------
    H : ndarray of shape (..., d_model)
        The tokens that went in, one a row.
    pre, post : ndarray of shape (..., d_ff)
        Before and after the activation.
    out : ndarray of shape (..., d_model)
    """

    H: np.ndarray
    pre: np.ndarray
    post: np.ndarray
    out: np.ndarray


def forward(H, weights, sigma):
    """Apply the block to every row of H.

    Parameters
    ----------
    H : array_like of shape (..., d_model)
    weights : Weights
    sigma : Activation

    Returns
    -------
    Trace

    Raises
    ------
    ValueError
        When the last axis of H is not d_model, or a number is not finite.
    """
    H = finite_array("H", H)
    last_axis("H", H, weights.d_model, f"W1 {weights.W1.shape}")
    pre = H @ weights.W1
    pre += weights.b1
    post = sigma.f(pre)
    out = post @ weights.W2
    out += weights.b2
    return Trace(H, pre, post, out)


def slot_terms(trace, weights, token):
    """What each slot adds to one token's output: post[m] times the value of slot m.

    Parameters
    ----------
    trace : Trace
    weights : Weights
    token : int or tuple of int
        Index of the token, counted from 0.

    Returns
    -------
    ndarray of shape (d_ff, d_model)
        Its rows and b2 sum to `trace.out[token]`.
    """
    return trace.post[token][:, None] * weights.W2


def collapse(weights):
    """The single linear map that the block becomes when sigma is the identity.

    Returns
    -------
    W : ndarray of shape (d_model, d_model)
        W1 W2.
    b : ndarray of shape (d_model,)
        b1 W2 + b2.
    """
    return weights.W1 @ weights.W2, weights.b1 @ weights.W2 + weights.b2


def collapse_stack(layers):
    """The single linear map of several blocks in a row, first block first, when sigma is the identity.

    Parameters
    ----------
    layers : sequence of Weights, at least one, all of the same d_model

    Returns
    -------
    W : ndarray of shape (d_model, d_model)
    b : ndarray of shape (d_model,)
    """
    W, b = collapse(layers[0])
    for weights in layers[1:]:
        W_next, b_next = collapse(weights)
        W, b = W @ W_next, b @ W_next + b_next
    return W, b


def rounding_bound(trace, weights):
    """How far two correct float64 forward passes may differ, because sums can be taken in another order.

    A sum of n products is off by at most n u times the sum of their sizes, u = 1.1e-16 (Higham 2002, section 3.1);
    the error of the first sum passes the activation, whose gain is at most 1.13 for every entry of the registry.

    Returns
    -------
    float
        A bound on the largest absolute difference between two outputs.
    """
    u = np.finfo(trace.out.dtype).eps / 2.0
    pre_error = (weights.d_model + 1) * u * (np.abs(trace.H) @ np.abs(weights.W1) + np.abs(weights.b1))
    post_error = 1.13 * pre_error + 8.0 * u * np.abs(trace.post)
    last = (weights.d_ff + 1) * u * (np.abs(trace.post) @ np.abs(weights.W2) + np.abs(weights.b2))
    return float(2.0 * np.max(post_error @ np.abs(weights.W2) + last))
