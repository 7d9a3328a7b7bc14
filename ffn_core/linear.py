"""What is left of blocks without an activation, one matrix and one bias, and what an activation adds beyond it."""

from dataclasses import dataclass

import numpy as np

from .activations import ACTIVATIONS
from .ffn import Weights, collapse, forward, random_weights
from .rng import LessonStream

TOKENS = 1024  # half of them to fit the best linear map on, half to measure it on
SHOWN = 200
MOST_BLOCKS = 24
ROUNDING = 1e-12  # numbers that differ by less than this share of their size are equal up to rounding
IDENTITY = ACTIVATIONS["Identity"]


def with_biases(weights, stream):
    """The same block with standard normal biases, b1 drawn first."""
    return Weights(weights.W1, stream.randn(weights.d_ff), weights.W2, stream.randn(weights.d_model))


def blocks(seed, T, d_model, d_ff, n_blocks, scale=2.0, biased=False):
    """Blocks drawn one after the other from the stream of a seed, after T tokens.

    At scale 2 the first is the block of `lesson.draw_example`. Biases come from the stream of seed + 1, so that the
    matrices are the same with and without them.

    Yields
    ------
    Weights
    """
    stream, bias_stream = LessonStream(seed), LessonStream(seed + 1)
    stream.randn(T, d_model)
    for _ in range(n_blocks):
        weights = random_weights(stream, d_model, d_ff, scale)
        yield with_biases(weights, bias_stream) if biased else weights


@dataclass(frozen=True)
class Collapsed:
    """One block without an activation, as one matrix and one bias.

    Attributes
    ----------
    W : ndarray of shape (d_model, d_model)
        W1 W2.
    b : ndarray of shape (d_model,)
        b1 W2 + b2.
    error : float
        Largest absolute difference between the two layers and x W + b.
    error_without_b1 : float
        The same when b1 W2 is forgotten.
    before, after : int
        Numbers in W1, b1, W2, b2, and in W and b (counts).
    """

    W: np.ndarray
    b: np.ndarray
    error: float
    error_without_b1: float
    before: int
    after: int


def collapse_block(H, weights):
    """Take the activation away and compare the two layers with the one they make.

    Parameters
    ----------
    H : ndarray of shape (T, d_model)
    weights : Weights

    Returns
    -------
    Collapsed
    """
    two_layers = forward(H, weights, IDENTITY).out
    W, b = collapse(weights)
    return Collapsed(
        W,
        b,
        error=float(np.max(np.abs(two_layers - (H @ W + b)))),
        error_without_b1=float(np.max(np.abs(two_layers - (H @ W + weights.b2)))),
        before=sum(a.size for a in (weights.W1, weights.b1, weights.W2, weights.b2)),
        after=W.size + b.size,
    )


def relative_difference(a, b):
    """Largest difference over the largest size of `a`; 0 when a is 0 and b is the same."""
    size = np.max(np.abs(a))
    return float(np.max(np.abs(a - b)) / size) if size else float(np.max(np.abs(b)))


def best_affine(H):
    """The best map `H W + b` by least squares: fitted to the first half of the tokens, used on the second half.

    Parameters
    ----------
    H : ndarray of shape (n, d_model), n >= 2 d_model + 2

    Returns
    -------
    callable
        From outputs, ndarray of shape (n, d_out), to predictions for the second half, (n - n // 2, d_out).
    """
    half = len(H) // 2
    inputs = np.column_stack([H, np.ones(len(H))])
    Q, R = np.linalg.qr(inputs[:half])
    onto = np.linalg.solve(R.T, inputs[half:].T).T  # inputs R^-1: the factors serve for every output
    return lambda out: onto @ (Q.T @ out[:half])


def left_over(actual, predicted):
    """Share of the variance that a prediction leaves unexplained, from 0 to 1; 0 when only roundings vary.

    Parameters
    ----------
    actual, predicted : ndarray of shape (n, d_out)

    Returns
    -------
    float
    """
    spread = float(np.sum(np.square(actual - actual.mean(axis=0))))
    if spread <= ROUNDING**2 * float(np.sum(np.square(actual))):
        return 0.0
    return min(1.0, float(np.sum(np.square(actual - predicted))) / spread)


@dataclass(frozen=True)
class Depth:
    """A stack of blocks, after 1, 2, ... n blocks.

    Attributes
    ----------
    errors : ndarray of shape (n,)
        Without an activation: the stack against its one matrix and bias, relative to the largest output.
    singular_values : ndarray of shape (n, d_model)
        Of that one matrix, largest first.
    left_over : ndarray of shape (n,)
        With the activation: share of the output's variance that no single linear map explains.
    actual, predicted : ndarray of shape (SHOWN,)
        Channel 1 after the last block, and what the best linear map makes of the same tokens.
    """

    errors: np.ndarray
    singular_values: np.ndarray
    left_over: np.ndarray
    actual: np.ndarray
    predicted: np.ndarray

    @property
    def spread(self):
        """Smallest over largest singular value of the whole stack."""
        return float(self.singular_values[-1, -1] / self.singular_values[-1, 0])

    @property
    def rank(self):
        """How many singular values of the whole stack are more than rounding beside the largest."""
        values = self.singular_values[-1]
        return int(np.sum(values > values[0] * len(values) * np.finfo(float).eps))


def study_depth(seed, T, d_model, d_ff, n_blocks, sigma, scale=2.0, biased=False, progress=None):
    """Send many tokens through a stack of blocks, without an activation and with sigma, and collapse the stack.

    Parameters
    ----------
    seed, T, d_model, d_ff, n_blocks, scale, biased
        See `blocks`.
    sigma : Activation
    progress : callable, optional
        Called with the share done, from 0 to 1, after every block.

    Returns
    -------
    Depth
    """
    H = LessonStream(seed + 2).randn(TOKENS, d_model)
    predict = best_affine(H)
    linear, bent = H, H
    W, b = np.eye(d_model), np.zeros(d_model)
    errors, values, shares = [], [], []
    for n, weights in enumerate(blocks(seed, T, d_model, d_ff, n_blocks, scale, biased), start=1):
        W_block, b_block = collapse(weights)
        W, b = W @ W_block, b @ W_block + b_block
        linear, bent = forward(linear, weights, IDENTITY).out, forward(bent, weights, sigma).out
        predicted, actual = predict(bent), bent[TOKENS // 2 :]
        errors.append(relative_difference(linear, H @ W + b))
        values.append(np.linalg.svd(W, compute_uv=False))
        shares.append(left_over(actual, predicted))
        if progress is not None:
            progress(n / n_blocks)
    return Depth(np.array(errors), np.array(values), np.array(shares), actual[:SHOWN, 0], predicted[:SHOWN, 0])
