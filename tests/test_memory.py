"""The keyed memory: the ledger against plain loops, and its limits."""

import numpy as np
import pytest

from ffn_core import lesson, memory
from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import Weights, forward, slot_terms

SIZES = pytest.mark.parametrize(("d_model", "d_ff"), [(2, 1), (4, 16), (3, 7), (64, 512)])
SIGMAS = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda a: a.name)


def drawn(d_model, d_ff, sigma, seed=5):
    example = lesson.draw_example(seed, 3, d_model, d_ff)
    return forward(example.H, example.weights, sigma), example.weights


@SIGMAS
@SIZES
def test_a_ledger_lists_every_slot_once_largest_first(d_model, d_ff, sigma):
    trace, weights = drawn(d_model, d_ff, sigma)
    book = memory.ledger(trace, weights, 1)
    assert sorted(book.order) == list(range(d_ff))
    assert np.all(np.diff(book.size) <= 0)
    for place, m in enumerate(book.order):
        assert book.size[place] == pytest.approx(abs(trace.post[1, m]) * np.sqrt(np.sum(weights.W2[m] ** 2)), abs=1e-12)
        assert book.rank(m) == place


@SIGMAS
@SIZES
def test_the_error_left_is_that_of_the_block_with_the_small_slots_cut_out(d_model, d_ff, sigma):
    trace, weights = drawn(d_model, d_ff, sigma)
    book = memory.ledger(trace, weights, 1)
    for keep in {0, 1, d_ff // 2, d_ff - 1, d_ff}:
        m = book.order[:keep]
        part = trace.post[1, m] @ weights.W2[m]
        whole = trace.out[1] - weights.b2
        length = np.linalg.norm(whole)
        wanted = np.linalg.norm(whole - part) / length if length else 0.0
        assert book.left[keep] == pytest.approx(wanted, abs=1e-12)


def test_nothing_kept_loses_all_and_all_kept_loses_nothing():
    book = memory.ledger(lesson.worked_trace(), lesson.worked_example().weights, lesson.TOKEN)
    assert book.left[0] == pytest.approx(1.0)
    assert book.left[-1] == 0.0


@SIGMAS
def test_shares_of_the_sum_add_up_to_one(sigma):
    trace, weights = drawn(4, 16, sigma)
    assert memory.ledger(trace, weights, 0).share.sum() == pytest.approx(1.0)


def test_one_slot_more_can_raise_the_error():
    book = memory.ledger(lesson.worked_trace(), lesson.worked_example().weights, lesson.TOKEN)
    assert np.any(np.diff(book.left) > 0)


def test_a_token_that_no_relu_slot_answers_has_an_empty_ledger():
    weights = Weights(-np.ones((2, 3)), np.zeros(3), np.ones((3, 2)), np.ones(2))
    trace = forward(np.ones((1, 2)), weights, ACTIVATIONS["ReLU"])
    book = memory.ledger(trace, weights, 0)
    assert not book.size.any()
    assert not book.share.any()
    assert not book.left.any()
    assert memory.error_left(slot_terms(trace, weights, 0), np.zeros(3, dtype=bool)) == 0.0


def test_the_slots_kept_are_the_largest_but_for_the_one_switched_off():
    order = np.array([2, 0, 3, 1])
    assert memory.kept_slots(order, 2).tolist() == [True, False, True, False]
    assert memory.kept_slots(order, 2, 0).tolist() == [False, False, True, False]
    assert memory.kept_slots(order, 2, 1).tolist() == memory.kept_slots(order, 2).tolist()
    assert not memory.kept_slots(order, 0).any()
    assert memory.kept_slots(order, 4, 3).tolist() == [True, True, True, False]


def test_the_slots_kept_leave_the_error_of_the_ledger():
    trace, weights = drawn(4, 16, ACTIVATIONS["GELU"])
    book, terms = memory.ledger(trace, weights, 1), slot_terms(trace, weights, 1)
    for keep in range(17):
        left = memory.error_left(terms, memory.kept_slots(book.order, keep))
        assert left == pytest.approx(book.left[keep], abs=1e-12)


def test_relu_loses_nothing_without_its_negative_matches_and_gelu_does():
    for name, lossless in (("ReLU", True), ("GELU", False)):
        trace, weights = drawn(4, 16, ACTIVATIONS[name])
        left = memory.error_left(slot_terms(trace, weights, 1), trace.pre[1] > 0)
        assert (left == 0.0) == lossless


@SIGMAS
@SIZES
def test_the_slot_sum_is_the_output_but_for_rounding(d_model, d_ff, sigma):
    trace, weights = drawn(d_model, d_ff, sigma)
    assert memory.slot_sum_error(trace, weights, 2) < 1e-13


def test_the_slot_sum_counts_the_output_bias():
    rng = np.random.default_rng(0)
    weights = Weights(*(rng.normal(size=s) for s in ((4, 6), (6,), (6, 4), (4,))))
    trace = forward(rng.normal(size=(2, 4)), weights, ACTIVATIONS["SiLU"])
    assert memory.slot_sum_error(trace, weights, 1) < 1e-14
    assert memory.ledger(trace, weights, 1).left[0] == pytest.approx(1.0)
