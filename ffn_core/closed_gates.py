"""A token that closes as many gates as one token can, and what is left of the local gain there (exercise 4)."""

from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from . import lesson
from .activations import ACTIVATIONS
from .gain import jacobian, most_negative_units, singular_values
from .lesson import read_only

SURVIVES = 1e-3  # "singular values above 1e-3"
CLOSED_BELOW = -3.0  # "pre-activations below -3"
COMPARED = (lesson.SIGMA, ACTIVATIONS["ReLU"])


def shortest_row(keys):
    """The shortest row x with x . k <= -1 for every key k.

    At the shortest one some of the keys are at -1 exactly, at most d_model of them, and it is the least-norm solution
    of those equations; so it suffices to try every small set of keys.

    Parameters
    ----------
    keys : ndarray of shape (n, d_model)

    Returns
    -------
    ndarray of shape (d_model,)

    Raises
    ------
    ValueError
        When no row is negative against all keys.
    """
    best = None
    for size in range(1, min(keys.shape) + 1):
        subsets = np.array(list(combinations(range(len(keys)), size)))
        rows = -np.linalg.pinv(keys[subsets]).sum(axis=-1)
        for row in rows[(rows @ keys.T <= -1.0 + 1e-9).all(axis=1)]:
            if best is None or row @ row < best @ best:
                best = row
    if best is None:
        raise ValueError(f"there are {len(keys)} keys, and no row is negative against all of them")
    return best


@dataclass(frozen=True)
class ClosedRow:
    """A token that closes as many gates as one token can.

    Attributes
    ----------
    most : int
        How many pre-activations one token can drive negative, decided exactly.
    row : ndarray of shape (d_model,)
        One that drives them below -3, with three decimals.
    pre : ndarray of shape (d_ff,)
    values : dict of str to ndarray of shape (d_model,)
        Singular values of the Jacobian there, for GELU and for ReLU.
    """

    most: int
    row: np.ndarray
    pre: np.ndarray
    values: dict

    def surviving(self, name):
        """How many singular values are above 1e-3 with this activation."""
        return int(np.sum(self.values[name] > SURVIVES))


def closed_row(weights):
    """The exact search, and the shortest row that goes with it.

    The row is made a little longer where a singular value lies within a tenth of 1e-3, so that counting does not
    hang on a rounding.

    Parameters
    ----------
    weights : Weights

    Returns
    -------
    ClosedRow
    """
    most, found = most_negative_units(weights.W1)
    direction = shortest_row(weights.W1.T[found @ weights.W1 < 0.0])
    for depth in 3.05 + 0.05 * np.arange(20):
        row = np.round(depth * direction, 3)
        pre = row @ weights.W1
        values = {sigma.name: singular_values(jacobian(row, weights, sigma)) for sigma in COMPARED}
        clear = all((np.abs(v / SURVIVES - 1.0) > 0.1).all() for v in values.values())
        if clear and np.sum(pre < CLOSED_BELOW) == most:
            break
    return ClosedRow(most, read_only(row), read_only(pre), values)


@cache
def seed_that_allows(count):
    """The first seed whose W1, drawn as in the lesson, lets exactly `count` pre-activations be negative at once.

    >>> seed_that_allows(15)
    3
    """
    for seed in range(1000):
        W1 = lesson.draw_example(seed, lesson.T, lesson.D_MODEL, lesson.D_FF).weights.W1
        if most_negative_units(W1)[0] == count:
            return seed
    raise ValueError(f"count is {count}; no seed below 1000 allows exactly that many")
