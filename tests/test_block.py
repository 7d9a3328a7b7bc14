"""The block: its wires against PyTorch and the course's figures, its pushes against differences, stacks and dropout."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import SHIPPED

from ffn_core.activations import ACTIVATIONS
from ffn_core.attention import attention_scores, softmax
from ffn_core.block import (
    KINDS,
    LARGEST,
    WIRINGS,
    Attention,
    Depth,
    Stage,
    Wiring,
    along_depth,
    block_forward,
    block_from,
    dropout,
    dropout_passes,
    numbers_in,
    part_both,
    part_out,
    part_push,
    random_block,
    wired,
    wired_both,
    wired_push,
)  # fmt: skip
from ffn_core.ffn import Weights, forward
from ffn_core.norms import NORMS, layer_norm, normalise
from ffn_core.rng import LessonStream

GELU, EXACT = ACTIVATIONS["GELU"], ACTIVATIONS["GELU-exact"]
SMOOTH = [a for a in ACTIVATIONS.values() if not a.kinks]
every_wiring = pytest.mark.parametrize("placement", WIRINGS)
every_kind = pytest.mark.parametrize("kind", KINDS)
BARE = Wiring("bare", "none", residual=False)


def euler(step):
    """x + step f(x), without a norm."""
    return Wiring("bare", "none", True, step)


# --- Against PyTorch


def test_the_second_documents_snippet_gives_pytorchs_numbers(torch):
    """x + ffn(norm(x)) with Linear layers that have biases and store their weights transposed, and the exact GELU."""
    torch.manual_seed(0)
    x = torch.randn(2, 5, 8)
    norm = torch.nn.LayerNorm(8)
    net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.GELU(), torch.nn.Linear(32, 8))
    theirs = (x + net(norm(x))).detach().numpy()
    W1, b1, W2, b2 = (p.detach().numpy() for p in net.parameters())
    weights = Weights(W1.T, b1, W2.T, b2)
    ours = block_forward(x.numpy(), (weights,), EXACT, Wiring())
    assert ours.shape == theirs.shape == (2, 5, 8)
    np.testing.assert_allclose(ours, theirs, atol=2e-6)
    tanh_form = block_forward(x.numpy(), (weights,), GELU, Wiring())
    assert 1e-6 < np.max(np.abs(tanh_form - theirs)) < 1e-3


@pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 4])
def test_a_block_is_pytorchs_encoder_layer(torch, norm_first, causal, n_heads):
    d_model, d_ff, T = 8, 32, 6
    stream = LessonStream(4)
    x = stream.randn(3, T, d_model)
    attention, weights = random_block(stream, d_model, d_ff, "block", n_heads, causal=causal)
    layer = torch.nn.TransformerEncoderLayer(
        d_model, n_heads, d_ff, 0.0, torch.nn.functional.gelu, batch_first=True, norm_first=norm_first, bias=False
    ).double()
    with torch.no_grad():
        layer.self_attn.in_proj_weight.copy_(
            torch.tensor(np.concatenate([attention.W_Q.T, attention.W_K.T, attention.W_V.T]))
        )
        layer.self_attn.out_proj.weight.copy_(torch.tensor(attention.W_O.T.copy()))
        layer.linear1.weight.copy_(torch.tensor(weights.W1.T.copy()))
        layer.linear2.weight.copy_(torch.tensor(weights.W2.T.copy()))
    mask = torch.nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64) if causal else None
    theirs = layer(torch.tensor(x), src_mask=mask).detach().numpy()
    wiring = Wiring("pre-norm" if norm_first else "post-norm")
    np.testing.assert_allclose(block_forward(x, (attention, weights), EXACT, wiring), theirs, atol=1e-12)


# --- The course's own figures (Lesson 12, seeds 13, 21 and 8), replayed with its random numbers


@pytest.fixture(scope="module")
def stack_of_24():
    """24 stages of 32 channels, then the token, in the course's order."""
    stream = LessonStream(13)
    blocks = [(Stage(stream.randn(32, 32) / math.sqrt(32)),) for _ in range(24)]
    return blocks, stream.randn(1, 32)


def test_without_a_residual_path_the_courses_stack_falls_by_two_to_the_24(stack_of_24):
    blocks, x = stack_of_24
    found = along_depth(x, np.ones_like(x), blocks, GELU, BARE)
    assert found.size[0] == pytest.approx(6.0, abs=0.05)
    assert math.log2(found.size[-1] / found.size[0]) == pytest.approx(-24.2, abs=0.05)
    assert np.exp(np.mean(np.log(found.size[1:] / found.size[:-1]))) == pytest.approx(0.497, abs=0.0005)


