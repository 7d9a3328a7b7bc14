"""Activations and gains: laws over the whole registry, laws of the shipped five, 40-digit values, and PyTorch.

A new activation is held to every law of the first kind by its line in the registry alone. An entry of its name in
tests/oracles.py has it checked against 40 digits and PyTorch as well.
"""

import csv
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import MP_ACTIVATIONS, SHIPPED, TORCH_ACTIVATIONS

from ffn_core.activations import ACTIVATIONS, BLOCK, normal_cdf, normal_pdf, sigmoid

DATA = Path(__file__).parent / "data"
COLUMNS = {"GELU-exact": "gelu_exact", "GELU": "gelu_tanh", "SiLU": "silu"}  # our name -> name in the csv files
EPS = float(np.finfo(np.float64).eps)

every_activation = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda sigma: sigma.name)
every_shipped_one = pytest.mark.parametrize("name", SHIPPED)
every_smooth_gate = pytest.mark.parametrize("name", ["GELU", "GELU-exact", "SiLU"])
moderate = st.floats(-40.0, 40.0, allow_subnormal=False)


def rows(file):
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def both_functions(sigma):
    return sigma.f, sigma.gain


# --- Laws of every activation


@every_activation
@given(x=moderate)
def test_gain_is_the_derivative_of_every_activation(sigma, x):
    h = 1e-3
    if any(abs(x - kink) < 4.5 * h for kink in sigma.kinks):
        return

    def slope(h):
        """Five-point difference: its error is of order h^4 where f is smooth."""
        return (8 * (sigma.f(x + h) - sigma.f(x - h)) - (sigma.f(x + 2 * h) - sigma.f(x - 2 * h))) / (12 * h)

    # Twice the step shows how large the error is (sixteen times as large), whatever the fifth derivative of a newcomer;
    # the rest is rounding of f over h.
    allowed = 2e-11 + abs(slope(2 * h) - slope(h)) + 4 * EPS * max(abs(x), abs(sigma.f(x))) / h
    assert sigma.gain(x) == pytest.approx(slope(h), abs=allowed)


@every_activation
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 5, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shape_and_precision_come_out_as_they_went_in(sigma, shape, dtype):
    x = np.linspace(-3, 3, max(1, int(np.prod(shape))), dtype=dtype)[: int(np.prod(shape))].reshape(shape)
    for function in both_functions(sigma):
        found = function(x)
        assert np.shape(found) == shape
        assert found.dtype == dtype


@every_activation
@pytest.mark.parametrize("x", [0.1, 3, True, [0.1, 0.2], np.int8(100), np.array([-100, 100], dtype=np.int8)])
def test_plain_and_whole_numbers_are_computed_in_double_precision(sigma, x):
    for function in both_functions(sigma):
        found = function(x)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, function(np.array(x, dtype=np.float64)))


@every_activation
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_out_every_activation_is_finite_and_warns_of_nothing(sigma, dtype):
    for function in both_functions(sigma):
        assert np.isfinite(function(np.array([-400.0, -50.0, 50.0, 400.0], dtype=dtype))).all()


@every_activation
def test_the_input_is_neither_changed_nor_handed_back(sigma):
    x = np.linspace(-2.0, 2.0, 9)
    kept = x.copy()
    for function in both_functions(sigma):
        found = function(x)
        found += 1.0
        np.testing.assert_array_equal(x, kept)


@every_activation
def test_the_registry_knows_every_activation_by_its_name_and_has_a_formula(sigma):
    assert ACTIVATIONS[sigma.name] is sigma
    assert "x" in sigma.formula
    assert sigma.name.isprintable()
    assert sigma.name == sigma.name.strip() != ""
    assert not set(sigma.name) & set(".[]\\'\",*`$<>"), "names stand in links, in text and as columns of charts"


@every_activation
def test_kinks_are_exactly_where_the_gain_jumps(sigma):
    x = np.linspace(-4.0, 4.0, 8001)
    gains = sigma.gain(x)
    jumps = x[1:][np.abs(np.diff(gains)) > 0.1]  # two beside a kink when the gain at it is a value between
    for kink in sigma.kinks:
        assert np.abs(jumps - kink).min(initial=np.inf) < 1.1e-3
    for jump in jumps:
        assert np.abs(np.array(sigma.kinks) - jump).min(initial=np.inf) < 1.1e-3


@every_activation
def test_gains_are_finite_at_the_kinks_too(sigma):
    x = np.concatenate([np.linspace(-4.0, 4.0, 8001), sigma.kinks])
    assert np.isfinite(sigma.gain(x)).all(), "mean and mean square of the gain are taken on several pages"


# --- Laws of the shipped five, and of those of the GELU kind among them


