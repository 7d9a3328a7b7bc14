"""The live training runs: their gradient, their optimiser, and what a student is to see in them."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from ffn_core import fitting
from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import Weights, collapse, forward
from ffn_core.fitting import REACH, TARGETS, adam, best_line_loss, fit_curve, loss_and_gradient, start_params
from ffn_core.rng import LessonStream

every_activation = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda sigma: sigma.name)
every_target = pytest.mark.parametrize("target", TARGETS)
CURVED = [name for name in TARGETS if name != "straight line"]
IDENTITY = ACTIVATIONS["Identity"]


def drawn(seed, d_ff, n=9):
    stream = LessonStream(seed)
    params = (stream.randn(1, d_ff), stream.randn(d_ff), stream.randn(d_ff, 1), stream.randn(1))
    return params, stream.randn(n, 1), stream.randn(n, 1)


# --- Gradient and optimiser


@every_activation
@given(seed=st.integers(0, 2**32), d_ff=st.integers(1, 6))
def test_the_gradient_is_the_derivative_of_the_loss_by_every_parameter(sigma, seed, d_ff):
    params, x, y = drawn(seed, d_ff)
    h = 1e-5
    pre = x @ params[0] + params[1]
    if any(np.abs(pre - kink).min() < 10 * h * (1 + np.abs(x).max()) for kink in sigma.kinks):
        return
    loss, gradient = loss_and_gradient(params, x, y, sigma)
    assert loss == pytest.approx(np.mean((forward(x, Weights(*params), sigma).out - y) ** 2), rel=1e-12)
    for k, part in enumerate(gradient):
        assert part.shape == params[k].shape
        for at in np.ndindex(part.shape):
            losses = []
            for sign in (1.0, -1.0):
                moved = [p.copy() for p in params]
                moved[k][at] += sign * h
                losses.append(loss_and_gradient(moved, x, y, sigma)[0])
            assert part[at] == pytest.approx((losses[0] - losses[1]) / (2 * h), rel=1e-4, abs=1e-6)


def test_training_takes_the_steps_of_pytorchs_adam_with_the_same_rate(torch):
    (params, x, y), steps = drawn(3, 8, n=31), 60
    theirs = [torch.tensor(p, requires_grad=True) for p in params]
    optimiser = torch.optim.Adam(theirs, betas=(fitting.BETA1, fitting.BETA2), eps=fitting.EPSILON)
    tx, ty = torch.tensor(x), torch.tensor(y)
    for step, loss, ours in adam(params, x, y, ACTIVATIONS["GELU"], steps):
        W1, b1, W2, b2 = theirs
        their_loss = ((torch.nn.functional.gelu(tx @ W1 + b1, approximate="tanh") @ W2 + b2 - ty) ** 2).mean()
        assert loss == pytest.approx(their_loss.item(), rel=1e-8)
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine, other.detach().numpy(), rtol=1e-7, atol=1e-9)
        optimiser.zero_grad()
        their_loss.backward()
        for group in optimiser.param_groups:
            group["lr"] = fitting.LEARNING_RATE / math.sqrt(8) * (1 + math.cos(math.pi * step / steps)) / 2
        optimiser.step()


def test_training_yields_the_start_first_and_changes_no_array_it_was_given():
    params, x, y = drawn(1, 4)
    kept = [p.copy() for p in params]
    yielded = list(adam(params, x, y, ACTIVATIONS["ReLU"], 5))
    assert [step for step, _, _ in yielded] == [0, 1, 2, 3, 4, 5]
    for given_, first, before in zip(params, yielded[0][2], kept, strict=True):
        np.testing.assert_array_equal(first, before)
        np.testing.assert_array_equal(given_, before)


@pytest.mark.parametrize("d_ff", [1, 2, 7, 64])
def test_training_starts_with_an_output_of_zero_and_kinks_all_along_the_range(d_ff):
    W1, b1, W2, b2 = start_params(11, d_ff)
    assert (W1.shape, b1.shape, W2.shape, b2.shape) == ((1, d_ff), (d_ff,), (d_ff, 1), (1,))
    assert not W2.any()
    assert not b2.any()
    kinks = -b1 / W1[0]
    spacing = 2 * REACH / d_ff
    np.testing.assert_allclose(kinks, -REACH + spacing * np.arange(d_ff), atol=0.4 * spacing)
    np.testing.assert_array_equal(np.sign(W1[0]), [1 - 2 * (m % 2) for m in range(d_ff)])


# --- A run


def test_a_run_records_its_losses_tells_its_progress_and_ends_where_its_weights_are():
    shares = []
    fit = fit_curve("sine", ACTIVATIONS["GELU"], 8, 1, steps=50, record_every=20, progress=shares.append)
    assert fit.steps.tolist() == [0, 20, 40, 50]
    assert shares == [0.0, 0.4, 0.8, 1.0]
    assert fit.losses.shape == (4,)
    np.testing.assert_array_equal(fit.target, np.sin(2 * fit.x))
    np.testing.assert_array_equal(fit.fitted, forward(fit.x[:, None], fit.weights, ACTIVATIONS["GELU"]).out[:, 0])
    assert fit.loss == fit.losses[-1] == pytest.approx(np.mean((fit.fitted - fit.target) ** 2), rel=1e-12)
    assert (fit.x[0], fit.x[-1]) == (-REACH, REACH)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    one, same, other = (fit_curve("bump", ACTIVATIONS["ReLU"], 4, seed, steps=30) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.losses, same.losses)
    assert one.loss != other.loss


@every_target
def test_the_best_line_is_that_of_linear_regression(target):
    x = fit_curve(target, IDENTITY, 1, 1, steps=1).x
    y = TARGETS[target](x)
    line = scipy.stats.linregress(x, y)
    assert best_line_loss(target) == pytest.approx(np.mean((line.slope * x + line.intercept - y) ** 2), abs=1e-15)


# --- What a student is to see


@every_target
@pytest.mark.parametrize(("d_ff", "seed"), [(1, 7), (64, 1)])
def test_without_an_activation_every_width_comes_to_the_best_line_and_not_below(target, d_ff, seed):
    fit, best = fit_curve(target, IDENTITY, d_ff, seed), best_line_loss(target)
    assert fit.loss == pytest.approx(best, rel=1e-6, abs=1e-9)
    assert fit.losses.min() >= best * (1 - 1e-12) - 1e-15
    W, b = collapse(fit.weights)
    np.testing.assert_allclose(fit.fitted, fit.x * W[0, 0] + b[0], atol=1e-9)


@pytest.mark.parametrize("name", ["ReLU", "GELU"])
@pytest.mark.parametrize("target", CURVED)
@pytest.mark.parametrize("seed", [1, 7, 11])
def test_the_loss_falls_with_width_and_never_visibly_rises(name, target, seed):
    losses = [fit_curve(target, ACTIVATIONS[name], d_ff, seed).loss for d_ff in (1, 4, 16, 64)]
    assert losses[-1] < 0.11 * losses[0]
    assert losses[-1] < 0.11 * best_line_loss(target)
    rises = np.diff(losses)
    assert rises.max() < 0.04 * losses[0], "a rise that a chart from 0 would show"


@pytest.mark.parametrize("name", ["ReLU", "GELU", "GELU-exact", "SiLU"])
@pytest.mark.parametrize("d_ff", [1, 4, 64])
def test_a_straight_line_needs_no_width(name, d_ff):
    steps = 300 if name == "GELU-exact" else fitting.STEPS  # its erfc takes ten times as long
    assert fit_curve("straight line", ACTIVATIONS[name], d_ff, 7, steps=steps).loss < 1e-3


def test_two_relu_units_make_the_absolute_value():
    assert fit_curve("absolute value", ACTIVATIONS["ReLU"], 1, 11).loss > 0.5
    assert fit_curve("absolute value", ACTIVATIONS["ReLU"], 2, 11).loss < 1e-6


# --- What is refused, and in what words


@pytest.mark.parametrize(
    ("target", "d_ff", "steps", "message"),
    [
        ("cosine", 4, 10, f"target is 'cosine'; one of {', '.join(TARGETS)} is wanted"),
        ("sine", 0, 10, "d_ff is 0 and steps is 10; at least 1 of each is wanted"),
        ("sine", 4, 0, "d_ff is 4 and steps is 0; at least 1 of each is wanted"),
    ],
)
def test_a_run_that_cannot_be_is_refused_with_what_came_and_what_was_wanted(target, d_ff, steps, message):
    with pytest.raises(ValueError) as caught:
        fit_curve(target, IDENTITY, d_ff, 1, steps=steps)
    assert str(caught.value) == message