def test_with_a_residual_path_and_a_small_step_the_courses_stack_keeps_its_size(stack_of_24):
    blocks, x = stack_of_24
    found = along_depth(x, np.ones_like(x), blocks, GELU, euler(0.1))
    assert found.size[-1] == pytest.approx(8.3, abs=0.05)


def test_the_courses_product_of_jacobians(stack_of_24):
    """Largest singular value about 4e-7 without a residual path; 0.64 to 2.2 with step 0.1; above 1e4 with step 1."""
    blocks, x = stack_of_24
    products = {}
    for wiring in (BARE, euler(0.1), euler(1.0)):
        at, pushed = x, np.eye(32)[:, None, :]  # 32 changes at once, each of the one token
        for (part,) in blocks:
            at, pushed = wired(part, at, GELU, wiring), wired_push(part, at, pushed, GELU, wiring)
        products[wiring] = np.linalg.svd(pushed[:, 0, :], compute_uv=False)
    assert products[BARE][0] == pytest.approx(4e-7, abs=0.5e-7)
    assert products[euler(0.1)][-1] == pytest.approx(0.64, abs=0.005)
    assert products[euler(0.1)][0] == pytest.approx(2.2, abs=0.05)
    assert products[euler(1.0)][0] > 1e4


@pytest.mark.parametrize(
    ("placement", "printed", "half_unit"), [("pre-norm", 43.6, 0.05), ("post-norm", 5.657, 0.0005)]
)
def test_the_courses_stream_grows_with_pre_norm_and_is_held_by_post_norm(placement, printed, half_unit):
    stream = LessonStream(21)
    x = stream.randn(1, 32)
    blocks = [(Stage(stream.randn(32, 32) / math.sqrt(32)),) for _ in range(24)]
    found = along_depth(x, np.ones_like(x), blocks, GELU, Wiring(placement))
    assert found.size[-1] == pytest.approx(printed, abs=half_unit)


def test_the_courses_attention_scores_explode_without_layer_norm():
    """Variance of the scores at stream scale 16: about 6.9e4 raw, about 1.0 behind LayerNorm."""
    stream = LessonStream(8)
    W_Q, W_K = (stream.randn(32, 32) / math.sqrt(32) for _ in range(2))
    for scale in (1.0, 4.0, 16.0):
        H = stream.randn(16, 32) * scale
    raw, normed = (np.mean(attention_scores(X @ W_Q, X @ W_K) ** 2) for X in (H, layer_norm(H)))
    assert raw == pytest.approx(6.9e4, abs=0.05e4)
    assert normed == pytest.approx(1.0, abs=0.05)


# --- The wires


@every_kind
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("residual", [True, False])
def test_the_wires_are_the_three_equations(kind, norm, residual):
    stream = LessonStream(2)
    x = stream.randn(5, 8)
    for part in random_block(stream, 8, 32, kind):
        keep, step = float(residual), 0.5
        wanted = {
            "pre-norm": keep * x + step * part_out(part, normalise(x, norm), GELU),
            "post-norm": normalise(keep * x + step * part_out(part, x, GELU), norm),
            "bare": keep * x + step * part_out(part, x, GELU),
        }
        for placement in WIRINGS:
            wiring = Wiring(placement, norm, residual, step)
            np.testing.assert_allclose(wired(part, x, GELU, wiring), wanted[placement], atol=1e-14)


@every_wiring
def test_a_block_is_its_parts_one_after_the_other_and_takes_a_batch(placement):
    stream = LessonStream(2)
    x, block, wiring = stream.randn(3, 5, 8), random_block(stream, 8, 32), Wiring(placement)
    after = x
    for part in block:
        after = wired(part, after, GELU, wiring)
    np.testing.assert_array_equal(block_forward(x, block, GELU, wiring), after)
    np.testing.assert_allclose(block_forward(x, block, GELU, wiring)[1], block_forward(x[1], block, GELU, wiring))


def test_without_a_norm_every_wiring_is_bare():
    stream = LessonStream(2)
    x, block = stream.randn(5, 8), random_block(stream, 8, 32)
    outs = [block_forward(x, block, GELU, Wiring(placement, "none")) for placement in WIRINGS]
    np.testing.assert_array_equal(outs[0], outs[1])
    np.testing.assert_array_equal(outs[0], outs[2])


