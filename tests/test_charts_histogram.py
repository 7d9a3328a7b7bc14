"""The histograms: their numbers through the frames, their looks through the grammar."""

import json
import re

import numpy as np
import pytest
import vl_convert

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import histogram
from ffn_core.charts.base import GREY, MARK
from ffn_core.distributions import NEAR_REACH, Counts, reshape_by, without_zeros

COUNTS = Counts(np.array([-1.0, 0.0, 2.0]), np.array([3, 5]), np.array([2.5, 5.5]))
FOUND = reshape_by(lesson.SIGMA, lesson.worked_example().weights.W1, 1, 256)


def layers(chart):
    return chart.to_dict()["layer"]


def test_a_bin_stands_between_its_edges_with_its_counts():
    bins = histogram.histogram_frames(COUNTS, 0.5, np.array([1.0, 2.0]))["bins"]
    assert bins.to_dict("list") == {
        "from": [-1.0, 0.0],
        "to": [0.0, 2.0],
        "counted": [3, 5],
        "expected": [2.5, 5.5],
        "gaussian": [1.0, 2.0],
    }


def test_the_step_line_runs_from_end_to_end_of_every_bin_at_its_height():
    chart = histogram.post_chart().to_dict()
    records = {"zeros": [], "own": [], "bins": histogram.histogram_frames(COUNTS, 0.5)["bins"].to_dict("records")}
    svg = vl_convert.vegalite_to_svg({**chart, "datasets": json.loads(json.dumps(records, default=float))})
    line = next(
        path for path in re.findall(r'<path [^>]*d="([^"]+)"[^>]*stroke="#d9620d"', svg) if path.count("L") == 3
    )
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = (map(float, p.split(",")) for p in re.split("[ML]", line)[1:])
    assert x0 < x1 == x2 < x3
    assert x3 - x2 == pytest.approx(2 * (x1 - x0))
    assert y0 == y1 > y2 == y3


def test_all_values_of_the_lesson_are_in_the_bars():
    for counts in (FOUND.pre, FOUND.post):
        assert histogram.histogram_frames(counts, 0.0)["bins"]["counted"].sum() == 4096


def test_the_learners_own_value_is_in_the_marking_frame_and_drawn_in_its_colour():
    assert histogram.histogram_frames(COUNTS, 1.25)["own"]["at"].tolist() == [1.25]
    for chart in (histogram.pre_chart(), histogram.post_chart(), histogram.near_chart()):
        rule = next(x for x in layers(chart) if x["data"]["name"] == "own" and x["mark"]["type"] == "rule")
        assert rule["mark"]["color"] == MARK
        assert rule["encoding"]["x"]["field"] == "at"


def test_values_that_are_exactly_zero_are_an_arrow_and_no_bar():
    relu = reshape_by(ACTIVATIONS["ReLU"], lesson.worked_example().weights.W1, 1, 256)
    bins = histogram.histogram_frames(without_zeros(relu.post, relu), 0.0)["bins"]
    assert bins["counted"].sum() == 4096 - round(relu.post_zero * 4096)
    assert histogram.zeros_frame(relu.post_zero).to_dict("list") == {
        "at": [0.0],
        "share": [relu.post_zero],
        "label": ["50.4% exactly 0"],
    }
    arrow = [x for x in layers(histogram.post_chart()) if x["data"]["name"] == "zeros"]
    assert [x["mark"]["type"] for x in arrow] == ["rule", "point", "text"]
    assert all("y" not in x["encoding"] or "value" in x["encoding"]["y"] for x in arrow)  # no height on the scale


def test_an_arrow_for_no_values_is_not_drawn():
    assert histogram.zeros_frame(0.0)[["share", "label"]].to_numpy().tolist() == [[0.0, ""]]
    assert histogram.arrow_text(0.0) == ""
    assert "exactly 0" in histogram.arrow_text(0.5)
    arrow = next(x for x in layers(histogram.post_chart()) if x["data"]["name"] == "zeros")
    assert arrow["encoding"]["opacity"] == {"condition": {"test": "datum.share > 0", "value": 1}, "value": 0}


def test_a_share_too_small_for_a_percentage_is_still_told():
    assert histogram.zeros_frame(3.2e-6)["label"].tolist() == ["3e-06 of them exactly 0"]


def test_only_the_values_before_sigma_are_compared_with_one_gaussian():
    def names(chart):
        return layers(chart)[0]["encoding"]["color"]["scale"]["domain"]

    assert names(histogram.pre_chart()) == ["counted", "theory", "one Gaussian"]
    assert names(histogram.post_chart()) == names(histogram.near_chart()) == ["counted", "theory"]


def test_theory_and_counts_differ_in_shape_as_well_as_in_colour():
    bars, steps, curve = layers(histogram.pre_chart())[:3]
    assert bars["mark"]["type"] == "bar"
    assert steps["mark"]["type"] == "line"
    assert curve["mark"]["strokeDash"]


def test_the_magnified_picture_has_a_fixed_range_and_marks_near_zero():
    chart = histogram.near_chart()
    assert layers(chart)[0]["encoding"]["x"]["scale"]["domain"] == [-NEAR_REACH, NEAR_REACH]
    borders = next(x for x in layers(chart) if x["mark"].get("color") == GREY)
    assert borders["transform"] == [{"calculate": "[-0.05, 0.05]", "as": "at"}, {"flatten": ["at"]}]
    own = next(x for x in layers(chart) if x["data"]["name"] == "own" and x["mark"]["type"] == "rule")
    assert own["transform"] == [{"filter": f"abs(datum.at) <= {NEAR_REACH}"}]


@pytest.mark.parametrize("chart", [histogram.pre_chart, histogram.post_chart, histogram.near_chart])
def test_a_chart_holds_no_data(chart):
    text = json.dumps(chart().to_dict())
    assert '"values"' not in text
    assert '"datasets"' not in text


def test_the_table_sets_what_was_counted_beside_theory():
    table = histogram.statistics_frame(FOUND).set_index("quantity")
    assert table.loc["share of pre < 0"].tolist() == ["0.50439", "0.50000"]
    assert table.loc["mean gain", "theory"] == "0.50000"
    identity = reshape_by(ACTIVATIONS["Identity"], lesson.worked_example().weights.W1, 1, 16)
    assert histogram.statistics_frame(identity).set_index("quantity").loc["least post", "theory"] == "no limit"
