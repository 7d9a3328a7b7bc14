"""Every number the lesson prints, computed again: `python -m ffn_core` shows the table.

Each entry carries the printed digits and the function that recomputes them. The tolerance is half a unit of the last
printed digit. Where the lesson prints 16 or 17 digits, that is less than one rounding of the numbers the result is
computed from, so such an entry adds the roundings it takes and says so; on most machines the digits agree exactly all
the same. Entries that are rounding noise are bounds: another processor may sum in another order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

import numpy as np

from . import counts, gain, information, lesson
from .distributions import reshape_by
from .ffn import forward, slot_terms

EPS = float(np.finfo(np.float64).eps)
HALF_UNIT = "half a unit of the last printed digit"


@dataclass(frozen=True)
class Printed:
    """One printed number, or one printed row of numbers.

    Attributes
    ----------
    section, quantity, printed : str
        As in the lesson; `printed` keeps its digits.
    compute : callable
        No argument in, a number or a sequence of numbers out.
    roundings : float
        What float64 rounding may add to half a unit of the last printed digit.
    bound : float or None
        For rounding noise: the size that must not be exceeded, instead of a comparison of digits.
    why : str
        The reason for the tolerance.
    """

    section: str
    quantity: str
    printed: str
    compute: Callable
    roundings: float = 0.0
    bound: float | None = None
    why: str = HALF_UNIT


@dataclass(frozen=True)
class Result:
    """A printed number beside ours.

    Attributes
    ----------
    printed : Printed
    ours : tuple of float
    difference : float
        The largest absolute difference; for a bound, the size of ours.
    tolerance : float
    """

    printed: Printed
    ours: tuple[float, ...]
    difference: float
    tolerance: float

    @property
    def ok(self):
        """Whether ours agrees with the lesson's."""
        return self.difference <= self.tolerance


def half_unit(digits):
    """Half a unit of the last digit of a printed number: '0.5' -> 0.05, '40' -> 0.5."""
    return 0.5 * 10.0 ** Decimal(digits).as_tuple().exponent


def check(entry):
    """Recompute one entry.

    Parameters
    ----------
    entry : Printed

    Returns
    -------
    Result
    """
    ours = tuple(float(v) for v in np.ravel(entry.compute()))
    digits = entry.printed.split()
    if len(ours) != len(digits):
        raise ValueError(f"{entry.quantity}: {len(ours)} numbers came; {entry.printed!r} calls for {len(digits)}")
    if entry.bound is not None:
        return Result(entry, ours, float(np.max(np.abs(ours))), entry.bound)
    difference = float(np.max(np.abs(np.subtract(ours, [float(d) for d in digits]))))  # NaN stays NaN, and is not ok
    # Half a unit of a 17-digit number can be below the spacing of floats: then equal floats are equal digits.
    return Result(entry, ours, difference, half_unit(digits[0]) + entry.roundings)


@cache
def _distribution():
    """The lesson's 4,096 pre- and post-activation values."""
    return reshape_by(
        lesson.SIGMA, lesson.worked_example().weights.W1, lesson.DISTRIBUTION_SEED, lesson.DISTRIBUTION_TOKENS
    )


def shuffle_error():
    """The lesson's max |FFN(P H) - P FFN(H)|: rounding noise, 0 where the processor sums every row alike."""
    example, order = lesson.worked_example(), list(lesson.PERMUTATION)
    shuffled = forward(example.H[order], example.weights, lesson.SIGMA).out
    return np.max(np.abs(shuffled - lesson.worked_trace().out[order]))


def _finite_difference(name, at):
    """Central difference of GELU or ReLU at the grid point nearest to `at`, as the lesson takes it."""
    grid = lesson.derivative_grid()
    x = grid[int(np.argmin(np.abs(grid - at)))]
    return gain.central_difference(lesson.ACTIVATIONS[name].f, x, lesson.STEP)


def _closed_form_error():
    grid, sigma = lesson.derivative_grid(), lesson.SIGMA
    return np.max(np.abs(sigma.gain(grid) - gain.central_difference(sigma.f, grid, lesson.STEP)))


def _slot_sum_error():
    trace, weights = lesson.worked_trace(), lesson.worked_example().weights
    total = slot_terms(trace, weights, lesson.TOKEN).sum(axis=0) + weights.b2
    return np.max(np.abs(total - trace.out[lesson.TOKEN]))


def _gains(token):
    return lesson.SIGMA.gain(lesson.worked_trace().pre[token])


def _singular_values(token):
    example = lesson.worked_example()
    return gain.singular_values(gain.jacobian(example.H[token], example.weights, lesson.SIGMA))


def _information(groups):
    return information.mutual_information(information.merge(lesson.JOINT, groups))


def _peak_gain():
    return np.max(lesson.SIGMA.gain(lesson.gain_grid()))


def _peak_x():
    grid = lesson.gain_grid()
    return grid[int(np.argmax(lesson.SIGMA.gain(grid)))]


_TYPICAL = lesson.TYPICAL_D_MODEL
_ROUNDED = f"{HALF_UNIT}, and the roundings of float64 on the way"
_STEP_NOISE = f"{HALF_UNIT}, and one rounding of GELU, 1e-17, over 2h = 2e-4"
_NOISE = "rounding noise: a bound, since BLAS may sum in another order"

