"""What can be read off an activation's curve: its landmarks, its distance from another, the error of a difference."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .activations import relu
from .gain import central_difference
from .lesson import derivative_grid, gain_grid

REACH = 8.0  # landmarks and distances are looked for on [-8, 8]; beyond it every curve of the registry is straight
CELLS = 2000
ZOOMS = 3  # each one narrows the search to one cell on either side of the best point
EPS = float(np.finfo(np.float64).eps)
CURVATURE_STEP = 1e-3  # of the second difference that gives f''': off by about 1e-6, rounding 1e-10


def nearest(grid, x):
    """The entry of the grid closest to x."""
    return float(grid[int(np.argmin(np.abs(grid - x)))])


def highest(f, low=-REACH, high=REACH):
    """Where a function is largest, by a grid that zooms in on its best point; the rightmost of equals.

    Parameters
    ----------
    f : callable
        Elementwise.
    low, high : float

    Returns
    -------
    x, value : float
    """
    for _ in range(ZOOMS):
        grid = np.linspace(low, high, CELLS + 1)
        values = f(grid)
        best = int(np.flatnonzero(values >= values.max() - 4.0 * EPS)[-1])  # f(x) and f(-x) may differ by a rounding
        x, value = float(grid[best]), float(values[best])
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, CELLS)]
    return x, value


@dataclass(frozen=True)
class Landmarks:
    """Peak and valley of a gain, and where it changes sign.

    Attributes
    ----------
    peak_x, peak, valley_x, valley : float
        The largest and the smallest gain, and where they are.
    zero_x : float or None
        Where the activation has its minimum and the gain turns negative; None when the gain is nowhere negative.
    """

    peak_x: float
    peak: float
    valley_x: float
    valley: float
    zero_x: float | None


@lru_cache(maxsize=64)
def landmarks(sigma):
    """Peak, valley and zero of an activation's gain.

    Parameters
    ----------
    sigma : Activation

    Returns
    -------
    Landmarks
    """
    peak_x, peak = highest(sigma.gain)
    valley_x, minus_valley = highest(lambda x: -sigma.gain(x))
    zero_x = highest(lambda x: -sigma.f(x))[0] if minus_valley > 0.0 else None
    return Landmarks(peak_x, peak, valley_x, -minus_valley, zero_x)


def readings(sigma):
    """What the lesson reads off a gain curve: the gain far left, at the origin and far right, and its peak on a grid.

    Parameters
    ----------
    sigma : Activation

    Returns
    -------
    dict of str to float
        Label to gain.
    """
    grid, gains = gain_grid(), sigma.gain(gain_grid())
    at_points = {f"gain at {label}": float(sigma.gain(x)) for label, x in (("−3", -3.0), ("0", 0.0), ("3", 3.0))}
    return {**at_points, f"peak gain, at x = {grid[np.argmax(gains)]:.4g}": float(np.max(gains))}


@dataclass(frozen=True)
class Distance:
    """How far two activations are apart at most, and where.

    Attributes
    ----------
    value, value_x : float
        Largest |f - g|, and the rightmost x where it is reached.
    gain, gain_x : float
        The same for the gains.
    """

    value: float
    value_x: float
    gain: float
    gain_x: float


@lru_cache(maxsize=64)
def distance(sigma, other):
    """The largest distance between two activations and between their gains, on [-8, 8].

    Parameters
    ----------
    sigma, other : Activation

    Returns
    -------
    Distance
    """
    value_x, value = highest(lambda x: np.abs(sigma.f(x) - other.f(x)))
    with np.errstate(invalid="ignore"):  # two gains without limit at the same x are taken as equal there
        gain_x, gain = highest(lambda x: np.nan_to_num(np.abs(sigma.gain(x) - other.gain(x)), posinf=np.inf))
    return Distance(value, value_x, gain, gain_x)


@lru_cache(maxsize=64)
def dead_below(sigma, dtype):
    """From which x downwards an activation and its gain are both exactly 0 in finite precision.

    Parameters
    ----------
    sigma : Activation
    dtype : str
        "float16", "float32" or "float64": of x and of the results. GELU-exact takes its erfc in float64 and rounds.

    Returns
    -------
    float or None
        None when they never are.
    """
    low, high = -min(1000.0, 0.9 * float(np.finfo(dtype).max) ** 0.5), 0.0  # x * x must still be a number
    for _ in range(ZOOMS):
        grid = np.linspace(low, high, CELLS + 1).astype(dtype)
        with np.errstate(all="ignore"):  # underflow is the very thing that is looked for
            alive = (sigma.f(grid) != 0.0) | (sigma.gain(grid) != 0.0)
        if alive[0]:
            return None
        if not alive.any():
            return high
        first = int(np.argmax(alive))
        low, high = float(grid[first - 1]), float(grid[first])
    return low


def difference_error(sigma, x, h):
    """How far the central difference of an activation is from its closed-form gain.

    Parameters
    ----------
    sigma : Activation
    x, h : float or ndarray
        Operating point and step.

    Returns
    -------
    ndarray or float
    """
    return np.abs(central_difference(sigma.f, x, h) - sigma.gain(x))


def differences(sigma, h):
    """What the lesson takes from two points each: three central differences on its grid.

    Parameters
    ----------
    sigma : Activation
    h : float

    Returns
    -------
    dict of str to float
        Label to gain.
    """
    grid = derivative_grid()
    half, zero = nearest(grid, -0.5), nearest(grid, 0.0)
    return {
        "ReLU′(−0.5)": float(central_difference(relu, half, h)),
        f"{sigma.name}′(−0.5)": float(central_difference(sigma.f, half, h)),
        f"{sigma.name}′(0)": float(central_difference(sigma.f, zero, h)),
    }


def third_derivative(sigma, x):
    """f''' of an activation, by a second difference of its gain; NaN at a kink, where there is none."""
    d = CURVATURE_STEP
    if any(abs(x - kink) <= d for kink in sigma.kinks):
        return np.nan
    return (sigma.gain(x + d) - 2.0 * sigma.gain(x) + sigma.gain(x - d)) / (d * d)


def truncation_error(sigma, x, h):
    """h^2 |f'''(x)| / 6: what the central difference leaves out of Taylor's series, in exact arithmetic."""
    return h * h * np.abs(third_derivative(sigma, x)) / 6.0


def rounding_error(sigma, x, h):
    """eps |f| / h: f(x + h) and f(x - h) are each off by about eps |f| / 2, eps = 2.2e-16, and 2h divides the sum."""
    return EPS * 0.5 * (np.abs(sigma.f(x + h)) + np.abs(sigma.f(x - h))) / h


def best_step(sigma, x):
    """The step at which truncation and rounding together are least: h^3 = 3 eps |f| / |f'''|.

    Parameters
    ----------
    sigma : Activation
    x : float

    Returns
    -------
    float or None
        None where f''' is zero, so that no step is too long, or f is, so that none is too short; and at a kink.
    """
    curvature, size = float(np.abs(third_derivative(sigma, x))), float(np.abs(sigma.f(x)))
    if not curvature > 1e-6 or size == 0.0:  # below the accuracy of third_derivative
        return None
    return (3.0 * EPS * size / curvature) ** (1.0 / 3.0)
