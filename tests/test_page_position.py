"""The position page through the app: its numbers at the plain address, the duel, the experiment, RoPE's controls."""

from functools import partial

import pytest
from opened import assert_quiet, frames, metrics, open_section, prose

open_page = partial(open_section, "11_position.py")

MISS, ROWS, CONTEXT, CLOCK, GRID, SCORES, PAIRS, PHASES = range(8)


def still(at, number):
    """The tokens that do not move, by layer."""
    cells = frames(at, number)["cells"]
    return {
        layer: part.loc[part["said"] != "", "token"].tolist()
        for layer, part in cells.groupby("layer", observed=True, sort=False)
    }


def test_only_the_ffn_and_plain_attention_commute_with_the_lessons_shuffle():
    at = open_page()
    assert_quiet(at)
    layers = frames(at, MISS)["layers"].set_index("layer")
    assert layers["verdict"].tolist() == ["commutes", "commutes", "notices", "notices", "notices"]
    assert layers["said"].tolist()[2:] == ["0.43", "0.56", "0.2"]
    assert "Tokens in the order 3 1 2 5 4." in prose(at)


def test_the_rows_that_move_are_all_but_for_the_ffn_and_the_causal_past():
    assert still(open_page(token="3"), ROWS) == {
        "FFN": [1, 2, 4, 5],
        "attention": [],
        "attention, causal mask": [1, 2],
        "attention, added positions": [],
        "attention, RoPE": [],
    }


def test_both_documents_are_right_about_exercise_3():
    said = prose(open_page())
    assert "Exercise 3 says no, the second document yes, and both mean something true." in said


def test_a_later_ffn_hears_of_an_earlier_token_through_attention_alone():
    at = open_page()
    shown = metrics(at)
    assert shown["FFN at token 5, attention on"] == "0.03244"
    assert shown["FFN at token 5, attention off"] == "0"
    assert still(at, CONTEXT) == {"attention on": [1], "attention off": [1, 3, 4, 5]}
    assert frames(at, CONTEXT)["chosen"]["token"].tolist() == [2]
    assert frames(at, CONTEXT)["watched"]["token"].tolist() == [5]


@pytest.mark.parametrize("asked", [{"token": "5"}, {"T": "1", "token": "1"}])
def test_the_last_token_is_told_to_have_none_after_it_and_shows_no_numbers(asked):
    at = open_page(**asked)
    assert_quiet(at)
    assert [i.value for i in at.info] == ["The last token has none after it: choose an earlier one on the bench."]
    assert not [label for label in metrics(at) if label.startswith("FFN at token")]
    assert frames(at, CONTEXT)["watched"].empty
    assert at.number_input(key="pos_later").disabled


def test_a_token_with_one_after_it_watches_that_one():
    at = open_page(token="5")
    at.session_state["token"] = 4
    at.run()
    assert_quiet(at)
    assert not at.info
    assert metrics(at)["FFN at token 5, attention off"] == "0"


def test_the_token_watched_is_never_before_the_one_that_changes():
    assert "FFN at token 4, attention on" in metrics(open_page(token="3", pos_later="1"))


def test_nothing_moves_when_nothing_is_added():
    at = open_page(pos_added="0")
    assert_quiet(at)
    assert all(len(tokens) == 5 for tokens in still(at, ROWS).values())


def test_the_wavelengths_of_a_published_head():
    shown = metrics(open_page())
    assert shown["shortest wavelength"] == "6.2832"
    assert shown["longest"] == "54,410.1"
    assert shown["pairs that never turn once in training"] == "18 of 64"
    assert shown["length of a query"] == shown["rotated to position 3"] != shown["with a position vector added"]


def test_the_controls_of_rope_turn_its_pictures():
    at = open_page(pos_d="8", pos_p="10", pos_base="100", pos_trained="16", pos_longer="20")
    assert_quiet(at)
    hands = frames(at, CLOCK)["hands"]
    assert hands["pair"].tolist() == ["pair 1", "pair 2", "pair 3", "pair 4"]
    assert hands["angle_per_position"].tolist() == pytest.approx([100 ** (-k / 4) for k in range(4)])
    assert len(frames(at, SCORES)["scores"]) == 129
    assert metrics(at)["pairs that never turn once in training"] == "3 of 4"
    assert set(frames(at, PHASES)["phases"]["which"]) == {"seen in training", "new in the longer text"}
    assert "rotated to position 10" in metrics(at)


def test_the_grid_outlines_the_chosen_token():
    at = open_page(T="40", token="21")
    grid = frames(at, GRID)
    assert grid["rows"]["row"].tolist() == grid["columns"]["column"].tolist() == [21]
    assert float(metrics(at)["on one diagonal, at most apart"]) < 1e-12


def test_an_own_order_is_used_and_one_that_is_none_is_said():
    at = open_page(pos_order="own", pos_own="2,1,3", T="3")
    assert_quiet(at)
    assert "Tokens in the order 2 1 3." in prose(at)
    wrong = open_page(pos_order="own", pos_own="<b>2</b> 2 9", T="3")
    assert not wrong.exception
    assert not wrong.error
    assert "each of 1 to 3 exactly once is wanted" in wrong.warning[0].value
    assert "<b>" not in prose(wrong)
    assert len(wrong.get("vega_lite_chart")) == 8


def test_an_order_that_moves_nothing_is_said():
    assert "leaves every token where it was" in prose(open_page(T="2"))


@pytest.mark.parametrize(
    "asked",
    [
        {"T": "1", "d_model": "2", "d_ff": "1", "token": "1", "sigma": "ReLU", "pos_d": "4"},
        {"T": "64", "d_model": "64", "d_ff": "512", "token": "64", "pos_heads": "8", "pos_order": "random"},
        {"d_model": "7", "pos_heads": "3", "sigma": "Identity", "seed": str(2**32 - 1), "pos_order": "rotate"},
        {"pos_base": "2", "pos_trained": "2", "pos_longer": "2", "pos_p": "0"},
        {"pos_base": "10000000", "pos_trained": "10000000", "pos_longer": "10000000", "pos_p": "100"},
    ],
)
def test_the_far_corners_are_computed(asked):
    assert_quiet(open_page(**asked))


def test_the_script_prints_what_the_page_shows():
    at = open_page(pos_order="reverse", pos_heads="4", pos_d="8")
    at.session_state["numbers"] = True
    at.run()
    script = next(c.value for c in at.code if "draw_attention_example" in c.value)
    assert "\norder = [5, 4, 3, 2, 1]\n" in script
    assert "\nheads = 4\n" in script
    assert "\nd = 8\n" in script
