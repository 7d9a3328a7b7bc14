"""The pictures of the gain: their numbers through the frames, their looks through the grammar."""

import math

import numpy as np
import pytest

from ffn_core import gain, lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import gain as charts
from ffn_core.charts.base import MARK

SIGMAS = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda a: a.name)
PRE, EXAMPLE = lesson.worked_trace().pre[lesson.TOKEN], lesson.worked_example()
LOCAL = gain.local_gains(EXAMPLE.H, EXAMPLE.weights, lesson.SIGMA)


@SIGMAS
def test_the_curve_is_the_gain_and_covers_every_operating_point(sigma):
    frame = charts.gain_curve_frame(sigma, 9.0 * PRE)
    away = frame[~frame["x"].abs().between(0.0, 1e-6)]
    assert away["gain"].to_numpy() == pytest.approx(sigma.gain(away["x"].to_numpy(dtype=float)), abs=1e-6)
    assert frame["x"].min() <= 9.0 * PRE.min()
    assert frame["x"].max() >= 9.0 * PRE.max()
    assert set(frame["activation"]) == {sigma.name}


@SIGMAS
def test_the_curve_breaks_at_each_kink_and_nowhere_else(sigma):
    frame = charts.gain_curve_frame(sigma, PRE)
    assert frame["piece"].nunique() == len(sigma.kinks) + 1
    span = max(1.0, frame["gain"].abs().max())
    for _, piece in frame.groupby("piece"):
        assert piece["gain"].diff().abs().max() < 0.05 * span


def test_each_slot_has_its_operating_point_and_the_chosen_one_is_marked():
    frame = charts.operating_frame(lesson.SIGMA, PRE, slot=4)
    assert list(frame["slot"]) == list(range(1, 17))
    assert frame["x"].to_numpy() == pytest.approx(PRE, rel=1e-6)
    assert frame["gain"].to_numpy() == pytest.approx(lesson.SIGMA.gain(PRE), rel=1e-5)
    assert list(frame["slot"][frame["chosen"]]) == [5]
    layers = charts.gain_curve_chart().to_dict()["layer"]
    marked = [layer for layer in layers if layer.get("transform") == [{"filter": "datum.chosen"}]]
    assert {layer["mark"]["type"] for layer in marked} == {"rule", "point"}
    assert {layer["mark"]["color"] for layer in marked} == {MARK}


def test_the_frames_of_the_gain_curve_are_those_the_chart_names():
    named = {layer["data"]["name"] for layer in charts.gain_curve_chart().to_dict()["layer"]}
    assert named == set(charts.gain_curve_frames(lesson.SIGMA, PRE, 0))


def test_the_facts_keep_every_digit():
    facts = gain.gain_facts(lesson.SIGMA)
    row = charts.facts_texts(lesson.SIGMA)
    assert float(row["gain at −3"]) == facts.at_minus_3
    assert float(row["peak on −4 to 4"]) == facts.peak


def test_singular_values_are_drawn_where_they_are_and_the_chosen_token_stands_out():
    frame = charts.values_frame(LOCAL, token=3)
    assert len(frame) == 20
    assert frame["value"].to_numpy() == pytest.approx(LOCAL.values.ravel(), rel=1e-6)
    assert set(frame["token"][frame["chosen"]]) == {4}
    assert set(frame["mark"]) == {"circle"}


def test_a_singular_value_of_zero_is_drawn_at_the_floor_as_a_triangle():
    example = lesson.draw_example(11, 2, 6, 2)
    local = gain.local_gains(example.H, example.weights, lesson.SIGMA)
    frame = charts.values_frame(local, 0)
    low = frame[frame["value"] == 0.0]
    assert len(low) == 8
    assert set(low["mark"]) == {"triangle-down"}
    assert low["height"].to_numpy() == pytest.approx(charts.VALUE_FLOOR)


