"""The pictures of the block: wires as they are chosen, curves along depth, one row and its norms, dropout."""

import itertools
import json

import numpy as np
import pytest

from ffn_core.activations import ACTIVATIONS
from ffn_core.block import KINDS, WIRINGS, Wiring
from ffn_core.charts import depth as charts
from ffn_core.norms import EDITS, NORMS, Edit, layer_norm, moved_by, rms_norm, size_out
from ffn_core.rng import LessonStream
from ffn_core.stack import FLOAT16_LARGEST, READY, Setting, bare, draw_stack, expected_ratio, run_stack

GELU = ACTIVATIONS["GELU"]
ROW = LessonStream(1).randn(6) + 0.5


def run(setting):
    return run_stack(draw_stack(11, 5, setting.width, setting.kind, setting.depth), setting, GELU, 1)


PRE, PLAIN = run(Setting()), run(Setting().plain)
BLOWN_UP = run(READY["blows up"].setting)


def wires(kind="block", placement="pre-norm", norm="LayerNorm", residual=True, step=1.0):
    return charts.wires_frames(Setting(kind, Wiring(placement, norm, residual, step)), "GELU")


def boxes(frames):
    return frames["nodes"].sort_values("y")["label"].tolist()


# --- The wires


def test_pre_norm_post_norm_and_bare_are_drawn_as_their_equations():
    pre = ["x", "LayerNorm", "attention", "+", "LayerNorm", "FFN", "+", "y"]
    assert boxes(wires()) == pre
    assert boxes(wires(norm="RMSNorm")) == [box.replace("LayerNorm", "RMSNorm") for box in pre]
    assert boxes(wires(placement="post-norm")) == ["x", "attention", "+", "LayerNorm", "FFN", "+", "LayerNorm", "y"]
    assert boxes(wires(placement="bare")) == ["x", "attention", "+", "FFN", "+", "y"]
    assert boxes(wires(placement="post-norm", norm="none")) == boxes(wires(placement="bare"))
    assert boxes(wires("ffn", residual=False)) == ["x", "LayerNorm", "FFN", "y"]
    assert boxes(wires("stage", "bare", residual=False)) == ["x", "× W, then σ", "y"]


@pytest.mark.parametrize(
    ("kind", "placement", "norm", "residual"), list(itertools.product(KINDS, WIRINGS, NORMS, (True, False))), ids=str
)
def test_every_wiring_is_one_way_down_with_an_arc_around_each_part_when_residual(kind, placement, norm, residual):
    frames = wires(kind, placement, norm, residual, 0.5)
    nodes, paths = frames["nodes"], frames["paths"]
    n_parts = 2 if kind == "block" else 1
    corners = paths.groupby("edge").size()
    assert (corners == 4).sum() == (n_parts if residual else 0)
    assert (corners == 2).sum() == len(nodes) - 1
    assert frames["words"]["label"].tolist() == ["× 0.5"] * (n_parts if residual else 0)
    assert nodes["name"].is_unique
    assert set(nodes["kind"]) <= set(charts.WIRE_KINDS)
    assert nodes["y"].between(0, charts.WIRE_ROWS - 1).all()
    assert nodes["y"].min() == 0
    assert nodes["y"].max() == charts.WIRE_ROWS - 1
    for a, b in itertools.combinations(nodes.itertuples(), 2):
        assert a.bottom < b.top or b.bottom < a.top


def test_a_residual_arc_leaves_before_the_norm_of_pre_norm_and_after_that_of_post_norm():
    for placement, first, second in (("pre-norm", "x", "sum 0"), ("post-norm", "x", "norm 0"), ("bare", "x", "sum 0")):
        frames = wires(placement=placement)
        nodes, paths = frames["nodes"].set_index("name"), frames["paths"]
        arcs = [way for _, way in paths.groupby("edge") if len(way) == 4]
        assert [way["y"].iloc[0] for way in arcs] == [nodes.loc[first, "y"], nodes.loc[second, "y"]]
        assert [way["y"].iloc[-1] for way in arcs] == [nodes.loc["sum 0", "y"], nodes.loc["sum 1", "y"]]


def test_the_drawing_stays_when_the_wiring_changes():
    assert charts.wires_chart().to_dict() == charts.wires_chart().to_dict()
    assert "LayerNorm" not in json.dumps(charts.wires_chart().to_dict())


# --- Along depth


