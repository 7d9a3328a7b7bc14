"""Stacks of random blocks, drawn from one seed: settings, ready-made ones, and what becomes of a signal along depth."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from .block import KINDS, Wiring, along_depth, block_from, numbers_in
from .lesson import read_only
from .rng import LessonStream

MOST_BLOCKS = 96
MOST_TOKENS = 16
# Channels of a stack. Wide enough for "about 1/2" to come out as about 1/2, narrow enough for 96 blocks in 0.1 s.
WIDEST = {"stage": 64, "ffn": 24, "block": 16}
USUAL_WIDTH = 32
WIDENING = 4  # d_ff over d_model
DRAWN_AT_ONCE = 24  # blocks; a deeper stack begins with the blocks of a shallower one

FLOAT16_LARGEST = float(np.finfo(np.float16).max)  # 65,504: training in float16 overflows beyond it
FLOAT32_LARGEST = float(np.finfo(np.float32).max)  # bfloat16 reaches as far


@dataclass(frozen=True)
class Setting:
    """What a stack is made of.

    Attributes
    ----------
    kind : str
        One of `block.KINDS`.
    wiring : Wiring
    scale : float
        Variance of the weights times their number of inputs.
    depth : int
        Number of blocks.
    width : int
        Channels of a token.
    """

    kind: str = "block"
    wiring: Wiring = field(default_factory=Wiring)
    scale: float = 1.0
    depth: int = 24
    width: int = WIDEST["block"]

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind is {self.kind!r}; one of {', '.join(KINDS)} is wanted")

    @property
    def plain(self):
        """The same parts without norm and residual path."""
        return replace(self, wiring=bare(residual=False))

    @property
    def words(self):
        """All of it by name, for a script.

        Returns
        -------
        dict of str to str, bool or number
        """
        wires = {name: getattr(self.wiring, name) for name in ("placement", "norm", "residual", "step")}
        return {"kind": self.kind, **wires, "scale": self.scale, "depth": self.depth, "width": self.width}


def bare(residual, step=1.0):
    """Wires without a norm."""
    return Wiring("bare", "none", residual, step)


@dataclass(frozen=True)
class Ready:
    """A ready-made setting and what it is there to show, in a sentence or two."""

    setting: Setting
    shows: str


READY = {
    "pre-norm block": Ready(
        Setting(),
        "every part reads a token of size 1 and adds about as much as the part before, so the stream grows, by "
        "an ever smaller factor.",
    ),
    "half a layer": Ready(
        Setting("stage", bare(False), 1.0, 24, USUAL_WIDTH),
        "the lesson's stage with weights of variance 1/d. The signal shrinks; near 0 *every* gain of GELU and SiLU is "
        "1/2, and each block halves what is left of a change. ReLU's gains are 0 or 1 at any size of signal, so with "
        "ReLU it is not 1/2.",
    ),
    "He weights": Ready(
        Setting("stage", bare(False), 2.0, 24, USUAL_WIDTH),
        "the same with variance 2/d: no halving. ReLU stays near 1. GELU starts near 1 (in a wide stack; this one has "
        "few channels) and, as its signal slowly shrinks as well, ends at √2 · 1/2.",
    ),
    "residual, small step": Ready(
        Setting("stage", bare(True, 0.1), 1.0, 24, USUAL_WIDTH),
        "a block multiplies a change by I + hJ, with h the step. The I carries the stream on and the gradient back, "
        "past every part.",
    ),
    "post-norm block": Ready(
        Setting(wiring=Wiring("post-norm")),
        "the size of the stream is held at 1, but the norms stand on the path itself and shrink an early change again "
        "and again.",
    ),
    "blows up": Ready(
        Setting("stage", bare(True), 2.0, 96, USUAL_WIDTH),
        "the residual path is there, but no norm; with a full step and large weights every block adds too much. A "
        "residual path preserves, but does not guarantee stability: initialization, step and depth still matter.",
    ),
}


def expected_ratio(kind, scale, rms_gain):
    """What a part multiplies the length of a small change by, for a change in a random direction and many channels.

    A matrix with weights of variance scale / n_in and n_out outputs multiplies the mean square of a row by `scale`,
    sigma by the mean square of its gain. A stage has one matrix, an FFN two.

    Returns
    -------
    float or ndarray of the shape of `rms_gain`
    """
    return (math.sqrt(scale) if kind == "stage" else scale) * rms_gain


def tokens_beside(token, T, most=MOST_TOKENS):
    """The run of at most `most` tokens that holds this one, counted from 0.

    Returns
    -------
    slice
    """
    start = token // most * most
    return slice(start, min(start + most, T))


def passing(token, T):
    """Which tokens pass, in words, counted from 1.

    Returns
    -------
    str
    """
    near = tokens_beside(token, T)
    return f"tokens {near.start + 1}–{near.stop} of {T}" if near.stop - near.start > 1 else f"token {near.stop} of {T}"


@dataclass(frozen=True)
class Stack:
    """Everything random about a stack; weights are scaled when it runs.

    Attributes
    ----------
    H : ndarray of shape (T, width)
        The tokens that go in.
    direction : ndarray of shape (width,)
        Of the small change of the chosen token.
    numbers : ndarray of shape (n_blocks, numbers_in(kind, width, 4 width))
        Standard normal numbers, a row a block.
    """

    H: np.ndarray
    direction: np.ndarray
    numbers: np.ndarray


def drawn_depth(depth):
    """How many blocks are drawn for a stack of this depth: whole batches, so few depths need their own draw."""
    return -(-depth // DRAWN_AT_ONCE) * DRAWN_AT_ONCE


def draw_stack(seed, T, width, kind, depth):
    """Tokens, the direction of the change, then block after block, from one stream.

    Parameters
    ----------
    seed, T, width : int
    kind : str
    depth : int
        As many blocks are drawn, or a few more.

    Returns
    -------
    Stack
    """
    stream = LessonStream(seed)
    H, direction = stream.randn(T, width), stream.randn(width)
    numbers = stream.randn(drawn_depth(depth), numbers_in(kind, width, WIDENING * width))
    return Stack(read_only(H), read_only(direction), read_only(numbers))


def run_stack(stack, setting, sigma, token=0):
    """Send the tokens beside the chosen one, and a small change of that one, through the blocks.

    Parameters
    ----------
    stack : Stack
    setting : Setting
    sigma : Activation
    token : int
        Counted from 0.

    Returns
    -------
    Depth
    """
    near = tokens_beside(token, len(stack.H))
    H, at = stack.H[near], token - near.start
    dH = np.zeros_like(H)
    dH[at] = stack.direction
    blocks = [
        block_from(row, setting.width, WIDENING * setting.width, setting.kind, scale=setting.scale)
        for row in stack.numbers[: setting.depth]
    ]
    return along_depth(H, dH, blocks, sigma, setting.wiring, at)