@pytest.mark.parametrize("token", [0, 15, 16, 63])
def test_a_screen_holds_sixteen_tokens_and_the_first_and_last_singular_value(token):
    values = np.tile(np.linspace(3.0, 0.1, 64), (64, 1))
    local = gain.LocalGains(np.ones((64, 8)), values)
    tokens, places = charts.shown_values(local, token)
    assert len(tokens) == len(places) == 16
    assert token in tokens
    assert places[[0, -1]].tolist() == [0, 63]
    assert charts.values_table(local, token).shape == (16, 18)
    assert list(charts.values_table(local, token, charts.TABLE_VALUES))[-1] == "s64"
    assert "The table shows 8 of the 64 singular values, the picture 16" in charts.values_text(local)
    assert charts.values_text(LOCAL) == ""


def test_the_table_prints_the_lessons_twenty_singular_values():
    table = charts.values_table(LOCAL, 0)
    assert table.iloc[3].tolist() == ["4", "10", "1.439330", "1.276246", "0.452919", "0.008460"]
    assert table["open gates"].tolist() == ["6", "10", "9", "10", "10"]


def probe(name, kind="principal", number=0):
    return gain.probe(EXAMPLE.H[lesson.TOKEN], EXAMPLE.weights, ACTIVATIONS[name], kind, number)


def test_the_error_curve_is_the_probes_and_the_choice_is_marked():
    p = probe("GELU")
    frames = charts.error_frames(p, 1.0, 0.057)
    assert frames["errors"]["height"].to_numpy() == pytest.approx(p.errors)
    assert frames["here"].iloc[0].tolist() == pytest.approx([1.0, 0.057, 0.057])
    assert frames["reach"]["size"].tolist() == [p.reach]
    assert set(frames) == {layer["data"]["name"] for layer in charts.error_chart().to_dict()["layer"]}


def test_rounding_is_drawn_at_the_floor_and_has_no_slope():
    frames = charts.error_frames(probe("Identity"), 1.0, 1e-16)
    assert [frames["errors"]["height"].min(), frames["here"]["height"][0]] == pytest.approx([charts.ERROR_FLOOR] * 2)
    assert frames["guide"]["size"].nunique() == 1
    assert frames["reach"].empty


def test_the_guide_has_slope_one_beside_a_smooth_blocks_error():
    p = probe("SiLU")
    (a, b) = charts.guide_frame(p.errors).itertuples(index=False)
    assert b.height / a.height == pytest.approx(b.size / a.size)
    assert a.height == pytest.approx(p.errors[0], rel=0.05)


def test_where_nothing_is_predicted_nothing_is_drawn_and_the_caption_says_so():
    example = lesson.draw_example(11, 1, 4, 3)
    p = gain.probe(example.H[0], example.weights, ACTIVATIONS["ReLU"], "principal", 3)
    frames = charts.error_frames(p, 1.0, math.nan)
    assert frames["errors"].empty
    assert frames["here"].empty
    assert frames["reach"].empty
    assert "Nothing is predicted" in charts.error_caption(p)
    assert "diamond" in charts.error_caption(probe("GELU"))


@pytest.mark.parametrize(
    ("error", "text"), [(math.nan, "–"), (0.057, "5.7%"), (4.5e-6, "0.00045%"), (1.5, "150%"), (401.3, "401×")]
)
def test_errors_as_text(error, text):
    assert charts.error_text(error) == text


@pytest.mark.parametrize(
    ("values", "text"),
    [([1.0], "1.00×"), ([1.0, 24.194], "24.2×"), ([1, 56107], "56,107×"), ([0, 1], "∞"), ([0.0, 0.0], "–")],
)
def test_spreads_as_text(values, text):
    assert charts.spread_text(np.array(values, dtype=float)) == text


@pytest.mark.parametrize(
    ("reach", "text"), [(math.nan, "–"), (math.inf, "beyond 10"), (1e-4, "below 0.0001"), (1.463, "1.46")]
)
def test_reaches_as_text(reach, text):
    assert charts.reach_text(reach) == text


def test_the_charts_hold_no_numbers_and_log_axes_are_log():
    for chart in (charts.gain_curve_chart(), charts.values_chart(), charts.error_chart()):
        assert "datasets" not in chart.to_dict()
    scales = [layer["encoding"]["y"]["scale"]["type"] for layer in charts.error_chart().to_dict()["layer"][:2]]
    assert scales == ["log", "log"]