def test_the_curves_along_depth_are_the_rms_of_the_token_and_the_change():
    size, change = charts.size_frames(PRE, PLAIN, 16)["along"], charts.change_frames(PRE, PLAIN)["along"]
    assert size["block"].tolist() == list(range(25))
    np.testing.assert_allclose(size[charts.WIRED], PRE.size / 4.0)
    np.testing.assert_allclose(size[charts.PLAIN], np.maximum(PLAIN.size / 4.0, charts.FLOOR))
    np.testing.assert_allclose(change[charts.WIRED], PRE.change)


def test_a_size_below_the_floor_is_drawn_on_it_and_one_that_is_missing_is_left_out():
    frame = charts.along_frame(np.array([1.0, 0.0, np.nan]), np.array([1.0, 1e-40, 1e40]))
    assert frame[charts.WIRED].tolist()[:2] == [1.0, charts.FLOOR]
    assert np.isnan(frame[charts.WIRED][2])
    assert frame[charts.PLAIN].tolist() == [1.0, charts.FLOOR, 1e40]


def test_the_end_of_float16_is_drawn_only_when_the_stream_comes_near_it():
    assert charts.size_frames(PRE, PLAIN, 16)["levels"]["at"].tolist() == [1.0]
    levels = charts.size_frames(BLOWN_UP, BLOWN_UP, 32)["levels"]
    assert levels["at"].tolist() == [1.0, FLOAT16_LARGEST]
    assert levels["label"].tolist() == ["", "float16 ends"]


def test_the_picture_of_ratios_shows_measured_expected_and_mean_gain_against_one_half():
    frames = charts.ratio_frames(PRE, "block", 1.0)
    ratios = frames["ratios"]
    assert ratios["block"].tolist() == list(range(1, 25))
    np.testing.assert_allclose(ratios[charts.MEASURED], PRE.ratios, rtol=1e-6)
    np.testing.assert_allclose(ratios[charts.EXPECTED], expected_ratio("block", 1.0, PRE.rms_gain), rtol=1e-6)
    np.testing.assert_allclose(ratios[charts.MEAN_GAIN], PRE.mean_gain, rtol=1e-6)
    assert frames["levels"].to_dict("list") == {"at": [0.5, 1.0], "label": ["1/2", ""]}


def test_sizes_are_on_a_log_axis_and_ratios_on_a_straight_one():
    along, ratio = charts.along_chart("length").to_dict(), charts.ratio_chart().to_dict()
    scales = [
        layer["encoding"]["y"].get("scale", {}).get("type") for layer in along["layer"] if "y" in layer["encoding"]
    ]
    assert set(scales) == {"log"}
    assert all("scale" not in layer["encoding"].get("y", {}) for layer in ratio["layer"])


@pytest.mark.parametrize("chart", [lambda: charts.along_chart("length"), charts.ratio_chart])
def test_curves_differ_in_dash_as_well_as_in_colour_and_the_legend_is_at_the_bottom(chart):
    lines = next(layer for layer in chart().to_dict()["layer"] if layer["mark"]["type"] == "line")["encoding"]
    for look in ("color", "strokeDash"):
        scale = lines[look]["scale"]
        assert len({str(r) for r in scale["range"]}) == len(scale["domain"])
        assert lines[look]["legend"]["orient"] == "bottom"


def test_the_readings_are_those_of_the_run():
    seen = charts.reading(PRE, Setting(), GELU)
    assert seen[r"gain $\sigma'(0)$"] == "0.5"
    assert seen["mean gain"] == f"{PRE.mean_gain.mean():.3f}"
    assert seen["factor of a block"] == f"{PRE.change[-1] ** (1 / 24):.3f}"
    assert seen["in the last 8 blocks"] == f"{PRE.mean_ratio(-8):.3f}"


def test_the_table_of_ready_made_settings_shows_both_halves_of_the_truth():
    table = charts.ready_frame([run(r.setting) for r in READY.values()]).set_index("setting")
    assert list(table.index) == list(READY)
    last = table["factor, last 8"].astype(float)
    assert last["half a layer"] == pytest.approx(0.5, abs=0.05)
    assert last["He weights"] > 0.6
    assert last["residual, small step"] == pytest.approx(1.0, abs=0.02)
    assert table.loc["blows up", "float16 ends after"] == str(BLOWN_UP.beyond(FLOAT16_LARGEST))
    assert set(table["float16 ends after"].drop("blows up")) == {"–"}