@every_smooth_gate
@given(x=st.floats(-400.0, 400.0))
def test_an_activation_of_the_gelu_kind_minus_its_mirror_is_the_identity(name, x):
    f = ACTIVATIONS[name].f
    assert f(x) - f(-x) == pytest.approx(x, rel=4 * EPS, abs=1e-300)


@every_smooth_gate
@given(x=st.floats(-400.0, 400.0))
def test_gains_at_x_and_minus_x_sum_to_one(name, x):
    gain = ACTIVATIONS[name].gain
    assert gain(x) + gain(-x) == pytest.approx(1.0, abs=8 * EPS * (1 + abs(x)))


@every_shipped_one
@given(x=st.floats(-400.0, 400.0))
def test_the_shipped_ones_lie_between_0_and_x_and_their_gains_between_minus_015_and_115(name, x):
    assert min(x, 0.0) - 1e-9 <= ACTIVATIONS[name].f(x) <= max(x, 0.0) + 1e-9
    assert -0.15 < ACTIVATIONS[name].gain(x) < 1.15


@every_shipped_one
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_out_the_shipped_ones_are_straight(name, dtype):
    f, gain = both_functions(ACTIVATIONS[name])
    left, right = np.array([[-400.0, -50.0], [50.0, 400.0]], dtype=dtype)
    np.testing.assert_allclose(f(right), right, rtol=1e-6)
    np.testing.assert_allclose(gain(right), 1.0, rtol=1e-6)
    if name != "Identity":
        np.testing.assert_allclose(f(left), 0.0, atol=1e-12)
        np.testing.assert_allclose(gain(left), 0.0, atol=1e-12)


def test_relus_gain_at_its_kink_is_zero_as_in_pytorch():
    assert ACTIVATIONS["ReLU"].gain(0.0) == 0.0
    assert ACTIVATIONS["ReLU"].gain(-0.0) == 0.0
    assert ACTIVATIONS["ReLU"].gain(5e-324) == 1.0


# --- Against 40 digits


@every_shipped_one
def test_each_of_the_shipped_five_is_in_the_registry_and_has_its_oracles(name):
    for table in (ACTIVATIONS, MP_ACTIVATIONS, TORCH_ACTIVATIONS):
        assert name in table


@pytest.mark.parametrize("name", MP_ACTIVATIONS)
@given(x=moderate)
def test_values_and_gains_agree_with_40_digits(name, x):
    sigma, exact = ACTIVATIONS[name], MP_ACTIVATIONS[name]
    assert sigma.f(x) == pytest.approx(float(exact(mpmath.mpf(x))), rel=8 * EPS, abs=4 * EPS * (1 + abs(x)))
    if not sigma.kinks and name != "Identity":
        wanted = float(mpmath.diff(exact, mpmath.mpf(x)))
        assert sigma.gain(x) == pytest.approx(wanted, rel=8 * EPS, abs=8 * EPS * (1 + x * x))


@pytest.mark.parametrize("name", ["GELU-exact", "SiLU"])
@given(x=st.floats(-37.0, -1.5))
def test_the_left_tail_keeps_its_relative_accuracy(name, x):
    exact = MP_ACTIVATIONS[name](mpmath.mpf(x))
    assert abs(float(ACTIVATIONS[name].f(x) / exact - 1)) < EPS * (8 + 2 * x * x)


@given(x=st.floats(-37.0, 37.0))
def test_the_normal_distribution_function_and_density_agree_with_40_digits(x):
    assert normal_cdf(x) == pytest.approx(float(mpmath.ncdf(x)), rel=EPS * (8 + 2 * x * x), abs=0)
    assert normal_pdf(x) == pytest.approx(float(mpmath.npdf(x)), rel=EPS * (8 + 2 * x * x), abs=0)


@given(x=st.floats(-700.0, 700.0))
def test_the_sigmoid_agrees_with_40_digits_in_both_tails(x):
    assert sigmoid(x) == pytest.approx(float(1 / (1 + mpmath.exp(-mpmath.mpf(x)))), rel=4 * EPS, abs=0)


@pytest.mark.parametrize("row", rows("activation_values.csv"), ids=lambda row: f"x={row['x']}")
@pytest.mark.parametrize(("name", "column"), COLUMNS.items(), ids=COLUMNS)
def test_tabulated_values_and_gains_are_reproduced(row, name, column):
    x = float(row["x"])
    assert ACTIVATIONS[name].f(x) == pytest.approx(float(row[column]), rel=8 * EPS, abs=4 * EPS)
    assert ACTIVATIONS[name].gain(x) == pytest.approx(float(row[f"{column}_gain"]), rel=8 * EPS, abs=8 * EPS)


