"""The Jacobian and its singular values, open gates, and how many units one token can close."""

import itertools
from functools import partial

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from oracles import TORCH_ACTIVATIONS

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import Weights, collapse, forward, random_weights
from ffn_core.gain import central_difference, jacobian, most_negative_units, open_gates, singular_values
from ffn_core.rng import LessonStream

every_activation = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda sigma: sigma.name)


def drawn(seed, d_model=4, d_ff=16):
    stream = LessonStream(seed)
    he = random_weights(stream, d_model, d_ff)
    return stream.randn(d_model), Weights(he.W1, stream.randn(d_ff), he.W2, stream.randn(d_model))


# --- Jacobian


@every_activation
@given(seed=st.integers(0, 2**32))
def test_the_jacobian_is_the_derivative_of_every_output_by_every_input(sigma, seed):
    x, weights = drawn(seed)
    pre = x @ weights.W1 + weights.b1
    h = 1e-5
    if any(np.abs(pre - kink).min() < 10 * h for kink in sigma.kinks):
        return
    for i, step in enumerate(h * np.eye(4)):
        slope = (forward(x + step, weights, sigma).out - forward(x - step, weights, sigma).out) / (2 * h)
        np.testing.assert_allclose(jacobian(x, weights, sigma)[i], slope, atol=2e-8)


@pytest.mark.parametrize("name", TORCH_ACTIVATIONS)
def test_the_jacobian_is_that_of_pytorchs_autograd(name, torch):
    x, weights = drawn(7)
    f = partial(TORCH_ACTIVATIONS[name], torch)
    W1, b1, W2, b2 = (torch.tensor(a.copy()) for a in (weights.W1, weights.b1, weights.W2, weights.b2))
    theirs = torch.autograd.functional.jacobian(lambda t: f(t @ W1 + b1) @ W2 + b2, torch.tensor(x))
    # PyTorch's rows are outputs, ours are inputs: J[i, j] = d out[j] / d x[i].
    np.testing.assert_allclose(jacobian(x, weights, ACTIVATIONS[name]), theirs.numpy().T, rtol=1e-12, atol=1e-13)


@given(seed=st.integers(0, 2**32))
def test_a_small_change_of_the_token_comes_out_as_itself_times_the_jacobian(seed):
    x, weights = drawn(seed)
    dx = 1e-5 * np.array([1.0, -2.0, 0.5, 1.5])
    sigma = ACTIVATIONS["GELU"]
    moved = forward(x + dx, weights, sigma).out - forward(x, weights, sigma).out
    np.testing.assert_allclose(moved, dx @ jacobian(x, weights, sigma), atol=1e-8)


def test_the_jacobian_without_an_activation_is_the_collapsed_map():
    x, weights = drawn(1)
    np.testing.assert_allclose(jacobian(x, weights, ACTIVATIONS["Identity"]), collapse(weights)[0], rtol=1e-13)


@given(seed=st.integers(0, 2**32))
def test_through_relu_the_rank_is_at_most_the_number_of_open_gates(seed):
    x, weights = drawn(seed, d_model=6, d_ff=6)
    relu = ACTIVATIONS["ReLU"]
    n_open = open_gates(relu.gain(x @ weights.W1 + weights.b1))
    assert np.linalg.matrix_rank(jacobian(x, weights, relu), tol=1e-12) <= n_open


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.zeros((5, 4)), "x has shape (5, 4); one token of shape (4,) is wanted"),
        (np.zeros(3), "x has shape (3,); W1 (4, 16) calls for (..., 4)"),
        (
            [0.0, 0.0, 0.0, np.nan],
            "x has nan at flat position 3 (1 of 4 values are not finite); finite numbers are wanted",
        ),
    ],
)
def test_a_token_that_does_not_fit_is_refused_with_what_came_and_what_was_wanted(x, message):
    with pytest.raises(ValueError) as caught:
        jacobian(x, drawn(1)[1], ACTIVATIONS["GELU"])
    assert str(caught.value) == message


# --- Singular values, gates, differences


@given(seed=st.integers(0, 2**32), rows=st.integers(1, 6), columns=st.integers(1, 6))
def test_singular_values_are_lapacks_other_routines_largest_first(seed, rows, columns):
    J = LessonStream(seed).randn(rows, columns)
    found = singular_values(J)
    np.testing.assert_allclose(found, scipy.linalg.svd(J, compute_uv=False, lapack_driver="gesvd"), atol=1e-13)
    assert (np.diff(found) <= 0).all()
    # Their squares are the eigenvalues of J J', and the largest is the most that any direction is stretched.
    np.testing.assert_allclose(np.sum(found**2), np.sum(J**2), rtol=1e-12)


@pytest.mark.parametrize("leading", [(), (5,), (2, 5)])
def test_open_gates_are_counted_along_the_last_axis(leading):
    gains = LessonStream(1).randn(*leading, 16)
    found = open_gates(gains)
    assert found.shape == leading
    for index in np.ndindex(leading):
        assert found[index] == sum(g > 0.5 for g in gains[index])