def test_only_pre_norm_leaves_the_residual_path_alone():
    """With parts that give nothing, the stream passes as it is through pre-norm and is rescaled by post-norm."""
    x, silent = LessonStream(2).randn(5, 8), Weights(np.zeros((8, 4)), np.zeros(4), np.zeros((4, 8)), np.zeros(8))
    np.testing.assert_array_equal(wired(silent, x, GELU, Wiring("pre-norm")), x)
    np.testing.assert_array_equal(wired(silent, x, GELU, Wiring("post-norm")), layer_norm(x))


# --- Pushes


@every_kind
@every_wiring
@pytest.mark.parametrize("sigma", SMOOTH, ids=lambda sigma: sigma.name)
def test_a_push_is_what_a_small_change_becomes(kind, placement, sigma):
    stream = LessonStream(6)
    x, dx, h = stream.randn(5, 6), stream.randn(5, 6), 1e-6
    for norm in NORMS:
        wiring = Wiring(placement, norm, True, 0.7)
        for part in random_block(stream, 6, 24, kind, n_heads=2):
            moved = (wired(part, x + h * dx, sigma, wiring) - wired(part, x - h * dx, sigma, wiring)) / (2.0 * h)
            np.testing.assert_allclose(wired_push(part, x, dx, sigma, wiring), moved, atol=2e-8)


def test_attentions_push_is_pytorchs_directional_derivative(torch):
    stream = LessonStream(7)
    x, dx = stream.randn(4, 6), stream.randn(4, 6)
    part = random_block(stream, 6, 4, "block", causal=True)[0]

    def attend(x):
        Q, K, V = (x @ torch.tensor(W) for W in (part.W_Q, part.W_K, part.W_V))
        scores = (Q @ K.T / math.sqrt(6)).masked_fill(torch.ones(4, 4).triu(1).bool(), -math.inf)
        return scores.softmax(-1) @ V @ torch.tensor(part.W_O)

    out, pushed = torch.autograd.functional.jvp(attend, torch.tensor(x), torch.tensor(dx))
    ours = part_both(part, x, dx, GELU)
    np.testing.assert_allclose(ours[0], out.numpy(), atol=1e-13)
    np.testing.assert_allclose(ours[1], pushed.numpy(), atol=1e-13)
    assert ours[2] is None


@every_kind
def test_value_push_and_gains_agree_however_they_are_asked_for(kind):
    stream = LessonStream(3)
    x, dx = stream.randn(5, 8), stream.randn(5, 8)
    for part in random_block(stream, 8, 32, kind):
        out, d_out, gains = part_both(part, x, dx, GELU)
        np.testing.assert_allclose(out, part_out(part, x, GELU), atol=1e-14)
        np.testing.assert_array_equal(d_out, part_push(part, x, dx, GELU))
        if isinstance(part, Weights):
            np.testing.assert_array_equal(gains, GELU.gain(forward(x, part, GELU).pre))
        for placement in WIRINGS:
            after, pushed, _ = wired_both(part, x, dx, GELU, Wiring(placement))
            np.testing.assert_allclose(after, wired(part, x, GELU, Wiring(placement)), atol=1e-14)
            np.testing.assert_array_equal(pushed, wired_push(part, x, dx, GELU, Wiring(placement)))


@every_kind
@every_wiring
def test_a_push_is_linear_and_takes_many_changes_at_once(kind, placement):
    stream = LessonStream(5)
    x, dx = stream.randn(4, 6), stream.randn(3, 4, 6)
    for part in random_block(stream, 6, 24, kind):
        pushed = wired_push(part, x, dx, GELU, Wiring(placement))
        assert pushed.shape == dx.shape
        np.testing.assert_allclose(pushed[0] - 2.0 * pushed[2], wired_push(
            part, x, dx[0] - 2.0 * dx[2], GELU, Wiring(placement)), atol=1e-12)  # fmt: skip


# --- Drawing


@every_kind
def test_a_block_is_drawn_in_the_order_of_its_parts_at_its_scale(kind):
    block = random_block(LessonStream(9), 6, 24, kind, n_heads=3, scale=1.5)
    stream = LessonStream(9)
    if kind == "block":
        attention = block[0]
        for W in (attention.W_Q, attention.W_K, attention.W_V, attention.W_O):
            np.testing.assert_allclose(W, stream.randn(6, 6) / math.sqrt(6), rtol=1e-15)
        assert (attention.n_heads, attention.causal) == (3, True)
    if kind == "stage":
        np.testing.assert_allclose(block[0].W, stream.randn(6, 6) * math.sqrt(1.5 / 6), rtol=1e-15)
    else:
        np.testing.assert_allclose(block[-1].W1, stream.randn(6, 24) * math.sqrt(1.5 / 6), rtol=1e-15)
        np.testing.assert_allclose(block[-1].W2, stream.randn(24, 6) * math.sqrt(1.5 / 24), rtol=1e-15)
        assert not block[-1].b1.any()
        assert not block[-1].b2.any()