@pytest.mark.parametrize(("name", "column"), COLUMNS.items(), ids=COLUMNS)
def test_tabulated_landmarks_are_reproduced(name, column):
    f, gain = both_functions(ACTIVATIONS[name])
    (row,) = (row for row in rows("activation_constants.csv") if row["function"] == column)
    mark = {key: float(value) for key, value in row.items() if key != "function"}
    h = 1e-4

    assert f(mark["min_x_(gain_changes_sign_here)"]) == pytest.approx(mark["min_value"], abs=4 * EPS)
    assert gain(mark["min_x_(gain_changes_sign_here)"]) == pytest.approx(0.0, abs=8 * EPS)
    for extreme in ("peak", "valley"):
        at = mark[f"{extreme}_gain_x"]
        assert gain(at) == pytest.approx(mark[f"{extreme}_gain"], abs=8 * EPS)
        assert (gain(at + h) - gain(at - h)) / (2 * h) == pytest.approx(0.0, abs=1e-7)
    assert gain(0.0) == mark["gain_at_0"] == 0.5
    assert (gain(h) - gain(-h)) / (2 * h) == pytest.approx(mark["second_derivative_at_0"], abs=1e-7)
    assert gain(mark["gain_equals_1_at"]) == pytest.approx(1.0, abs=8 * EPS)
    for border in ("deep_tail_|gain|<0.01_below", "narrow_band_|gain|<0.01_from", "narrow_band_to"):
        assert abs(gain(mark[border])) == pytest.approx(0.01, abs=8 * EPS)


# --- What the pages say


def test_the_tanh_form_is_within_half_a_thousandth_of_exact_gelu_and_its_gain_within_nine_ten_thousandths():
    x = np.linspace(-6.0, 6.0, 12_001)
    tanh, exact = ACTIVATIONS["GELU"], ACTIVATIONS["GELU-exact"]
    assert np.abs(tanh.f(x) - exact.f(x)).max() == pytest.approx(4.73e-4, abs=1e-6)
    assert np.abs(tanh.gain(x) - exact.gain(x)).max() == pytest.approx(8.68e-4, abs=1e-6)


def test_the_curvature_of_exact_gelu_vanishes_at_plus_and_minus_root_two():
    gain, h = ACTIVATIONS["GELU-exact"].gain, 1e-4
    for x in (-np.sqrt(2.0), np.sqrt(2.0)):
        assert (gain(x + h) - gain(x - h)) / (2 * h) == pytest.approx(0.0, abs=1e-7)


def test_the_minimum_of_silu_is_lamberts_w_of_one_over_e():
    w = float(mpmath.lambertw(1 / mpmath.e))
    assert ACTIVATIONS["SiLU"].f(-(1.0 + w)) == pytest.approx(-w, rel=4 * EPS)
    assert ACTIVATIONS["SiLU"].gain(-(1.0 + w)) == pytest.approx(0.0, abs=4 * EPS)


@pytest.mark.parametrize(("dtype", "silent_from"), [(np.float16, -3.59), (np.float32, -5.42), (np.float64, -7.19)])
def test_in_finite_precision_gelu_is_exactly_silent_far_to_the_left(dtype, silent_from):
    gelu = ACTIVATIONS["GELU"]
    beyond, before = np.array([silent_from - 0.05, silent_from + 0.05], dtype=dtype)
    assert gelu.f(beyond) == gelu.gain(beyond) == 0.0
    assert gelu.f(before) != 0.0


@every_activation
def test_an_array_longer_than_a_block_gives_the_digits_that_its_parts_give(sigma):
    x = np.linspace(-9.0, 9.0, 3 * BLOCK + 7).reshape(-1, 5)
    for f in both_functions(sigma):
        in_parts = [f(part) for part in np.array_split(x, 9)]  # each shorter than a block
        np.testing.assert_array_equal(f(x), np.concatenate(in_parts))


@every_shipped_one
def test_what_numpy_is_to_do_about_overflow_holds_in_every_block(name):
    x = np.full(2 * BLOCK, 1e200)
    with np.errstate(all="ignore"):
        assert np.isfinite(ACTIVATIONS[name].f(x)).all()
    if name == "GELU":
        with np.errstate(over="raise"), pytest.raises(FloatingPointError):
            ACTIVATIONS[name].f(x)


# --- Against PyTorch


@pytest.mark.parametrize("name", TORCH_ACTIVATIONS)
def test_values_and_gains_agree_with_pytorch(name, torch):
    sigma = ACTIVATIONS[name]
    x = torch.linspace(-8, 8, 1601, dtype=torch.float64, requires_grad=True)
    values = TORCH_ACTIVATIONS[name](torch, x)
    (gains,) = torch.autograd.grad(values.sum(), x)
    ours_at = x.detach().numpy()
    np.testing.assert_allclose(sigma.f(ours_at), values.detach().numpy(), rtol=1e-13, atol=2e-14)
    np.testing.assert_allclose(sigma.gain(ours_at), gains.numpy(), rtol=1e-13, atol=2e-14)
