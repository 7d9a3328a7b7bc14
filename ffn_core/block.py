"""The transformer block and stacks of it: wiring, norm, residual; and what a small change becomes along depth.

A block is a tuple of parts, each a map of the stream: (attention, FFN) for a whole block, (FFN,) for its second half,
or (Stage,), one matrix and an activation, the stage that the lesson's "one half a layer" speaks of. Around every part
go the same wires:

    pre-norm    keep x + step f(norm(x))
    post-norm   norm(keep x + step f(x))
    bare        keep x + step f(x)

with keep = 1 where there is a residual path and 0 where there is none. `push` carries a small change dx through a part
exactly (the directional derivative), so a row of changes becomes the product of all Jacobians.
"""

import math
from dataclasses import dataclass

import numpy as np

from .activations import normal_cdf
from .attention import attention_trace, merge_heads, split_heads
from .checks import finite_array
from .ffn import Weights, forward, random_weights
from .norms import normalise, normalise_push

WIRINGS = ("pre-norm", "post-norm", "bare")


@dataclass(frozen=True)
class Stage:
    """One matrix and an activation: f(x) = sigma(x W).

    Attributes
    ----------
    W : ndarray of shape (d_model, d_model)
    """

    W: np.ndarray


@dataclass(frozen=True)
class Attention:
    """The parameters of multi-head attention, see `multi_head_attention`."""

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    n_heads: int
    causal: bool = True


@dataclass(frozen=True)
class Wiring:
    """How parts are joined to the stream.

    Attributes
    ----------
    placement : str
        One of WIRINGS.
    norm : str
        One of `norms.NORMS`; "none" makes pre-norm and post-norm bare.
    residual : bool
        Whether the stream goes around the part as well.
    step : float
        What the part's output is multiplied by: the step of the forward-Euler reading.
    """

    placement: str = "pre-norm"
    norm: str = "LayerNorm"
    residual: bool = True
    step: float = 1.0

    def __post_init__(self):
        if self.placement not in WIRINGS:
            raise ValueError(f"placement is {self.placement!r}; one of {', '.join(WIRINGS)} is wanted")


def part_out(part, x, sigma):
    """f(x) of one part; x has shape (..., T, d_model)."""
    match part:
        case Weights():
            return forward(x, part, sigma).out
        case Stage():
            return sigma.f(x @ part.W)
        case Attention():
            return attention_trace(x, part.W_Q, part.W_K, part.W_V, part.W_O, part.n_heads, part.causal).out
    raise ValueError(f"part is a {type(part).__name__}; Weights, Stage or Attention is wanted")


def part_push(part, x, dx, sigma):
    """The change of `part_out` at x when x changes by a small dx; dx may have further leading axes."""
    match part:
        case Weights():
            gains = sigma.gain(x @ part.W1 + part.b1)
            return ((dx @ part.W1) * gains) @ part.W2
        case Stage():
            return (dx @ part.W) * sigma.gain(x @ part.W)
        case Attention():
            return attention_push(part, x, dx)
    raise ValueError(f"part is a {type(part).__name__}; Weights, Stage or Attention is wanted")


def attention_push(part, x, dx):
    """The change of attention's output: by its values, and by its weights through the softmax."""
    trace = attention_trace(x, part.W_Q, part.W_K, part.W_V, part.W_O, part.n_heads, part.causal)
    dQ, dK, dV = (split_heads(dx @ W, part.n_heads) for W in (part.W_Q, part.W_K, part.W_V))
    root = math.sqrt(trace.Q.shape[-1])
    d_scores = (dQ @ np.swapaxes(trace.K, -1, -2) + trace.Q @ np.swapaxes(dK, -1, -2)) / root
    A = trace.weights
    d_weights = A * (d_scores - np.sum(A * d_scores, axis=-1, keepdims=True))
    return merge_heads(d_weights @ trace.V + A @ dV) @ part.W_O


def wired(part, x, sigma, wiring):
    """The stream after one part.

    Parameters
    ----------
    part : Weights, Stage or Attention
    x : ndarray of shape (..., T, d_model)
    sigma : Activation
    wiring : Wiring

    Returns
    -------
    ndarray of the shape of x
    """
    keep = 1.0 if wiring.residual else 0.0
    match wiring.placement:
        case "pre-norm":
            return keep * x + wiring.step * part_out(part, normalise(x, wiring.norm), sigma)
        case "post-norm":
            return normalise(keep * x + wiring.step * part_out(part, x, sigma), wiring.norm)
        case _:
            return keep * x + wiring.step * part_out(part, x, sigma)


def wired_push(part, x, dx, sigma, wiring):
    """The change of the stream after one part when the stream before it changes by a small dx."""
    keep = 1.0 if wiring.residual else 0.0
    match wiring.placement:
        case "pre-norm":
            inner = normalise_push(x, dx, wiring.norm)
            return keep * dx + wiring.step * part_push(part, normalise(x, wiring.norm), inner, sigma)
        case "post-norm":
            before = keep * x + wiring.step * part_out(part, x, sigma)
            return normalise_push(before, keep * dx + wiring.step * part_push(part, x, dx, sigma), wiring.norm)
        case _:
            return keep * dx + wiring.step * part_push(part, x, dx, sigma)


