"""Who notices a shuffle, and which rows move: for many seeds and sizes, and through the whole block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.equivariance import (
    ADDED,
    CAUSAL,
    LAYERS,
    NO_ORDER,
    ROTATED,
    ROUNDING,
    draw_attention_example,
    ffn_moved,
    head_width,
    layer_out,
    rows_moved,
    shuffle_miss,
    with_change,
)
from ffn_core.order import token_order

GELU = ACTIVATIONS["GELU"]
sizes = st.tuples(st.integers(3, 12), st.integers(2, 9), st.integers(1, 4), st.integers(0, 10_000))


@given(sizes)
def test_only_the_ffn_and_plain_attention_commute_with_a_shuffle(size):
    T, d_model, n_heads, seed = size
    example = draw_attention_example(seed, T, d_model, 8, n_heads)
    order = token_order("reverse", T)
    for name in LAYERS:
        miss = shuffle_miss(name, example, GELU, order)
        assert (miss < ROUNDING) == (name in ("FFN", NO_ORDER)), (name, miss)
        assert miss < ROUNDING or miss > 1e-6


@given(sizes, st.integers(0, 11))
def test_which_rows_move_when_one_token_changes(size, token):
    T, d_model, n_heads, seed = size
    token %= T
    example = draw_attention_example(seed, T, d_model, 8, n_heads)
    moved = {name: rows_moved(name, example, ACTIVATIONS["Identity"], token, 1.0) > 0.0 for name in LAYERS}
    assert moved["FFN"].tolist() == [t == token for t in range(T)]
    assert moved[CAUSAL].tolist() == [t >= token for t in range(T)]
    for name in (NO_ORDER, ADDED, ROTATED):
        assert moved[name].all(), name


@given(sizes)
def test_the_ffn_hears_of_an_earlier_token_through_attention_alone(size):
    T, d_model, n_heads, seed = size
    example = draw_attention_example(seed, T, d_model, 8, n_heads)
    through, without = (ffn_moved(example, GELU, 1, 1.0, attention) for attention in (True, False))
    assert through[0] == 0.0
    assert np.all(through[1:] > 0.0)
    assert np.flatnonzero(without).tolist() == [1]


def test_the_tokens_and_the_ffn_are_those_of_the_bench():
    ours, bench = draw_attention_example(11, 5, 4, 16, 2), lesson.worked_example()
    assert np.array_equal(ours.H, bench.H)
    assert np.array_equal(ours.weights.W1, bench.weights.W1)
    assert np.array_equal(ours.weights.W2, bench.weights.W2)
    np.testing.assert_array_equal(layer_out("FFN", ours.H, ours, GELU), lesson.worked_trace().out)


@pytest.mark.parametrize(("d_model", "n_heads", "width"), [(4, 2, 2), (4, 1, 4), (5, 1, 6), (2, 8, 2), (64, 5, 14)])
def test_heads_are_even_and_cover_the_channels(d_model, n_heads, width):
    assert head_width(d_model, n_heads) == width
    assert width * n_heads >= d_model


def test_an_order_that_moves_nothing_is_missed_by_nobody():
    example = draw_attention_example(3, 2, 4, 8, 1)
    assert [shuffle_miss(name, example, GELU, [0, 1]) for name in LAYERS] == [0.0] * 5


def test_an_output_of_zero_is_no_division_by_zero():
    example = draw_attention_example(1, 3, 2, 1, 1)
    relu = ACTIVATIONS["ReLU"]
    silent = next(
        e
        for e in (draw_attention_example(seed, 2, 2, 1, 1) for seed in range(50))
        if not layer_out("FFN", e.H, e, relu).any()
    )
    assert shuffle_miss("FFN", silent, relu, [1, 0]) == 0.0
    assert shuffle_miss("FFN", example, relu, [2, 1, 0]) < ROUNDING


def test_a_change_is_made_in_a_copy_and_an_unknown_layer_is_refused():
    example = draw_attention_example(1, 3, 2, 1, 1)
    changed = with_change(example.H, 2, 0.5)
    assert (changed - example.H).tolist() == [[0.0, 0.0], [0.0, 0.0], [pytest.approx(0.5), 0.0]]
    with pytest.raises(ValueError, match="name is 'conv'; one of FFN, attention"):
        layer_out("conv", example.H, example, GELU)
