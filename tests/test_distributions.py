"""Values counted before and after the activation: against numpy's histogram of the same tokens, and the known facts.

What theory expects is tested in test_distributions_theory.
"""

import math

import numpy as np
import pytest
import scipy.integrate
import scipy.stats

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.distributions import reshape_by, unit_sds
from ffn_core.rng import LessonStream

every_activation = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda sigma: sigma.name)
W1 = lesson.worked_example().weights.W1


def one_unit(variance):
    """The key of a single unit whose pre-activation is N(0, variance) for tokens from N(0, I)."""
    return np.array([[math.sqrt(variance)]])


@every_activation
@pytest.mark.parametrize(("bias", "bins", "n_tokens"), [(0.0, 40, 256), (-1.5, 7, 100), (2.0, 160, 3)])
def test_every_value_is_counted_once_in_the_bins_numpy_makes(sigma, bias, bins, n_tokens):
    found = reshape_by(sigma, W1, 5, n_tokens, bias, bins)
    pre = LessonStream(5).randn(n_tokens, 4) @ W1 + bias
    post = sigma.f(pre)
    for counts, values in ((found.pre, pre), (found.post, post)):
        counted, edges = np.histogram(values, bins=bins)
        assert counts.counted.sum() == values.size == found.n_values
        np.testing.assert_allclose(counts.edges, edges, rtol=1e-12, atol=1e-13)
        assert np.abs(counts.counted - counted).max() <= 1  # a value on an edge may fall to either side
    gains = sigma.gain(pre)
    assert found.pre_negative == pytest.approx((pre < 0).mean(), abs=1e-15)
    assert found.pre_near_zero == pytest.approx((np.abs(pre) < 0.05).mean(), abs=1e-15)
    assert found.post_near_zero == pytest.approx((np.abs(post) < 0.05).mean(), abs=1e-15)
    assert found.post_zero == pytest.approx((post == 0).mean(), abs=1e-15)
    assert found.post_min == pytest.approx(post.min(), abs=1e-13)
    assert found.mean_gain == pytest.approx(gains.mean(), rel=1e-12)
    assert found.rms_gain == pytest.approx(math.sqrt((gains**2).mean()), rel=1e-12)


@every_activation
def test_what_theory_expects_sums_to_nearly_all_values(sigma):
    found = reshape_by(sigma, W1, 1, 256)
    for counts in (found.pre, found.post):
        assert (counts.expected >= 0).all()
        assert found.n_values * 0.99 < counts.expected.sum() <= found.n_values * (1 + 1e-9)


@every_activation
def test_of_many_independent_values_the_counts_pass_a_chi_square_test(sigma):
    # One unit: its values are independent, so the classical test applies. Bins with few expected values are pooled.
    found = reshape_by(sigma, one_unit(2.0), 8, 200_000)
    for counts in (found.pre, found.post):
        full = counts.expected >= 10
        expected = np.append(counts.expected[full], found.n_values - counts.expected[full].sum())
        counted = np.append(counts.counted[full], found.n_values - counts.counted[full].sum())
        assert scipy.stats.chisquare(counted[expected > 5], expected[expected > 5], sum_check=False).pvalue > 1e-4


def test_relu_leaves_one_half_of_the_values_in_a_spike_at_exactly_zero():
    found = reshape_by(ACTIVATIONS["ReLU"], W1, 1, 4096)
    assert found.post.edges[0] == 0.0
    assert found.post_zero == found.pre_negative == pytest.approx(0.5, abs=0.01)
    assert found.post.counted[0] >= found.post_zero * found.n_values
    assert found.post.expected[0] >= 0.5 * found.n_values
    assert found.post.counted[0] > 5 * found.post.counted[1:].max()


def test_gelu_lets_nothing_below_its_minimum_and_gathers_values_near_zero():
    found = reshape_by(lesson.SIGMA, W1, 1, 4096)
    assert -0.17004075057125405 - 1e-15 <= found.post_min < -0.17
    assert found.post_zero == 0.0
    assert found.post_near_zero > 3 * found.pre_near_zero


def test_the_identity_changes_no_count():
    found = reshape_by(ACTIVATIONS["Identity"], W1, 1, 256)
    np.testing.assert_array_equal(found.pre.counted, found.post.counted)
    np.testing.assert_allclose(found.pre.expected, found.post.expected)
    assert found.mean_gain == found.rms_gain == 1.0


def test_the_sd_of_a_unit_is_the_length_of_its_key_and_that_of_its_values():
    np.testing.assert_allclose(unit_sds(W1), [math.hypot(*key) for key in W1.T], rtol=1e-14)
    values = LessonStream(3).randn(100_000, 4) @ W1
    np.testing.assert_allclose(values.std(axis=0), unit_sds(W1), rtol=0.02)


def test_the_number_of_values_that_are_made_at_a_time_changes_nothing():
    whole = reshape_by(lesson.SIGMA, W1, 1, 20_000)  # five parts
    pre = LessonStream(1).randn(20_000, 4) @ W1
    assert whole.pre_negative == pytest.approx((pre < 0).mean(), abs=1e-15)
    assert whole.mean_gain == pytest.approx(lesson.SIGMA.gain(pre).mean(), rel=1e-12)


# --- Known facts about Gaussian pre-activations


def expectation(g, variance):
    """E[g(Z)] for Z ~ N(0, variance), by quadrature on both sides of a kink at 0."""
    sd = math.sqrt(variance)
    density = scipy.stats.norm(scale=sd).pdf
    return sum(scipy.integrate.quad(lambda z: float(g(z)) * density(z), *ends)[0] for ends in ((-15, 0), (0, 15)))


def test_the_mean_of_exact_gelu_of_a_standard_normal_number_is_1_over_2_root_pi():
    gelu = ACTIVATIONS["GELU-exact"]
    assert expectation(gelu.f, 1.0) == pytest.approx(1 / (2 * math.sqrt(math.pi)), abs=1e-9)
    values = gelu.f(LessonStream(4).randn(100_000))
    assert values.mean() == pytest.approx(1 / (2 * math.sqrt(math.pi)), abs=0.01)


@pytest.mark.parametrize("name", ["ReLU", "GELU", "GELU-exact", "SiLU"])
def test_the_mean_gain_of_a_zero_mean_gaussian_is_one_half(name):
    sigma = ACTIVATIONS[name]
    for variance in (0.25, 1.0, 2.0):
        assert expectation(sigma.gain, variance) == pytest.approx(0.5, abs=1e-8)
    assert reshape_by(sigma, one_unit(1.0), 6, 100_000).mean_gain == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(("name", "rms"), [("GELU", 0.6997), ("GELU-exact", 0.6997), ("ReLU", 0.7071)])
def test_the_rms_gain_at_he_weights_and_unit_inputs_is_about_seven_tenths(name, rms):
    sigma = ACTIVATIONS[name]
    assert math.sqrt(expectation(lambda z: sigma.gain(z) ** 2, 2.0)) == pytest.approx(rms, abs=2e-4)
    assert reshape_by(sigma, one_unit(2.0), 6, 100_000).rms_gain == pytest.approx(rms, abs=0.005)


@pytest.mark.parametrize(("n_tokens", "bins"), [(0, 40), (256, 0), (-1, -1)])
def test_no_tokens_or_no_bins_are_refused_with_what_came_and_what_was_wanted(n_tokens, bins):
    with pytest.raises(ValueError) as caught:
        reshape_by(lesson.SIGMA, W1, 1, n_tokens, bins=bins)
    assert str(caught.value) == f"n_tokens is {n_tokens} and bins is {bins}; at least 1 of each is wanted"
