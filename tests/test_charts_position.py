"""The pictures of position: their numbers through the frames, their looks through the compiled charts."""

import json
import math

import numpy as np
import pytest

from ffn_core.attention import offset_scores, repeated_scores, rope
from ffn_core.charts import position as charts
from ffn_core.rng import LessonStream

MISSES = {"FFN": 0.0, "attention": 3e-16, "attention, causal mask": 0.43}
MOVED = {"FFN": np.array([0.0, 0.5, 0.0]), "attention": np.array([0.1, 0.2, 1e-9])}


def test_a_miss_of_zero_has_a_place_on_a_log_axis_and_rounding_counts_as_commuting():
    frames = charts.miss_frames(MISSES)
    layers = frames["layers"].set_index("layer")
    assert layers["verdict"].tolist() == ["commutes", "commutes", "notices"]
    assert layers["said"].tolist() == ["0", "3e-16", "0.43"]
    assert (layers["drawn"] > layers["floor"]).all()
    assert layers.loc["attention, causal mask", "drawn"] == 0.43
    assert frames["levels"]["drawn"].tolist() == [1e-12]


def test_who_commutes_is_said():
    assert charts.miss_text(MISSES) == (
        "Within rounding, left of the dotted line: FFN and attention. To commute is to give the same result whether "
        "you shuffle before or after. The bars begin at 1e-17."
    )
    assert "leaves every token where it was" in charts.miss_text(dict.fromkeys(MISSES, 0.0))


def test_the_token_that_changes_and_the_one_watched_are_marked():
    frames = charts.rows_frames(MOVED, 1, 2)
    assert frames["chosen"]["token"].tolist() == [2]
    assert frames["watched"]["token"].tolist() == [3]
    assert charts.rows_frames(MOVED, 0)["watched"].empty


def test_rows_that_do_not_move_are_said_and_the_others_are_coloured():
    cells = charts.rows_frames(MOVED, 1)["cells"]
    assert cells["layer"].tolist() == ["FFN"] * 3 + ["attention"] * 3
    assert cells["token"].tolist() == [1, 2, 3, 1, 2, 3]
    assert cells["said"].tolist() == ["0", "", "0", "", "", ""]
    assert cells["moved"].tolist() == pytest.approx([0.0, 0.5, 0.0, 0.1, 0.2, 1e-9])
    assert set(charts.rows_frames({"FFN": np.zeros(64)}, 1)["cells"]["said"]) == {"·"}


