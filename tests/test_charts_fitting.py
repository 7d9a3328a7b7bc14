"""Pictures of fitted curves: their numbers through the frames, their looks through the compiled chart."""

import json

import pytest

from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import fitting as charts
from ffn_core.fitting import WIDTHS, best_line_loss, fit_curve

FITS = {name: fit_curve("sine", ACTIVATIONS[name], 4, 11, steps=60) for name in ("GELU", "Identity")}
LOSSES = {"GELU": [0.4 / w for w in WIDTHS], "Identity": [0.43] * len(WIDTHS)}
LINE = best_line_loss("sine")
PICTURES = [
    charts.fit_picture(FITS), charts.loss_picture(FITS, LINE), charts.width_picture(LOSSES, WIDTHS, 16, LINE),
]  # fmt: skip


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p["key"])
def test_a_chart_finds_every_dataset_it_names(picture):
    text = json.dumps(picture["chart"](*picture["arguments"]).to_dict())
    assert {part.split('"')[0] for part in text.split('"data": {"name": "')[1:]} == set(picture["frames"])


def test_fit_and_target_are_the_fits_own():
    frames = charts.fit_frames(FITS)
    for name, fit in FITS.items():
        assert frames["fits"][name].to_numpy() == pytest.approx(fit.fitted, abs=1e-6)
    assert frames["target"]["y"].to_numpy() == pytest.approx(FITS["GELU"].target[:: charts.EVERY_DOT], abs=1e-6)


def test_the_loss_curve_starts_and_ends_where_the_training_did():
    frame = charts.loss_frame(FITS)
    assert frame["step"].iloc[[0, -1]].tolist() == [0, 60]
    assert frame["GELU"].iloc[-1] == FITS["GELU"].loss


def test_a_loss_of_zero_stays_on_the_log_axis():
    assert charts.floor_frame(best_line_loss("straight line"))["loss"].item() == charts.LOSS_FLOOR


def test_the_chosen_width_is_ringed_on_every_line():
    chosen = charts.chosen_width_frame(LOSSES, WIDTHS, 16)
    assert chosen["units"].tolist() == [16, 16]
    assert chosen["loss"].tolist() == pytest.approx([0.4 / 16, 0.43])


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: p["key"])
def test_lines_carry_the_colour_and_the_dash_of_their_activation(picture):
    spec = picture["chart"](*picture["arguments"]).to_dict()
    line = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "line")
    assert line["encoding"]["color"]["scale"]["domain"] == list(ACTIVATIONS)
    assert line["encoding"]["strokeDash"]["scale"]["domain"] == list(ACTIVATIONS)
    assert line["encoding"]["color"]["legend"]["values"] == ["GELU", "Identity"]


def test_losses_are_logarithmic():
    for picture in PICTURES[1:]:
        spec = picture["chart"](*picture["arguments"]).to_dict()
        line = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "line")
        assert line["encoding"]["y"]["scale"]["type"] == "log"