def block_forward(x, block, sigma, wiring):
    """The stream after a whole block: its parts one after the other.

    Parameters
    ----------
    x : array_like of shape (..., T, d_model)
    block : tuple of parts
    sigma : Activation
    wiring : Wiring

    Returns
    -------
    ndarray of the shape of x
    """
    x = finite_array("x", x)
    for part in block:
        x = wired(part, x, sigma, wiring)
    return x


def random_block(stream, d_model, d_ff, kind="block", n_heads=1, scale=2.0, causal=True):
    """A block with weights of variance `scale` over the number of inputs.

    Parameters
    ----------
    stream : LessonStream
    kind : str
        "stage", "ffn" or "block"; attention is drawn first, W_Q, W_K, W_V, W_O, at scale 1.

    Returns
    -------
    tuple of parts
    """
    match kind:
        case "stage":
            return (Stage(stream.randn(d_model, d_model) * math.sqrt(scale / d_model)),)
        case "ffn":
            return (random_weights(stream, d_model, d_ff, scale),)
        case "block":
            four = [stream.randn(d_model, d_model) / math.sqrt(d_model) for _ in range(4)]
            return Attention(*four, n_heads, causal), random_weights(stream, d_model, d_ff, scale)
    raise ValueError(f"kind is {kind!r}; stage, ffn or block is wanted")


@dataclass(frozen=True)
class Depth:
    """A stream along depth; entry l stands after l blocks.

    Attributes
    ----------
    size : ndarray of shape (n + 1,)
        Euclidean length of the chosen token.
    rms : ndarray of shape (n + 1,)
        Root mean square over all tokens and channels.
    change : ndarray of shape (n + 1,)
        Length of what a small change of length 1 has become (all tokens together), by the product of Jacobians.
    blown_up_at : int or None
        The block after which the numbers left the range of float64; later entries are NaN.
    """

    size: np.ndarray
    rms: np.ndarray
    change: np.ndarray
    blown_up_at: int | None

    @property
    def ratios(self):
        """Change after a block over change before it.

        Returns
        -------
        ndarray of shape (n,)
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.change[1:] / self.change[:-1]


LARGEST = 1e150  # squares of larger numbers overflow


def along_depth(H, dH, blocks, sigma, wiring, token=0):
    """Send tokens and a small change of them through a stack of blocks.

    Parameters
    ----------
    H : ndarray of shape (T, d_model)
    dH : ndarray of shape (T, d_model)
        Direction of the change; only its direction matters.
    blocks : sequence of tuple of parts
    sigma : Activation
    wiring : Wiring
    token : int
        Whose size is kept.

    Returns
    -------
    Depth
    """
    x, dx = finite_array("H", H), finite_array("dH", dH)
    if dx.shape != x.shape:
        raise ValueError(f"dH has shape {dx.shape}; H {x.shape} calls for the same")
    length = np.linalg.norm(dx)
    if length == 0.0:
        raise ValueError("dH is zero; a direction is wanted")
    dx, log_length = dx / length, 0.0  # the length is kept apart, so that it can shrink below the range of float64
    rows = [(np.linalg.norm(x[token]), np.sqrt(np.mean(x * x)), 1.0)]
    blown_up_at = None
    for number, block in enumerate(blocks, start=1):
        for part in block:
            dx, x = wired_push(part, x, dx, sigma, wiring), wired(part, x, sigma, wiring)
        length = np.linalg.norm(dx)
        if not (np.max(np.abs(x)) < LARGEST and length < LARGEST):
            blown_up_at = number
            break
        log_length += math.log(length) if length else -math.inf
        dx = dx / length if length else dx
        rows.append((np.linalg.norm(x[token]), np.sqrt(np.mean(x * x)), math.exp(min(log_length, 700.0))))
    padded = np.full((len(blocks) + 1, 3), np.nan)
    padded[: len(rows)] = rows
    return Depth(*padded.T, blown_up_at)


def dropout(x, rate, stream):
    """Training-mode dropout: each entry is 0 with probability `rate`, else divided by 1 - rate.

    In evaluation mode dropout is left out: x as it is.

    Parameters
    ----------
    x : ndarray
    rate : float
        From 0 up to, not including, 1.
    stream : LessonStream
        Decides what is dropped, so a repeat of the same stream repeats the pass.

    Returns
    -------
    ndarray of the shape of x
    """
    if not 0.0 <= rate < 1.0:
        raise ValueError(f"rate is {rate}; a number from 0 up to, not including, 1 is wanted")
    kept = normal_cdf(stream.randn(*x.shape)) >= rate
    return np.where(kept, x / (1.0 - rate), 0.0)
