"""The page ReLU vs GELU through the app: the lesson's printed numbers, the marks, and the corners of the bench."""

from functools import partial

import pytest
from opened import frames, metrics, open_section, tables

from ffn_core.activations import ACTIVATIONS, Activation
from ffn_core.lesson import worked_trace
from ffn_core.reference import REFERENCE

open_page = partial(open_section, "03_relu_vs_gelu.py")

VALUES, GAINS, STEP, APART, GAINS_APART = range(5)


def said(at):
    return " ".join(c.value for c in at.caption)


def printed(quantity):
    return next(float(p.printed) for p in REFERENCE if p.quantity == quantity)


@pytest.mark.parametrize(
    ("label", "quantity", "within"),
    [
        ("ReLU′(−0.5)", "ReLU'(-0.5), central difference h=1e-4", 0.0),
        ("GELU′(−0.5)", "GELU'(-0.5), central difference h=1e-4", 2e-12),
        ("GELU′(0)", "GELU'(0), central difference h=1e-4", 2e-15),
        ("gain at −3", "gain at x = -3", 2e-15),
        ("gain at 0", "gain at x = 0", 0.0),
        ("gain at 3", "gain at x = +3", 2e-15),
        ("peak gain, at x = 1.42", "peak gain on linspace(-4, 4, 801)", 2e-15),
        ("farthest from the closed form", "max |analytic - finite difference| on -3:0.05:3", 1e-10),
    ],
)
def test_the_default_link_shows_the_lessons_printed_number(label, quantity, within):
    assert float(metrics(open_page())[label]) == pytest.approx(printed(quantity), abs=within)


def test_the_operating_point_of_a_link_is_marked_on_curve_and_gain():
    at = open_page(gelu_x="1.42", sigma="SiLU")
    for number, curve in ((VALUES, ACTIVATIONS["SiLU"].f), (GAINS, ACTIVATIONS["SiLU"].gain)):
        mark = frames(at, number)["marks"].set_index("mark").loc["operating point"]
        assert (mark.x, mark.y) == pytest.approx((1.42, float(curve(1.42))))
    assert float(metrics(at)["gain of SiLU at x"]) == pytest.approx(float(ACTIVATIONS["SiLU"].gain(1.42)), rel=1e-5)


def test_the_value_of_the_chosen_token_and_slot_is_marked_and_said():
    at = open_page(token=4, slot=7)
    value = worked_trace().pre[3, 6]
    assert frames(at, VALUES)["marks"].set_index("mark").loc["token's value", "x"] == pytest.approx(value)
    assert f"token 4, slot 7: x = {value:.4f}" in said(at)


def test_the_operating_point_can_follow_token_and_slot():
    at = open_page(gelu_own="true", token=4, slot=7)
    assert at.slider(key="gelu_x").disabled
    marks = frames(at, GAINS)["marks"]
    assert marks["x"][0] == marks["x"][1] == pytest.approx(worked_trace().pre[3, 6])


def test_sigma_is_always_drawn():
    at = open_page(gelu_curves="ReLU", sigma="SiLU")
    assert set(frames(at, VALUES)["curves"].columns) == {"x", "ReLU", "SiLU"}
    assert set(frames(at, APART)["curves"].columns) == {"x", "ReLU"}


def test_a_new_activation_appears_by_itself_in_chooser_curves_and_tables(monkeypatch):
    cube = Activation("cube", lambda x: x * x * x, lambda x: 3.0 * x * x, "x^3")
    monkeypatch.setitem(ACTIVATIONS, "cube", cube)
    at = open_page(gelu_curves="cube")
    assert "cube" in at.multiselect(key="gelu_curves").options
    assert "cube" in frames(at, VALUES)["curves"].columns
    assert "gain of cube at x" in metrics(at)
    assert all("cube" in list(table["activation"]) for table in tables(at))
    assert len(tables(at)) == 3


def test_a_step_from_the_link_moves_the_mark_and_the_numbers():
    at = open_page(gelu_h="-10")
    assert frames(at, STEP)["step"]["h"].item() == pytest.approx(1e-10)
    assert float(metrics(at)["farthest from the closed form"]) > 1e-8


@pytest.mark.parametrize("sigma", ACTIVATIONS)
@pytest.mark.parametrize(
    "asked", [{"T": 64, "d_model": 64, "d_ff": 512, "token": 64, "slot": 512}, {"d_model": 2, "T": 1}]
)
@pytest.mark.parametrize("x", [-4, 0, 4])
def test_the_corners_of_the_bench_raise_nothing(sigma, asked, x):
    for own in ("false", "true"):
        at = open_page(sigma=sigma, gelu_x=x, gelu_own=own, gelu_h="-12", **asked)
        assert len(at.get("vega_lite_chart")) == 5


def test_with_nothing_to_compare_the_page_still_stands():
    at = open_page(gelu_curves="GELU")
    assert all(set(frames(at, number)["curves"].columns) == {"x"} for number in (APART, GAINS_APART))


def test_a_rerun_stays_light():
    at = open_page(gelu_curves="Identity")
    at.multiselect(key="gelu_curves").set_value(list(ACTIVATIONS)).run()
    assert sum(chart.proto.ByteSize() for chart in at.get("vega_lite_chart")) < 60_000
