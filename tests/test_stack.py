"""Stacks of random blocks: drawn alike at every depth, the ready-made settings, and both halves of "1/2 a layer"."""

import numpy as np
import pytest

from ffn_core.activations import ACTIVATIONS
from ffn_core.block import KINDS, Wiring, numbers_in
from ffn_core.lesson import draw_example
from ffn_core.stack import (
    FLOAT16_LARGEST,
    MOST_BLOCKS,
    READY,
    WIDENING,
    WIDEST,
    Setting,
    bare,
    draw_stack,
    expected_ratio,
    passing,
    run_stack,
    tokens_beside,
)

GELU, RELU, SILU = (ACTIVATIONS[name] for name in ("GELU", "ReLU", "SiLU"))
seeds = pytest.mark.parametrize("seed", [11, 1, 2, 3])
every_sigma = pytest.mark.parametrize("sigma", ACTIVATIONS.values(), ids=lambda sigma: sigma.name)


def run(setting, sigma=GELU, seed=11, token=1, T=5):
    return run_stack(draw_stack(seed, T, setting.width, setting.kind, setting.depth), setting, sigma, token)


def ready(name, sigma=GELU, seed=11):
    return run(READY[name].setting, sigma, seed)


# --- Where one half a layer holds, and where it does not


@seeds
@pytest.mark.parametrize("sigma", [GELU, SILU], ids=["GELU", "SiLU"])
def test_stages_with_1_over_d_weights_settle_at_one_half(seed, sigma):
    found = ready("half a layer", sigma, seed)
    assert found.size[-1] < 1e-4 * found.size[0]
    assert found.mean_gain[-8:] == pytest.approx(0.5, abs=1e-3)
    assert found.rms_gain[-8:] == pytest.approx(0.5, abs=1e-3)
    assert found.mean_ratio(-8) == pytest.approx(0.5, abs=0.05)


@seeds
def test_relus_stack_does_not_settle_at_one_half_but_near_the_root_of_it(seed):
    assert ready("half a layer", RELU, seed).mean_ratio() == pytest.approx(np.sqrt(0.5), abs=0.06)


@seeds
def test_he_weights_do_not_halve_a_change(seed):
    found, rectified = ready("He weights", GELU, seed), ready("He weights", RELU, seed)
    assert found.mean_ratio(0, 8) > 0.75
    assert found.mean_ratio(-8) == pytest.approx(np.sqrt(2.0) / 2.0, abs=0.12)
    assert rectified.mean_ratio() == pytest.approx(1.0, abs=0.08)


@seeds
@pytest.mark.parametrize("name", READY)
def test_the_mean_gain_is_near_one_half_whether_a_change_is_halved_or_not(seed, name):
    for sigma in (GELU, RELU, SILU):
        assert np.mean(ready(name, sigma, seed).mean_gain) == pytest.approx(0.5, abs=0.04)


@seeds
@every_sigma
def test_a_residual_path_with_a_small_step_preserves_stream_and_change(seed, sigma):
    found = ready("residual, small step", sigma, seed)
    assert 0.5 < found.size[-1] / found.size[0] < 3.0
    assert 0.6 < found.change[-1] < 1.7


@seeds
@every_sigma
def test_a_residual_path_does_not_guarantee_stability(seed, sigma):
    found = ready("blows up", sigma, seed)
    assert READY["blows up"].setting.wiring.residual
    assert 5 < found.beyond(FLOAT16_LARGEST) < 40
    assert found.change[-1] > 1e15


@seeds
def test_post_norm_holds_the_stream_at_size_1_and_pre_norm_lets_it_grow_ever_more_slowly(seed):
    held, growing = ready("post-norm block", seed=seed), ready("pre-norm block", seed=seed)
    np.testing.assert_allclose(held.size[1:] / np.sqrt(16), 1.0, atol=1e-4)
    assert held.change[-1] < 0.1
    assert growing.size[-1] > 3.0 * growing.size[0]
    growth = growing.size[1:] / growing.size[:-1]
    assert growth[:4].mean() > growth[-4:].mean()


