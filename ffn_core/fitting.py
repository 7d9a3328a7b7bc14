"""Small training runs: one input, d_ff units, one output, full batch, the gradient written out in numpy."""

import math
from dataclasses import dataclass

import numpy as np

from .ffn import Weights, forward
from .rng import LessonStream

POINTS = 97
REACH = 3.0  # curves are fitted on [-3, 3]
STEPS = 1_000
LEARNING_RATE = 0.1  # over sqrt(d_ff): every unit moves the output, so more units take smaller steps
BETA1, BETA2, EPSILON = 0.95, 0.98, 1e-8  # Adam (Kingma & Ba 2015, algorithm 1), with the short memory of a short run

TARGETS = {
    "sine": lambda x: np.sin(2.0 * x),
    "step": lambda x: np.where(x > 0.0, 1.0, -1.0),
    "bump": lambda x: np.exp(-4.0 * x * x),
    "absolute value": np.abs,
    "straight line": lambda x: 0.5 * x + 0.25,
    "wiggle": lambda x: np.sin(3.0 * x) * np.cos(0.7 * x) + 0.2 * x,
}


@dataclass(frozen=True)
class Fit:
    """A fitted curve and how the loss came down.

    Attributes
    ----------
    x, target, fitted : ndarray of shape (POINTS,)
    steps, losses : ndarray of shape (recorded steps,)
        Mean squared error at these steps.
    weights : Weights
    """

    x: np.ndarray
    target: np.ndarray
    fitted: np.ndarray
    steps: np.ndarray
    losses: np.ndarray
    weights: Weights

    @property
    def loss(self):
        """Mean squared error at the end."""
        return float(self.losses[-1])


def loss_and_gradient(params, x, y, sigma):
    """Mean squared error of the block on (x, y), and its derivative by every parameter.

    Parameters
    ----------
    params : tuple (W1, b1, W2, b2) with d_model = 1
    x, y : ndarray of shape (n, 1)
    sigma : Activation

    Returns
    -------
    loss : float
    gradient : tuple of ndarray, shaped like params
    """
    W1, b1, W2, b2 = params
    pre = x @ W1 + b1
    post = sigma.f(pre)
    error = post @ W2 + b2 - y
    d_out = error * (2.0 / len(x))
    d_pre = (d_out @ W2.T) * sigma.gain(pre)
    return float(np.mean(error * error)), (x.T @ d_pre, d_pre.sum(axis=0), post.T @ d_out, d_out.sum(axis=0))


def start_params(seed, d_ff):
    """Kinks evenly along [-REACH, REACH] from its left end, facing right and left in turn, and an output of zero.

    The seed jitters slopes and kinks. Random kinks leave gaps, and with them 64 units can fit worse than 8. More units
    stand closer together and must turn more sharply to differ from their neighbours: hence the fourth root.

    Returns
    -------
    tuple (W1, b1, W2, b2)
    """
    stream = LessonStream(seed)
    unit = np.arange(d_ff)
    facing = np.where(unit % 2 == 0, 1.0, -1.0)
    W1 = facing * 2.0 * d_ff**0.25 * np.exp(0.2 * stream.randn(d_ff))
    kinks = -REACH + 2.0 * REACH * (unit + 0.1 * stream.randn(d_ff)) / d_ff
    return W1[None, :], -W1 * kinks, np.zeros((d_ff, 1)), np.zeros(1)


def adam(params, x, y, sigma, steps):
    """Adam steps with a learning rate that falls to zero along a cosine; yields (step, loss, params) before each."""
    moments = [(np.zeros_like(p), np.zeros_like(p)) for p in params]
    peak_rate = LEARNING_RATE / math.sqrt(params[0].shape[1])
    for step in range(steps + 1):
        loss, gradient = loss_and_gradient(params, x, y, sigma)
        yield step, loss, params
        rate = peak_rate * 0.5 * (1.0 + math.cos(math.pi * step / max(steps, 1)))
        moments = [
            (BETA1 * m + (1 - BETA1) * g, BETA2 * v + (1 - BETA2) * g * g)
            for (m, v), g in zip(moments, gradient, strict=True)
        ]
        correction1, correction2 = 1 - BETA1 ** (step + 1), 1 - BETA2 ** (step + 1)
        params = tuple(
            p - rate * (m / correction1) / (np.sqrt(v / correction2) + EPSILON)
            for p, (m, v) in zip(params, moments, strict=True)
        )


def fit_curve(target, sigma, d_ff, seed, steps=STEPS, record_every=20, progress=None):
    """Train a block with d_ff units on one of TARGETS.

    Parameters
    ----------
    target : str
        A name in TARGETS.
    sigma : Activation
    d_ff, seed, steps : int
    record_every : int
        Steps between two recorded losses.
    progress : callable, optional
        Called with the share done, from 0 to 1, at every recorded step.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        When the target is unknown, or d_ff or steps is less than 1.
    """
    if target not in TARGETS:
        raise ValueError(f"target is {target!r}; one of {', '.join(TARGETS)} is wanted")
    if d_ff < 1 or steps < 1:
        raise ValueError(f"d_ff is {d_ff} and steps is {steps}; at least 1 of each is wanted")
    x = np.linspace(-REACH, REACH, POINTS)[:, None]
    y = TARGETS[target](x)
    recorded = []
    for step, loss, params in adam(start_params(seed, d_ff), x, y, sigma, steps):  # noqa: B007 - the last are the result
        if step % record_every == 0 or step == steps:
            recorded.append((step, loss))
            if progress is not None:
                progress(step / steps)
    weights = Weights(*params)
    fitted = forward(x, weights, sigma).out
    at, losses = np.array(recorded).T
    return Fit(x[:, 0], y[:, 0], fitted[:, 0], at.astype(int), losses, weights)


def best_line_loss(target):
    """Mean squared error of the best straight line: the floor that no stack of linear layers can pass."""
    x = np.linspace(-REACH, REACH, POINTS)
    y = TARGETS[target](x)
    slope, height = np.polyfit(x, y, 1)
    return float(np.mean((slope * x + height - y) ** 2))


WIDTHS = (1, 2, 4, 8, 16, 32, 64)  # for a loss against width
