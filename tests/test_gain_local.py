"""Local gain: token by token, the spread between tokens, and how far J predicts a real change."""

import math

import numpy as np
import pytest

from ffn_core import gain, lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import forward

SIGMAS = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda a: a.name)
EXAMPLE = lesson.worked_example()
X, WEIGHTS = EXAMPLE.H[lesson.TOKEN], EXAMPLE.weights
GELU, RELU = ACTIVATIONS["GELU"], ACTIVATIONS["ReLU"]


@SIGMAS
@pytest.mark.parametrize(("d_model", "d_ff"), [(2, 1), (4, 16), (9, 3), (64, 512)])
def test_all_tokens_at_once_agree_with_one_jacobian_at_a_time(sigma, d_model, d_ff):
    example = lesson.draw_example(3, 4, d_model, d_ff)
    local = gain.local_gains(example.H, example.weights, sigma)
    for x, gates, values in zip(example.H, local.gates, local.values, strict=True):
        assert gates == pytest.approx(sigma.gain(x @ example.weights.W1 + example.weights.b1))
        alone = gain.singular_values(gain.jacobian(x, example.weights, sigma))
        assert values == pytest.approx(alone, abs=1e-12 * max(alone[0], 1.0))


def test_singular_values_that_are_rounding_are_zero():
    example = lesson.draw_example(5, 6, 20, 3)
    local = gain.local_gains(example.H, example.weights, GELU)
    assert np.all(local.values[:, 3:] == 0.0)
    assert np.all(local.values[:, :3] > 0.0)


def test_relu_has_no_more_singular_values_than_open_gates():
    example = lesson.draw_example(2, 40, 8, 12)
    local = gain.local_gains(example.H, example.weights, RELU)
    counted, opened = np.sum(local.values > 0, axis=1), gain.open_gates(local.gates)
    assert np.all(counted <= opened)
    assert counted.tolist() == np.minimum(opened, 8).tolist()


def test_identity_has_the_same_gain_at_every_token():
    values = gain.local_gains(EXAMPLE.H, WEIGHTS, ACTIVATIONS["Identity"]).values
    assert values == pytest.approx(np.broadcast_to(values[0], values.shape), rel=1e-12)


def test_the_spread_between_the_lessons_tokens():
    values = gain.local_gains(EXAMPLE.H, WEIGHTS, GELU).values
    assert gain.spread(values[:, 0]) == pytest.approx(1.68, abs=0.005)
    assert gain.spread(values[:, -1]) == pytest.approx(24.2, abs=0.05)


def test_the_spread_of_one_token_is_one_and_zeros_are_told_apart():
    assert gain.spread(np.array([0.3])) == 1.0
    assert gain.spread(np.array([0.0, 2.0])) == math.inf
    assert math.isnan(gain.spread(np.zeros(3)))


def test_a_principal_direction_comes_out_with_its_singular_value_as_gain():
    J = gain.jacobian(X, WEIGHTS, GELU)
    for k, value in enumerate(gain.singular_values(J)):
        along = gain.direction("principal", k, J)
        assert np.linalg.norm(along) == pytest.approx(1.0)
        assert np.linalg.norm(along @ J) == pytest.approx(value)
        assert along[np.argmax(np.abs(along))] > 0.0
        assert gain.direction("principal", k, -J) == pytest.approx(along)


def test_channel_directions_are_the_axes_and_random_ones_differ():
    J = np.eye(5)
    assert np.array([gain.direction("channel", k, J) for k in range(5)]).tolist() == np.eye(5).tolist()
    drawn = [gain.direction("random", k, J) for k in range(5)]
    assert np.linalg.norm(drawn, axis=1) == pytest.approx(np.ones(5))
    assert np.linalg.matrix_rank(np.array(drawn)) == 5
    with pytest.raises(ValueError, match="'up'; one of principal, channel, random is wanted"):
        gain.direction("up", 0, J)


