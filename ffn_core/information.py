"""Entropy and mutual information of small tables, in bits, and what merging symbols does to them."""

import numpy as np

from .checks import finite_array

SUM_TOLERANCE = 1e-9


def _probabilities(name, p):
    """`p` as an array of probabilities that sum to 1, or a ValueError that says what is wrong."""
    p = finite_array(name, p)
    if p.size and p.min() < 0:
        raise ValueError(f"{name} has the entry {p.min():g}; probabilities of 0 or more are wanted")
    if abs(p.sum() - 1.0) > SUM_TOLERANCE:
        raise ValueError(f"{name} sums to {p.sum():.10g}; probabilities that sum to 1 are wanted")
    return p


def entropy_bits(p):
    """H = -sum p log2 p, in bits, over all entries of the table.

    Parameters
    ----------
    p : array_like of any shape
        Probabilities that sum to 1; a zero adds nothing.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        When an entry is negative or not finite, or the sum is not 1.
    """
    p = _probabilities("p", p)
    p = p[p > 0]
    return max(0.0, float(-np.sum(p * np.log2(p))))  # rounding must not show as -0 bits


def mutual_information(joint):
    """I(X; Y) = H(X) + H(Y) - H(X, Y), in bits.

    Parameters
    ----------
    joint : array_like of shape (symbols of X, symbols of Y)

    Returns
    -------
    float
    """
    joint = _probabilities("joint", joint)
    if joint.ndim != 2:
        raise ValueError(f"joint has shape {joint.shape}; a table (symbols of X, symbols of Y) is wanted")
    bits = entropy_bits(joint.sum(axis=1)) + entropy_bits(joint.sum(axis=0)) - entropy_bits(joint)
    return max(0.0, bits)  # never negative: what is below 0 is rounding


def merge(joint, groups):
    """The joint table of (f(X), Y) for the map f that sends every symbol of a group to one new symbol.

    Parameters
    ----------
    joint : array_like of shape (n, symbols of Y)
    groups : sequence of sequences of int
        A partition of 0 .. n-1; one new row a group, in this order.

    Returns
    -------
    ndarray of shape (number of groups, symbols of Y)

    Raises
    ------
    ValueError
        When a symbol is missing or stands twice.
    """
    joint = np.asarray(joint, dtype=float)
    if sorted(i for group in groups for i in group) != list(range(len(joint))):
        raise ValueError(f"groups is {groups}; every symbol from 0 to {len(joint) - 1} exactly once is wanted")
    return np.array([joint[list(group)].sum(axis=0) for group in groups])


def partitions(n):
    """Every way to merge n symbols: all partitions of 0 .. n-1, the finest first.

    Returns
    -------
    list of tuple of tuple of int
        15 of them for n = 4 (the Bell numbers: 1, 2, 5, 15, 52, ...).
    """
    found = [()]
    for symbol in range(n):
        found = [
            grown
            for groups in found
            for grown in (
                (*groups, (symbol,)),
                *((*groups[:k], (*groups[k], symbol), *groups[k + 1 :]) for k in range(len(groups))),
            )
        ]
    return sorted(found, key=lambda groups: (-len(groups), groups))