REFERENCE = (
    Printed("position-wise-ffn", "size(H)", "5 4", lambda: lesson.worked_trace().H.shape),
    Printed("position-wise-ffn", "size(hidden_pre)", "5 16", lambda: lesson.worked_trace().pre.shape),
    Printed("position-wise-ffn", "size(hidden_post)", "5 16", lambda: lesson.worked_trace().post.shape),
    Printed("position-wise-ffn", "size(out)", "5 4", lambda: lesson.worked_trace().out.shape),
    Printed(
        "position-wise-ffn",
        "max |FFN(P*H) - P*FFN(H)|, perm [3 1 2 5 4] (1-based)",
        "0",
        shuffle_error,
        bound=1e-14,
        why=_NOISE,
    ),
    Printed("relu-vs-gelu", "ReLU'(-0.5), central difference h=1e-4", "0", lambda: _finite_difference("ReLU", -0.5)),
    Printed(
        "relu-vs-gelu",
        "GELU'(-0.5), central difference h=1e-4",
        "0.13263009756722677",
        lambda: _finite_difference("GELU", -0.5),
        roundings=EPS / 2e-4,
        why=_STEP_NOISE,
    ),
    Printed(
        "relu-vs-gelu",
        "GELU'(0), central difference h=1e-4",
        "0.49999999999999817",
        lambda: _finite_difference("GELU", 0.0),
        roundings=EPS * 1e-4 / 2e-4,
        why=_STEP_NOISE,
    ),
    Printed(
        "distributions", "fraction pre < 0 (256 x 16 values)", "0.50439453125", lambda: _distribution().pre_negative
    ),
    Printed(
        "distributions",
        "min post",
        "-0.17004033623004985",
        lambda: _distribution().post_min,
        roundings=EPS,
        why=_ROUNDED,
    ),
    Printed("distributions", "fraction |pre| < 0.05", "0.048095703125", lambda: _distribution().pre_near_zero),
    Printed("distributions", "fraction |post| < 0.05", "0.14794921875", lambda: _distribution().post_near_zero),
    Printed("width", "d_model", "384", lambda: _TYPICAL),
    Printed("width", "d_ff = 4 * d_model", "1536", lambda: 4 * _TYPICAL),
    Printed("width", "attention params", "589824", lambda: counts.attention_params(_TYPICAL)),
    Printed("width", "FFN params (biases ignored)", "1179648", lambda: counts.ffn_params(_TYPICAL, 4 * _TYPICAL)),
    Printed(
        "width",
        "FFN / attention",
        "2",
        lambda: counts.ffn_params(_TYPICAL, 4 * _TYPICAL) / counts.attention_params(_TYPICAL),
    ),
    Printed("width", "FFN share of block", "0.6666666666666666", lambda: counts.ffn_share(_TYPICAL, 4 * _TYPICAL)),
    Printed(
        "signals",
        "max |analytic - finite difference| on -3:0.05:3",
        "0.0000000012941756832862694",
        _closed_form_error,
        bound=2e-9,
        why=f"{_NOISE.split(':')[0]} and h^2 error of the difference: a bound",
    ),
    Printed("signals", "gain at x = 0", "0.5", lambda: lesson.SIGMA.gain(0.0)),
    Printed(
        "signals",
        "gain at x = -3",
        "-0.011584166630969516",
        lambda: lesson.SIGMA.gain(-3.0),
        roundings=8 * EPS,
        why=f"{_ROUNDED}; 1 + tanh u cancels here",
    ),
    Printed(
        "signals",
        "gain at x = +3",
        "1.0115841666309695",
        lambda: lesson.SIGMA.gain(3.0),
        roundings=8 * EPS,
        why=_ROUNDED,
    ),
    Printed(
        "signals",
        "peak gain on linspace(-4, 4, 801)",
        "1.1289926108579487",
        _peak_gain,
        roundings=8 * EPS,
        why=_ROUNDED,
    ),
    Printed("signals", "x of peak gain", "1.42", _peak_x),
    Printed(
        "signals",
        "max |slot sum - out(2,:)|, token 2",
        "0.0000000000000002220446049250313",
        _slot_sum_error,
        bound=1e-14,
        why=_NOISE,
    ),
    Printed(
        "signals", "slots with output > 0.1, of 80", "40", lambda: np.sum(lesson.worked_trace().post > lesson.FIRED)
    ),
    *(
        entry
        for token, n_open, values in (
            (1, "6", "1.291126 1.098320 0.145769 0.046738"),
            (2, "10", "1.612586 1.234295 0.537255 0.204679"),
            (3, "9", "2.173183 1.070870 0.388100 0.119365"),
            (4, "10", "1.439330 1.276246 0.452919 0.008460"),
            (5, "10", "1.439806 1.332591 0.243955 0.040248"),
        )
        for entry in (
            Printed(
                "systems",
                f"token {token} open gates (gain > 1/2)",
                n_open,
                lambda token=token: gain.open_gates(_gains(token - 1)),
            ),
            Printed(
                "systems", f"token {token} J singular values", values, lambda token=token: _singular_values(token - 1)
            ),
        )
    ),
    Printed(
        "information",
        "I(Y; X) in bits",
        "0.3248567535900131",
        lambda: information.mutual_information(lesson.JOINT),
        roundings=16 * EPS,
        why=_ROUNDED,
    ),
    Printed(
        "information",
        "I(Y; f(X)), injective f",
        "0.3248567535900131",
        lambda: _information([[3], [1], [0], [2]]),
        roundings=16 * EPS,
        why=_ROUNDED,
    ),
    Printed(
        "information",
        "I(Y; f(X)), f merges x2 and x3",
        "0.26550220320535933",
        lambda: _information([[0], [1, 2], [3]]),
        roundings=16 * EPS,
        why=_ROUNDED,
    ),
)


@cache
def results():
    """Every entry of REFERENCE, recomputed in this process.

    Returns
    -------
    tuple of Result
    """
    return tuple(check(entry) for entry in REFERENCE)
