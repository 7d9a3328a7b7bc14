"""The pictures over x: their numbers through the frames, their looks through the compiled chart."""

import json

import numpy as np
import pytest

from ffn_core.activations import ACTIVATIONS, Activation
from ffn_core.charts import base, curves

GELU, RELU, IDENTITY = (ACTIVATIONS[name] for name in ("GELU", "ReLU", "Identity"))
EVERY = tuple(ACTIVATIONS.values())
NAMES = tuple(ACTIVATIONS)


def test_each_curve_is_its_activation():
    frame = curves.activation_frame(EVERY)
    x = frame["x"].to_numpy(np.float64)
    for a in EVERY:
        assert frame[a.name].to_numpy() == pytest.approx(a.f(x), rel=2e-7, abs=3e-7)  # float32
    assert (x.min(), x.max()) == (-curves.REACH, curves.REACH)


def test_relus_gain_breaks_at_the_kink_and_is_no_ramp():
    frame = curves.gain_frame((RELU, GELU))
    missing = frame["x"][frame["ReLU"].isna()]
    assert list(missing) == [0.0]
    assert set(frame["ReLU"].dropna()) == {0.0, 1.0}
    left, right = frame["ReLU"][frame["x"] < 0], frame["ReLU"][frame["x"] > 0]
    assert (left == 0).all()
    assert (right == 1).all()
    assert frame["x"][frame["x"] > 0].min() < 1e-4
    assert not frame["GELU"].isna().any()


def test_kinks_of_a_new_activation_are_honoured():
    clipped = Activation(
        "clipped", lambda x: np.clip(x, -1, 1), lambda x: 1.0 * (np.abs(x) < 1), r"\ldots", kinks=(-1.0, 1.0, 9.0)
    )
    frame = curves.gain_frame((clipped,))
    assert list(frame["x"][frame["clipped"].isna()]) == [-1.0, 1.0]


def test_the_tangent_touches_the_curve_and_has_its_slope():
    for x in (-4.0, -0.5, 0.0, 1.42, 3.9):
        ends = curves.tangent_frame(GELU, x)
        slope = np.diff(ends["y"])[0] / np.diff(ends["x"])[0]
        assert slope == pytest.approx(float(GELU.gain(x)), abs=1e-12)
        assert np.interp(x, ends["x"], ends["y"]) == pytest.approx(float(GELU.f(x)), abs=1e-12)
        assert ends["x"].between(-curves.REACH, curves.REACH).all()


def test_no_tangent_leaves_the_span():
    span = curves.span_frame(EVERY)["y"]
    for x in np.linspace(-4, 4, 81):
        assert curves.tangent_frame(GELU, x)["y"].min() >= span.min() - 0.01


def test_the_operating_point_and_the_tokens_value_stand_on_the_curve():
    marks = curves.marks_frame(GELU.f, 2.9629900735858103, -0.5).set_index("mark")
    assert marks.loc["operating point", "x"] == -0.5
    assert marks.loc["operating point", "shape"] == "circle"
    assert marks.loc["token's value", "shape"] == "diamond"
    assert marks.loc["token's value", "y"] == pytest.approx(float(GELU.f(2.9629900735858103)))


def test_a_value_outside_the_picture_is_marked_at_its_edge():
    marks = curves.marks_frame(GELU.f, 9.0, -6.0)
    assert list(marks["x"]) == [4.0, -4.0]
    assert list(marks["shape"]) == ["triangle-right", "triangle-left"]


def test_without_an_operating_point_only_the_tokens_value_is_marked():
    assert list(curves.marks_frame(GELU.f, 2.0)["mark"]) == ["token's value"]


def test_distances_are_kept_above_the_floor_of_the_log_axis():
    frame = curves.distance_frame(GELU, (RELU, ACTIVATIONS["GELU-exact"]))
    assert frame.drop(columns="x").min().min() >= np.float32(curves.DISTANCE_FLOOR)
    assert frame["GELU-exact"].max() == pytest.approx(4.73e-4, abs=1e-6)
    gains = curves.distance_frame(GELU, (RELU, ACTIVATIONS["GELU-exact"]), gains=True)
    assert gains["GELU-exact"].max() == pytest.approx(8.68e-4, abs=1e-6)
    assert gains["ReLU"].max() == pytest.approx(0.5, abs=1e-6)


def test_the_error_falls_then_rises_and_the_chosen_step_is_marked_on_it():
    frame = curves.error_frame(GELU, -0.5)
    assert frame["h"].iloc[[0, -1]].to_numpy() == pytest.approx([1e-12, 1e-1], rel=1e-6)
    measured = frame["measured"]
    assert 1e-7 < frame["h"][measured.idxmin()] < 1e-4
    step = curves.step_frame(GELU, -0.5, 1e-4)
    assert step["h"].item() == 1e-4
    assert step["error"].item() == pytest.approx(1.1e-9, rel=0.01)


