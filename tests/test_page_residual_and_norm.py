"""Residual and norm, the page: the lesson's 1/2, ready-made settings one click away, the rows, dropout, the corners."""

from functools import partial

import numpy as np
import pytest
from opened import frames, metrics, open_section, tables

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.block import KINDS, WIRINGS
from ffn_core.charts import depth as charts
from ffn_core.norms import NORMS, layer_norm, rms_norm
from ffn_core.reference import REFERENCE
from ffn_core.stack import READY, Setting, draw_stack, run_stack
from ffn_ui import link, programs, site

open_page = partial(open_section, "09_residual_and_norm.py")

HALF = {"block_kind": "stage", "block_wiring": "bare", "block_residual": "false", "block_width": 32}


def fine(at):
    assert not at.exception
    assert not at.error
    return at


def boxes(at):
    return frames(at, "nodes")["nodes"].sort_values("y")["label"].tolist()


def ready(at, name):
    return fine(at.pills(key="block_ready").set_value(name).run())


# --- The lesson's numbers


def test_the_default_link_shows_the_lessons_gain_at_zero_beside_todays_gains():
    at = open_page()
    printed = next(p.printed for p in REFERENCE if p.quantity == "gain at x = 0")
    seen = metrics(at)
    assert not at.warning
    assert seen[r"gain $\sigma'(0)$"] == printed == "0.5"
    assert float(seen["mean gain"]) == pytest.approx(0.5, abs=0.05)
    assert float(seen["weights × rms gain"]) > 0.6


def test_the_curves_are_those_of_the_core():
    at = open_page(seed=3, token=4, T=6, sigma="SiLU", block_depth=7)
    setting = Setting(depth=7)
    found = run_stack(draw_stack(3, 6, 16, "block", 7), setting, ACTIVATIONS["SiLU"], 3)
    np.testing.assert_allclose(frames(at, "along")["along"][charts.WIRED], found.size / 4.0)
    np.testing.assert_allclose(frames(at, "ratios")["ratios"][charts.MEASURED], found.ratios, rtol=1e-6)
    assert metrics(at)["factor of a block"] == f"{found.mean_ratio():.3f}"


# --- Ready-made settings


@pytest.mark.parametrize("name", READY)
def test_a_ready_made_setting_is_one_click_away_and_stands_in_the_link(name):
    at = ready(open_page(), name)
    one = READY[name].setting
    shown = charts.reading(
        run_stack(draw_stack(11, 5, one.width, one.kind, one.depth), one, ACTIVATIONS["GELU"], 1),
        one,
        ACTIVATIONS["GELU"],
    )
    assert metrics(at) | shown == metrics(at)
    moved = {k: v for k, (v, default) in at.session_state["_view"].controls.items() if v != default}
    again = open_page(**{k: link._as_text(v) for k, v in moved.items()})
    assert metrics(again) == metrics(at)
    assert boxes(again) == boxes(at)
    assert not [w for w in again.warning if "Repaired" in w.value]


def test_half_a_layer_is_shown_where_it_holds_and_he_weights_where_it_does_not():
    at = ready(open_page(), "half a layer")
    assert float(metrics(at)["in the last 8 blocks"]) == pytest.approx(0.5, abs=0.03)
    assert not at.warning
    at = ready(at, "He weights")
    assert float(metrics(at)["in the last 8 blocks"]) > 0.65
    assert float(metrics(at)["mean gain"]) == pytest.approx(0.5, abs=0.03)


def test_a_setting_that_blows_up_says_after_which_block():
    at = ready(open_page(), "blows up")
    (warning,) = at.warning
    assert "after block 22 an entry of the stream is beyond 65,504" in warning.value
    assert not ready(at, "pre-norm block").warning


def test_all_ready_made_settings_stand_side_by_side_with_todays_numbers():
    assert not open_page().dataframe
    at = open_page(sigma="ReLU", block_compare="true")
    table = at.dataframe[0].value.set_index("setting")
    assert list(table.index) == list(READY)
    assert float(table.loc["half a layer", "factor, last 8"]) == pytest.approx(np.sqrt(0.5), abs=0.06)


# --- The wires


def test_the_drawing_follows_the_wiring():
    assert boxes(open_page()) == ["x", "LayerNorm", "attention", "+", "LayerNorm", "FFN", "+", "y"]
    at = open_page(block_wiring="post-norm", block_norm="RMSNorm", block_step=0.5)
    assert boxes(at) == ["x", "attention", "+", "RMSNorm", "FFN", "+", "RMSNorm", "y"]
    assert frames(at, "nodes")["words"]["label"].tolist() == ["× 0.5", "× 0.5"]
    assert boxes(open_page(**HALF)) == ["x", "× W, then σ", "y"]


def test_norm_and_step_are_disabled_where_they_do_nothing():
    at = open_page(**HALF, block_step=0.5)
    assert at.radio(key="block_norm").disabled
    assert at.slider(key="block_step").disabled
    assert metrics(at) == metrics(open_page(**HALF))
    at = open_page()
    assert not at.radio(key="block_norm").disabled
    assert not at.slider(key="block_step").disabled


