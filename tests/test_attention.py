"""Attention and rotary positions: against PyTorch and plain loops, the course's printed figures, laws, bad input."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_core.activations import ACTIVATIONS
from ffn_core.attention import (
    attention_scores,
    attention_trace,
    diagonal_spread,
    merge_heads,
    multi_head_attention,
    offset_scores,
    relative_scores,
    repeated_scores,
    rope,
    rope_frequencies,
    rope_wavelengths,
    sinusoids,
    softmax,
    split_heads,
)
from ffn_core.ffn import forward, random_weights
from ffn_core.norms import layer_norm
from ffn_core.rng import LessonStream

causality = pytest.mark.parametrize("causal", [False, True])
SHAPES = [(5, 4, 2, 2), (1, 2, 1, 1), (7, 12, 4, 1), (3, 6, 3, 3), (16, 32, 8, 2)]  # T, d_model, heads, KV heads


def draw(T, d_model, n_heads, n_kv_heads=None, leading=(), seed=0, d_head=None):
    """Tokens and the four matrices."""
    rng = np.random.default_rng(seed)
    d_head = d_head or d_model // n_heads
    n_kv_heads = n_kv_heads or n_heads
    H = rng.normal(size=(*leading, T, d_model))
    widths = (n_heads * d_head, n_kv_heads * d_head, n_kv_heads * d_head)
    return (
        H,
        *(rng.normal(size=(d_model, w)) / math.sqrt(d_model) for w in widths),
        rng.normal(size=(n_heads * d_head, d_model)) / math.sqrt(n_heads * d_head),
    )


def loop_attention(H, W_Q, W_K, W_V, W_O, n_heads, causal):
    """One sequence, one number at a time."""
    T, d_head = len(H), W_Q.shape[1] // n_heads
    shared = n_heads // (W_K.shape[1] // d_head)
    out = np.zeros((T, W_O.shape[1]))
    for t in range(T):
        mixed = []
        for h in range(n_heads):
            own, kv = slice(h * d_head, (h + 1) * d_head), slice(h // shared * d_head, (h // shared + 1) * d_head)
            seen = range(t + 1) if causal else range(T)
            scores = [math.fsum((H[t] @ W_Q)[own] * (H[s] @ W_K)[kv]) / math.sqrt(d_head) for s in seen]
            weights = [math.exp(score - max(scores)) for score in scores]
            values = [(H[s] @ W_V)[kv] for s in seen]
            mixed.append(sum(w * v for w, v in zip(weights, values, strict=True)) / math.fsum(weights))
        out[t] = np.concatenate(mixed) @ W_O
    return out


# --- Against oracles


@causality
@pytest.mark.parametrize("shape", SHAPES)
def test_attention_is_what_the_definition_says_one_number_at_a_time(shape, causal):
    parts = draw(*shape)
    np.testing.assert_allclose(
        multi_head_attention(*parts, shape[2], causal), loop_attention(*parts, shape[2], causal), atol=1e-12
    )


@causality
@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize("shape", SHAPES)
def test_attention_gives_pytorchs_numbers_batch_axes_included(torch, shape, leading, causal):
    T, d_model, n_heads, n_kv_heads = shape
    H, W_Q, W_K, W_V, W_O = (torch.tensor(a) for a in draw(*shape, leading))

    def heads(W):
        return (H @ W).unflatten(-1, (-1, d_model // n_heads)).transpose(-2, -3)

    K, V = (heads(W).repeat_interleave(n_heads // n_kv_heads, dim=-3) for W in (W_K, W_V))
    mixed = torch.nn.functional.scaled_dot_product_attention(heads(W_Q), K, V, is_causal=causal)
    theirs = mixed.transpose(-2, -3).flatten(-2) @ W_O
    ours = multi_head_attention(*draw(*shape, leading), n_heads, causal)
    assert ours.shape == (*leading, T, d_model)
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-12)


def test_pytorchs_own_module_gives_the_same_with_its_weights_transposed(torch):
    H, W_Q, W_K, W_V, W_O = draw(6, 8, 4, leading=(3,))
    module = torch.nn.MultiheadAttention(8, 4, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.tensor(np.concatenate([W_Q, W_K, W_V], axis=1).T))
        module.out_proj.weight.copy_(torch.tensor(W_O.T))
        mask = torch.nn.Transformer.generate_square_subsequent_mask(6, dtype=torch.float64)
        theirs, weights = module(*[torch.tensor(H)] * 3, attn_mask=mask, average_attn_weights=False)
    ours = attention_trace(H, W_Q, W_K, W_V, W_O, 4, causal=True)
    np.testing.assert_allclose(ours.out, theirs.numpy(), atol=1e-12)
    np.testing.assert_allclose(ours.weights, weights.numpy(), atol=1e-12)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3)])
@pytest.mark.parametrize("d", [2, 4, 10, 64])
def test_rope_is_multiplication_by_a_unit_complex_number(torch, d, leading):
    rng = np.random.default_rng(d)
    x, positions = rng.normal(size=(*leading, 7, d)), rng.normal(size=7) * 50
    theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    carrier = torch.polar(torch.ones(7, d // 2, dtype=torch.float64), torch.tensor(positions)[:, None] * theta)
    theirs = torch.view_as_real(torch.view_as_complex(torch.tensor(x).unflatten(-1, (-1, 2))) * carrier).flatten(-2)
    np.testing.assert_allclose(rope(x, positions), theirs.numpy(), atol=1e-12)


def test_attention_with_positions_is_attention_of_the_turned_queries_and_keys(torch):
    H, W_Q, W_K, W_V, W_O = draw(6, 8, 2, leading=(2,))
    positions = np.arange(6) + 3
    Q, K, V = (split_heads(H @ W, 2) for W in (W_Q, W_K, W_V))
    turned = [torch.tensor(a) for a in (rope(Q, positions), rope(K, positions), V)]
    theirs = torch.nn.functional.scaled_dot_product_attention(*turned, is_causal=True)
    ours = multi_head_attention(H, W_Q, W_K, W_V, W_O, 2, causal=True, positions=positions)
    np.testing.assert_allclose(ours, merge_heads(theirs.numpy()) @ W_O, atol=1e-12)


# --- The course's printed figures, replayed


def test_the_courses_rope_scores_are_replayed_to_the_last_digit():
    """Lesson 24: the same offset gives the same score, at positions (2, 5) and at (4, 7)."""
    stream = LessonStream(23)
    for _ in range(2):
        stream.randn(4, 4)
    q, k = stream.randn(8, 4)[2], stream.randn(8, 4)[2]
    for m, n in ((2, 5), (4, 7)):
        assert rope(q, m) @ rope(k, n) == pytest.approx(1.0441401800823829, abs=5e-16)
    assert relative_scores(q, k, [3])[0] * 2.0 == pytest.approx(1.0441401800823829, abs=5e-16)
    grid = repeated_scores([1.0, 0.5, 0.2, -0.3], [0.8, -0.4, 0.6, 0.1], 8) * 2.0
    assert grid[0, 3] == pytest.approx(-0.3971390885154638, abs=5e-16)
    assert grid[3, 6] == pytest.approx(-0.3971390885154638, abs=5e-16)


def test_the_courses_wavelengths_and_unfinished_turns():
    """Lesson 24: a head of 128 and a training length of 4096."""
    assert rope_wavelengths(4) == pytest.approx([6.283185, 628.318531], abs=5e-7)
    waves = rope_wavelengths(128)
    assert waves[[0, -1]] == pytest.approx([6.283185307179586, 54410.14313077675], rel=1e-14)
    assert 4096 / waves[[0, -1]] == pytest.approx([651.8986469044033, 0.07528008132886392], rel=1e-14)
    assert np.sum(waves > 4096) == 18


def test_the_courses_two_head_causal_block_is_replayed():
    """Lesson 13: seed 13, T = 4, d_model = 8, d_ff = 32, pre-norm, LayerNorm."""
    stream = LessonStream(13)
    H = stream.randn(4, 8)
    four = [stream.randn(8, 8) / math.sqrt(8) for _ in range(4)]
    ffn = random_weights(stream, 8, 32)
    added = multi_head_attention(layer_norm(H), *four, n_heads=2, causal=True)
    middle = H + added
    assert middle[0, :4] == pytest.approx(
        [1.114650853792557, -1.3444806749068605, 1.0992947175874568, 0.2117387088439008], abs=1e-14
    )
    change = forward(layer_norm(middle), ffn, ACTIVATIONS["GELU"]).out
    sizes = [np.linalg.norm(x) for x in (H, middle, middle + change)]
    assert sizes == pytest.approx([6.069769106017517, 9.195808939486904, 10.544696449259169], rel=1e-14)
    assert np.linalg.norm(added) / sizes[0] == pytest.approx(0.9873622796827375, rel=1e-14)
    assert np.linalg.norm(change) / sizes[1] == pytest.approx(0.5208642158653086, rel=1e-14)


def test_the_courses_grouped_query_head_is_replayed():
    """Lesson 24: four query heads, two key and value heads, head 1 of the last token."""
    stream = LessonStream(23)
    X = stream.randn(4, 8)
    W_Q, W_K, W_V = (stream.randn(8, width) * 0.3 for width in (8, 4, 4))
    out = multi_head_attention(X, W_Q, W_K, W_V, np.eye(8), n_heads=4, causal=True)
    assert out[3, :2] == pytest.approx([0.308288, 0.109539], abs=5e-7)


def test_the_courses_shuffled_attention_differs_by_rounding_only():
    """Lesson 10: it prints 4.44e-16 for its own order of addition."""
    stream = LessonStream(10)
    X = stream.randn(4, 4)
    three = [stream.randn(4, 4) * 0.5 for _ in range(3)]
    order = [1, 3, 0, 2]
    out = multi_head_attention(X, *three, np.eye(4), n_heads=1)
    assert np.max(np.abs(multi_head_attention(X[order], *three, np.eye(4), n_heads=1) - out[order])) < 4e-15


def test_the_courses_position_vectors():
    """Lesson 10, which counts positions from 1."""
    rows = sinusoids(65, 32)
    assert rows[1, :6] == pytest.approx([0.841471, 0.540302, 0.533168, 0.846009, 0.310984, 0.950415], abs=5e-7)
    assert rows[64, :6] == pytest.approx([0.920026, 0.391857, -0.990428, -0.138029, 0.983524, 0.180776], abs=5e-7)


# --- Laws


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 2**31), st.floats(-1000, 1000))
def test_a_turned_query_keeps_its_length_and_a_score_knows_only_the_offset(half, T, seed, shift):
    rng = np.random.default_rng(seed)
    Q, K, at = rng.normal(size=(T, 2 * half)), rng.normal(size=(T, 2 * half)), np.arange(T)
    np.testing.assert_allclose(np.linalg.norm(rope(Q, at + shift), axis=1), np.linalg.norm(Q, axis=1), rtol=1e-12)
    here, there = (attention_scores(rope(Q, at + s), rope(K, at + s)) for s in (0.0, shift))
    np.testing.assert_allclose(here, there, atol=1e-9)
    offsets = rng.integers(-50, 50, size=4)
    for offset, score in zip(offsets, relative_scores(Q[0], K[0], offsets), strict=True):
        assert score == pytest.approx(rope(Q[0], shift) @ rope(K[0], shift + offset) / math.sqrt(2 * half), abs=1e-9)


def test_position_zero_leaves_everything_as_it_is_and_turns_add_up():
    x = np.random.default_rng(1).normal(size=(3, 8))
    assert np.array_equal(rope(x, 0), x)
    np.testing.assert_allclose(rope(rope(x, 5), 7), rope(x, 12), atol=1e-14)
    np.testing.assert_allclose(rope([1.0, 0.0], math.pi / 2), [0.0, 1.0], atol=1e-15)


def test_attention_weights_are_shares_and_a_causal_token_gives_none_to_the_future():
    trace = attention_trace(*draw(9, 8, 2, leading=(2,)), 2, causal=True)
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1.0, rtol=1e-14)
    assert np.all(trace.weights >= 0.0)
    assert np.all(np.triu(trace.weights, 1) == 0.0)
    assert np.all(trace.weights[..., 0, 0] == 1.0)


def test_a_causal_prefix_does_not_depend_on_what_follows():
    H, *weights = draw(9, 8, 2)
    whole = multi_head_attention(H, *weights, 2, causal=True)
    np.testing.assert_allclose(multi_head_attention(H[:5], *weights, 2, causal=True), whole[:5], atol=1e-15)


def test_heads_take_neighbouring_columns_and_merge_undoes_split():
    X = np.arange(24.0).reshape(2, 3, 4)
    assert split_heads(X, 2)[1, 1, 2].tolist() == [22.0, 23.0]
    assert np.array_equal(merge_heads(split_heads(X, 2)), X)


def test_scores_of_one_query_and_key_are_constant_along_diagonals():
    rng = np.random.default_rng(3)
    grid = repeated_scores(*rng.normal(size=(2, 16)), 32)
    assert diagonal_spread(grid) < 1e-13
    assert np.ptp(grid) > 0.1
    np.testing.assert_allclose(
        grid[4], relative_scores(*np.random.default_rng(3).normal(size=(2, 16)), np.arange(32) - 4)
    )
    assert diagonal_spread(np.array([[1.0, 2.0], [3.0, 1.5]])) == 0.5


def test_unrelated_tokens_score_no_less_for_being_far_but_a_query_prefers_itself_nearby():
    offsets = np.arange(-64, 65)
    found = offset_scores(LessonStream(11), 128, offsets)
    assert np.all(np.abs(found.unrelated - 1.0) < 0.2)
    assert np.max(np.abs(found.itself - found.expected)) < 0.3
    assert found.itself.argmax() == 64
    assert found.expected[64] == pytest.approx(math.sqrt(128))
    assert found.expected[64 + 60] < 0.6 * found.expected[64]
    np.testing.assert_allclose(found.one, relative_scores(found.query, found.key, offsets), atol=1e-13)


def test_frequencies_fall_from_one_radian_a_position():
    assert rope_frequencies(2).tolist() == [1.0]
    assert rope_frequencies(8) == pytest.approx([1.0, 0.1, 0.01, 0.001])
    assert rope_frequencies(4, base=100.0) == pytest.approx([1.0, 0.1])


# --- Numbers at the edge, types, and input that does not fit


@causality
@pytest.mark.parametrize("size", [400.0, -400.0, 1e-20, 0.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_and_tiny_inputs_give_finite_numbers_without_a_warning(size, dtype, causal):
    H, *weights = (a.astype(dtype) for a in draw(6, 8, 2, leading=(2,)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for tokens in (H * dtype(size), np.full_like(H, size)):
            for positions in (None, np.arange(6)):
                out = multi_head_attention(tokens, *weights, 2, causal=causal, positions=positions)
                assert out.dtype == dtype
                assert np.isfinite(out).all()


def test_softmax_takes_minus_infinity_as_a_mask():
    assert softmax(np.array([0.0, -np.inf, 0.0])).tolist() == [0.5, 0.0, 0.5]


def test_no_tokens_give_no_rows():
    H, *weights = draw(3, 8, 2)
    assert multi_head_attention(H[:0], *weights, 2, causal=True).shape == (0, 8)


def test_the_input_is_left_as_it_was():
    H, *weights = draw(4, 4, 1)
    H.flags.writeable = False
    rope(H, np.arange(4))
    multi_head_attention(H, *weights, 1, positions=np.arange(4))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"H": np.ones(4)}, r"H has shape \(4,\)"),
        ({"H": np.ones((5, 3))}, r"W_Q has shape \(4, 4\); H \(5, 3\) calls for \(3, ...\)"),
        ({"H": np.full((5, 4), np.nan)}, "H has nan"),
        ({"W_Q": np.ones(4)}, "W_Q has shape"),
        ({"W_K": np.ones((4, 3))}, "W_K has shape"),
        ({"W_V": np.ones((4, 2))}, "W_V"),
        ({"W_O": np.ones((3, 4))}, "W_O transposed"),
        ({"n_heads": 3}, "n_heads is 3; a divisor of the 4 columns"),
        ({"n_heads": 0}, "n_heads is 0"),
        ({"positions": np.arange(4)}, r"positions has shape \(4,\)"),
        ({"positions": np.array([0, 1, 2, 3, np.inf])}, "positions has inf"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_came_and_what_was_wanted(change, said):
    H, W_Q, W_K, W_V, W_O = draw(5, 4, 2)
    given_all = {"H": H, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O, "n_heads": 2, **change}
    with pytest.raises(ValueError, match=said):
        multi_head_attention(**given_all)


@pytest.mark.parametrize("d", [0, 1, 3])
def test_a_head_without_pairs_cannot_be_turned(d):
    with pytest.raises(ValueError, match="an even width"):
        rope_frequencies(d)


def test_positions_must_belong_to_the_rows():
    with pytest.raises(ValueError, match=r"positions has shape \(2,\); x \(3, 4\) calls for \(3,\)"):
        rope(np.ones((3, 4)), np.arange(2))
    with pytest.raises(ValueError, match="calls for"):
        rope(1.0, 0)