def test_a_blown_up_run_is_read_at_the_last_block_it_passed():
    over = run(Setting("ffn", bare(True, 2.0), 1e6, 96, 24))
    assert over.blown_up_at
    seen = charts.reading(over, Setting("ffn"), GELU)
    assert "nan" not in seen.values()
    table = charts.ready_frame([over] * len(READY))
    assert not table.isin(["nan"]).any().any()


# --- One row


def test_the_bars_are_the_row_and_what_leaves_the_two_norms():
    (_, _, names, before), (_, _, norms, after), _ = charts.row_panels(ROW, 1e-3)
    assert (names, norms) == (("token",), ("LayerNorm", "RMSNorm"))
    np.testing.assert_array_equal(before["rows"]["token"], ROW)
    assert after["rows"]["channel"].tolist() == [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(after["rows"]["LayerNorm"], layer_norm(ROW, eps=1e-3))
    np.testing.assert_array_equal(after["rows"]["RMSNorm"], rms_norm(ROW, eps=1e-3))


def test_the_chosen_tokens_row_is_in_the_learners_colour():
    assert charts.rows_chart("token").to_dict()["encoding"]["color"]["scale"]["range"] == [charts.MARK]
    two = charts.rows_chart(*charts.NORM_NAMES).to_dict()["encoding"]
    assert len(set(two["color"]["scale"]["range"])) == 2
    assert two["xOffset"]["field"] == two["color"]["field"]


@pytest.mark.parametrize("factor", [1.0, 1e-4, 1e-30, 1e6])
def test_the_marks_of_epsilon_stand_on_its_curve_and_stay_in_the_picture(factor):
    frames = charts.size_out_frames(factor * ROW, 1e-8)
    marks = frames["marks"].set_index("norm")
    assert marks["size in"].between(1e-9, 1e5).all()
    np.testing.assert_allclose(marks["size out"], size_out(marks["size in"], 1e-8))
    if factor == 1.0:
        assert marks.loc["LayerNorm", "size in"] == pytest.approx(ROW.std())
        assert marks.loc["RMSNorm", "size in"] == pytest.approx(np.sqrt(np.mean(ROW**2)))


def test_the_reading_of_a_row_says_same_on_mean_0_and_different_on_a_shifted_row():
    centred, shifted = (charts.row_reading(edit(ROW)) for edit in (Edit(centred=True), Edit(shift=3.0)))
    assert float(centred["largest difference of the two"]) < 1e-14
    assert float(shifted["largest difference of the two"]) > 0.5
    assert float(shifted["mean after RMSNorm"]) > 0.5


def test_the_table_of_edits_lists_how_far_each_norm_moves():
    table = charts.edits_frame(ROW)
    assert table["the row"].tolist() == list(EDITS)
    for name, edit in EDITS.items():
        row = table[table["the row"] == name].iloc[0]
        for norm in charts.NORM_NAMES:
            assert float(row[f"{norm} moves by"]) == pytest.approx(moved_by(ROW, edit, norm), rel=0.5)


# --- Dropout


def test_every_pass_and_channel_is_a_dot_and_evaluation_mode_a_tick():
    passes = LessonStream(1).randn(3, 5)
    frames = charts.dropout_frames(passes, passes[0])
    assert len(frames["passes"]) == 15
    dot = frames["passes"].query("channel == 4 and `pass` == 2")["entry"].item()
    assert dot == pytest.approx(passes[1, 3], rel=1e-6)
    np.testing.assert_allclose(frames["evaluation"]["entry"], passes[0], rtol=1e-6)
    marks = [layer["mark"]["type"] for layer in charts.dropout_chart().to_dict()["layer"]]
    assert marks == ["tick", "circle"]


def test_the_reading_of_dropout_is_spread_and_distance_of_the_mean():
    passes = np.array([[1.0, 2.0], [3.0, 2.0]])
    seen = charts.dropout_reading(passes, np.array([2.0, 2.5]))
    assert list(seen.values()) == ["2.0000", "0.5000"]


def test_no_chart_holds_data():
    for chart in (
        charts.wires_chart(), charts.along_chart("length"), charts.ratio_chart(), charts.rows_chart("token"),
        charts.size_out_chart(), charts.dropout_chart(),
    ):  # fmt: skip
        spec = chart.to_dict()
        assert "datasets" not in spec
        assert '"values": [{' not in json.dumps(spec)