def test_a_gain_of_exactly_one_half_is_not_open():
    assert open_gates(np.array([0.5, np.nextafter(0.5, 1.0), -2.0])) == 1


def test_the_threshold_of_a_gate_can_be_chosen():
    assert open_gates(np.array([0.1, 0.3, 0.9]), threshold=0.2) == 2


@given(a=st.floats(-3, 3), b=st.floats(-3, 3), x=st.floats(-3, 3))
def test_a_central_difference_is_exact_for_parabolas_but_for_rounding(a, b, x):
    assert central_difference(lambda t: a * t * t + b * t, x) == pytest.approx(2 * a * x + b, abs=1e-10)


def test_the_error_of_a_central_difference_is_of_order_h_squared():
    errors = [abs(central_difference(np.sin, 1.0, h) - np.cos(1.0)) for h in (1e-1, 1e-2, 1e-3)]
    assert errors[0] / errors[1] == pytest.approx(100, rel=0.02)
    assert errors[1] / errors[2] == pytest.approx(100, rel=0.02)


# --- How many units one token can close


def can_all_be_negative(keys):
    """Whether some x has x . k <= -1 for every column k: a linear programme without an objective."""
    d_model, n = keys.shape
    found = scipy.optimize.linprog(np.zeros(d_model), A_ub=keys.T, b_ub=-np.ones(n), bounds=(None, None))
    assert found.status in (0, 2), found.message  # solved, or shown to be infeasible
    return found.status == 0


def most_by_linear_programming(W1):
    """The size of the largest set of keys that one x can make negative, from the largest sets down."""
    d_ff = W1.shape[1]
    return next(
        size
        for size in range(d_ff, 0, -1)
        if any(can_all_be_negative(W1[:, list(s)]) for s in itertools.combinations(range(d_ff), size))
    )


@pytest.mark.parametrize(("d_model", "d_ff"), [(2, 2), (2, 5), (2, 8), (3, 3), (3, 6), (3, 8), (4, 4), (4, 8), (5, 9)])
@pytest.mark.parametrize("seed", range(4))
def test_the_most_negative_units_are_those_linear_programming_finds(d_model, d_ff, seed):
    W1 = LessonStream(1000 * d_model + 10 * d_ff + seed).randn(d_model, d_ff)
    count, row = most_negative_units(W1)
    assert count == most_by_linear_programming(W1)
    assert np.sum(row @ W1 < 0) == count


@pytest.mark.parametrize(("seed", "most"), [(11, 13), (3, 15), (7, 15), (12, 14)])
def test_exercise_4_has_no_answer_for_the_lessons_seed_but_for_others(seed, most):
    W1 = lesson.draw_example(seed, lesson.T, lesson.D_MODEL, lesson.D_FF).weights.W1
    count, row = most_negative_units(W1)
    assert count == most
    assert np.sum(row @ W1 < 0) == most
    # Scaling the row drives the same units below any bound, the exercise's -3 for one.
    matches = row @ W1
    assert np.sum(matches * (3.1 / -matches[matches < 0].max()) < -3) == most


def test_for_the_lessons_seed_no_14_of_the_16_units_can_be_negative_together():
    W1 = lesson.worked_example().weights.W1
    assert not any(can_all_be_negative(W1[:, list(s)]) for s in itertools.combinations(range(16), 14))


@given(seed=st.integers(0, 2**32), d_model=st.integers(2, 5), extra=st.integers(0, 12))
def test_no_random_token_closes_more_units_than_the_search_finds(seed, d_model, extra):
    stream = LessonStream(seed)
    W1 = stream.randn(d_model, d_model + extra)
    count, row = most_negative_units(W1)
    assert np.linalg.norm(row) == pytest.approx(1.0)
    assert np.sum(row @ W1 < 0) == count
    assert np.sum(stream.randn(500, d_model) @ W1 < 0, axis=1).max() <= count
    assert count >= max(d_model, -(-(d_model + extra) // 2))  # d_model keys always; of x and -x one closes half


@pytest.mark.parametrize(
    ("W1", "message"),
    [
        (np.ones((1, 4)), "W1 has shape (1, 4); (d_model, d_ff) with 2 <= d_model <= d_ff is wanted"),
        (np.ones((4, 3)), "W1 has shape (4, 3); (d_model, d_ff) with 2 <= d_model <= d_ff is wanted"),
        (np.ones(4), "W1 has shape (4,); (d_model, d_ff) with 2 <= d_model <= d_ff is wanted"),
        (
            np.ones((8, 64)),
            "W1 (8, 64) has 621216192 edges to try; at most 1,000,000 are tried. Take a smaller block",
        ),
    ],
)
def test_a_block_that_cannot_be_searched_is_refused_with_what_came_and_what_was_wanted(W1, message):
    with pytest.raises(ValueError) as caught:
        most_negative_units(W1)
    assert str(caught.value) == message
