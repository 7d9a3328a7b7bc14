"""The pictures of the width: their numbers through the frames, their looks through the grammar."""

import json
from itertools import pairwise

import numpy as np
import pytest

from ffn_core import counts
from ffn_core.charts import width
from ffn_core.charts.base import MARK
from ffn_core.counts import BlockSize

BLOCK = BlockSize(384, 1536)
MODELS = counts.model_configs()
LLAMA = next(c for c in MODELS if c.model == "Llama-3 8B")
CHARTS = pytest.mark.parametrize(
    "chart", [width.weights_chart, width.multiply_adds_chart, width.share_chart, width.years_chart]
)


def row_at(frame, column, value):
    return frame.loc[(frame[column] - value).abs().idxmin()]


def layer(chart, dataset, kind):
    return next(x for x in chart["layer"] if x["data"]["name"] == dataset and x["mark"]["type"] == kind)


def test_the_lessons_weights_stand_on_the_lines_at_ratio_4():
    row = row_at(width.weights_frames(BLOCK, 4)["lines"], "ratio", 4.0)
    assert row[width.FFN] == 1179648
    assert row[width.OWN_KV] == 589824
    assert row[width.GATED] == 1.5 * 1179648
    assert row[width.SHARED_KV] == 589824 * (1 + 1 / 4) / 2


def test_two_and_three_matrices_weigh_the_same_at_the_ends_of_the_budget_bar():
    bar = width.weights_frames(BLOCK, 4)["budget"].iloc[0]
    assert bar["to"] == 4.0
    assert bar["from"] == pytest.approx(8 / 3)
    assert bar["weights"] == 1179648 == BlockSize(384, 1024, gated=True).ffn


def test_the_learners_own_block_is_in_the_marking_frames():
    own = BlockSize(512, 1024, gated=True, group=8)
    assert width.weights_frames(own, 8)["own"].to_dict("list") == {"ratio": [2.0], "weights": [own.ffn]}
    cost = width.multiply_adds_frames(own, 2048)["own"]
    assert cost.to_dict("list") == {"T": [2048], "count": [own.attention_multiply_adds(2048)]}
    share = width.share_frames(MODELS, own, 8, LLAMA)["own"]
    assert share.to_dict("list") == {"ratio": [2.0], "share": [own.share]}


def test_the_cost_of_the_ffn_does_not_grow_with_T_and_that_of_attention_does():
    frames = width.multiply_adds_frames(BLOCK, 1)
    lines = frames["lines"]
    assert set(lines[width.FFN]) == {1179648.0}
    assert np.all(np.diff(lines[width.OWN_KV]) > 0)
    before, after = lines[lines["T"] < 769], lines[lines["T"] >= 769]
    assert np.all(before[width.OWN_KV] <= before[width.FFN])
    assert np.all(after[width.OWN_KV] > after[width.FFN])
    assert frames["crossing"].to_dict("list") == {"T": [769], "count": [1179648.0], "label": ["T = 769"]}


def test_every_crossing_that_the_controls_allow_is_within_the_axis():
    widest = BlockSize(max(width.D_MODELS), 8 * max(width.D_MODELS), gated=True, group=max(width.GROUPS))
    assert widest.overtaken_at <= width.LARGEST_T


def test_the_share_curves_pass_through_the_rules():
    curves = width.share_frames(MODELS, BLOCK, 4, LLAMA)["curves"]
    plain = row_at(curves, "ratio", 4.0)
    assert plain["plain / attention"] == pytest.approx(2 / 3)
    assert plain["gated / attention"] == pytest.approx(12 / 16)
    assert plain["gated / attention, grouped"] == pytest.approx(12 / 14.5)
    rules = width.share_frames(MODELS, BLOCK, 4, LLAMA)["rules"]
    assert dict(zip(rules["label"], rules["ratio"], strict=True)) == {"4": 4.0, "8/3": 8 / 3}
    assert set(rules["share"]) == {2 / 3}


def test_every_model_is_a_point_with_its_own_ratio_and_share():
    points = width.share_frames(MODELS, BLOCK, 4, LLAMA)["models"]
    assert len(points) == 50
    row = points[points["model"] == "Llama-3 8B"].iloc[0]
    assert (row["ratio"], row["heads / KV"], row["matrices"], row["experts"]) == (3.5, "32 / 8", "gated", 1)
    assert row["attention"] == width.SHARED_KV
    assert row["share"] == pytest.approx(0.8077, abs=5e-5)


def test_a_point_tells_how_many_others_it_hides():
    points = width.models_frame(tuple(MODELS)).set_index("model")
    assert points.loc["GPT-2 small", "others here"] == 11
    assert points.loc["Mixtral 8x7B", "others here"] == 0


