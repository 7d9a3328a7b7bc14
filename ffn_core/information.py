"""Entropy and mutual information of small tables, in bits, and what merging symbols does to them."""

from itertools import permutations

import numpy as np

from .checks import finite_array

SUM_TOLERANCE = 1e-9

# Joint tables of four symbols and two outcomes that show a border case each; the lesson's is `lesson.JOINT`.
TABLES = {
    "x2 and x3 alike": np.array([[0.9, 0.1], [0.5, 0.5], [0.5, 0.5], [0.1, 0.9]]) / 4.0,
    "one whole bit": np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]) / 4.0,
    "nothing to lose": np.array([[0.5, 0.5]] * 4) / 4.0,
}


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
    return _bits(_probabilities("p", p))


def _bits(p):
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
    bits = _bits(joint.sum(axis=1)) + _bits(joint.sum(axis=0)) - _bits(joint)
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


def normalised(weights):
    """Weights divided by their sum, so that they are probabilities.

    Parameters
    ----------
    weights : array_like of any shape
        Numbers of 0 or more.

    Returns
    -------
    ndarray of that shape

    Raises
    ------
    ValueError
        When one is negative or not finite, or all are 0.
    """
    weights = finite_array("weights", weights)
    if weights.min(initial=0.0) < 0:
        raise ValueError(f"weights has the entry {weights.min():g}; numbers of 0 or more are wanted")
    total = weights.sum()
    if not total > 0:
        raise ValueError("all weights are 0; at least one above 0 is wanted")
    return weights / total


def as_distribution(entries, otherwise):
    """The entries as probabilities, and in a sentence what had to be done to them.

    Parameters
    ----------
    entries : array_like of any shape
    otherwise : ndarray of that shape
        The lesson's table: used when the entries cannot be scaled to probabilities.

    Returns
    -------
    table : ndarray of that shape
    said : str
        Empty when the entries sum to 1 as they are.
    """
    try:
        table = normalised(entries)
    except ValueError as error:
        return otherwise, f"This is not a distribution: {error}. The lesson's table is used until then."
    total = float(np.sum(entries))
    if abs(total - 1.0) <= SUM_TOLERANCE:
        return np.asarray(entries, dtype=float), ""
    return (
        table,
        f"The entries sum to {total:.6g}, not to 1. Each is divided by {total:.6g}: now they are a distribution.",
    )


def merge_name(groups):
    """A merge in words, symbols counted from 1: ((0,), (1, 2), (3,)) is 'x1 | x2 x3 | x4'."""
    return " | ".join(" ".join(f"x{i + 1}" for i in group) for group in groups)


def every_merge(joint):
    """Every way to merge the symbols of X, with the bits about Y that are left; most bits first, equals stay in order.

    Parameters
    ----------
    joint : array_like of shape (n, symbols of Y)

    Returns
    -------
    list of (groups, bits)
        See `partitions`.
    """
    found = [(groups, mutual_information(merge(joint, groups))) for groups in partitions(len(joint))]
    return sorted(found, key=lambda pair: -round(pair[1], 12))


def injective_bits(joint):
    """The bits about Y that are left after each injective map of the symbols of X: each of the n! permutations.

    Parameters
    ----------
    joint : array_like of shape (n, symbols of Y)

    Returns
    -------
    ndarray of shape (n!,)
        All the same but for rounding.
    """
    joint = np.asarray(joint, dtype=float)
    return np.array([mutual_information(joint[list(order)]) for order in permutations(range(len(joint)))])


def quantise(values, step):
    """Values rounded to whole multiples of `step`, as a number format with that spacing has them; 0 keeps all."""
    values = finite_array("values", values)
    return np.round(values / step) * step if step > 0 else values


def equal_groups(values):
    """Which symbols a map sends to one and the same number.

    Parameters
    ----------
    values : array_like of shape (n,)
        Where each symbol goes.

    Returns
    -------
    tuple of tuple of int
        A partition of 0 .. n-1, as in `partitions`.
    """
    groups = {}
    for symbol, value in enumerate(np.asarray(values).tolist()):
        groups.setdefault(value, []).append(symbol)  # 0.0 and -0.0 are equal, and one key
    return tuple(tuple(group) for group in groups.values())


def through_activation(joint, sigma, pre, step=0.0):
    """What is left of the symbols of X when they arrive as numbers at one unit.

    Parameters
    ----------
    joint : array_like of shape (n, symbols of Y)
    sigma : Activation
    pre : array_like of shape (n,)
        The pre-activation of each symbol.
    step : float
        Spacing of the numbers that the output is kept to, see `quantise`.

    Returns
    -------
    groups : tuple of tuple of int
        Symbols that come out as one and the same number.
    bits : float
        Information about Y that is left.
    """
    groups = equal_groups(quantise(sigma.f(pre), step))
    return groups, mutual_information(merge(joint, groups))
