"""Theory beside the counts: against integrals by scipy, and against very many tokens."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.distributions import (
    MOST_VALUES,
    expected_counts,
    gaussian_counts,
    lowest_value,
    reshape_by,
    tokens_within,
    unit_sds,
    with_scale_and_bias,
    without_zeros,
)
from ffn_core.ffn import forward

WEIGHTS = lesson.worked_example().weights
SDS = unit_sds(WEIGHTS.W1)
SIGMAS = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda a: a.name)


def below(x, bias=0.0):
    """The mixture's distribution function, by scipy."""
    return float(np.mean(stats.norm.cdf((x - bias) / SDS)))


def integral(f, bias, sd, *ends):
    """The expectation of f over part of one Gaussian, by quadrature."""
    return integrate.quad(lambda x: float(f(x)) * stats.norm.pdf(x, bias, sd), *ends, epsabs=1e-11, limit=200)[0]


def mean_of(f, bias):
    """The mixture's expectation of f, taken on both sides of 0."""
    low, high = bias - 10.0 * SDS - 1.0, bias + 10.0 * SDS + 1.0
    halves = [
        integral(f, bias, sd, a, 0.0) + integral(f, bias, sd, 0.0, z) for sd, a, z in zip(SDS, low, high, strict=True)
    ]
    return float(np.mean(halves))


@SIGMAS
@pytest.mark.parametrize("bias", [0.0, -1.3, 2.0])
def test_expected_means_and_gains_are_the_integrals(sigma, bias):
    theory = reshape_by(sigma, WEIGHTS.W1, 1, 4, bias).theory
    assert theory.post_mean == pytest.approx(mean_of(sigma.f, bias), abs=1e-5)
    assert theory.mean_gain == pytest.approx(mean_of(sigma.gain, bias), abs=1e-5)
    assert theory.rms_gain == pytest.approx(math.sqrt(mean_of(lambda x: sigma.gain(x) ** 2, bias)), abs=1e-5)


@pytest.mark.parametrize("name", ["ReLU", "GELU", "SiLU", "GELU-exact"])
def test_with_bias_0_the_mean_gain_is_exactly_one_half(name):
    assert reshape_by(ACTIVATIONS[name], WEIGHTS.W1, 1, 4).theory.mean_gain == pytest.approx(0.5, abs=1e-9)


def test_the_mean_of_gelu_of_a_standard_normal_number_is_one_over_two_root_pi():
    theory = reshape_by(ACTIVATIONS["GELU-exact"], np.array([[1.0], [0.0]]), 1, 4).theory
    assert theory.post_mean == pytest.approx(1.0 / (2.0 * math.sqrt(math.pi)), abs=1e-6)


def test_expected_shares_of_pre_are_the_mixtures():
    for bias in (0.0, -0.7, 0.03):
        theory = reshape_by(lesson.SIGMA, WEIGHTS.W1, 1, 4, bias).theory
        assert theory.pre_negative == pytest.approx(below(0.0, bias), abs=1e-6)
        assert theory.pre_near_zero == pytest.approx(below(0.05, bias) - below(-0.05, bias), abs=1e-6)


def test_the_expected_share_near_zero_after_gelu_is_that_between_its_crossings():
    f = lesson.SIGMA.f
    outer, inner = (optimize.brentq(lambda x: f(x) + 0.05, *ends) for ends in ((-6.0, -1.0), (-0.5, 0.0)))
    upper = optimize.brentq(lambda x: f(x) - 0.05, 0.0, 1.0)
    theory = reshape_by(lesson.SIGMA, WEIGHTS.W1, 1, 4).theory
    assert theory.post_near_zero == pytest.approx(below(upper) - below(inner) + below(outer), abs=2e-6)


def test_relu_puts_the_negative_half_at_exactly_zero():
    for bias in (0.0, -1.0, 1.0):
        found = reshape_by(ACTIVATIONS["ReLU"], WEIGHTS.W1, 1, 256, bias)
        assert found.theory.post_zero == pytest.approx(below(0.0, bias), abs=1e-6)
        assert found.post_zero == found.pre_negative


def test_expected_counts_are_the_mixtures_mass_in_narrow_bins_too():
    edges = np.linspace(-0.3, 0.3, 61)
    expected = expected_counts(edges, 1_000_000, SDS, 0.0, ACTIVATIONS["Identity"].f)
    exact = 1_000_000 * np.diff([below(e) for e in edges])
    np.testing.assert_allclose(expected, exact, rtol=2e-3)


