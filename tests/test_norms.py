"""LayerNorm and RMSNorm: against PyTorch, the changes they ignore, how they pass on a small change, and epsilon."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_core import norms
from ffn_core.norms import (
    EDITS,
    EPS,
    NORMS,
    Edit,
    layer_norm,
    layer_norm_push,
    moved_by,
    normalise,
    normalise_push,
    rms_norm,
    rms_norm_push,
    size_out,
)  # fmt: skip
from ffn_core.rng import LessonStream

SHAPES = [(1,), (4,), (5, 4), (2, 5, 8), (3, 1, 2, 7), (0, 3)]
both = pytest.mark.parametrize("norm", ["LayerNorm", "RMSNorm"])


def drawn(seed, *shape):
    return LessonStream(seed).randn(*shape) * 3.0 + 1.5


# --- Against PyTorch


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("eps", [1e-5, 1e-12, 1e-3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_layer_norm_agrees_with_pytorch_on_any_leading_axes(torch, shape, eps, dtype):
    stream = LessonStream(3)
    H, gamma, beta = (a.astype(dtype) for a in (drawn(1, *shape), stream.randn(shape[-1]), stream.randn(shape[-1])))
    ours = layer_norm(H, gamma, beta, eps)
    theirs = torch.nn.functional.layer_norm(
        *map(torch.tensor, (H,)), shape[-1:], *map(torch.tensor, (gamma, beta)), eps
    )
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-13 if dtype == np.float64 else 3e-6)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("eps", [1e-5, 1e-12, 1e-3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rms_norm_agrees_with_pytorch_on_any_leading_axes(torch, shape, eps, dtype):
    H, gamma = drawn(1, *shape).astype(dtype), LessonStream(3).randn(shape[-1]).astype(dtype)
    ours = rms_norm(H, gamma, eps)
    theirs = torch.nn.functional.rms_norm(torch.tensor(H), shape[-1:], torch.tensor(gamma), eps)
    assert ours.dtype == dtype
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-13 if dtype == np.float64 else 3e-6)


@both
def test_the_push_of_a_norm_is_pytorchs_directional_derivative(torch, norm):
    H, dH = drawn(5, 2, 5, 8), drawn(6, 2, 5, 8)
    apply = {"LayerNorm": torch.nn.functional.layer_norm, "RMSNorm": torch.nn.functional.rms_norm}[norm]
    theirs = torch.autograd.functional.jvp(lambda x: apply(x, (8,), eps=EPS), torch.tensor(H), torch.tensor(dH))[1]
    np.testing.assert_allclose(normalise_push(H, dH, norm), theirs.numpy(), atol=1e-13)


# --- The course's own figures


def test_layer_norm_of_one_to_five_is_the_courses_example():
    """Lesson 12 of the same course prints mean 0 and standard deviation 1 - 2.5e-6."""
    out = layer_norm([1.0, 2.0, 3.0, 4.0, 5.0])
    assert out.mean() == pytest.approx(0.0, abs=1e-15)
    assert 1.0 - out.std() == pytest.approx(2.5e-6, abs=0.05e-6)


def test_the_courses_jacobian_of_layer_norm_loses_two_directions_of_six():
    stream = LessonStream(8)
    stream.randn(2, 32, 32)  # W_Q and W_K come first there, then three times 16 tokens
    stream.randn(3, 16, 32)
    J = layer_norm_push(stream.randn(6) * 2.0 + 1.0, np.eye(6))
    assert np.sum(np.linalg.svd(J, compute_uv=False) < 1e-3) == 2


# --- What leaves a norm


@given(st.integers(0, 999), st.integers(2, 9))
def test_every_row_leaves_layer_norm_with_mean_0_and_both_norms_with_size_1(seed, d_model):
    H = drawn(seed, 4, d_model)
    normed, scaled = layer_norm(H, eps=0.0), rms_norm(H, eps=0.0)
    np.testing.assert_allclose(normed.mean(axis=-1), 0.0, atol=1e-9)
    np.testing.assert_allclose(np.mean(normed**2, axis=-1), 1.0, atol=1e-9)
    np.testing.assert_allclose(np.mean(scaled**2, axis=-1), 1.0, atol=1e-12)


@given(st.integers(0, 999))
def test_the_two_norms_are_the_same_on_a_row_of_mean_0_and_differ_on_a_shifted_one(seed):
    row = Edit(centred=True)(drawn(seed, 6))
    np.testing.assert_allclose(layer_norm(row), rms_norm(row), atol=1e-14)
    assert np.max(np.abs(layer_norm(row + 1.0) - rms_norm(row + 1.0))) > 0.05


@given(st.integers(0, 999), st.floats(0.2, 50.0), st.floats(-9.0, 9.0))
def test_layer_norm_ignores_a_positive_factor_and_a_shift_and_rms_norm_the_factor_alone(seed, factor, shift):
    row = drawn(seed, 8)
    np.testing.assert_allclose(layer_norm(factor * row + shift, eps=0.0), layer_norm(row, eps=0.0), atol=1e-9)
    np.testing.assert_allclose(rms_norm(factor * row, eps=0.0), rms_norm(row, eps=0.0), atol=1e-12)
    if abs(shift) > 0.5:
        assert np.max(np.abs(rms_norm(row + shift, eps=0.0) - rms_norm(row, eps=0.0))) > 1e-3


@both
def test_a_negative_factor_turns_the_output_over(norm):
    row = drawn(2, 5)
    np.testing.assert_allclose(normalise(-2.0 * row, norm, 0.0), -normalise(row, norm, 0.0), atol=1e-14)


def test_the_edits_of_the_page_say_who_ignores_what():
    row = drawn(4, 6)
    moves = {name: [moved_by(row, edit, norm) for norm in ("LayerNorm", "RMSNorm")] for name, edit in EDITS.items()}
    assert max(moves["times 3"]) < 1e-4
    assert min(moves["times −1"]) > 1.0
    for name in ("plus 2 on every entry", "mean taken out"):
        assert moves[name][0] < 1e-12
        assert moves[name][1] > 0.1
    assert min(moves["times 0.001"]) > 0.05  # epsilon is not small beside so small a row


def test_an_edit_takes_out_the_mean_then_adds_then_scales():
    row = np.array([1.0, 2.0, 6.0])
    np.testing.assert_array_equal(Edit(True, 0.5, 10.0)(row), [-15.0, -5.0, 35.0])
    np.testing.assert_array_equal(Edit()(row), row)


# --- Epsilon and extremes


@given(st.floats(1e-9, 1e4), st.sampled_from([1e-12, 1e-8, 1e-5, 1e-3]))
def test_epsilon_lets_a_tiny_row_leave_smaller_than_1_by_the_formula(size, eps):
    row = size * rms_norm(drawn(7, 6), eps=0.0)
    assert np.sqrt(np.mean(rms_norm(row, eps=eps) ** 2)) == pytest.approx(float(size_out(size, eps)), rel=1e-9)
    centred = size * layer_norm(drawn(7, 6), eps=0.0)
    assert np.std(layer_norm(centred, eps=eps)) == pytest.approx(float(size_out(size, eps)), rel=1e-9)


@both
@pytest.mark.parametrize("value", [400.0, -400.0, 1e-20, 1e-200, 0.0])
def test_equal_entries_of_any_size_leave_finite_and_without_a_warning(norm, value):
    out = normalise(np.full((2, 8), value), norm)
    assert np.isfinite(out).all()
    assert np.isfinite(normalise_push(np.full(8, value), np.ones(8), norm)).all()


@both
def test_rows_of_size_1e_minus_20_come_out_nearly_as_0_and_rows_of_400_as_1(norm):
    row = rms_norm(drawn(1, 8))
    assert np.max(np.abs(normalise(1e-20 * row, norm))) < 1e-16
    assert np.sqrt(np.mean(normalise(400.0 * row, norm) ** 2)) == pytest.approx(1.0, abs=1e-9)


@both
def test_whole_numbers_and_lists_are_taken_as_rows(norm):
    np.testing.assert_array_equal(normalise(np.array([[1, 2, 4]]), norm), normalise(np.array([[1.0, 2.0, 4.0]]), norm))
    assert layer_norm([1, 2, 4]).shape == rms_norm([1, 2, 4]).shape == (3,)


# --- The push


@both
@given(seed=st.integers(0, 999))
def test_the_push_is_what_a_small_change_becomes(norm, seed):
    H, dH, h = drawn(seed, 3, 6), drawn(seed + 1, 3, 6), 1e-6
    moved = (normalise(H + h * dH, norm) - normalise(H - h * dH, norm)) / (2.0 * h)
    np.testing.assert_allclose(normalise_push(H, dH, norm), moved, atol=1e-5)


def test_a_push_takes_several_changes_at_once():
    H, dH = drawn(1, 5, 4), drawn(2, 7, 5, 4)
    for push in (layer_norm_push, rms_norm_push):
        out = push(H, dH)
        assert out.shape == dH.shape
        np.testing.assert_allclose(out[3], push(H, dH[3]), atol=1e-15)


def test_a_change_along_the_row_is_taken_out_and_by_layer_norm_a_shift_too():
    row = drawn(9, 16)
    assert np.max(np.abs(rms_norm_push(row, row, 0.0))) < 1e-14
    assert np.max(np.abs(layer_norm_push(row, row, 0.0))) < 1e-14
    assert np.max(np.abs(layer_norm_push(row, np.ones(16)))) < 1e-14
    assert np.max(np.abs(rms_norm_push(row, np.ones(16)))) > 1e-2


# --- Names and the door


def test_without_a_norm_the_row_and_its_change_pass_as_they_are():
    H, dH = drawn(1, 2, 3), drawn(2, 2, 3)
    assert normalise(H, "none") is H
    assert normalise_push(H, dH, "none") is dH
    assert NORMS == ("LayerNorm", "RMSNorm", "none")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: layer_norm(1.0), r"H has shape \(\); \(\.\.\., d_model\)"),
        (lambda: layer_norm(np.zeros((3, 0))), r"H has shape \(3, 0\)"),
        (lambda: layer_norm(np.zeros(4), gamma=np.ones(3)), r"gamma has shape \(3,\)"),
        (lambda: layer_norm(np.zeros(4), beta=np.ones((1, 4))), r"beta has shape \(1, 4\); H \(4,\) calls for \(4,\)"),
        (lambda: rms_norm(np.zeros(4), gamma=np.ones(5)), r"gamma has shape \(5,\)"),
        (lambda: rms_norm([1.0, np.nan]), "H has nan at flat position 1"),
        (lambda: rms_norm(["a", "b"]), "an array of numbers is wanted"),
        (lambda: normalise(np.zeros(4), "BatchNorm"), "norm is 'BatchNorm'; one of LayerNorm, RMSNorm, none"),
        (lambda: normalise_push(np.zeros(4), np.zeros(4), ""), "norm is ''; one of LayerNorm"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_came_and_what_is_wanted(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_usual_epsilon_is_pytorchs(torch):
    assert torch.nn.LayerNorm(4).eps == norms.EPS
