"""The lesson's worked examples: drawn in its order, cached, and safe to share."""

import mpmath
import numpy as np
import pytest
from oracles import lesson_stream, loop_forward, mp_tanh_gelu

from ffn_core import lesson


def test_tokens_are_drawn_first_then_w1_then_w2_from_one_stream():
    numbers = np.array(lesson_stream(11, 5 * 4 + 4 * 16 + 16 * 4)[0])
    example = lesson.worked_example()
    np.testing.assert_allclose(example.H, numbers[:20].reshape(5, 4), rtol=1e-15)
    np.testing.assert_allclose(example.weights.W1, numbers[20:84].reshape(4, 16) * np.sqrt(2 / 4), rtol=1e-15)
    np.testing.assert_allclose(example.weights.W2, numbers[84:].reshape(16, 4) * np.sqrt(2 / 16), rtol=1e-15)
    assert not example.weights.b1.any()
    assert not example.weights.b2.any()


def test_the_scale_of_an_example_changes_its_weights_and_not_its_tokens():
    he, half = lesson.draw_example(7, 3, 4, 8), lesson.draw_example(7, 3, 4, 8, scale=0.5)
    np.testing.assert_array_equal(half.H, he.H)
    np.testing.assert_allclose(half.weights.W1, he.weights.W1 / 2, rtol=1e-15)
    np.testing.assert_allclose(half.weights.W2, he.weights.W2 / 2, rtol=1e-15)


def test_the_worked_trace_is_the_lessons_block_summed_by_hand():
    example, trace = lesson.worked_example(), lesson.worked_trace()
    weights = example.weights
    lists = [a.tolist() for a in (example.H, weights.W1, weights.b1, weights.W2, weights.b2)]
    by_hand = loop_forward(*lists, lambda x: mp_tanh_gelu(mpmath.mpf(x)))
    for found, wanted in zip((trace.pre, trace.post, trace.out), by_hand, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


def test_what_everyone_shares_is_made_once_and_cannot_be_changed():
    assert lesson.worked_example() is lesson.worked_example()
    assert lesson.worked_trace() is lesson.worked_trace()
    example, trace = lesson.worked_example(), lesson.worked_trace()
    shared = [
        example.H,
        *(getattr(example.weights, name) for name in ("W1", "b1", "W2", "b2")),
        *(trace.H, trace.pre, trace.post, trace.out),
        lesson.JOINT,
        lesson.derivative_grid(),
        lesson.gain_grid(),
    ]
    for array in shared:
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = 0.0


def test_the_permutation_is_the_lessons_counted_from_0():
    assert [i + 1 for i in lesson.PERMUTATION] == [3, 1, 2, 5, 4]


def test_the_grid_of_the_derivatives_is_added_up_so_that_its_zero_is_not_zero():
    grid = lesson.derivative_grid()
    x, wanted = -3.0, []
    for _ in range(121):
        wanted.append(x)
        x += 0.05
    assert grid.tolist() == wanted
    middle = grid[np.argmin(np.abs(grid))]
    assert 1e-15 < abs(middle) < 3e-15


def test_the_grid_of_the_gain_holds_142_hundredths():
    grid = lesson.gain_grid()
    assert (len(grid), grid[0], grid[-1]) == (801, -4.0, 4.0)
    assert 1.42 in grid


def test_the_lessons_joint_table_gives_every_symbol_the_same_chance():
    assert lesson.JOINT.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(lesson.JOINT.sum(axis=1), 0.25)
    np.testing.assert_allclose(lesson.JOINT[:, 0] * 4, [0.9, 0.7, 0.3, 0.1])