@SIGMAS
def test_very_many_tokens_come_near_theory_in_every_bin(sigma):
    found = reshape_by(sigma, WEIGHTS.W1, 3, 20_000, -0.4)
    for counts in (found.pre, found.post, found.near):
        # The 16 values of a token hang together, so counts scatter up to four times wider than independent ones.
        scatter = 4.0 * np.sqrt(np.maximum(counts.expected, 1.0))
        assert np.all(np.abs(counts.counted - counts.expected) < 5.0 * scatter)
    assert found.post_mean == pytest.approx(found.theory.post_mean, abs=0.02)
    assert found.rms_gain == pytest.approx(found.theory.rms_gain, abs=0.01)


def test_the_values_exactly_zero_are_taken_out_of_the_bin_that_holds_them():
    found = reshape_by(ACTIVATIONS["ReLU"], WEIGHTS.W1, 1, 256)
    zeros = round(found.post_zero * found.n_values)
    for counts in (found.post, found.near):
        rest = without_zeros(counts, found)
        assert rest.counted.sum() == counts.counted.sum() - zeros
        assert rest.counted.min() >= 0
        assert np.count_nonzero(rest.counted != counts.counted) == 1
        expected = found.theory.post_zero * found.n_values
        assert rest.expected.sum() == pytest.approx(counts.expected.sum() - expected)


def test_without_zeros_nothing_is_taken_out():
    found = reshape_by(lesson.SIGMA, WEIGHTS.W1, 1, 256)
    np.testing.assert_array_equal(without_zeros(found.post, found).counted, found.post.counted)
    far = reshape_by(ACTIVATIONS["Identity"], WEIGHTS.W1, 1, 16, 100.0)
    assert without_zeros(far.post, far) is far.post


def test_when_all_values_are_exactly_zero_no_bar_is_left():
    found = reshape_by(ACTIVATIONS["ReLU"], WEIGHTS.W1, 1, 64, -50.0)
    assert found.post_zero == 1.0
    assert without_zeros(found.post, found).counted.sum() == 0


@pytest.mark.parametrize(
    ("name", "lowest"), [("ReLU", 0.0), ("GELU", -0.17004075057125405), ("SiLU", -0.27846454276107380)]
)
def test_the_lowest_value_of_an_activation_is_found(name, lowest):
    assert lowest_value(ACTIVATIONS[name].f) == pytest.approx(lowest, abs=1e-6)
    assert lowest_value(ACTIVATIONS["Identity"].f) == -math.inf


def test_one_gaussian_is_what_many_channels_come_to():
    edges = np.linspace(-6.0, 6.0, 41)
    one = gaussian_counts(edges, 1000, 2.0, 0.0)
    assert one.sum() == pytest.approx(1000, abs=0.1)
    wide = lesson.draw_example(5, 5, 64, 512).weights
    narrow = lesson.draw_example(5, 5, 2, 512).weights
    gap = [
        np.abs(expected_counts(edges, 1000, unit_sds(w.W1), 0.0, ACTIVATIONS["Identity"].f) - one).sum()
        for w in (narrow, wide)
    ]
    assert gap[1] < 0.1 * gap[0]


def test_scale_2_and_bias_0_are_the_lessons_weights_to_the_last_digit():
    same = with_scale_and_bias(WEIGHTS, 2.0, 0.0)
    np.testing.assert_array_equal(same.W1, WEIGHTS.W1)
    H = lesson.worked_example().H
    np.testing.assert_array_equal(forward(H, same, lesson.SIGMA).out, lesson.worked_trace().out)


def test_scale_and_bias_change_the_variance_and_the_mean():
    other = with_scale_and_bias(WEIGHTS, 0.5, -1.0)
    np.testing.assert_allclose(unit_sds(other.W1), SDS / 2.0)
    np.testing.assert_array_equal(other.b1, np.full(16, -1.0))


@pytest.mark.parametrize(("n_tokens", "d_ff", "wanted"), [(256, 16, 256), (65_536, 16, 65_536), (65_536, 512, 2_048)])
def test_no_more_than_a_million_values_are_counted(n_tokens, d_ff, wanted):
    assert tokens_within(n_tokens, d_ff) == wanted
    assert tokens_within(n_tokens, d_ff) * d_ff <= MOST_VALUES


def test_counting_in_parts_gives_the_same_as_at_once_and_tells_its_progress():
    shares = []
    found = reshape_by(lesson.SIGMA, WEIGHTS.W1, 1, 9_000, progress=shares.append)
    tokens = lesson.draw_example(1, 9_000, 4, 1).H
    assert found.pre_negative == np.mean(tokens @ WEIGHTS.W1 < 0.0)
    assert len(shares) == 3
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_what_is_handed_out_cannot_be_changed():
    found = reshape_by(lesson.SIGMA, WEIGHTS.W1, 1, 16)
    for counts in (found.pre, found.post, found.near):
        for array in (counts.edges, counts.counted, counts.expected):
            assert not array.flags.writeable
