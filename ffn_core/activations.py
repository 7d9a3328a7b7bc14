"""The activation functions sigma and their gains sigma', in one registry.

A gain is the derivative of an activation, read as an engineer reads it: a small change dx of the pre-activation x comes
out as gain(x) dx. To add an activation, write its two functions and one line in ACTIVATIONS; every control, chart and
law test picks it up from there.
"""

import functools
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass

import numpy as np

from .checks import floats

SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)
GELU_CUBIC = 0.044715  # Hendrycks & Gimpel 2016, section 2: the tanh approximation of x Phi(x)


BLOCK = 65_536  # values; the few arrays of a formula then stay in the processor's cache
workers = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="blockwise")  # starts a thread when there is work


def blockwise(f):
    """Let an elementwise formula work through an array of any shape in flat blocks, shared among the processor's cores.

    A formula of ten steps reads and writes ten arrays; in blocks they stay in the cache, which is several times faster
    for millions of values and changes no digit. numpy lets other threads run while it computes. `f` is given floats.
    """

    @functools.wraps(f)
    def in_blocks(x):
        x = floats(x)
        flat = x.reshape(-1)
        if flat.size <= BLOCK:
            return f(flat).reshape(x.shape)[()]
        out = np.empty(flat.shape, f(flat[:1]).dtype)

        def fill(start):
            out[start : start + BLOCK] = f(flat[start : start + BLOCK])

        # Each block has the caller's context, in which numpy keeps what `np.errstate` says.
        blocks = [workers.submit(copy_context().run, fill, start) for start in range(0, flat.size, BLOCK)]
        for block in blocks:
            block.result()
        return out.reshape(x.shape)

    return in_blocks


def identity(x):
    """x itself: no activation at all."""
    return floats(x).copy()


def identity_gain(x):
    """1 everywhere."""
    return np.ones_like(floats(x))


def relu(x):
    """max(0, x): a half-wave rectifier."""
    return np.maximum(floats(x), 0.0)


def relu_gain(x):
    """1 right of the kink, 0 left of it; at the kink itself 0, as PyTorch and JAX have it."""
    x = floats(x)
    return np.where(x > 0.0, np.ones_like(x), 0.0)


def _tanh_u(x):
    """tanh u with u = sqrt(2/pi) (x + 0.044715 x^3), the part that GELU and its gain share; worked in place."""
    u = x * x
    u *= SQRT_2_OVER_PI * GELU_CUBIC
    u += SQRT_2_OVER_PI
    u *= x
    return np.tanh(u, out=u)


@blockwise
def gelu(x):
    """0.5 x (1 + tanh u), u = sqrt(2/pi) (x + 0.044715 x^3): the form GPT-2 and the lesson use."""
    y = _tanh_u(x)
    y += 1.0
    y *= 0.5
    y *= x
    return y


@blockwise
def gelu_gain(x):
    """0.5 (1 + tanh u) + 0.5 x (1 - tanh^2 u) u' with u as in `gelu`."""
    tanh_u = _tanh_u(x)
    slope_u = SQRT_2_OVER_PI * (1.0 + 3.0 * GELU_CUBIC * (x * x))
    return 0.5 * (1.0 + tanh_u) + 0.5 * x * (1.0 - tanh_u * tanh_u) * slope_u


_erfc = np.frompyfunc(math.erfc, 1, 1)


def normal_cdf(x):
    """Phi(x), the standard normal distribution function, accurate in both tails."""
    x = floats(x)
    return 0.5 * np.asarray(_erfc(x / -math.sqrt(2.0)), dtype=x.dtype)


def normal_pdf(x):
    """phi(x), the standard normal density."""
    return np.exp(-0.5 * np.square(floats(x))) / math.sqrt(2.0 * math.pi)


@blockwise
def gelu_exact(x):
    """x Phi(x): GELU as defined (Hendrycks & Gimpel 2016, eq. 1)."""
    return x * normal_cdf(x)


@blockwise
def gelu_exact_gain(x):
    """Phi(x) + x phi(x)."""
    return normal_cdf(x) + x * normal_pdf(x)


def sigmoid(x):
    """1 / (1 + exp(-x)), written so that exp never overflows."""
    x = floats(x)
    decay = np.exp(-np.abs(x))
    return np.where(x < 0.0, decay, 1.0) / (1.0 + decay)


@blockwise
def silu(x):
    """x sigmoid(x), also called Swish (Elfwing et al. 2017)."""
    return x * sigmoid(x)


@blockwise
def silu_gain(x):
    """s (1 + x (1 - s)) with s = sigmoid(x), and 1 - s written as sigmoid(-x)."""
    return sigmoid(x) * (1.0 + x * sigmoid(-x))


@dataclass(frozen=True)
class Activation:
    """An activation with all that the rest of the project needs to know of it.

    Attributes
    ----------
    name : str
        As it stands in controls, legends and links.
    f, gain : callable
        Elementwise, any shape in, the same shape out; both take the pre-activation. The gain is finite everywhere, at a
        kink too: pages average it and its square, so a root that stands upright at 0 does not fit.
    formula : str
        LaTeX of f, with x for the pre-activation.
    kinks : tuple of float
        Where the gain jumps; plots break their line there.
    """

    name: str
    f: Callable
    gain: Callable
    formula: str
    kinks: tuple[float, ...] = ()


ACTIVATIONS = {
    a.name: a
    for a in (
        Activation("Identity", identity, identity_gain, r"x"),
        Activation("ReLU", relu, relu_gain, r"\max(0, x)", kinks=(0.0,)),
        Activation("GELU", gelu, gelu_gain, r"\tfrac12 x\,(1+\tanh[\sqrt{2/\pi}\,(x+0.044715\,x^3)])"),
        Activation("GELU-exact", gelu_exact, gelu_exact_gain, r"x\,\Phi(x)"),
        Activation("SiLU", silu, silu_gain, r"x\,/\,(1+e^{-x})"),
    )
}
