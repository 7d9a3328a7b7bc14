"""The block as a keyed memory: what each slot adds to one token, and what is left of it when slots are switched off.

A slot compares the token with its key (a column of W1), gates the match through sigma, and adds that much of its value
(a row of W2). The lesson calls this the slot-sum identity: the output is the sum over all slots, and b2.
"""

from dataclasses import dataclass

import numpy as np

from .ffn import slot_terms


@dataclass(frozen=True)
class Ledger:
    """The contributions of all slots to one token, largest first.

    Attributes
    ----------
    order : ndarray of shape (d_ff,), dtype int
        The slots, counted from 0, by the size of what they add.
    size : ndarray of shape (d_ff,)
        Euclidean length of each contribution, in that order.
    share : ndarray of shape (d_ff,)
        How much of the whole sum each one is, measured along it, in that order; they sum to 1. Negative where a slot
        works against the sum, and all 0 when the sum itself is 0.
    left : ndarray of shape (d_ff + 1,)
        `left[k]` is the relative error of the sum when only the k largest are kept.
    """

    order: np.ndarray
    size: np.ndarray
    share: np.ndarray
    left: np.ndarray

    def rank(self, slot):
        """Place of a slot in the order, both counted from 0."""
        return int(np.flatnonzero(self.order == slot)[0])


def ledger(trace, weights, token):
    """Sort what the slots add to one token, and switch them off from the smallest up.

    Parameters
    ----------
    trace : Trace
    weights : Weights
    token : int
        Counted from 0.

    Returns
    -------
    Ledger
    """
    terms = slot_terms(trace, weights, token)
    size = np.linalg.norm(terms, axis=1)
    order = np.argsort(-size, kind="stable")
    terms = terms[order]
    lost = np.zeros((len(terms) + 1, terms.shape[1]))  # lost[k]: the sum of all but the k largest
    lost[:-1] = np.cumsum(terms[::-1], axis=0)[::-1]
    whole = lost[0]
    square = float(whole @ whole)
    share = terms @ whole / square if square else np.zeros(len(terms))
    return Ledger(order, size[order], share, _relative(np.linalg.norm(lost, axis=1), whole))


def kept_slots(order, keep, without=None):
    """Which slots are on when the largest are kept, and perhaps one more is switched off.

    Parameters
    ----------
    order : ndarray of shape (d_ff,), dtype int
        From `ledger`.
    keep : int
        So many of the first are kept.
    without : int, optional
        A slot that is off in any case, counted from 0.

    Returns
    -------
    ndarray of shape (d_ff,), dtype bool
        By slot, not by rank.
    """
    kept = np.zeros(len(order), dtype=bool)
    kept[order[:keep]] = True
    if without is not None:
        kept[without] = False
    return kept


def error_left(terms, kept):
    """Relative error of the sum over slots when only some are kept.

    Parameters
    ----------
    terms : ndarray of shape (d_ff, d_model)
        From `slot_terms`.
    kept : ndarray of shape (d_ff,), dtype bool

    Returns
    -------
    float
        Length of what is lost over length of the whole sum; 0 when there is nothing to lose.
    """
    return float(_relative(np.linalg.norm(terms[~kept].sum(axis=0)), terms.sum(axis=0)))


def _relative(lengths, whole):
    """Lengths as multiples of the length of `whole`; 0 when that is 0."""
    length = np.linalg.norm(whole)
    return lengths / length if length else np.zeros_like(lengths)


def slot_sum_error(trace, weights, token):
    """Largest difference between the sum over slots and the block's own output, for one token.

    The same products are added in another order, so what is left is rounding noise.

    Returns
    -------
    float
    """
    total = slot_terms(trace, weights, token).sum(axis=0) + weights.b2
    return float(np.max(np.abs(total - trace.out[token])))
