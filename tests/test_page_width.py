"""Why 4×, the page: the lesson's numbers at the default link, every extreme of its controls, filters and marks."""

from functools import partial

import pytest
from opened import frames, metrics, open_section

from ffn_core.charts import width
from ffn_core.counts import BlockSize
from ffn_core.reference import REFERENCE

open_page = partial(open_section, "05_width.py")


def said(at):
    return " ".join(c.value for c in [*at.caption, *at.markdown])


def test_the_default_link_shows_the_printed_numbers_of_the_section():
    at = open_page()
    assert not at.warning
    printed = [p.printed for p in REFERENCE if p.section == "width"]
    labels = ("d_model", "d_ff", "attention weights", "FFN weights", "FFN / attention", "FFN's share")
    assert [metrics(at)[label] for label in labels] == printed
    assert printed == ["384", "1536", "589824", "1179648", "2", "0.6666666666666666"]


@pytest.mark.parametrize("d_model", [min(width.D_MODELS), max(width.D_MODELS)])
@pytest.mark.parametrize("ratio", [0.25, 8.0])
@pytest.mark.parametrize("gated", ["true", "false"])
@pytest.mark.parametrize("group", [2, 64])
def test_the_extremes_of_the_controls_raise_nothing(d_model, ratio, gated, group):
    at = open_page(
        width_d_model=d_model, width_ratio=ratio, width_gated=gated, width_grouped="true", width_group=group,
        width_T=131072, width_multiple=1,
    )  # fmt: skip
    assert not at.warning
    block = BlockSize(d_model, round(ratio * d_model), gated == "true", group)
    assert metrics(at)["FFN weights"] == str(block.ffn)
    assert metrics(at)["attention costs more from T ="] == f"{block.overtaken_at:,}"
    assert frames(at, 2)["own"]["share"].tolist() == pytest.approx([block.share])


def test_the_bench_changes_nothing_here_and_is_shown_disabled():
    at = open_page(seed=5, T=9, d_model=8, d_ff=32)
    assert metrics(at) == metrics(open_page())
    assert at.slider(key="T").disabled
    assert at.slider(key="d_model").disabled


def test_grouping_lightens_attention_and_raises_the_share():
    plain, grouped = metrics(open_page()), metrics(open_page(width_grouped="true"))
    assert int(grouped["attention weights"]) == int(plain["attention weights"]) * 5 // 8
    assert float(grouped["FFN's share"]) > float(plain["FFN's share"])
    assert grouped["FFN weights"] == plain["FFN weights"]


def test_a_gated_ffn_of_equal_budget_has_two_thirds_of_the_width_rounded_up_as_asked():
    seen = metrics(open_page(width_d_model=4096, width_multiple=256))
    assert (seen["d_ff, two matrices"], seen["three, same cost"], seen["rounded"]) == ("16,384", "10,923", "11,008")
    assert metrics(open_page(width_d_model=4096, width_multiple=64))["rounded"] == "10,944"


def test_real_models_that_follow_the_rule_are_named_from_the_data():
    assert "TinyLlama 1.1B): 4096 → 11008 (LLaMA-1 7B)" in said(open_page())
    assert "4 real gated models have exactly this width: 3072 → 8192 (Llama-3.2 3B)" in said(
        open_page(width_multiple=1)
    )


def test_filters_change_points_dots_and_table():
    at = open_page(width_since=2024, width_ffn="gated", width_experts="one", width_sigmas=["SiLU"])
    models = frames(at, 2)["models"]
    assert set(models["year"]) == {2024, 2025}
    assert set(models["activation"]) == {"SiLU"}
    assert set(models["matrices"]) == {"gated"}
    assert set(models["experts"]) == {1}
    assert sorted(frames(at, 3)["dots"]["model"]) == sorted(models["model"])
    assert f"{len(models)} of 50 models" in said(at)
    assert set(at.table[0].value["model"]) <= set(models["model"])


def test_a_filter_that_leaves_nothing_says_so_and_keeps_the_curves():
    at = open_page(width_since=2025, width_ffn="plain")
    assert "No model passes these filters" in said(at)
    found = frames(at, 2)
    assert len(found["models"]) == 0
    assert len(found["curves"]) > 60
    assert "No model passes" not in said(open_page())


def test_all_activations_may_be_taken_away():
    at = open_page()
    at.multiselect(key="width_sigmas").set_value([]).run()
    assert not at.exception
    assert "No model passes these filters" in said(at)


def test_the_chosen_model_is_ringed_and_explained():
    at = open_page(width_model="Qwen3 0.6B")
    assert frames(at, 2)["marked"]["model"].tolist() == ["Qwen3 0.6B"]
    dots = frames(at, 3)["dots"]
    assert dots["model"][dots["chosen"]].tolist() == ["Qwen3 0.6B"]
    assert "Ring: Qwen3 0.6B, 60.0%" in said(at)
    assert "by the rule" in said(open_page(width_model="GPT-2 small"))


def test_the_cases_that_break_the_rule_are_in_the_table():
    table = open_page().table[0].value.set_index("model")["share"]
    for model, share in {"Llama-3 8B": "80.8%", "Gemma-2 27B": "90.0%", "Mixtral 8x7B": "97.1%"}.items():
        assert table[model] == share
    assert table["Qwen3 0.6B"] == "60.0%"
    assert table["T5-11B encoder / decoder"] == "66.7% / 50.0%"
    assert "GPT-2 small" not in table


def test_what_recent_decoders_use_is_counted_from_the_data():
    assert "since 2023: 25 gated SiLU, 8 gated GELU, 5 plain GELU" in said(open_page())


def test_a_rerun_stays_light():
    at = open_page()
    sent = sum(len(d.data.data) for node in at.get("vega_lite_chart") for d in node.proto.datasets)
    assert sent < 50_000
