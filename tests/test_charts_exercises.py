"""The pictures of the exercises: their numbers are those of the experiments, and their marks say which is which."""

import json

import numpy as np
import pytest

from ffn_core import exercises, lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import exercises as charts
from ffn_core.closed_gates import closed_row
from ffn_core.dead_units import READINGS, dead_units
from ffn_core.equivariance import LAYERS, draw_attention_example, rows_moved


@pytest.fixture(scope="module")
def counted():
    return dead_units(11)


def test_the_dead_units_frame_has_what_is_expected_and_counted_at_every_bias(counted):
    frames = charts.dead_units_frames(counted, -3.2)
    dead = frames["dead"]
    assert frames["dial"]["bias"].tolist() == [-3.2]
    assert len(dead) == len(counted.biases)
    row = dead.iloc[int(np.argmin(np.abs(dead["bias"] + 3.2)))]
    for name, (expected, share) in counted.at(-3.2).items():
        assert np.isclose(row[name], expected, atol=1e-6)
        assert np.isclose(row[f"{name} counted"], share, atol=1e-6)


def test_the_names_of_the_readings_are_fields_that_vega_can_read():
    for name in READINGS:
        assert not set(name) & set(".[]|\\'\"<>")


def test_every_reading_has_a_colour_a_dash_and_a_shape_of_its_own():
    spec = charts.dead_units_chart().to_dict()
    lines, points = spec["layer"][:2]
    for layer, channel in ((lines, "color"), (lines, "strokeDash"), (points, "color"), (points, "shape")):
        scale = layer["encoding"][channel]["scale"]
        assert scale["domain"] == list(READINGS)
        assert len({json.dumps(r) for r in scale["range"]}) == len(READINGS)


def test_the_changed_token_is_outlined_and_only_rows_that_move_are_filled():
    example = draw_attention_example(11, 5, 4, 16, exercises.N_HEADS)
    token = exercises.changed_token(11)
    moved = {name: rows_moved(name, example, lesson.SIGMA, token, 1.0) for name in LAYERS}
    frames = charts.moved_frames(moved, token)
    assert frames["token"]["row"].tolist() == [token + 1]
    cells = frames["moved"].set_index(["layer", "row"])["by"]
    assert [row for row in range(1, 6) if cells["FFN", row] > 0] == [token + 1]
    assert [row for row in range(1, 6) if cells[LAYERS[2], row] > 0] == list(range(token + 1, 6))
    assert (cells[LAYERS[1]] > 0).all()
    assert cells["FFN", token + 1] == moved["FFN"][token]


def test_rounding_does_not_fill_a_cell():
    moved = {"a layer": np.array([1.0, 1e-16, 0.0])}
    frame = charts.moved_frames(moved, 0)["moved"]
    assert frame["by"].tolist() == [1.0, 0.0, 0.0]
    assert frame["text"].tolist() == ["1", "0", "0"]


def test_singular_values_are_drawn_as_they_are_and_zero_at_the_floor():
    found = closed_row(lesson.draw_example(3, 5, 4, 16).weights)
    frames = charts.surviving_frames(found)
    values = frames["values"]
    assert frames["limit"]["height"].tolist() == [1e-3]
    for name in ("GELU", "ReLU"):
        own = values[values["activation"] == name]
        assert own["place"].tolist() == [1, 2, 3, 4]
        assert np.array_equal(own["value"], found.values[name])
        assert (own["height"] == np.maximum(found.values[name], charts.VALUE_FLOOR)).all()


def test_the_pointer_reads_the_gains_themselves_at_steps_of_a_twentieth():
    drawn = (ACTIVATIONS["SiLU"], ACTIVATIONS["GELU"])
    curves = charts.gains_frames(drawn)["curves"]
    assert np.allclose(np.diff(curves["x"]), 0.05, atol=1e-6)
    for a in drawn:
        assert np.allclose(curves[a.name], a.gain(curves["x"].to_numpy(float)), atol=1e-6)
    at_zero = curves[np.isclose(curves["x"], 0.0)]
    assert len(at_zero) == 1
    assert np.isclose(at_zero["SiLU"].iloc[0], 0.5)


def test_every_asked_reading_of_silu_is_within_the_tolerance_of_what_the_pointer_shows():
    curves = charts.gains_frames((ACTIVATIONS["SiLU"],))["curves"]
    x, gain = curves["x"].to_numpy(float), curves["SiLU"].to_numpy(float)
    asked = {q.key: q for q in exercises.exercise(5, 11).questions}
    assert abs(gain.max() - asked["silu_peak"].answer) <= asked["silu_peak"].tolerance
    assert abs(x[gain.argmax()] - asked["silu_peak_x"].answer) <= asked["silu_peak_x"].tolerance
    assert abs(x[np.argmin(np.abs(gain + (x > 0)))] - asked["silu_sign"].answer) <= asked["silu_sign"].tolerance
    for at in exercises.ASKED_X:
        assert np.isclose(x, at, atol=1e-6).any()


def test_the_charts_hold_no_data_and_name_their_params():
    for chart in (
        charts.dead_units_chart(),
        charts.moved_chart(LAYERS),
        charts.surviving_chart(),
        charts.gains_chart(("SiLU", "GELU")),
    ):
        spec = chart.to_dict()
        assert "datasets" not in spec
        assert '"values": [{' not in json.dumps(spec)
    assert [p["name"] for p in charts.gains_chart(("SiLU",)).to_dict()["params"]] == ["near_x"]
