"""Orders of tokens: the lesson's shuffle, a few others, and a learner's own."""

import numpy as np

from . import lesson
from .rng import LessonStream

KINDS = ("lesson", "reverse", "rotate", "random", "own")


def lesson_order(T):
    """The lesson's 3 1 2 5 4 for any T: tokens that do not exist are left out, later ones stay in place.

    Returns
    -------
    list of int
        Counted from 0.
    """
    return [i for i in lesson.PERMUTATION if i < T] + list(range(len(lesson.PERMUTATION), T))


def parse_order(text, T):
    """A learner's own order, counted from 1: '3 1 2 5 4' or '3,1,2,5,4'.

    Parameters
    ----------
    text : str
    T : int

    Returns
    -------
    list of int
        Counted from 0.

    Raises
    ------
    ValueError
        Unless each of 1 .. T stands there exactly once.
    """
    words = text.replace(",", " ").split()
    if sorted(words) != sorted(map(str, range(1, T + 1))):
        raise ValueError(f"the order has {len(words)} entries; each of 1 to {T} exactly once is wanted")
    return [int(word) - 1 for word in words]


def token_order(kind, T, seed=0, own=""):
    """The order of T tokens that one of KINDS stands for, counted from 0; see `parse_order` for `own`."""
    match kind:
        case "lesson":
            return lesson_order(T)
        case "reverse":
            return list(range(T))[::-1]
        case "rotate":
            return [*range(1, T), 0]
        case "random":
            return np.argsort(LessonStream(seed).randn(T)).tolist()
        case "own":
            return parse_order(own, T)
    raise ValueError(f"kind is {kind!r}; one of {', '.join(KINDS)} is wanted")