def test_the_models_at_the_edges_are_named_and_the_chosen_one_is_ringed():
    frames = width.share_frames(MODELS, BLOCK, 4, LLAMA)
    names = frames["names"]["model"].tolist()
    assert names[:3] == ["Mixtral 8x7B", "Qwen3 0.6B", "Gemma 2B"]
    assert frames["marked"]["model"].tolist() == ["Llama-3 8B"]
    mixtral = next(c for c in MODELS if c.model == "Mixtral 8x7B")
    assert "Mixtral 8x7B" not in width.share_frames(MODELS, BLOCK, 4, mixtral)["names"]["model"].tolist()
    assert layer(width.share_chart().to_dict(), "marked", "point")["mark"]["color"] == MARK


def test_all_models_are_within_the_axes():
    chart = width.share_chart().to_dict()
    encoding = layer(chart, "models", "point")["encoding"]
    points = width.models_frame(tuple(MODELS))
    for field in ("x", "y"):
        low, high = encoding[field]["scale"]["domain"]
        assert points[encoding[field]["field"]].between(low, high).all()


def test_the_y_axis_of_the_share_is_the_same_in_every_layer():
    domains = {
        json.dumps(x["encoding"]["y"]["scale"]["domain"])
        for x in width.share_chart().to_dict()["layer"]
        if "field" in x["encoding"].get("y", {})
    }
    assert domains == {"[0.4, 1.0]"}


def test_a_filter_that_leaves_nothing_leaves_the_curves():
    frames = width.share_frames((), BLOCK, 4, LLAMA)
    assert len(frames["models"]) == len(frames["names"]) == 0
    assert len(frames["curves"]) == 68
    assert len(width.years_frames((), LLAMA)["dots"]) == 0
    assert len(width.cases_frame((), ())) == 0


def test_models_of_a_year_stand_side_by_side_and_alike_ones_together():
    dots = width.years_frames(MODELS, LLAMA)["dots"]
    for _, year in dots.groupby("year"):
        assert year["place"].tolist() == list(range(1, len(year) + 1))
        kinds = (year["matrices"] + year["activation"]).tolist()
        assert sum(a != b for a, b in pairwise(kinds)) == len(set(kinds)) - 1
    assert dots["model"][dots["chosen"]].tolist() == ["Llama-3 8B"]


def test_the_axes_of_the_years_do_not_move_when_models_are_filtered():
    encoding = width.years_chart().to_dict()["layer"][0]["encoding"]
    assert encoding["y"]["scale"]["domain"] == [2018, 2019, 2020, 2022, 2023, 2024, 2025]
    assert encoding["x"]["scale"]["domain"] == [0, 19]


def test_the_cases_are_sorted_by_share_and_have_a_reason():
    cases = width.cases_frame(MODELS, counts.t5_configs())
    assert cases["model"][0] == "Mixtral 8x7B"
    assert cases["share"][0] == "97.1%"
    assert all(cases["why"])
    assert len(cases) == sum(not c.holds_two_thirds for c in MODELS) + 9
    assert cases.set_index("model").loc["T5-11B encoder / decoder", "share"] == "66.7% / 50.0%"


def test_gated_and_plain_differ_in_shape_and_dash_not_in_colour_alone():
    chart = width.share_chart().to_dict()
    curves = layer(chart, "curves", "line")["encoding"]
    points = layer(chart, "models", "point")["encoding"]
    assert curves["strokeDash"]["scale"]["range"] == [[1, 0], [5, 3]]
    assert points["shape"]["scale"]["range"] == ["circle", "diamond"]
    assert curves["color"]["scale"] == points["color"]["scale"]


def test_the_legend_says_beside_which_attention_the_share_is_and_names_have_a_halo():
    chart = width.share_chart().to_dict()
    legend = layer(chart, "curves", "line")["encoding"]["color"]["legend"]
    assert legend["title"] == "FFN's share"
    assert "'beside attention' : 'beside grouped attention'" in legend["labelExpr"]
    for name in ("names", "marked"):
        halo, text = (x["mark"] for x in chart["layer"] if x["data"]["name"] == name and x["mark"]["type"] == "text")
        assert halo["stroke"] == {"expr": "background"}
        assert (halo["dx"], halo["dy"], halo["align"]) == (text["dx"], text["dy"], text["align"])


@CHARTS
def test_a_chart_holds_no_data(chart):
    text = json.dumps(chart().to_dict())
    assert '"datasets"' not in text
    assert '"data": {"values"' not in text
