"""The gated page through the app: its numbers at the plain address, its controls, conventions, the ablation."""

from functools import partial

import pytest
from opened import assert_quiet, frames, metrics, open_section, prose, tables

from ffn_core.activations import ACTIVATIONS
from ffn_core.gated import variant

open_page = partial(open_section, "10_gated.py")


def test_the_plain_address_shows_the_lessons_tokens_and_the_published_budget():
    at = open_page()
    assert_quiet(at)
    shown = metrics(at)
    assert shown["gates above 0.1"] == "40 of 80"
    assert (shown["gate of unit 1"], shown["its value"], shown["gate × value"]) == ("2.9589", "-0.8290", "-2.4529")
    assert shown["plain, $2DM$"] == "134,217,728"
    assert shown["gated, same M, $3DM$"] == "201,326,592"
    assert (shown[r"$\tfrac23 M$"], shown["rounded up"], shown["rounded ÷ plain"]) == ("10,923", "11,008", "1.0078")


@pytest.mark.parametrize("sigma", ACTIVATIONS)
def test_every_activation_of_the_registry_can_be_the_gate(sigma):
    at = open_page(sigma=sigma)
    assert_quiet(at)
    assert f"{variant(ACTIVATIONS[sigma])}, token 2; unit 1 is outlined" in prose(at)


def test_the_chosen_token_and_slot_are_shown_and_marked():
    at = open_page(token="4", slot="9")
    for number in (0, 1, 2, 3, 5):
        units = frames(at, number)["units"]
        assert units.loc[units["chosen"], "unit"].tolist() == [9]
    assert "token 4; unit 9 is outlined" in prose(at)
    assert frames(at, 0)["units"]["gate"].tolist() != frames(open_page(), 0)["units"]["gate"].tolist()


def test_your_gate_moves_the_slope_and_nothing_above_it():
    before, after = open_page(gated_u="0.75"), open_page(gated_u="-6")
    assert metrics(before) == metrics(after)
    assert "is 0.5800 (part open)" in prose(before)
    assert "(closed)" in prose(after)
    lines = frames(after, 4)["lines"]
    assert lines[lines["gate is"] == "yours"]["product"].abs().max() < 1e-6


def test_doubling_the_token_through_relu():
    assert "of the plain block grows 2.000 times, of the gated one **4.000 times**" in prose(open_page(sigma="ReLU"))


def test_the_budget_follows_its_controls():
    shown = metrics(open_page(gated_D="512", gated_M="2048", gated_multiple="1"))
    assert shown["plain, $2DM$"] == "2,097,152"
    assert shown["rounded up"] == shown[r"$\tfrac23 M$"] == "1,366"


def test_a_missing_transpose_raises_or_misleads():
    at = open_page()
    assert any("size 16 is different from 4" in c.value for c in at.code)
    assert metrics(at)["M = D = 4, untransposed: off by"] == "241%"
    square = open_page(d_ff="4")
    assert any(c.value == "None, since M = D." for c in square.code)
    assert_quiet(square)


def test_the_batch_walks_through_both_conventions():
    at = open_page(gated_B="3", T="7")
    walk = tables(at)[0]
    assert walk.iloc[:, 2].tolist() == ["[3, 7, 4]", "[3, 7, 16]", "[3, 7, 16]", "[3, 7, 16]", "[3, 7, 4]"]
    assert float(metrics(at)["rows − columns, at most"]) < 1e-12


def test_the_ablation_names_its_source_and_both_lengths_of_training():
    at = open_page()
    assert "Table 1 of Shazeer 2020" in prose(at)
    assert "Every gated row beats every plain one, by 0.014 at least." in prose(at)
    assert frames(at, 7)["rows"]["loss"].tolist()[0] == pytest.approx(1.633)
    short = open_page(gated_steps="65,536")
    assert frames(short, 7)["rows"]["loss"].tolist()[0] == pytest.approx(1.942)
    assert "one standard deviation of four runs" in prose(short)


@pytest.mark.parametrize(
    "asked",
    [
        {"T": "1", "d_model": "2", "d_ff": "1", "token": "1", "sigma": "ReLU"},
        {"T": "64", "d_model": "64", "d_ff": "512", "token": "64", "slot": "512", "gated_B": "8"},
        {"d_model": "64", "d_ff": "64", "sigma": "Identity", "seed": str(2**32 - 1)},
        {"gated_D": "1", "gated_M": "1", "gated_multiple": "1"},
        {"gated_D": "65536", "gated_M": "262144"},
    ],
)
def test_the_far_corners_are_computed(asked):
    assert_quiet(open_page(**asked))


def test_the_script_prints_what_the_page_shows():
    at = open_page(sigma="SiLU", gated_D="512")
    at.session_state["numbers"] = True
    at.run()
    script = next(c.value for c in at.code if "draw_gated_example" in c.value)
    assert "\nsigma = 'SiLU'\n" in script
    assert "\nD = 512\n" in script
