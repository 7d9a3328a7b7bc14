"""Without an activation everything is one matrix and one bias; with one it is not."""

import numpy as np
import pytest

from ffn_core import lesson, linear
from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import forward
from ffn_core.rng import LessonStream

SHAPES = [(11, 5, 4, 16), (3, 1, 2, 1), (7, 9, 8, 3), (0, 2, 16, 40)]
GELU, RELU, IDENTITY = (ACTIVATIONS[name] for name in ("GELU", "ReLU", "Identity"))


def stack(H, layers, sigma):
    for weights in layers:
        H = forward(H, weights, sigma).out
    return H


def test_the_first_block_is_the_benchs_own():
    first = next(linear.blocks(11, 5, 4, 16, 1))
    weights = lesson.worked_example().weights
    assert np.array_equal(first.W1, weights.W1)
    assert np.array_equal(first.W2, weights.W2)
    assert not first.b1.any()


def test_biases_leave_the_matrices_as_they_are():
    plain, biased = (list(linear.blocks(11, 5, 4, 16, 3, biased=b)) for b in (False, True))
    for a, b in zip(plain, biased, strict=True):
        assert np.array_equal(a.W1, b.W1)
        assert np.array_equal(a.W2, b.W2)
        assert b.b1.all()
        assert b.b2.all()
    assert not np.array_equal(biased[0].b1, biased[1].b1)


def test_scale_is_the_variance_of_the_weights_times_their_inputs():
    wide = next(linear.blocks(1, 1, 64, 512, 1, scale=0.5))
    assert wide.W1.var() * 64 == pytest.approx(0.5, rel=0.02)
    assert wide.W2.var() * 512 == pytest.approx(0.5, rel=0.02)


@pytest.mark.parametrize("size", SHAPES)
@pytest.mark.parametrize("biased", [False, True])
def test_two_layers_without_an_activation_are_one_matrix_and_one_bias(size, biased):
    seed, T, d_model, d_ff = size
    H = lesson.draw_example(seed, T, d_model, d_ff).H
    weights = next(linear.blocks(*size, 1, biased=biased))
    one = linear.collapse_block(H, weights)
    assert one.error < 1e-13
    by_hand = [
        [sum(weights.W1[i, m] * weights.W2[m, j] for m in range(d_ff)) for j in range(d_model)] for i in range(d_model)
    ]
    np.testing.assert_allclose(one.W, by_hand, atol=1e-12)
    assert (one.before, one.after) == (2 * d_model * d_ff + d_ff + d_model, d_model * (d_model + 1))
    assert one.error_without_b1 == pytest.approx(np.max(np.abs(weights.b1 @ weights.W2)) if biased else 0.0, abs=1e-12)


@pytest.mark.parametrize("size", SHAPES)
@pytest.mark.parametrize("biased", [False, True])
def test_a_stack_without_an_activation_is_one_matrix_however_deep(size, biased):
    deep = linear.study_depth(*size, 24, IDENTITY, biased=biased)
    assert deep.errors.shape == deep.left_over.shape == (24,)
    assert deep.errors.max() < 1e-12
    assert deep.left_over.max() < 1e-18
    assert deep.predicted == pytest.approx(deep.actual, rel=1e-6, abs=1e-9 * np.abs(deep.actual).max())


def test_singular_values_are_those_of_the_product():
    product = np.eye(4)
    for weights in linear.blocks(11, 5, 4, 16, 5):
        product = product @ weights.W1 @ weights.W2
    deep = linear.study_depth(11, 5, 4, 16, 5, GELU)
    assert deep.singular_values[-1] == pytest.approx(np.linalg.svd(product, compute_uv=False), rel=1e-9)
    assert deep.spread == pytest.approx(deep.singular_values[-1, 3] / deep.singular_values[-1, 0])


def test_the_product_narrows_with_depth_until_float64_loses_a_direction():
    deep = linear.study_depth(11, 5, 4, 16, 24, GELU)
    assert deep.singular_values[0, -1] / deep.singular_values[0, 0] > 0.1
    assert deep.spread < 1e-15
    assert deep.rank == 3


def test_a_narrow_block_bounds_the_rank():
    assert linear.study_depth(7, 9, 8, 3, 1, GELU).rank == 3


def test_the_scale_of_the_weights_moves_all_singular_values_alike():
    small, large = (linear.study_depth(11, 5, 4, 16, 6, GELU, scale=s) for s in (0.5, 2.0))
    ratio = large.singular_values[-1] / small.singular_values[-1]
    assert ratio == pytest.approx(4.0**6, rel=1e-9)  # both matrices of a block are twice as large


def test_with_an_activation_no_matrix_explains_the_block():
    deep = linear.study_depth(11, 5, 4, 16, 6, GELU)
    assert deep.left_over[0] == pytest.approx(0.264, abs=0.002)
    assert deep.left_over[-1] > 0.5


def test_relu_has_its_kink_at_every_scale_and_gelu_is_straighter_when_small():
    relu = [linear.study_depth(11, 5, 4, 16, 4, RELU, scale=s).left_over for s in (0.5, 2.0)]
    assert relu[0] == pytest.approx(relu[1], abs=1e-9)
    gelu = [linear.study_depth(11, 5, 4, 16, 4, GELU, scale=s).left_over for s in (0.5, 2.0)]
    assert (gelu[0] < gelu[1]).all()


def test_the_best_affine_map_is_least_squares_on_the_first_half():
    H = LessonStream(5).randn(60, 3)
    out = np.abs(H) @ LessonStream(6).randn(3, 2)
    with_one = np.column_stack([H, np.ones(60)])
    by_normal_equations = with_one[30:] @ np.linalg.solve(with_one[:30].T @ with_one[:30], with_one[:30].T @ out[:30])
    assert linear.best_affine(H)(out) == pytest.approx(by_normal_equations, abs=1e-12)


def test_left_over_is_a_share():
    actual = np.array([[0.0], [2.0]])
    assert linear.left_over(actual, actual) == 0.0
    assert linear.left_over(actual, np.ones((2, 1))) == 1.0
    assert linear.left_over(actual, actual + 9.0) == 1.0
    assert linear.left_over(np.ones((4, 1)), np.ones((4, 1))) == 0.0
    noise = np.array([[1e-16], [-1e-16]])
    assert linear.left_over(1.0 + noise, 1.0 - noise) == 0.0


def test_progress_is_told_after_every_block():
    told = []
    linear.study_depth(11, 5, 4, 16, 4, GELU, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]
