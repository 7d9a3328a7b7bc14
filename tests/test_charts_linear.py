"""Pictures of collapsed blocks: their numbers through the frames, their looks through the compiled chart."""

import json

import numpy as np
import pytest

from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import linear as charts
from ffn_core.lesson import worked_example
from ffn_core.linear import blocks, collapse_block, study_depth

GELU = ACTIVATIONS["GELU"]
ONE = collapse_block(worked_example().H, worked_example().weights)
DEEP = study_depth(11, 5, 4, 16, 6, GELU)
PICTURES = [
    charts.matrix_picture(ONE), charts.bias_picture(ONE), charts.narrowing_picture(DEEP),
    charts.left_over_picture(DEEP), charts.straight_picture(DEEP),
]  # fmt: skip


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p["key"])
def test_a_chart_finds_every_dataset_it_names(picture):
    text = json.dumps(picture["chart"](*picture.get("arguments", ())).to_dict())
    assert {part.split('"')[0] for part in text.split('"data": {"name": "')[1:]} == set(picture["frames"])
    assert picture["title"]
    assert picture["alt"]


def test_the_heat_map_holds_the_collapsed_matrix():
    cells = charts.matrix_picture(ONE)["frames"]["cells"]
    assert cells["value"].to_numpy().reshape(4, 4) == pytest.approx(ONE.W)
    assert charts.matrix_part(ONE) == ""


def test_a_large_matrix_says_which_part_is_shown():
    large = collapse_block(np.ones((1, 64)), next(blocks(1, 1, 64, 2, 1)))
    assert charts.matrix_part(large) == "from channels 1–16 of 64, to channels 1–32 of 64"


def test_narrowing_is_relative_to_the_largest_and_names_both_ends():
    frame = charts.narrowing_frame(DEEP.singular_values)
    assert (frame["value"][frame["kind"] == "largest"] == 1.0).all()
    last = frame[(frame["kind"] == "smallest") & (frame["blocks"] == 6)]
    assert last["value"].item() == pytest.approx(DEEP.spread)
    assert list(frame["blocks"].unique()) == [1, 2, 3, 4, 5, 6]


def test_of_many_singular_values_eight_are_drawn():
    frame = charts.narrowing_frame(np.tile(np.arange(64.0, 0.0, -1.0), (3, 1)))
    assert frame["number"].nunique() == charts.MOST_LINES
    assert {1, 64} <= set(frame["number"])


def test_a_lost_direction_stays_on_the_log_axis():
    frame = charts.narrowing_frame(np.array([[2.0, 0.0], [0.0, 0.0]]))
    assert frame["value"].min() == charts.FLOOR


def test_the_chosen_depth_is_the_marked_bar():
    frame = charts.left_over_picture(DEEP)["frames"]["bars"]
    assert list(frame["at"][frame["chosen"]]) == [6]
    assert frame["value"].to_numpy() == pytest.approx(DEEP.left_over)


def test_dots_are_measured_in_standard_deviations_of_the_stack():
    dots = charts.straight_frames(DEEP.actual, DEEP.predicted)["dots"]
    assert dots["actual"].mean() == pytest.approx(0.0, abs=1e-6)
    assert dots["actual"].std(ddof=0) == pytest.approx(1.0, abs=1e-6)


def test_without_an_activation_all_dots_lie_on_the_diagonal():
    flat = study_depth(11, 5, 4, 16, 6, ACTIVATIONS["Identity"])
    dots = charts.straight_frames(flat.actual, flat.predicted)["dots"]
    assert dots["actual"].to_numpy() == pytest.approx(dots["predicted"].to_numpy(), abs=1e-6)


def test_a_dead_stack_is_drawn_as_one_dot():
    for constant in (0.0, 7.0):
        actual = constant * (1.0 + 1e-16 * np.arange(5))
        dots = charts.straight_frames(actual, np.full(5, constant))["dots"].to_numpy()
        assert np.abs(dots).max() < 1e-12


def test_zero_biases_stand_on_an_axis_that_is_not_empty():
    frames = charts.bias_frames(np.zeros(4))
    assert list(frames["span"]["value"]) == [-1.0, 1.0]


def test_a_bias_of_zero_is_seen_by_its_point():
    ends = charts.bias_chart().to_dict()["layer"][-1]
    assert (ends["data"]["name"], ends["mark"]["type"], ends["mark"]["opacity"]) == ("bars", "point", 1)
    assert ends["encoding"]["y"]["field"] == "value"
