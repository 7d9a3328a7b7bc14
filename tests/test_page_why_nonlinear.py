"""The page Why nonlinear through the app: the collapse, the stack, the live fit and its sweep, the corners."""

from functools import partial

import pytest
from opened import frames, metrics, open_section

from ffn_core.activations import ACTIVATIONS
from ffn_core.fitting import TARGETS, WIDTHS, best_line_loss

open_page = partial(open_section, "02_why_nonlinear.py")


def said(at):
    return " ".join(m.value for m in at.markdown)


def test_the_lessons_block_collapses_up_to_rounding():
    found = metrics(open_page())
    assert float(found["largest difference"]) < 1e-14
    assert (found["two layers hold"], found["one layer holds"]) == ("148 numbers", "20 numbers")


def test_with_biases_the_first_one_counts():
    found = metrics(open_page(lin_biases="true"))
    assert float(found["largest difference"]) < 1e-13
    assert float(found["and with b₁W₂ forgotten"]) > 0.1


def test_a_stack_of_24_is_one_matrix_that_has_lost_a_direction():
    at = open_page(lin_blocks=24)
    found = metrics(at)
    assert float(found["largest relative difference"]) < 1e-13
    assert found["rank in float64"] == "3 of 4"
    assert "24 blocks are one matrix" in said(at)


def test_sigma_decides_what_is_left_over():
    assert "GELU the best single matrix and bias miss 26.4% of what one block does" in said(open_page())
    assert "Identity the best single matrix and bias miss 0.0% of what one block does" in said(
        open_page(sigma="Identity")
    )


def test_the_fit_beats_the_line_and_the_identity_does_not():
    found = metrics(open_page())
    assert float(found["loss with GELU"]) < 0.01 * float(found["best line"])
    assert float(found["loss with Identity"]) == pytest.approx(best_line_loss("sine"), rel=0.02)


def test_the_sweep_stands_in_the_link_and_shows_that_width_helps():
    assert len(open_page().get("vega_lite_chart")) == 7
    at = open_page(lin_sweep="true", lin_width=8)
    assert len(at.get("vega_lite_chart")) == 8
    widths = frames(at, 7)["widths"]
    assert list(widths["units"]) == list(WIDTHS)
    assert widths["GELU"].iloc[-1] < 1e-3 * widths["GELU"].iloc[0]
    assert widths["Identity"].to_numpy() == pytest.approx(best_line_loss("sine"), rel=1e-3)
    assert set(frames(at, 7)["chosen"]["units"]) == {8}


def test_no_progress_bar_is_left_standing():
    at = open_page(lin_width=2, seed=5, lin_sweep="true")
    assert not at.get("progress")


def test_with_the_identity_chosen_there_is_one_line():
    at = open_page(lin_sigma="Identity")
    assert set(frames(at, 5)["fits"].columns) == {"x", "target", "Identity"}


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_fitted(target):
    assert metrics(open_page(lin_target=target, lin_width=4))


@pytest.mark.parametrize("sigma", ACTIVATIONS)
@pytest.mark.parametrize(
    "asked", [{"d_model": 2, "d_ff": 1, "T": 1}, {"d_model": 64, "d_ff": 1, "T": 64}, {"d_model": 64, "d_ff": 512}]
)
def test_the_corners_of_the_bench_raise_nothing(sigma, asked):
    at = open_page(sigma=sigma, lin_sigma=sigma, lin_width=1, lin_blocks=3, lin_biases="true", seed=2**32 - 1, **asked)
    assert len(at.get("vega_lite_chart")) == 7


def test_a_rerun_stays_light():
    at = open_page(lin_sweep="true", lin_blocks=24, d_model=64, d_ff=64)
    assert sum(chart.proto.ByteSize() for chart in at.get("vega_lite_chart")) < 60_000