@pytest.mark.parametrize("sigma", EVERY, ids=lambda a: a.name)
@pytest.mark.parametrize("x", [-4.0, -0.5, 0.0, 12.0])
def test_an_error_of_exactly_zero_stays_on_the_log_axis(sigma, x):
    frame = curves.error_frame(sigma, x)
    assert np.isfinite(frame[["h", "measured", "rounding, as 1/h"]].to_numpy()).all()
    assert np.isfinite(frame["truncation, as h²"]).all() != (x in sigma.kinks)
    assert frame.drop(columns="h").min().min() >= np.float32(curves.ERROR_FLOOR)
    assert frame.drop(columns="h").max().max() <= 1.0
    assert curves.step_frame(RELU, -0.5, 1e-4)["error"].item() == curves.ERROR_FLOOR


@pytest.mark.parametrize(
    "chart", [curves.activation_chart(NAMES), curves.gain_chart(NAMES), curves.distance_chart(NAMES)]
)
def test_every_activation_has_its_one_colour_and_dash(chart):
    spec = chart.to_dict()
    line = next(layer for layer in spec["layer"] if "strokeDash" in layer["encoding"])
    assert line["encoding"]["color"]["scale"]["domain"] == list(NAMES)
    assert line["encoding"]["color"]["scale"]["range"] == base.cycle(base.PALETTE, len(NAMES))
    assert line["encoding"]["strokeDash"]["scale"]["range"] == base.cycle(base.ACTIVATION_DASHES, len(NAMES))
    assert line["transform"][0]["fold"] == list(NAMES)
    assert line["encoding"]["color"]["legend"]["orient"] == "bottom"


def test_only_the_drawn_activations_stand_in_the_legend():
    line = next(
        layer for layer in curves.gain_chart(("ReLU", "GELU")).to_dict()["layer"] if "strokeDash" in layer["encoding"]
    )
    assert line["encoding"]["color"]["legend"]["values"] == ["ReLU", "GELU"]


@pytest.mark.parametrize("sigma", EVERY, ids=lambda a: a.name)
def test_a_chart_finds_every_dataset_it_names(sigma):
    for picture in (*curves.panels(EVERY, sigma, -0.5, 2.0), *curves.distance_panels(EVERY, sigma, 2.0)):
        (names,), frames = picture["arguments"], picture["frames"]
        text = json.dumps(picture["chart"](names).to_dict())
        named = {part.split('"')[0] for part in text.split('"data": {"name": "')[1:]}
        assert named == set(frames)
        assert set(names) == set(frames["curves"].columns) - {"x"}
    assert "near" in text


def test_the_error_chart_is_log_log_with_both_theories():
    spec = curves.error_chart().to_dict()
    line = spec["layer"][0]
    assert line["transform"][0]["fold"] == list(curves.ERROR_SERIES)
    assert line["encoding"]["x"]["scale"]["type"] == line["encoding"]["y"]["scale"]["type"] == "log"


def test_the_tables_hold_the_lessons_readings():
    landmarks = curves.landmarks_frame(EVERY).set_index("activation")
    assert landmarks.loc["GELU", "gain 0 at x"] == "-0.7525"
    assert landmarks.loc["GELU", "lowest gain"] == "-0.1290 at -1.4185"
    assert landmarks.loc["ReLU", "gain 0 at x"] == "–"
    comparison = curves.comparison_frame(GELU, EVERY).set_index("activation")
    assert list(comparison.loc["GELU-exact"]) == ["0.000473 at 2.70", "0.000868 at 2.02"]
    dead = curves.dead_frame(EVERY).set_index("activation")
    assert list(dead.loc["GELU"]) == ["-3.586", "-5.419", "-7.189"]
    assert dead.loc["Identity", "exactly 0 below (float16)"] == "never"


@pytest.mark.parametrize("x", [0.0, 1e-9, -0.5, 4.0])
def test_a_gain_without_limit_leaves_axes_and_other_curves_as_they_are(x):
    def gain(x):
        with np.errstate(divide="ignore"):
            return np.abs(np.asarray(x, dtype=float)) ** (-2.0 / 3.0) / 3.0

    root = Activation("root", np.cbrt, gain, r"\sqrt[3]{x}")
    low, high = curves.GAIN_RANGE
    frame = curves.gain_frame((root, GELU))
    assert frame["root"].isna().any()
    assert frame["root"].dropna().between(low, high).all()
    assert not frame["GELU"].isna().any()
    assert curves.gain_frames([root], root, x, 0.0)["marks"]["y"].between(low, high).all()
    tangent = curves.tangent_frame(root, x)
    assert np.isfinite(tangent.to_numpy()).all()
    assert tangent["y"].between(-2 * curves.REACH, 2 * curves.REACH).all()
    assert np.isfinite(curves.span_frame((root,))["y"]).all()
    assert np.isfinite(curves.distance_frame(GELU, (root,), gains=True).to_numpy()).all()
    assert curves.comparison_frame(root, [root, GELU])["largest distance in gain"][0] == "0"
