"""The block: forward pass, slots, the collapse without an activation, and what is refused at the door."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import TORCH_ACTIVATIONS, loop_forward

from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import Weights, collapse, collapse_stack, forward, random_weights, slot_terms
from ffn_core.rng import LessonStream

every_activation = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda sigma: sigma.name)
IDENTITY = ACTIVATIONS["Identity"]


def drawn(seed, d_model, d_ff):
    """A block with biases, and the stream it came from."""
    stream = LessonStream(seed)
    he = random_weights(stream, d_model, d_ff)
    return Weights(he.W1, stream.randn(d_ff), he.W2, stream.randn(d_model)), stream


# --- Forward


@every_activation
@pytest.mark.parametrize(("T", "d_model", "d_ff"), [(5, 4, 16), (1, 1, 1), (3, 7, 2), (2, 1, 9)])
def test_the_forward_pass_is_two_sums_with_the_activation_between_them(sigma, T, d_model, d_ff):
    weights, stream = drawn(3, d_model, d_ff)
    H = stream.randn(T, d_model)
    trace = forward(H, weights, sigma)
    lists = [a.tolist() for a in (weights.W1, weights.b1, weights.W2, weights.b2)]
    pre, post, out = loop_forward(H.tolist(), *lists, sigma.f)
    np.testing.assert_array_equal(trace.H, H)
    np.testing.assert_allclose(trace.pre, pre, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(trace.post, post, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(trace.out, out, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", TORCH_ACTIVATIONS)
def test_the_forward_pass_agrees_with_pytorch_layers(name, torch):
    weights, stream = drawn(5, 6, 24)
    H = stream.randn(2, 5, 6)
    up, down = torch.nn.Linear(6, 24).double(), torch.nn.Linear(24, 6).double()
    with torch.no_grad():
        for layer, W, b in ((up, weights.W1, weights.b1), (down, weights.W2, weights.b2)):
            layer.weight.copy_(torch.tensor(W.T.copy()))
            layer.bias.copy_(torch.tensor(b.copy()))
        theirs = down(TORCH_ACTIVATIONS[name](torch, up(torch.tensor(H)))).numpy()
    np.testing.assert_allclose(forward(H, weights, ACTIVATIONS[name]).out, theirs, rtol=1e-12, atol=1e-13)


@every_activation
@pytest.mark.parametrize("leading", [(), (0,), (5,), (2, 5), (2, 3, 5)])
def test_leading_axes_pass_through_and_every_row_is_computed_alone(sigma, leading):
    weights, stream = drawn(2, 4, 16)
    H = stream.randn(*leading, 4)
    trace = forward(H, weights, sigma)
    assert trace.pre.shape == trace.post.shape == (*leading, 16)
    assert trace.out.shape == (*leading, 4)
    for index in np.ndindex(leading):
        np.testing.assert_allclose(trace.out[index], forward(H[index], weights, sigma).out, rtol=1e-13, atol=1e-14)


@given(seed=st.integers(0, 2**32), order=st.permutations(range(6)))
def test_shuffled_rows_come_out_shuffled(seed, order):
    weights, stream = drawn(seed, 4, 16)
    H = stream.randn(6, 4)
    gelu = ACTIVATIONS["GELU"]
    np.testing.assert_allclose(
        forward(H[order], weights, gelu).out, forward(H, weights, gelu).out[order], rtol=0, atol=1e-13
    )


@given(seed=st.integers(0, 2**32), changed=st.integers(0, 5))
def test_a_changed_token_moves_its_own_row_and_no_other(seed, changed):
    weights, stream = drawn(seed, 4, 16)
    H = stream.randn(6, 4)
    other = H.copy()
    other[changed] += 1.0
    moved = np.abs(forward(other, weights, IDENTITY).out - forward(H, weights, IDENTITY).out).max(axis=1)
    np.testing.assert_allclose(np.delete(moved, changed), 0.0, atol=1e-13)
    assert moved[changed] > 1e-6


def test_single_precision_stays_single_precision():
    weights, stream = drawn(1, 4, 8)
    single = Weights(*(getattr(weights, f.name).astype(np.float32) for f in dataclasses.fields(weights)))
    trace = forward(stream.randn(3, 4).astype(np.float32), single, ACTIVATIONS["GELU"])
    assert trace.pre.dtype == trace.post.dtype == trace.out.dtype == np.float32


# --- Slots


@every_activation
@given(seed=st.integers(0, 2**32))
def test_slot_terms_and_the_output_bias_sum_to_the_output(sigma, seed):
    weights, stream = drawn(seed, 4, 16)
    trace = forward(stream.randn(2, 3, 4), weights, sigma)
    for token in np.ndindex(2, 3):
        terms = slot_terms(trace, weights, token)
        assert terms.shape == (16, 4)
        np.testing.assert_allclose(terms.sum(axis=0) + weights.b2, trace.out[token], rtol=1e-12, atol=1e-13)


def test_a_slot_adds_its_output_times_its_value():
    weights, stream = drawn(11, 3, 5)
    trace = forward(stream.randn(2, 3), weights, ACTIVATIONS["ReLU"])
    terms = slot_terms(trace, weights, 1)
    for m in range(5):
        for j in range(3):
            assert terms[m, j] == trace.post[1, m] * weights.W2[m, j]


# --- Without an activation


@given(seed=st.integers(0, 2**32), d_model=st.integers(1, 6), d_ff=st.integers(1, 12))
def test_without_an_activation_the_block_is_one_linear_map(seed, d_model, d_ff):
    weights, stream = drawn(seed, d_model, d_ff)
    H = stream.randn(4, d_model)
    W, b = collapse(weights)
    assert W.shape == (d_model, d_model)
    assert b.shape == (d_model,)
    np.testing.assert_allclose(H @ W + b, forward(H, weights, IDENTITY).out, rtol=1e-11, atol=1e-11)


@given(seed=st.integers(0, 2**32), widths=st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_a_stack_without_an_activation_is_still_one_linear_map(seed, widths):
    stream = LessonStream(seed)
    layers = []
    for d_ff in widths:
        he = random_weights(stream, 4, d_ff, scale=1.0)
        layers.append(Weights(he.W1, stream.randn(d_ff), he.W2, stream.randn(4)))
    H = out = stream.randn(3, 4)
    for weights in layers:
        out = forward(out, weights, IDENTITY).out
    W, b = collapse_stack(layers)
    scale = max(1.0, float(np.abs(out).max()))
    np.testing.assert_allclose(H @ W + b, out, rtol=1e-9, atol=1e-9 * scale)


def test_a_narrow_layer_without_an_activation_limits_the_rank_of_the_map():
    weights, _ = drawn(4, 6, 2)
    assert np.linalg.matrix_rank(collapse(weights)[0]) == 2


# --- Random weights


@pytest.mark.parametrize("scale", [1.0, 2.0, 3.5])
def test_random_weights_have_variance_scale_over_the_number_of_inputs(scale):
    weights = random_weights(LessonStream(1), 64, 256, scale)
    assert weights.W1.var() == pytest.approx(scale / 64, rel=0.05)
    assert weights.W2.var() == pytest.approx(scale / 256, rel=0.05)
    assert not weights.b1.any()
    assert not weights.b2.any()


def test_w1_is_drawn_before_w2_row_by_row():
    numbers = LessonStream(9).randn(2 * 3 + 3 * 2)
    weights = random_weights(LessonStream(9), 2, 3)
    np.testing.assert_array_equal(weights.W1.ravel(), numbers[:6] * np.sqrt(2 / 2))
    np.testing.assert_array_equal(weights.W2.ravel(), numbers[6:] * np.sqrt(2 / 3))


# --- What is refused, and in what words

GOOD = {"W1": np.ones((4, 16)), "b1": np.zeros(16), "W2": np.ones((16, 4)), "b2": np.zeros(4)}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("b1", np.zeros(4), "b1 has shape (4,); W1 (4, 16) calls for (16,)"),
        ("W2", np.ones((4, 16)), "W2 has shape (4, 16); W1 (4, 16) calls for (16, 4)"),
        ("b2", np.zeros((1, 4)), "b2 has shape (1, 4); W1 (4, 16) calls for (4,)"),
        ("W1", np.ones(4), "W1 has shape (4,); (d_model, d_ff) with both at least 1 is wanted"),
        ("W1", np.ones((0, 16)), "W1 has shape (0, 16); (d_model, d_ff) with both at least 1 is wanted"),
        ("W1", "heavy", "W1 holds 'heavy'; an array of numbers is wanted"),
        ("b2", None, "b2 holds None; an array of numbers is wanted"),
        ("b2", [[1.0], [2.0, 3.0]], "b2 holds [[1.0], [2.0, 3.0]]; an array of numbers is wanted"),
        ("b2", [1j, 0, 0, 0], "b2 holds [1j, 0, 0, 0]; an array of numbers is wanted"),
        (
            "b2",
            [0.0, np.nan, 1.0, np.inf],
            "b2 has nan at flat position 1 (2 of 4 values are not finite); finite numbers are wanted",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused_with_what_came_and_what_was_wanted(name, value, message):
    with pytest.raises(ValueError) as caught:
        Weights(**{**GOOD, name: value})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("H", "message"),
    [
        (np.zeros((5, 3)), "H has shape (5, 3); W1 (4, 16) calls for (..., 4)"),
        (np.zeros(()), "H has shape (); W1 (4, 16) calls for (..., 4)"),
        (
            [[0.0, 1.0, -np.inf, 0.0]],
            "H has -inf at flat position 2 (1 of 4 values are not finite); finite numbers are wanted",
        ),
        ("token", "H holds 'token'; an array of numbers is wanted"),
    ],
)
def test_tokens_that_do_not_fit_are_refused_with_what_came_and_what_was_wanted(H, message):
    with pytest.raises(ValueError) as caught:
        forward(H, Weights(**GOOD), ACTIVATIONS["GELU"])
    assert str(caught.value) == message


def test_whole_numbers_and_lists_are_welcome():
    weights = Weights([[1, 2]], [0, 1], [[1], [1]], [3])
    assert (weights.d_model, weights.d_ff) == (1, 2)
    assert forward([[2]], weights, IDENTITY).out.tolist() == [[2 + 5 + 3]]


def test_weights_cannot_be_changed_and_the_callers_arrays_stay_writable():
    arrays = {name: value.copy() for name, value in GOOD.items()}
    weights = Weights(**arrays)
    with pytest.raises(ValueError, match="read-only"):
        weights.W1[0, 0] = 5.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        weights.W1 = arrays["W1"]
    arrays["W1"][0, 0] = 2.0
