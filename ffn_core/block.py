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
from .attention import attention_scores, attention_trace, merge_heads, softmax, split_heads
from .checks import finite_array
from .ffn import Weights, forward
from .norms import NORMS, normalise, normalise_push

WIRINGS = ("pre-norm", "post-norm", "bare")
KINDS = ("stage", "ffn", "block")


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
        if self.norm not in NORMS:
            raise ValueError(f"norm is {self.norm!r}; one of {', '.join(NORMS)} is wanted")


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


def part_both(part, x, dx, sigma):
    """f(x) and its change when x changes by a small dx, in one go.

    Parameters
    ----------
    part : Weights, Stage or Attention
    x : ndarray of shape (..., T, d_model)
    dx : ndarray of the shape of x, or with further leading axes
    sigma : Activation

    Returns
    -------
    out, d_out : ndarray
    gains : ndarray or None
        sigma' at every pre-activation; None for attention, which has none.
    """
    match part:
        case Weights():
            pre = x @ part.W1 + part.b1
            gains = sigma.gain(pre)
            return sigma.f(pre) @ part.W2 + part.b2, ((dx @ part.W1) * gains) @ part.W2, gains
        case Stage():
            pre = x @ part.W
            gains = sigma.gain(pre)
            return sigma.f(pre), (dx @ part.W) * gains, gains
        case Attention():
            return *attention_both(part, x, dx), None
    raise ValueError(f"part is a {type(part).__name__}; Weights, Stage or Attention is wanted")


def part_push(part, x, dx, sigma):
    """The change of `part_out` at x when x changes by a small dx; dx may have further leading axes."""
    return part_both(part, x, dx, sigma)[1]


def attention_both(part, x, dx):
    """Attention's output, and its change: by its values, and by its weights through the softmax."""
    maps = part.W_Q, part.W_K, part.W_V
    Q, K, V = (split_heads(x @ W, part.n_heads) for W in maps)
    dQ, dK, dV = (split_heads(dx @ W, part.n_heads) for W in maps)
    A = softmax(attention_scores(Q, K, part.causal))
    d_scores = (dQ @ np.swapaxes(K, -1, -2) + Q @ np.swapaxes(dK, -1, -2)) / math.sqrt(Q.shape[-1])
    dA = A * (d_scores - np.sum(A * d_scores, axis=-1, keepdims=True))
    return merge_heads(A @ V) @ part.W_O, merge_heads(dA @ V + A @ dV) @ part.W_O


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


def wired_both(part, x, dx, sigma, wiring):
    """The stream after one part, its change when the stream before it changes by a small dx, and the part's gains.

    Parameters as in `wired` and `part_both`.
    """
    keep = 1.0 if wiring.residual else 0.0
    if wiring.placement == "pre-norm":
        inner, d_inner = normalise(x, wiring.norm), normalise_push(x, dx, wiring.norm)
        out, d_out, gains = part_both(part, inner, d_inner, sigma)
        return keep * x + wiring.step * out, keep * dx + wiring.step * d_out, gains
    out, d_out, gains = part_both(part, x, dx, sigma)
    after, d_after = keep * x + wiring.step * out, keep * dx + wiring.step * d_out
    if wiring.placement == "post-norm":
        return normalise(after, wiring.norm), normalise_push(after, d_after, wiring.norm), gains
    return after, d_after, gains


def wired_push(part, x, dx, sigma, wiring):
    """The change of the stream after one part when the stream before it changes by a small dx."""
    return wired_both(part, x, dx, sigma, wiring)[1]


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


def numbers_in(kind, d_model, d_ff):
    """How many random numbers a block takes.

    Returns
    -------
    int
    """
    match kind:
        case "stage":
            return d_model * d_model
        case "ffn":
            return 2 * d_model * d_ff
        case "block":
            return 4 * d_model * d_model + 2 * d_model * d_ff
    raise ValueError(f"kind is {kind!r}; one of {', '.join(KINDS)} is wanted")


def block_from(numbers, d_model, d_ff, kind="block", n_heads=1, scale=2.0, causal=True):
    """A block made of standard normal numbers, in the order W_Q, W_K, W_V, W_O, W1, W2.

    Parameters
    ----------
    numbers : ndarray of shape (numbers_in(kind, d_model, d_ff),)
    d_model, d_ff : int
    kind : str
        One of KINDS.
    n_heads : int
    scale : float
        Weight variance times the number of inputs, in the stage or the FFN; attention has scale 1.
    causal : bool

    Returns
    -------
    tuple of parts
    """
    wanted = (numbers_in(kind, d_model, d_ff),)
    if numbers.shape != wanted:
        raise ValueError(f"numbers has shape {numbers.shape}; a {kind} calls for {wanted}")
    if kind == "stage":
        return (Stage(numbers.reshape(d_model, d_model) * math.sqrt(scale / d_model)),)
    wide = d_model * d_ff
    four, two = numbers[: -2 * wide], numbers[-2 * wide :]
    W1 = two[:wide].reshape(d_model, d_ff) * math.sqrt(scale / d_model)
    W2 = two[wide:].reshape(d_ff, d_model) * math.sqrt(scale / d_ff)
    ffn = Weights(W1, np.zeros(d_ff), W2, np.zeros(d_model))
    if kind == "ffn":
        return (ffn,)
    maps = (four / math.sqrt(d_model)).reshape(4, d_model, d_model)
    return Attention(*maps, n_heads, causal), ffn


