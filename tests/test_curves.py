"""Landmarks, distances and difference errors against closed forms and 40-digit values."""

import math

import numpy as np
import pytest

from ffn_core import curves, lesson
from ffn_core.activations import ACTIVATIONS, Activation
from ffn_core.reference import REFERENCE

GELU, EXACT, RELU, SILU = (ACTIVATIONS[name] for name in ("GELU", "GELU-exact", "ReLU", "SiLU"))
EVERY = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda a: a.name)


def printed(section):
    return {p.quantity: p.printed for p in REFERENCE if p.section == section}


# x of peak and valley, their gains, the zero: mpmath at 40 digits.
@pytest.mark.parametrize(
    ("sigma", "peak_x", "peak", "valley_x", "valley", "zero_x"),
    [
        (GELU, 1.4185040087908284, 1.1289930686587718, -1.4185040087908284, -0.12899306865877177, -0.75246142207101626),
        (EXACT, math.sqrt(2), 1.1289041451851548, -math.sqrt(2), -0.12890414518515479, -0.75179152469356446),
        (SILU, 2.3993572805154677, 1.0998393201288669, -2.3993572805154677, -0.09983932012886692, -1.2784645427610738),
    ],
)
def test_landmarks_agree_with_40_digit_values(sigma, peak_x, peak, valley_x, valley, zero_x):
    at = curves.landmarks(sigma)
    assert (at.peak, at.valley) == pytest.approx((peak, valley), abs=1e-14)
    # A flat top of height eps is 1e-8 wide, and the rightmost of its points is taken.
    assert (at.peak_x, at.valley_x, at.zero_x) == pytest.approx((peak_x, valley_x, zero_x), abs=2e-7)


def test_a_gain_that_is_nowhere_negative_has_no_zero_to_show():
    assert curves.landmarks(RELU).zero_x is None
    assert curves.landmarks(ACTIVATIONS["Identity"]).zero_x is None


def test_the_tanh_form_is_within_a_thousandth_of_the_exact_one():
    d = curves.distance(GELU, EXACT)
    assert (round(d.value, 6), round(d.value_x, 2)) == (4.73e-4, 2.70)
    assert (round(d.gain, 6), round(d.gain_x, 2)) == (8.68e-4, 2.02)


def test_relu_is_farthest_from_gelu_at_its_minimum_and_its_gain_at_the_kink():
    d = curves.distance(GELU, RELU)
    assert d.value == pytest.approx(0.17004075057125405, abs=1e-12)
    assert d.value_x == pytest.approx(0.75246142, abs=1e-6)  # f(x) - x = f(-x): as far on the right
    assert (d.gain, d.gain_x) == pytest.approx((0.5, 0.0), abs=1e-8)


@EVERY
def test_distance_is_the_same_both_ways_and_zero_to_itself(sigma):
    assert curves.distance(sigma, sigma).value == curves.distance(sigma, sigma).gain == 0.0
    for other in ACTIVATIONS.values():
        assert curves.distance(sigma, other) == curves.distance(other, sigma)


@pytest.mark.parametrize(("dtype", "at"), [("float16", -3.59), ("float32", -5.42), ("float64", -7.19)])
def test_the_tanh_form_is_exactly_zero_far_out(dtype, at):
    found = curves.dead_below(GELU, dtype)
    assert found == pytest.approx(at, abs=6e-3)
    below = np.array([found, found - 0.5, found - 3.0], dtype)
    above = np.array([found + 0.05], dtype)
    assert not GELU.f(below).any()
    assert not GELU.gain(below).any()
    assert GELU.f(above).any() or GELU.gain(above).any()


def test_relu_is_dead_from_zero_on_and_the_identity_nowhere():
    assert curves.dead_below(RELU, "float32") == 0.0
    assert curves.dead_below(ACTIVATIONS["Identity"], "float32") is None


def test_readings_and_differences_are_the_lessons_printed_numbers():
    signals, section = printed("signals"), printed("relu-vs-gelu")
    found = curves.readings(GELU)
    wanted = {
        "gain at −3": signals["gain at x = -3"],
        "gain at 0": signals["gain at x = 0"],
        "gain at 3": signals["gain at x = +3"],
        f"peak gain, at x = {signals['x of peak gain']}": signals["peak gain on linspace(-4, 4, 801)"],
    }
    assert found == pytest.approx({label: float(v) for label, v in wanted.items()}, abs=2e-15)
    found = list(curves.differences(GELU, lesson.STEP).values())
    assert found == pytest.approx([float(v) for v in section.values()], abs=2e-12)


def test_zero_on_the_lessons_grid_is_not_zero():
    zero = curves.nearest(lesson.derivative_grid(), 0.0)
    assert 0.0 < abs(zero) < 1e-14


@pytest.mark.parametrize("x", [-2.0, -0.5, 0.3, 1.0, 2.5])
def test_a_long_step_errs_by_the_bend_of_the_curve_and_falls_with_its_square(x):
    h = np.array([1e-2, 1e-3])
    measured, theory = curves.difference_error(GELU, x, h), curves.truncation_error(GELU, x, h)
    assert measured == pytest.approx(theory, rel=2e-3)
    assert measured[0] / measured[1] == pytest.approx(100.0, rel=2e-3)


@pytest.mark.parametrize("x", [-2.0, -0.5, 0.3, 1.0, 2.5])
def test_a_short_step_errs_by_no_more_than_a_few_roundings(x):
    h = 10.0 ** np.linspace(-12, -7, 51)
    allowed = curves.rounding_error(GELU, x, h) + curves.EPS * (1.0 + abs(x)) / h  # x + h is rounded as well
    assert np.all(curves.difference_error(GELU, x, h) < 4.0 * allowed + curves.truncation_error(GELU, x, h))


@pytest.mark.parametrize("x", [-2.0, -0.5, 0.3, 1.0])
def test_at_the_best_step_the_two_errors_together_are_least(x):
    best = curves.best_step(GELU, x)
    total = [
        curves.truncation_error(GELU, x, h) + curves.rounding_error(GELU, x, h) for h in np.array([0.9, 1, 1.1]) * best
    ]
    assert total[1] < total[0]
    assert total[1] < total[2]
    assert 1e-6 < best < 1e-4


def test_a_straight_line_has_no_best_step():
    assert curves.best_step(RELU, -0.5) is None
    assert curves.best_step(ACTIVATIONS["Identity"], 1.0) is None
    assert curves.best_step(RELU, 0.0) is None  # a kink
    assert curves.best_step(GELU, 0.0) is None  # f and f''' are both zero here


def test_third_derivative_of_a_known_function():
    sine = Activation("sine", np.sin, np.cos, r"\sin x")
    assert curves.third_derivative(sine, 0.4) == pytest.approx(-math.cos(0.4), abs=1e-6)


def test_highest_takes_the_rightmost_of_equals():
    assert curves.highest(lambda x: -np.abs(np.abs(x) - 1.5))[0] == pytest.approx(1.5, abs=1e-6)