@pytest.mark.parametrize("kind", ["stage", "ffn"])
@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
@every_sigma
def test_a_change_grows_with_the_rms_gain_times_the_weights(kind, scale, sigma):
    squares = []
    for seed in range(60):
        found = run(Setting(kind, bare(False), scale, 1, 64), sigma, seed)
        squares.append((found.ratios[0] / expected_ratio(kind, scale, found.rms_gain[0])) ** 2)
    assert np.sqrt(np.mean(squares)) == pytest.approx(1.0, abs=0.05)


# --- Drawing and running


@pytest.mark.parametrize("kind", KINDS)
def test_a_deeper_stack_begins_with_the_shallower_one(kind):
    shallow, deep = (draw_stack(5, 7, 8, kind, depth) for depth in (1, MOST_BLOCKS))
    np.testing.assert_array_equal(shallow.H, deep.H)
    np.testing.assert_array_equal(shallow.direction, deep.direction)
    np.testing.assert_array_equal(shallow.numbers, deep.numbers[: len(shallow.numbers)])
    assert deep.numbers.shape == (MOST_BLOCKS, numbers_in(kind, 8, 8 * WIDENING))


def test_the_tokens_are_those_of_the_bench_when_the_width_is_d_model():
    np.testing.assert_array_equal(draw_stack(11, 5, 4, "ffn", 1).H, draw_example(11, 5, 4, 16).H)


def test_a_stack_cannot_be_changed_by_who_shares_it():
    drawn = draw_stack(11, 5, 4, "stage", 1)
    for array in (drawn.H, drawn.direction, drawn.numbers):
        assert not array.flags.writeable


def test_at_most_16_tokens_pass_and_the_chosen_one_is_among_them():
    for T in (1, 5, 16, 17, 64):
        for token in range(T):
            near = tokens_beside(token, T)
            assert near.start <= token < near.stop <= T
            assert near.stop - near.start <= 16
    assert passing(36, 40) == "tokens 33–40 of 40"
    assert passing(16, 17) == "token 17 of 17"


def test_the_chosen_token_is_the_one_that_is_followed():
    setting = Setting("stage", bare(False), 1.0, 3, 8)
    drawn = draw_stack(3, 20, 8, "stage", 3)
    for token in (0, 15, 16, 19):
        assert run_stack(drawn, setting, GELU, token).size[0] == pytest.approx(np.linalg.norm(drawn.H[token]))


def test_another_wiring_can_be_tried_on_the_same_parts():
    setting = Setting()
    assert run(setting.plain).size[-1] < 1e-3 * run(setting).size[-1]


@every_sigma
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wiring", [Wiring(), Wiring("post-norm", "RMSNorm"), bare(True, 2.0), bare(False)], ids=str)
@pytest.mark.parametrize("width", [2, None])
def test_every_corner_of_the_controls_is_computed(sigma, kind, wiring, width):
    for scale in (0.5, 2.0):
        setting = Setting(kind, wiring, scale, MOST_BLOCKS, width or WIDEST[kind])
        found = run(setting, sigma, T=64, token=63)
        assert len(found.size) == MOST_BLOCKS + 1
        assert np.isfinite(found.size[: found.reached + 1]).all()
        assert np.isfinite(found.change[: found.reached + 1]).all()


def test_a_setting_in_words_makes_the_same_setting_again():
    for one in READY.values():
        words = one.setting.words
        wiring = Wiring(*(words.pop(name) for name in ("placement", "norm", "residual", "step")))
        assert Setting(wiring=wiring, **words) == one.setting


def test_every_ready_made_setting_is_within_the_controls_and_says_what_it_shows():
    for one in READY.values():
        setting = one.setting
        assert 1 <= setting.depth <= MOST_BLOCKS
        assert 2 <= setting.width <= WIDEST[setting.kind]
        assert 0.5 <= setting.scale <= 2.0
        assert one.shows.endswith(".")


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind is 'layer'; one of stage, ffn, block is wanted"):
        Setting("layer")