@SIGMAS
def test_a_tiny_change_comes_out_as_predicted(sigma):
    for kind in gain.DIRECTIONS:
        p = gain.probe(X, WEIGHTS, sigma, kind, 1)
        actual = gain.actual_change(X, p.along, 1e-6, WEIGHTS, sigma)
        assert actual == pytest.approx(1e-6 * p.slope, abs=1e-11)


@SIGMAS
def test_errors_of_a_probe_are_those_of_two_forward_passes(sigma):
    p = gain.probe(X, WEIGHTS, sigma, "channel", 2)
    for size, error in list(zip(gain.SIZES, p.errors, strict=True))[50::10]:
        moved = X.copy()
        moved[2] += size
        actual = forward(moved, WEIGHTS, sigma).out - forward(X, WEIGHTS, sigma).out
        predicted = size * gain.jacobian(X, WEIGHTS, sigma)[2]
        assert error == pytest.approx(np.linalg.norm(actual - predicted) / np.linalg.norm(predicted), abs=1e-12)


@pytest.mark.parametrize("name", ["GELU", "GELU-exact", "SiLU"])
@pytest.mark.parametrize("kind", gain.DIRECTIONS)
def test_the_error_of_a_smooth_block_grows_in_proportion_to_the_size(name, kind):
    errors = gain.probe(X, WEIGHTS, ACTIVATIONS[name], kind, 0).errors
    assert errors[40] / errors[20] == pytest.approx(10.0, rel=0.05)


def test_relu_predicts_exactly_until_a_gate_flips():
    p = gain.probe(X, WEIGHTS, RELU, "principal", 0)
    pre, step = X @ WEIGHTS.W1, p.along @ WEIGHTS.W1
    flips = -pre / step
    first_flip = np.min(flips[flips > 0])
    assert np.all(p.errors[first_flip > gain.SIZES] < 1e-10)
    assert np.all(p.errors[first_flip * 1.2 < gain.SIZES] > 1e-6)
    assert p.reach > first_flip


def test_identity_is_predicted_at_every_size():
    p = gain.probe(X, WEIGHTS, ACTIVATIONS["Identity"], "random", 0)
    assert np.all(p.errors < 1e-9)
    assert p.reach == math.inf


def test_at_its_reach_a_prediction_has_the_tolerated_error():
    for kind, number in (("principal", 0), ("principal", 3), ("channel", 0), ("random", 2)):
        p = gain.probe(X, WEIGHTS, GELU, kind, number)
        error = gain.prediction_error(X, p.along, p.reach, p.slope, WEIGHTS, GELU)
        assert error == pytest.approx(gain.TOLERATED, rel=1e-3)


def test_a_direction_that_every_open_gate_ignores_predicts_nothing():
    example = lesson.draw_example(11, 1, 4, 3)
    p = gain.probe(example.H[0], example.weights, RELU, "principal", 3)
    assert not p.slope.any()
    assert np.isnan(p.errors).all()
    assert math.isnan(p.reach)


def test_where_a_function_first_passes_a_level():
    grid = np.geomspace(1e-3, 10.0, 101)
    assert gain.first_above(lambda s: s, 0.123, grid) == pytest.approx(0.123, rel=1e-4)
    assert gain.first_above(lambda s: s, 1e-9, grid) == 1e-3
    assert gain.first_above(lambda s: s, 99.0, grid) == math.inf
    assert math.isnan(gain.first_above(lambda s: s * math.nan, 0.1, grid))


def test_gain_facts_are_the_lessons_for_gelu():
    facts = gain.gain_facts(GELU)
    assert facts.at_zero == 0.5
    assert facts.at_minus_3 == pytest.approx(-0.011584166630969516, rel=1e-12)
    assert facts.at_plus_3 == pytest.approx(1.0115841666309695, rel=1e-14)
    assert facts.peak == pytest.approx(1.1289926108579487, rel=1e-14)
    assert facts.peak_x == pytest.approx(1.42, abs=1e-9)
    assert facts.difference < 2e-9


def test_a_kink_shows_as_a_difference_of_one_half():
    assert gain.gain_facts(RELU).difference == pytest.approx(0.5)
    assert gain.gain_facts(ACTIVATIONS["Identity"]).difference < 1e-10
