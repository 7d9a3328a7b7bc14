"""Parameters and multiply-adds, against shapes written out, PyTorch, and the tables of published models."""

import csv
import math
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_core import counts


def rows(name):
    with (files("ffn_core") / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


MODELS = list(zip(counts.model_configs(), rows("model_configs.csv"), strict=True))
every_model = pytest.mark.parametrize(("config", "row"), MODELS, ids=[row["model"] for _, row in MODELS])
T5S = list(zip(counts.t5_configs(), rows("t5_configs.csv"), strict=True))


# --- One block

small = st.integers(1, 64)


@given(n_kv_heads=small, queries_per_kv=small, head_dim=small, d_model=small)
def test_attention_has_the_entries_of_its_four_matrices(n_kv_heads, queries_per_kv, head_dim, d_model):
    n_heads = n_kv_heads * queries_per_kv
    W_Q, W_K, W_V = ((d_model, n * head_dim) for n in (n_heads, n_kv_heads, n_kv_heads))
    W_O = (n_heads * head_dim, d_model)
    wanted = sum(math.prod(shape) for shape in (W_Q, W_K, W_V, W_O))
    assert counts.attention_params(d_model, n_heads, n_kv_heads, head_dim) == wanted


@given(n_heads=small, head_dim=small)
def test_ungrouped_attention_has_4_d_model_squared_weights_however_many_heads(n_heads, head_dim):
    d_model = n_heads * head_dim
    wanted = 4 * d_model**2
    assert counts.attention_params(d_model) == wanted
    assert counts.attention_params(d_model, n_heads) == wanted
    assert counts.attention_params(d_model, n_heads, n_heads, head_dim) == wanted


def test_attention_and_ffn_have_as_many_weights_as_pytorchs(torch):
    def size(module):
        return sum(p.numel() for p in module.parameters())

    assert counts.attention_params(384) == size(torch.nn.MultiheadAttention(384, 12, bias=False))
    plain = [torch.nn.Linear(384, 1536, bias=False), torch.nn.Linear(1536, 384, bias=False)]
    assert counts.ffn_params(384, 1536) == sum(map(size, plain))
    assert counts.ffn_params(384, 1536, gated=True) == sum(map(size, [*plain, plain[0]]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((64, 8, 3), "n_kv_heads is 3; a divisor of n_heads = 8 is wanted"),
        ((64, 8, 0), "n_kv_heads is 0; a divisor of n_heads = 8 is wanted"),
        ((64, 0), "n_kv_heads is 0; a divisor of n_heads = 0 is wanted"),
        ((64, 7), "n_heads is 7; a divisor of d_model = 64 is wanted, or give head_dim"),
    ],
)
def test_heads_that_do_not_divide_are_refused_with_what_came_and_what_was_wanted(arguments, message):
    with pytest.raises(ValueError) as caught:
        counts.attention_params(*arguments)
    assert str(caught.value) == message


@given(d_model=st.integers(1, 5000))
def test_at_4_d_model_the_ffn_has_two_thirds_of_the_block(d_model):
    assert counts.ffn_share(d_model, 4 * d_model) == pytest.approx(2 / 3, rel=1e-15)
    assert counts.ffn_params(d_model, 4 * d_model) == 2 * counts.attention_params(d_model)


@given(d_model=small, d_ff=small, gated=st.booleans(), attention=st.integers(0, 10_000))
def test_the_share_is_the_ffns_part_of_the_whole(d_model, d_ff, gated, attention):
    ffn = counts.ffn_params(d_model, d_ff, gated)
    assert counts.ffn_share(d_model, d_ff, gated, attention) == ffn / (ffn + attention)


def test_multiply_adds_of_attention_grow_with_the_length_and_those_of_the_ffn_do_not():
    d_model, d_ff, T = 6, 24, 5
    # One token: four vector-matrix products, T scalar products with keys, a weighted sum of T values.
    projections = sum(1 for _ in range(4) for _ in range(d_model) for _ in range(d_model))
    scores = sum(1 for _ in range(T) for _ in range(d_model))
    mixing = sum(1 for _ in range(d_model) for _ in range(T))
    assert counts.attention_multiply_adds(d_model, T) == projections + scores + mixing
    assert counts.attention_multiply_adds(d_model, T, 3, 1, 2) == counts.attention_params(6, 3, 1, 2) + 2 * T * 3 * 2
    assert counts.attention_multiply_adds(d_model, T, 2, 1, 5) == counts.attention_params(6, 2, 1, 5) + 2 * T * 2 * 5
    assert counts.ffn_multiply_adds(d_model, d_ff) == 2 * d_model * d_ff
    assert counts.ffn_multiply_adds(d_model, d_ff, gated=True) == 3 * d_model * d_ff


# --- Equal budgets


@given(d_model=small, d_ff=st.integers(1, 100_000), multiple=st.sampled_from([1, 8, 64, 128, 256, 1024]))
def test_the_equal_budget_width_is_the_first_multiple_that_has_the_plain_blocks_weights(d_model, d_ff, multiple):
    M = counts.equal_budget_width(d_ff, multiple)
    plain = counts.ffn_params(d_model, d_ff)
    assert M % multiple == 0
    assert counts.ffn_params(d_model, M, gated=True) >= plain
    assert counts.ffn_params(d_model, M - multiple, gated=True) < plain


@pytest.mark.parametrize(
    ("d_model", "multiple", "d_ff"),
    [(4096, 256, 11008), (5120, 256, 13824), (6656, 256, 17920), (8192, 256, 22016), (768, 1, 2048), (3072, 1, 8192)],
)
def test_llamas_widths_are_the_equal_budget_of_4_d_model_rounded_up(d_model, multiple, d_ff):
    assert counts.equal_budget_width(4 * d_model, multiple) == d_ff


# --- Published models


@every_model
def test_the_ratio_and_the_share_of_every_model_are_those_of_its_own_columns(config, row):
    assert config.model == row["model"]
    assert config.ratio == pytest.approx(float(row["d_ff_over_d_model"]), abs=0.5e-4)
    assert config.share == pytest.approx(float(row["ffn_share_of_block_weights"]), abs=0.5e-4)
    assert config.ffn_params / config.d_model**2 == pytest.approx(
        float(row["ffn_weights_per_block_over_d2"]), abs=0.5e-4
    )
    assert (config.n_heads * config.head_dim == config.d_model) == (row["heads_x_dim_equals_d_model"] == "yes")


def without_extras(row):
    """Models whose blocks are matrices and two gains only: no biases, no second pair of norms, no routers."""
    return (
        row["norm"] == "RMSNorm"
        and row["norm_placement"] == "pre"
        and row["attn_bias"] == "none"
        and row["n_experts"] == "1"
        and row["published_total"].isdigit()
        and not row["model"].startswith("Qwen3")  # it normalises queries and keys too
    )


SUMMED = [model for model in MODELS if without_extras(model[1])]


@pytest.mark.parametrize(("config", "row"), SUMMED, ids=[row["model"] for _, row in SUMMED])
def test_counted_weights_add_up_to_the_published_total_to_the_last_parameter(config, row):
    embeddings = int(row["vocab_rows"]) * config.d_model * (1 if row["tied_embeddings"] == "yes" else 2)
    norms = (2 * config.n_layers + 1) * config.d_model
    blocks = config.n_layers * (config.attention_params + config.ffn_params)
    assert blocks + embeddings + norms == int(row["published_total"])


def test_enough_models_can_be_added_up_to_mean_something():
    assert len(SUMMED) >= 15
    assert len(MODELS) == 50
    assert len({config.model for config, _ in MODELS}) == 50


@pytest.mark.parametrize(("config", "row"), T5S, ids=[row["model"] for _, row in T5S])
def test_the_shares_of_every_t5_are_those_of_its_own_columns(config, row):
    assert config.ratio == pytest.approx(float(row["d_ff_over_d_model"]), abs=0.5e-4)
    assert config.encoder_share == pytest.approx(float(row["ffn_share_encoder_block"]), abs=0.5e-4)
    assert config.decoder_share == pytest.approx(float(row["ffn_share_decoder_block"]), abs=0.5e-4)