@pytest.mark.parametrize(("d", "pairs"), [(2, [1]), (4, [1, 2]), (8, [1, 2, 3, 4]), (128, [1, 22, 43, 64])])
def test_each_hand_points_where_rope_turns_a_unit_vector(d, pairs):
    hands = charts.clock_frames(d, 10000, 17)["hands"]
    assert hands["pair"].tolist() == [f"pair {k}" for k in pairs]
    upright = np.tile([1.0, 0.0], d // 2)
    turned = rope(upright, 17)
    for k, end in zip(pairs, hands["end"], strict=True):
        assert [math.cos(end), math.sin(end)] == pytest.approx(turned[2 * k - 2 : 2 * k], abs=1e-12)
    assert hands["outer"].is_monotonic_decreasing
    assert hands["angle_per_position"].is_monotonic_decreasing
    assert ((hands["end"] >= 0.0) & (hands["end"] < 2.0 * math.pi)).all()


def test_at_position_zero_every_hand_is_upright():
    hands = charts.clock_frames(8, 10000, 0)["hands"]
    assert hands["degrees"].tolist() == [0.0] * 4
    assert hands["turns"].tolist() == [0.0] * 4


def test_rotation_keeps_the_length_and_addition_does_not():
    query = np.array([3.0, 4.0])
    facts = charts.rotation_facts(query, 7, 10000, np.eye(2))
    assert facts["length of a query"] == facts["rotated to position 7"] == "5.0000"
    assert facts["with a position vector added"] == f"{np.hypot(3 + math.sin(7), 4 + math.cos(7)):.4f}"
    assert facts["on one diagonal, at most apart"] == "0"


def test_scores_over_the_offset_go_into_the_frame_as_they_are():
    offsets = range(-64, 65)
    scores = offset_scores(LessonStream(11), 16, offsets)
    frame = charts.scores_frames(offsets, scores)["scores"]
    assert frame["offset"].tolist() == list(offsets)
    for name, series in zip(charts.SCORES, (scores.one, scores.itself, scores.unrelated), strict=True):
        np.testing.assert_allclose(frame[name], series, rtol=1e-6, atol=1e-6)


def test_the_grid_is_constant_along_diagonals_and_outlines_the_chosen_token():
    same = repeated_scores(*np.random.default_rng(0).normal(size=(2, 8)), 40)
    frames = charts.grid_frames(same, 20)
    cells = frames["cells"]
    assert (cells["row"].min(), cells["row"].max(), cells["column"].min(), cells["column"].max()) == (17, 32, 17, 32)
    by_offset = cells.groupby(cells["column"] - cells["row"])["value"]
    assert np.max(by_offset.max() - by_offset.min()) < 1e-13
    assert frames["rows"]["row"].tolist() == frames["columns"]["column"].tolist() == [21]


def test_wavelengths_and_the_pairs_that_never_turn_once():
    frames = charts.pairs_frames(128, 10000, 4096, 8192)
    pairs = frames["pairs"]
    assert pairs["wavelength"].iloc[[0, -1]].tolist() == pytest.approx([2 * math.pi, 54410.14313077675])
    assert (pairs["kind"] == "never turns once").sum() == 18
    assert frames["trained"]["wavelength"].tolist() == [4096]
    assert frames["longer"]["wavelength"].tolist() == [8192]
    assert charts.pairs_facts(pairs) == {
        "shortest wavelength": "6.2832", "longest": "54,410.1",
        "pairs that never turn once in training": "18 of 64", "turns of the slowest pair": "0.0753",
    }  # fmt: skip


def test_a_longer_text_adds_angles_to_the_slow_pairs_alone():
    phases = charts.phases_frames(8, 10000, 4096, 6000)["phases"]
    new = phases[phases["which"] == "new in the longer text"]
    assert new["pair"].tolist() == [4]
    assert new[["low", "high"]].iloc[0].tolist() == pytest.approx([math.degrees(4.096), math.degrees(6.0)])
    seen = phases[phases["which"] == "seen in training"]
    assert seen["high"].tolist() == pytest.approx([360.0, 360.0, 360.0, math.degrees(4.096)])


@pytest.mark.parametrize("longer", [2, 4096])
def test_a_text_no_longer_than_training_adds_no_angle(longer):
    phases = charts.phases_frames(128, 10000, 4096, longer)["phases"]
    assert set(phases["which"]) == {"seen in training"}
    assert (phases["high"] <= 360.0).all()


def test_the_looks_of_the_charts():
    miss = charts.miss_chart().to_dict()
    assert miss["layer"][1]["encoding"]["x"]["scale"]["type"] == "log"
    rows = charts.rows_chart().to_dict()
    cells, still, chosen, watched = rows["layer"]
    assert (cells["mark"]["type"], still["mark"]["type"]) == ("rect", "text")
    assert {layer["mark"]["type"] for part in (chosen, watched) for layer in part["layer"]} == {"rect"}
    assert watched["layer"][-1]["mark"]["strokeDash"] != chosen["layer"][-1]["mark"]["strokeDash"]
    assert [layer["mark"]["type"] for layer in charts.clock_chart().to_dict()["layer"]] == ["arc"] * 3
    lines = charts.scores_chart().to_dict()
    assert (
        lines["layer"][0]["encoding"]["color"]["field"] == lines["layer"][0]["encoding"]["strokeDash"]["field"] == "of"
    )
    assert lines["params"][0]["name"] == "near_offset"
    pairs = charts.pairs_chart().to_dict()
    assert pairs["layer"][2]["encoding"]["shape"]["field"] == pairs["layer"][2]["encoding"]["color"]["field"] == "kind"


def test_no_chart_carries_data():
    for chart in (charts.miss_chart, charts.rows_chart, charts.clock_chart, charts.scores_chart, charts.pairs_chart):
        spec = chart().to_dict()
        assert "datasets" not in spec
        assert all(set(layer["data"]) == {"name"} for layer in spec["layer"] if "data" in layer)
    assert json.dumps(charts.phases_chart().to_dict()["data"]) == '{"name": "phases"}'