@every_kind
def test_a_stack_drawn_in_one_go_is_the_stack_drawn_block_by_block(kind):
    one, many = LessonStream(1), LessonStream(1)
    for row in one.randn(3, numbers_in(kind, 5, 20)):
        for ours, theirs in zip(block_from(row, 5, 20, kind), random_block(many, 5, 20, kind), strict=True):
            for field in dataclasses.fields(ours):
                np.testing.assert_array_equal(getattr(ours, field.name), getattr(theirs, field.name))


# --- Along depth


@every_kind
@every_wiring
def test_the_change_along_depth_is_what_a_tiny_real_change_becomes(kind, placement):
    stream = LessonStream(3)
    H, dH = stream.randn(5, 8), np.zeros((5, 8))
    dH[1] = stream.randn(8)
    blocks = [random_block(stream, 8, 32, kind, scale=1.0) for _ in range(6)]
    wiring, h = Wiring(placement), 1e-7
    found = along_depth(H, dH, blocks, GELU, wiring, token=1)
    low, high = H - h * dH / np.linalg.norm(dH), H + h * dH / np.linalg.norm(dH)
    for depth, block in enumerate(blocks, start=1):
        low, high = (block_forward(x, block, GELU, wiring) for x in (low, high))
        assert found.change[depth] == pytest.approx(np.linalg.norm(high - low) / (2.0 * h), rel=1e-5)
        assert found.size[depth] == pytest.approx(np.linalg.norm(high[1]), rel=1e-5)
        assert found.rms[depth] == pytest.approx(np.sqrt(np.mean(high**2)), rel=1e-5)
        assert found.largest[depth] == pytest.approx(np.max(np.abs(high)), rel=1e-5)
    np.testing.assert_allclose(found.change[1:] / found.change[:-1], found.ratios, rtol=1e-12)
    assert found.mean_ratio() == pytest.approx(found.change[-1] ** (1 / 6))
    assert found.mean_ratio(-2) == pytest.approx(np.sqrt(found.ratios[-1] * found.ratios[-2]))
    assert found.reached == 6


def test_gains_along_depth_are_those_of_the_blocks_own_pre_activations():
    stream = LessonStream(3)
    H, block = stream.randn(5, 8), random_block(stream, 8, 32)
    found = along_depth(H, np.ones_like(H), [block], GELU, Wiring())
    middle = wired(block[0], H, GELU, Wiring())
    gains = GELU.gain(forward(layer_norm(middle), block[1], GELU).pre)
    assert found.mean_gain[0] == pytest.approx(gains.mean())
    assert found.rms_gain[0] == pytest.approx(np.sqrt(np.mean(gains**2)))


def test_only_the_direction_of_the_change_matters():
    stream = LessonStream(3)
    H, dH, blocks = stream.randn(2, 4), stream.randn(2, 4), [random_block(stream, 4, 16)]
    one, other = (along_depth(H, factor * dH, blocks, GELU, Wiring()) for factor in (1.0, 1e-9))
    np.testing.assert_allclose(one.change, other.change)


@pytest.mark.parametrize("name", SHIPPED)  # a bounded one, such as tanh, never outgrows it
@every_kind
def test_a_stack_that_outgrows_float64_stops_in_time_and_says_where(name, kind):
    stream = LessonStream(3)
    H, dH = stream.randn(3, 6), stream.randn(3, 6)
    blocks = [random_block(stream, 6, 24, kind, scale=1e9) for _ in range(40)]
    found = along_depth(H, dH, blocks, ACTIVATIONS[name], euler(1.0))
    assert 1 < found.blown_up_at < 40
    assert found.reached == found.blown_up_at - 1
    assert np.isfinite(found.size[: found.blown_up_at]).all()
    assert np.isnan(found.size[found.blown_up_at :]).all()
    assert found.beyond(LARGEST) == found.blown_up_at
    assert found.beyond(65504.0) <= found.blown_up_at
    assert np.isfinite(found.mean_ratio())


