"""The gated block: against PyTorch and plain loops, the course's figures, both conventions, the published ablation."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import SHIPPED

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.counts import equal_budget_width, ffn_params
from ffn_core.gated import (
    STATES,
    VARIANTS,
    GatedWeights,
    column_forward,
    convention_error,
    draw_gated_example,
    gate_states,
    gated_forward,
    glu_ablation,
    growth,
    missing_transpose,
    random_gated_weights,
    untransposed_forward,
    variant,
)
from ffn_core.rng import LessonStream

SILU = ACTIVATIONS["SiLU"]
every_activation = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda a: a.name)
shapes = st.tuples(*[st.integers(1, 6)] * 2, st.integers(0, 10_000))


def draw(d_model, d_ff, leading=(5,), seed=0):
    """Tokens and a block."""
    rng = np.random.default_rng(seed)
    matrices = [rng.normal(size=shape) for shape in ((d_model, d_ff), (d_model, d_ff), (d_ff, d_model))]
    return rng.normal(size=(*leading, d_model)), GatedWeights(*matrices)


# --- Against oracles


@every_activation
def test_the_block_is_what_the_definition_says_one_number_at_a_time(sigma):
    H, w = draw(3, 4)
    trace = gated_forward(H, w, sigma)
    for t, x in enumerate(H):
        hidden = []
        for m in range(4):
            arrives, value = (math.fsum(x * W[:, m]) for W in (w.W_gate, w.W_value))
            gate = float(sigma.f(arrives))
            hidden.append(gate * value)
            assert trace.gate[t, m] == pytest.approx(gate, abs=1e-14)
            assert trace.value[t, m] == pytest.approx(value, abs=1e-14)
        assert trace.hidden[t] == pytest.approx(hidden, abs=1e-13)
        assert trace.out[t] == pytest.approx([math.fsum(hidden * w.W_out[:, j]) for j in range(3)], abs=1e-13)


@pytest.mark.parametrize("leading", [(), (0,), (3,), (2, 5), (2, 3, 4)])
@pytest.mark.parametrize(("name", "module"), [("SiLU", "silu"), ("GELU-exact", "gelu"), ("ReLU", "relu")])
def test_pytorch_with_linear_layers_gives_the_same_batch_axes_included(torch, name, module, leading):
    H, w = draw(6, 8, leading)
    layers = [torch.nn.Linear(*W.shape, bias=False, dtype=torch.float64) for W in (w.W_gate, w.W_value, w.W_out)]
    with torch.no_grad():
        for layer, W in zip(layers, (w.W_gate, w.W_value, w.W_out), strict=True):
            layer.weight.copy_(torch.tensor(W.T.copy()))
        x = torch.tensor(H)
        theirs = layers[2](getattr(torch.nn.functional, module)(layers[0](x)) * layers[1](x))
    np.testing.assert_allclose(gated_forward(H, w, ACTIVATIONS[name]).out, theirs.numpy(), atol=1e-12)


# --- The course's printed figures


def test_the_courses_hidden_unit_is_a_multiplier():
    """Lesson 24: SiLU(5a) a at four values of a."""
    unit = GatedWeights([[5.0]], [[1.0]], [[1.0]])
    out = gated_forward([[0.1], [0.5], [1.0], [-1.0]], unit, SILU).hidden.ravel()
    assert out == pytest.approx(
        [0.03112296656009273, 1.1551772749734457, 4.966535745378576, 0.03346425462142428], rel=1e-15
    )


def test_the_courses_parameter_counts():
    """Lesson 24: d_model 8 with M = floor(8 / 3 d_model) = 21, and Llama 2 7B."""
    assert ffn_params(8, 21, gated=True) == 504
    assert 504 / (ffn_params(8, 32) + 32 + 8) == pytest.approx(0.9130434782608695, rel=1e-15)
    assert equal_budget_width(4 * 4096, 256) == 11008
    assert ffn_params(4096, 11008, gated=True) / ffn_params(4096, 4 * 4096) == 1.0078125


# --- Laws


@given(shapes)
def test_rows_do_not_mix(shape):
    H, w = draw(*shape[:2], seed=shape[2])
    order = [3, 0, 4, 1, 2]
    out = gated_forward(H, w, SILU).out
    np.testing.assert_allclose(gated_forward(H[order], w, SILU).out, out[order], atol=1e-13)


@given(shapes)
def test_a_closed_gate_lets_nothing_through_and_an_open_one_the_value(shape):
    H, w = draw(*shape[:2], seed=shape[2])
    closed = GatedWeights(np.zeros_like(w.W_gate), w.W_value, w.W_out)
    assert not gated_forward(H, closed, SILU).out.any()
    H = np.abs(H)
    gate = np.zeros_like(w.W_gate)
    gate[0] = 1.0
    one = GatedWeights(gate, w.W_value, w.W_out)
    trace = gated_forward(H / H[:, :1], one, ACTIVATIONS["ReLU"])
    np.testing.assert_allclose(trace.hidden, trace.value, rtol=1e-12)


@given(shapes)
def test_doubling_the_token_doubles_a_relu_block_and_quadruples_a_gated_one(shape):
    H, w = draw(*shape[:2], seed=shape[2])
    for name in ("ReLU", "Identity"):
        plain, gated = growth(H[0], w, ACTIVATIONS[name])
        assert math.isnan(plain) or plain == pytest.approx(2.0, rel=1e-9)
        assert math.isnan(gated) or gated == pytest.approx(4.0, rel=1e-9)


def test_growth_of_nothing_is_not_a_number():
    w = GatedWeights([[-1.0]], [[1.0]], [[1.0]])
    assert all(math.isnan(g) for g in growth(np.ones(1), w, ACTIVATIONS["ReLU"]))


@given(shapes)
def test_the_column_convention_gives_the_same_numbers(shape):
    H, w = draw(*shape[:2], (2, 3), shape[2])
    columns = column_forward(np.swapaxes(H, -1, -2), w.W_gate.T, w.W_value.T, w.W_out.T, SILU)
    np.testing.assert_allclose(np.swapaxes(columns, -1, -2), gated_forward(H, w, SILU).out, atol=1e-12)
    assert convention_error(H, w, SILU) < 1e-12


def test_a_missing_transpose_is_an_error_unless_the_matrices_are_square():
    H, w = draw(3, 4)
    found = missing_transpose(H, w, SILU)
    assert "size 4 is different from 3" in found.message
    assert math.isnan(found.off_by)
    H, w = draw(4, 4)
    found = missing_transpose(H, w, SILU)
    assert found.message == ""
    assert found.off_by > 0.5
    right, wrong = gated_forward(H, w, SILU).out, untransposed_forward(H, w.W_gate.T, w.W_value.T, w.W_out.T, SILU)
    assert found.off_by == pytest.approx(np.linalg.norm(wrong - right) / np.linalg.norm(right))
    assert found.sizes == pytest.approx([np.sqrt(np.mean(out * out)) for out in (right, wrong)])


def test_symmetric_matrices_forgive_a_missing_transpose():
    eye = np.eye(3)
    assert missing_transpose(np.ones((2, 3)), GatedWeights(eye, eye, eye), SILU).off_by == 0.0


def test_nothing_to_be_off_by_where_the_right_output_is_zero():
    zero = np.zeros((2, 2))
    found = missing_transpose(np.ones((2, 2)), GatedWeights(zero, zero, zero), SILU)
    assert math.isnan(found.off_by)
    assert found.sizes == (0.0, 0.0)


def test_states_of_a_gate():
    gates = [-0.2, -0.1, 0.0, 0.0999, 0.1, 0.5, 0.8999, 0.9, 3.0]
    assert [STATES[k] for k in gate_states(gates)] == [
        "turns the sign", "closed", "closed", "closed", "part open", "part open", "part open", "open", "open",
    ]  # fmt: skip


# --- Drawn examples


def test_the_gate_branch_is_w1_of_the_lessons_example():
    ours, bench = draw_gated_example(11, 5, 4, 16), lesson.worked_example()
    assert np.array_equal(ours.H[0], bench.H)
    assert np.array_equal(ours.weights.W_gate, bench.weights.W1)
    gate = gated_forward(ours.H[0], ours.weights, lesson.SIGMA).gate
    assert np.array_equal(gate, lesson.worked_trace().post)
    assert np.sum(gate > 0.1) == 40


def test_a_batch_starts_with_the_single_sequence_and_shares_the_weights():
    one, three = draw_gated_example(7, 3, 2, 5), draw_gated_example(7, 3, 2, 5, 3)
    assert three.H.shape == (3, 3, 2)
    assert np.array_equal(three.H[0], one.H[0])
    assert np.array_equal(three.weights.W_out, one.weights.W_out)
    assert not np.array_equal(three.H[1], three.H[2])
    with pytest.raises(ValueError, match="read-only"):
        one.H[0, 0, 0] = 1.0


def test_random_weights_have_the_variance_asked_for():
    w = random_gated_weights(LessonStream(1), 40, 300, scale=3.0)
    for W in (w.W_gate, w.W_value, w.W_out):
        assert np.var(W) == pytest.approx(3.0 / W.shape[0], rel=0.05)
    assert (w.d_model, w.d_ff) == (40, 300)


def test_names_of_the_variants():
    assert {variant(ACTIVATIONS[name]) for name in SHIPPED} == set(VARIANTS.values())
    assert variant(SILU) == "SwiGLU"


# --- The ablation


def test_every_gated_row_beats_every_plain_one_and_gelu_is_no_better_than_relu_in_the_long_run():
    rows = {r.variant: r for r in glu_ablation()}
    assert len(rows) == 8
    assert max(r.long_run for r in rows.values() if r.gated) < min(r.long_run for r in rows.values() if not r.gated)
    assert rows["ReLU"].long_run <= rows["GELU"].long_run
    assert {name: r.long_run for name, r in rows.items()} == {
        "ReLU": 1.677, "GELU": 1.679, "Swish": 1.683, "GLU": 1.663,
        "Bilinear": 1.648, "GEGLU": 1.633, "SwiGLU": 1.636, "ReGLU": 1.645,
    }  # fmt: skip
    assert all(r.long_run < r.short_run and 0.0 < r.short_run_sd <= 0.01 for r in rows.values())


def test_rows_of_the_ablation_know_their_activation():
    used = {name: [r.variant for r in glu_ablation() if r.uses(ACTIVATIONS[name])] for name in SHIPPED}
    assert used == {
        "Identity": ["Bilinear"], "ReLU": ["ReLU", "ReGLU"], "GELU": ["GELU", "GEGLU"], "GELU-exact": ["GELU", "GEGLU"],
        "SiLU": ["Swish", "SwiGLU"],
    }  # fmt: skip


# --- Numbers at the edge, types, and input that does not fit


@every_activation
@pytest.mark.parametrize("size", [400.0, -400.0, 1e-20, 0.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_and_tiny_inputs_give_finite_numbers_without_a_warning(sigma, size, dtype):
    H, w = draw(4, 6, (2, 3))
    w = GatedWeights(*(W.astype(dtype) for W in (w.W_gate, w.W_value, w.W_out)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tokens in (H.astype(dtype) * dtype(size), np.full(H.shape, size, dtype)):
            out = gated_forward(tokens, w, sigma).out
            assert out.dtype == dtype
            assert np.isfinite(out).all()


def test_weights_are_read_only_views():
    W = np.ones((2, 3))
    weights = GatedWeights(W, W, W.T)
    with pytest.raises(ValueError, match="read-only"):
        weights.W_gate[0, 0] = 2.0
    W[0, 0] = 5.0
    assert weights.W_gate[0, 0] == 5.0


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((np.ones(3), np.ones((2, 3)), np.ones((3, 2))), r"W_gate has shape \(3,\); \(d_model, d_ff\)"),
        ((np.ones((2, 0)), np.ones((2, 0)), np.ones((0, 2))), r"W_gate has shape \(2, 0\)"),
        ((np.ones((2, 3)), np.ones((3, 2)), np.ones((3, 2))), r"W_value has shape \(3, 2\).*calls for \(2, 3\)"),
        ((np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3))), r"W_out has shape \(2, 3\).*calls for \(3, 2\)"),
        ((np.full((2, 3), np.inf), np.ones((2, 3)), np.ones((3, 2))), "W_gate has inf"),
        ((np.ones((2, 3)), [["a"] * 3] * 2, np.ones((3, 2))), "W_value holds"),
    ],
)
def test_weights_that_do_not_fit_are_refused(parts, said):
    with pytest.raises(ValueError, match=said):
        GatedWeights(*parts)


@pytest.mark.parametrize(
    ("H", "said"), [(np.ones((5, 3)), "calls for"), ([[np.nan] * 2], "H has nan"), (1.0, "calls for")]
)
def test_tokens_that_do_not_fit_are_refused(H, said):
    weights = GatedWeights(np.ones((2, 3)), np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError, match=said):
        gated_forward(H, weights, SILU)