def random_block(stream, d_model, d_ff, kind="block", n_heads=1, scale=2.0, causal=True):
    """A block with weights of variance `scale` over the number of inputs; parameters as in `block_from`.

    Parameters
    ----------
    stream : LessonStream
    """
    numbers = stream.randn(numbers_in(kind, d_model, d_ff))
    return block_from(numbers, d_model, d_ff, kind, n_heads, scale, causal)


@dataclass(frozen=True)
class Depth:
    """A stream along depth; entry l of the first four stands after l blocks, entry l of the others is of block l + 1.

    Attributes
    ----------
    size : ndarray of shape (n + 1,)
        Euclidean length of the chosen token.
    rms, largest : ndarray of shape (n + 1,)
        Root mean square and largest size over all tokens and channels.
    change : ndarray of shape (n + 1,)
        Length of what a small change of length 1 has become (all tokens together), by the product of Jacobians.
    ratios : ndarray of shape (n,)
        Change after a block over change before it.
    mean_gain, rms_gain : ndarray of shape (n,)
        Mean and root mean square of sigma' over the block's pre-activations, all tokens.
    blown_up_at : int or None
        The block after which a number was beyond LARGEST; later entries are NaN.
    """

    size: np.ndarray
    rms: np.ndarray
    largest: np.ndarray
    change: np.ndarray
    ratios: np.ndarray
    mean_gain: np.ndarray
    rms_gain: np.ndarray
    blown_up_at: int | None

    @property
    def reached(self):
        """How many blocks were passed: all, or those before the one that blew up."""
        return len(self.ratios) if self.blown_up_at is None else self.blown_up_at - 1

    def mean_ratio(self, start=0, stop=None):
        """Geometric mean of the ratios of blocks start + 1 to stop, of those passed: the factor of a block on average.

        Parameters
        ----------
        start, stop : int or None
            As in a slice; -8 starts 8 blocks before the end.

        Returns
        -------
        float
            0 when the change is lost on the way, NaN when no block was passed there.
        """
        ratios = self.ratios[: self.reached][start:stop]
        if not len(ratios):
            return math.nan
        return float(np.exp(np.mean(np.log(ratios)))) if np.all(ratios > 0.0) else 0.0

    def beyond(self, limit):
        """The first block after which an entry of the stream is larger than `limit`; None when it never is."""
        past = np.flatnonzero(self.largest > limit)
        return int(past[0]) if len(past) else self.blown_up_at


# Well before float64 ends: GELU's tanh form cubes its input, attention multiplies two rows.
LARGEST = 1e60


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
    states = np.full((len(blocks) + 1, 4), np.nan)
    steps = np.full((len(blocks), 3), np.nan)
    states[0] = *_sizes(x, token), 1.0
    blown_up_at = None
    for number, block in enumerate(blocks, start=1):
        gains = None
        for part in block:
            x, dx, found = wired_both(part, x, dx, sigma, wiring)
            gains = gains if found is None else found
        length = np.linalg.norm(dx)
        if not (np.max(np.abs(x)) < LARGEST and length < LARGEST):
            blown_up_at = number
            break
        if length:
            dx, log_length = dx / length, log_length + math.log(length)
        else:
            log_length = -math.inf
        states[number] = *_sizes(x, token), math.exp(min(log_length, 700.0))
        steps[number - 1] = length, *_mean_and_rms(gains)
    states.flags.writeable = steps.flags.writeable = False
    return Depth(*states.T, *steps.T, blown_up_at)


def _sizes(x, token):
    """Length of one token, rms and largest size of all."""
    return np.linalg.norm(x[token]), np.linalg.norm(x) / math.sqrt(x.size), np.max(np.abs(x))


def _mean_and_rms(gains):
    if gains is None:
        return math.nan, math.nan
    return np.sum(gains) / gains.size, np.linalg.norm(gains) / math.sqrt(gains.size)


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


def dropout_passes(x, weights, sigma, rate, stream, n_passes):
    """y = x + dropout(FFN(LayerNorm(x))), several passes of it.

    Parameters
    ----------
    x : ndarray of shape (..., d_model)
    weights : Weights
    sigma : Activation
    rate : float
        0 gives what evaluation mode gives.
    stream : LessonStream
    n_passes : int

    Returns
    -------
    ndarray of shape (n_passes, ..., d_model)
    """
    branch = forward(normalise(x, "LayerNorm"), weights, sigma).out
    return np.stack([x + dropout(branch, rate, stream) for _ in range(n_passes)])
