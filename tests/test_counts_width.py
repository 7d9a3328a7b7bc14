"""Counts of a block and of the published models: against sums over shapes, the shipped columns, and known figures."""

import csv
from pathlib import Path

import pytest

from ffn_core import counts
from ffn_core.activations import ACTIVATIONS
from ffn_core.counts import BlockSize

DATA = Path(counts.__file__).parent / "data"
MODELS = {c.model: c for c in counts.model_configs()}
T5 = {c.model: c for c in counts.t5_configs()}


def rows(name):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


def test_the_lessons_block():
    block = BlockSize(384, counts.hidden_width(384, 4.0))
    assert (block.d_ff, block.attention, block.ffn) == (1536, 589824, 1179648)
    assert block.ffn / block.attention == 2
    assert block.share == 0.6666666666666666


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize(("d_model", "heads", "group"), [(64, 8, 1), (64, 8, 2), (384, 12, 4), (4096, 32, 8)])
def test_weights_are_the_sizes_of_the_matrices(d_model, heads, group, gated):
    d_ff, head_dim = 3 * d_model, d_model // heads
    queries, keys = (d_model, heads * head_dim), (d_model, heads // group * head_dim)
    attention = [queries, keys, keys, queries[::-1]]
    ffn = [(d_model, d_ff)] * (2 if gated else 1) + [(d_ff, d_model)]
    block = BlockSize(d_model, d_ff, gated, group)
    assert block.attention == sum(a * b for a, b in attention)
    assert block.ffn == sum(a * b for a, b in ffn)
    assert block.share == pytest.approx(block.ffn / (block.ffn + block.attention))


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("group", [1, 2, 8, 64])
@pytest.mark.parametrize("ratio", [0.25, 8.0 / 3.0, 4.0, 8.0])
def test_the_share_is_the_formula_on_the_page(gated, group, ratio):
    n = 3 if gated else 2
    block = BlockSize(3072, counts.hidden_width(3072, ratio), gated, group)
    assert block.share == pytest.approx(n * ratio / (n * ratio + 2 * (1 + 1 / group)))


def test_attention_overtakes_at_the_first_length_at_which_it_costs_more():
    for block in (BlockSize(384, 1536), BlockSize(64, 100, True, 4), BlockSize(128, 1024, True, 8)):
        T = block.overtaken_at
        assert block.attention_multiply_adds(T) > block.ffn_multiply_adds
        assert T == 1 or block.attention_multiply_adds(T - 1) <= block.ffn_multiply_adds
    assert BlockSize(384, 1536).overtaken_at == 2 * 384 + 1
    assert BlockSize(384, 96).overtaken_at == 1


def test_every_published_model_has_the_share_and_ratio_of_its_row():
    for name, row in rows("model_configs.csv").items():
        assert MODELS[name].share == pytest.approx(float(row["ffn_share_of_block_weights"]), abs=5e-5), name
        assert MODELS[name].ratio == pytest.approx(float(row["d_ff_over_d_model"]), abs=5e-5), name


def test_every_published_share_is_the_formula_with_experts_and_wide_heads():
    for c in MODELS.values():
        ffn = c.n_experts * (3 if c.gated else 2) * c.ratio
        assert c.share == pytest.approx(ffn / (ffn + 2 * c.heads_width * (1 + 1 / c.group)))


@pytest.mark.parametrize(
    ("model", "share"),
    [("Llama-3 8B", 0.808), ("Gemma-2 27B", 0.900), ("Mixtral 8x7B", 0.971), ("Qwen3 0.6B", 0.600)],
)
def test_the_named_models_break_the_two_thirds(model, share):
    assert MODELS[model].share == pytest.approx(share, abs=5e-4)
    assert not MODELS[model].holds_two_thirds
    assert MODELS[model].reasons


def test_a_model_that_breaks_the_two_thirds_has_a_reason_and_one_without_reasons_holds_them():
    for c in MODELS.values():
        assert c.holds_two_thirds or c.reasons, c.model
        assert c.reasons or c.holds_two_thirds, c.model


def test_reasons_name_experts_width_grouping_and_heads():
    assert MODELS["GPT-2 small"].reasons == ""
    assert MODELS["Mixtral 8x7B"].reasons == "8 experts, 2 for a token; wider than 8/3; 4 query heads per KV head"
    assert MODELS["Falcon 7B"].reasons == "71 query heads per KV head"
    assert MODELS["Qwen3 0.6B"].reasons.endswith("all heads together are 2 d_model wide")
    assert MODELS["Qwen3 30B-A3B"].reasons.startswith("128 experts, 8 for a token; narrower than 8/3")


def test_llama_1_has_the_width_of_equal_budget_rounded_up_to_a_multiple_of_256():
    followers = [c.model for c in counts.of_equal_budget(counts.model_configs(), 256)]
    assert {"LLaMA-1 7B", "LLaMA-1 13B", "LLaMA-1 33B", "LLaMA-1 65B"} <= set(followers)
    assert counts.equal_budget_width(4 * 4096, 256) == 11008
    for name in ("Mistral 7B v0.1", "Llama-2 70B", "Llama-3 8B", "Llama-3 70B"):
        assert name not in followers
        assert MODELS[name].ratio == 3.5


def test_rounding_up_is_told_with_the_model_that_it_takes_farthest_from_8_3():
    every = counts.model_configs()
    said = counts.equal_budget_text(every, 256)
    assert "10 real gated models have exactly this width, after rounding up to a multiple of 256" in said
    assert "(up to 3.1% above 8/3: TinyLlama 1.1B)" in said
    assert "rounding" not in counts.equal_budget_text(every, 1)
    assert "No real gated model" in counts.equal_budget_text((), 64)


def test_llama_1_is_between_2_69_and_2_70():
    ratios = [c.ratio for c in MODELS.values() if c.model.startswith("LLaMA-1")]
    assert len(ratios) == 4
    assert all(2.685 < r <= 2.70 for r in ratios)


def test_every_activation_of_the_models_is_in_the_registry():
    assert {c.sigma for c in MODELS.values()} | {c.sigma for c in T5.values()} <= set(ACTIVATIONS)


def test_filters_leave_the_models_they_name():
    every = counts.model_configs()
    assert counts.select_models(every) == every
    assert {c.year for c in counts.select_models(every, since=2024)} == {2024, 2025}
    assert {c.sigma for c in counts.select_models(every, sigmas=["ReLU"])} == {"ReLU"}
    assert not any(c.gated for c in counts.select_models(every, ffn="plain"))
    assert all(c.gated for c in counts.select_models(every, ffn="gated"))
    several = counts.select_models(every, experts="several")
    assert [c.model for c in several] == ["Mixtral 8x7B", "Qwen3 30B-A3B"]
    assert len(several) + len(counts.select_models(every, experts="one")) == len(every)
    assert counts.select_models(every, sigmas=[]) == ()


def test_most_recent_models_gate_and_few_use_a_plain_gelu():
    recent = counts.select_models(counts.model_configs(), counts.RECENT)
    assert counts.activation_counts(recent) == "25 gated SiLU, 8 gated GELU, 5 plain GELU"
    plain = {c.model for c in counts.select_models(recent, ffn="plain")}
    assert plain == {"Phi-1.5", "Phi-2", "Falcon 7B", "Falcon 40B", "Pythia-6.9B"}


def test_every_t5_model_has_the_shares_of_its_row():
    for name, row in rows("t5_configs.csv").items():
        assert T5[name].encoder_share == pytest.approx(float(row["ffn_share_encoder_block"]), abs=5e-5), name
        assert T5[name].decoder_share == pytest.approx(float(row["ffn_share_decoder_block"]), abs=5e-5), name
        assert T5[name].ratio == pytest.approx(float(row["d_ff_over_d_model"]), abs=5e-5), name


def test_t5_11b_is_64_times_as_wide_and_still_holds_two_thirds_for_its_heads_are_wide_too():
    c = T5["T5-11B"]
    assert (c.ratio, c.heads_width) == (64, 16)
    assert c.encoder_share == pytest.approx(2 / 3)
    assert c.decoder_share == pytest.approx(1 / 2)
    assert c.reasons.endswith("all heads together are 16 d_model wide")


def test_a_width_is_whole_and_at_least_one():
    assert counts.hidden_width(384, 8.0 / 3.0) == 1024
    assert counts.hidden_width(1, 0.25) == 1


def test_the_readme_of_the_data_names_every_file():
    text = (DATA / "README.md").read_text(encoding="utf-8")
    for file in DATA.glob("*.csv"):
        assert f"## {file.name}" in text