def test_a_change_far_below_float64_keeps_its_ratios():
    stream = LessonStream(3)
    H, dH = stream.randn(1, 4), stream.randn(1, 4)
    blocks = [random_block(stream, 4, 4, "stage", scale=1e-12) for _ in range(96)]
    found = along_depth(H, dH, blocks, GELU, BARE)
    assert found.change[-1] == 0.0
    assert (found.ratios > 0.0).all()
    assert 1e-8 < found.mean_ratio() < 1e-5
    assert found.beyond(65504.0) is None


def test_a_change_that_is_lost_stays_lost_without_a_warning():
    dead = (Stage(-np.eye(2)), )  # fmt: skip
    found = along_depth(np.ones((1, 2)), np.ones((1, 2)), [dead, dead, dead], ACTIVATIONS["ReLU"], BARE)
    assert found.change.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert found.mean_ratio() == 0.0


def test_a_mean_over_no_block_is_not_a_number():
    none = Depth(*np.ones((4, 1)), *np.ones((3, 0)), None)
    assert math.isnan(none.mean_ratio())


def test_what_along_depth_gives_cannot_be_changed_by_who_shares_it():
    found = along_depth(np.ones((1, 2)), np.ones((1, 2)), [(Stage(np.eye(2)),)], GELU, BARE)
    with pytest.raises(ValueError, match="read-only"):
        found.change[0] = 2.0


# --- Dropout


def test_dropout_zeroes_its_share_and_keeps_the_mean():
    out = dropout(np.ones((300, 300)), 0.3, LessonStream(1))
    assert set(np.unique(out)) == {0.0, 1.0 / 0.7}
    assert np.mean(out == 0.0) == pytest.approx(0.3, abs=0.006)
    assert out.mean() == pytest.approx(1.0, abs=0.01)


@given(st.integers(0, 99))
def test_dropout_at_rate_0_is_evaluation_mode(seed):
    x = LessonStream(seed).randn(4, 3)
    np.testing.assert_array_equal(dropout(x, 0.0, LessonStream(1)), x)


def test_training_passes_spread_and_evaluation_passes_are_the_same():
    stream = LessonStream(2)
    x, (weights,) = stream.randn(4), random_block(stream, 4, 16, "ffn")
    still = dropout_passes(x, weights, GELU, 0.0, LessonStream(5), 8)
    np.testing.assert_array_equal(still, np.tile(block_forward(x, (weights,), GELU, Wiring()), (8, 1)))
    moving = dropout_passes(x, weights, GELU, 0.5, LessonStream(5), 400)
    assert np.ptp(moving, axis=0).min() > 0.01
    np.testing.assert_allclose(moving.mean(axis=0), still[0], atol=0.2)
    np.testing.assert_array_equal(moving, dropout_passes(x, weights, GELU, 0.5, LessonStream(5), 400))


# --- The door


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Wiring("sideways"), "placement is 'sideways'; one of pre-norm, post-norm, bare is wanted"),
        (lambda: Wiring(norm="BatchNorm"), "norm is 'BatchNorm'; one of LayerNorm, RMSNorm, none is wanted"),
        (lambda: part_out(np.eye(2), np.eye(2), GELU), "part is a ndarray; Weights, Stage or Attention is wanted"),
        (lambda: part_push("x", np.eye(2), np.eye(2), GELU), "part is a str"),
        (lambda: numbers_in("layer", 4, 16), "kind is 'layer'; one of stage, ffn, block is wanted"),
        (lambda: block_from(np.zeros(15), 4, 16, "stage"), r"numbers has shape \(15,\); a stage calls for \(16,\)"),
        (lambda: along_depth(np.eye(2), np.zeros((2, 2)), [], GELU, BARE), "dH is zero; a direction is wanted"),
        (lambda: along_depth(np.eye(2), np.eye(3), [], GELU, BARE), r"dH has shape \(3, 3\); H \(2, 2\) calls for"),
        (lambda: along_depth([[np.inf]], [[1.0]], [], GELU, BARE), "H has inf"),
        (lambda: dropout(np.ones(2), 1.0, LessonStream(1)), "rate is 1.0; a number from 0 up to, not including, 1"),
        (lambda: dropout(np.ones(2), -0.1, LessonStream(1)), "rate is -0.1"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_came_and_what_is_wanted(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_attention_weights_of_a_huge_stream_are_still_weights():
    part = random_block(LessonStream(1), 4, 4)[0]
    assert isinstance(part, Attention)
    out, pushed, _ = part_both(part, 1e50 * LessonStream(2).randn(3, 4), np.ones((3, 4)), GELU)
    assert np.isfinite(out).all()
    assert np.isfinite(pushed).all()
    np.testing.assert_allclose(softmax(np.array([[1e100, 0.0]])), [[1.0, 0.0]])
