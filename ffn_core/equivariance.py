"""Who notices the order of the tokens: layers against a shuffle of the rows, and rows against a change of one token.

Two properties that are easily confused. A layer is *equivariant* when shuffling its input shuffles its output in the
same way, f(P H) = P f(H). It is *row-independent* when a row of the output depends on that row of the input alone.
Row-independent layers are equivariant; attention shows that the converse is false.
"""

import math
from dataclasses import dataclass

import numpy as np

from .attention import attention_trace, sinusoids
from .block import Attention, Wiring, part_out, wired
from .ffn import Weights, forward, random_weights
from .norms import normalise
from .rng import LessonStream

ROUNDING = 1e-12  # relative differences below this are rounding; the real ones here are above 1e-6
NO_ORDER, CAUSAL, ADDED, ROTATED = (
    "attention",
    "attention, causal mask",
    "attention, added positions",
    "attention, RoPE",
)
LAYERS = ("FFN", NO_ORDER, CAUSAL, ADDED, ROTATED)
BLOCK = Wiring(norm="RMSNorm")  # LayerNorm of two channels has only two outputs, and would hide a change


@dataclass(frozen=True)
class Example:
    """Tokens, a feed-forward block and the weights of attention, drawn from one seed."""

    H: np.ndarray
    weights: Weights
    attention: Attention


def head_width(d_model, n_heads):
    """The least even width with which n_heads cover d_model channels; RoPE turns pairs, so it must be even."""
    return 2 * math.ceil(d_model / (2 * n_heads))


def draw_attention_example(seed, T, d_model, d_ff, n_heads):
    """H, W1 and W2 as `lesson.draw_example` draws them, then W_Q, W_K, W_V and W_O at scale 1, from one stream.

    Parameters
    ----------
    seed, T, d_model, d_ff, n_heads : int

    Returns
    -------
    Example
    """
    stream = LessonStream(seed)
    H = stream.randn(T, d_model)
    H.flags.writeable = False
    weights = random_weights(stream, d_model, d_ff)
    width = n_heads * head_width(d_model, n_heads)
    W_Q, W_K, W_V = (stream.randn(d_model, width) / math.sqrt(d_model) for _ in range(3))
    return Example(H, weights, Attention(W_Q, W_K, W_V, stream.randn(width, d_model) / math.sqrt(width), n_heads))


def layer_out(name, H, example, sigma):
    """One of LAYERS applied to H, whose rows stand at positions 0, 1, 2, ... whatever they hold.

    Parameters
    ----------
    name : str
    H : ndarray of shape (T, d_model)
    example : Example
    sigma : Activation
        Of the FFN.

    Returns
    -------
    ndarray of shape (T, d_model)
    """
    if name == "FFN":
        return forward(H, example.weights, sigma).out
    if name not in LAYERS:
        raise ValueError(f"name is {name!r}; one of {', '.join(LAYERS)} is wanted")
    a, positions = example.attention, np.arange(len(H))
    H = H + sinusoids(*H.shape) if name == ADDED else H
    rotated = positions if name == ROTATED else None
    return attention_trace(H, a.W_Q, a.W_K, a.W_V, a.W_O, a.n_heads, causal=name == CAUSAL, positions=rotated).out


def shuffle_miss(name, example, sigma, order):
    """max |f(P H) - P f(H)| over max |f(H)|: 0, up to rounding, when the layer commutes with the shuffle.

    Parameters
    ----------
    name : str
        One of LAYERS.
    example : Example
    sigma : Activation
    order : sequence of int
        Row i of P H is row order[i] of H.

    Returns
    -------
    float
    """
    plain = layer_out(name, example.H, example, sigma)
    shuffled = layer_out(name, example.H[order], example, sigma)
    return float(np.max(np.abs(shuffled - plain[order])) / (np.max(np.abs(plain)) or 1.0))


def with_change(H, token, added):
    """A copy of H in which `added` stands on top of the first channel of one token (index from 0)."""
    changed = H.copy()
    changed[token, 0] += added
    return changed


def rows_moved(name, example, sigma, token, added):
    """How far each row of a layer's output moves when one token changes.

    Parameters
    ----------
    name : str
        One of LAYERS.
    example : Example
    sigma : Activation
    token : int
        Counted from 0.
    added : float

    Returns
    -------
    ndarray of shape (T,)
        Largest absolute difference in each row.
    """
    before, after = (layer_out(name, H, example, sigma) for H in (example.H, with_change(example.H, token, added)))
    return np.max(np.abs(after - before), axis=1)


def ffn_moved(example, sigma, token, added, attention=True):
    """How far the FFN's output moves at each token when one token changes, inside a pre-norm block.

    Parameters
    ----------
    example : Example
        Its attention is causal.
    sigma : Activation
    token : int
        Counted from 0.
    added : float
    attention : bool
        Whether attention, with its residual, stands before the FFN.

    Returns
    -------
    ndarray of shape (T,)
        Largest absolute difference in each row.
    """

    def ffn_out(H):
        stream = wired(example.attention, H, sigma, BLOCK) if attention else H
        return part_out(example.weights, normalise(stream, BLOCK.norm), sigma)

    moved = ffn_out(with_change(example.H, token, added)) - ffn_out(example.H)
    return np.max(np.abs(moved), axis=1)