def test_channels_come_down_with_the_kind_of_block():
    at = open_page(block_kind="stage", block_width=64)
    assert at.number_input(key="block_width").value == 64
    fine(at.radio(key="block_kind").set_value("block").run())
    assert at.number_input(key="block_width").value == 16


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("placement", WIRINGS)
@pytest.mark.parametrize("norm", NORMS)
def test_every_wiring_is_shown_at_the_deepest_and_the_shallowest(kind, placement, norm):
    for residual, depth, step, scale in (("true", 96, 2.0, 2.0), ("false", 96, 1.0, 0.5), ("true", 1, 0.05, 0.5)):
        at = open_page(
            block_kind=kind, block_wiring=placement, block_norm=norm, block_residual=residual, block_depth=depth,
            block_step=step, block_scale=scale, T=64, token=64,
        )  # fmt: skip
        assert len(frames(at, "along")["along"]) == depth + 1
        assert "nan" not in metrics(at).values()


# --- LayerNorm against RMSNorm


def test_the_two_norms_are_equal_on_a_row_of_mean_0_and_differ_on_a_shifted_one():
    assert float(metrics(open_page(block_centre="true"))["largest difference of the two"]) < 1e-14
    shifted = metrics(open_page(block_centre="true", block_shift=2))
    assert float(shifted["largest difference of the two"]) > 0.5
    assert float(shifted["mean after RMSNorm"]) > 0.5


def test_the_bars_are_the_chosen_tokens_row_through_both_norms():
    at = open_page(token=4, block_shift=1, block_power=-3, block_eps="1e-3")
    row = (lesson.worked_example().H[3] + 1.0) * 1e-3
    np.testing.assert_allclose(frames(at, "rows")["rows"]["token"], row)
    table = tables(at)[0].set_index("the row")
    assert (
        table.loc["plus 2 on every entry", "LayerNorm moves by"]
        != table.loc["plus 2 on every entry", "RMSNorm moves by"]
    )
    np.testing.assert_allclose(
        float(metrics(at)["largest difference of the two"]),
        np.max(np.abs(layer_norm(row, eps=1e-3) - rms_norm(row, eps=1e-3))), rtol=0.1,
    )  # fmt: skip


def test_epsilon_lets_a_tiny_row_leave_smaller_than_1():
    assert float(metrics(open_page(block_power=-8))["rms after LayerNorm"]) < 1e-4
    assert float(metrics(open_page(block_power=-4, block_eps="1e-12"))["rms after LayerNorm"]) > 0.999


# --- Dropout


def test_training_passes_spread_and_evaluation_passes_are_identical():
    assert float(metrics(open_page())["largest spread of an entry"]) > 0.1
    still = open_page(block_mode="evaluation")
    assert metrics(still)["largest spread of an entry"] == "0.0000"
    assert metrics(still)["mean of the passes, off evaluation by"] == "0.0000"
    dots = frames(still, "passes")["passes"]
    assert (dots.groupby("channel")["entry"].nunique() == 1).all()


# --- Corners


@pytest.mark.parametrize("sigma", ACTIVATIONS)
@pytest.mark.parametrize(("T", "d_model", "d_ff"), [(1, 2, 1), (64, 64, 512), (17, 64, 3)], ids=str)
def test_the_extremes_of_the_bench_raise_nothing(sigma, T, d_model, d_ff):
    at = open_page(sigma=sigma, T=T, d_model=d_model, d_ff=d_ff, token=T, seed=2**32 - 1, block_passes=16)
    assert not at.warning
    assert len(at.get("vega_lite_chart")) == 8
    assert len(frames(at, "passes")["passes"]) == 16 * d_model


def test_the_chosen_token_is_the_one_that_is_followed_changed_and_normed():
    one, other = open_page(token=1), open_page(token=2)
    for name in ("along", "ratios", "rows", "marks", "passes"):
        assert not frames(one, name)[name].equals(frames(other, name)[name])
    assert any(c.value.startswith("Token 1 is changed") for c in one.caption)


@pytest.mark.parametrize("name", ["seed", "T", "d_model", "d_ff", "sigma", "token"])
def test_every_bench_control_that_is_not_disabled_changes_something(name):
    changed = {"seed": 5, "T": 3, "d_model": 6, "d_ff": 9, "sigma": "ReLU", "token": 1}[name]
    assert name in site.section("residual_and_norm").uses
    assert metrics(open_page()) != metrics(open_page(**{name: changed}))


def test_a_rerun_sends_little():
    at = open_page(**HALF, block_depth=96, d_model=64, block_passes=16)
    assert sum(len(d.data.data) for n in at.get("vega_lite_chart") for d in n.proto.datasets) < 60_000


def test_the_script_prints_the_numbers_of_the_view(capsys):
    here = site.section("residual_and_norm")
    one = READY["half a layer"].setting
    script = programs.recipe(here, {"seed": 3, "sigma": "SiLU", **one.words})
    exec(compile(script, "recipe", "exec"), {"__name__": "__main__"})
    said = capsys.readouterr().out
    found = run_stack(draw_stack(3, 5, one.width, one.kind, one.depth), one, ACTIVATIONS["SiLU"], 1)
    assert f"factor of a block on average: {found.mean_ratio()}" in said
