"""A view prepared for a class: locked and hidden controls, a question, and a way out; and links edited by hand."""

import re
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from opened import open_section

from ffn_ui import classroom
from ffn_ui.site import CONTENTS

forward_pass = partial(open_section, "01_forward_pass.py")


def instructor(**asked):
    """The same page with "Share this view" open."""
    at = forward_pass(**asked)
    at.session_state["share"] = True
    return at.run()


def keys(widgets):
    return {w.key for w in widgets}


def test_a_locked_control_is_shown_with_the_links_value_and_cannot_be_moved():
    at = forward_pass(lock="T,fwd_added", T="9", fwd_added="2")
    assert at.slider(key="T").disabled
    assert at.slider(key="T").value == 9
    assert at.slider(key="fwd_added").disabled
    assert not at.slider(key="d_model").disabled


def test_a_hidden_control_is_not_shown_and_keeps_the_links_value_while_others_move():
    at = forward_pass(hide="T,fwd_order", T="9", fwd_order="reverse")
    assert "T" not in keys(at.slider)
    assert "fwd_order" not in keys(at.radio)
    assert at.metric[0].value == "9 × 4"
    at.slider(key="d_model").set_value(6)
    at.run()
    assert at.metric[0].value == "9 × 6"
    assert any("9 8 7 6 5 4 3 2 1" in m.value for m in at.markdown)


@pytest.mark.parametrize("s", CONTENTS, ids=lambda s: s.slug)
def test_no_button_moves_a_locked_control(s):
    def values(at):
        return {key: value for key, (value, _) in at.session_state["_view"].controls.items()}

    asked = {"ex_number": 4} if s.slug == "exercises" else {}  # the exercise whose buttons lead to other seeds
    at = open_section(s.file, **asked)
    at = open_section(s.file, **asked, lock=",".join(values(at)))
    before = values(at)
    for button in at.button:
        if not button.disabled and button.label != "Open the full page":
            assert values(button.click().run()) == before


def test_controls_may_be_named_together_or_one_by_one():
    at = forward_pass(lock=["T", "d_model,seed"], ask="inf")
    assert at.slider(key="T").disabled
    assert at.slider(key="d_model").disabled
    assert at.number_input(key="seed").disabled
    assert "inf" in [t.value for t in at.text]


def test_a_locked_value_out_of_range_falls_back_and_is_said():
    at = forward_pass(lock="T", T="999")
    assert at.slider(key="T").value == 5
    assert "T was `999` in the link" in at.warning[0].value


def test_the_question_is_shown_as_text_and_bounded():
    at = forward_pass(ask="<b>Why</b> **does** [row 3](http://x) move? " + "x" * 5000)
    shown = next(t.value for t in at.text if "Why" in t.value)
    assert shown.startswith("<b>Why</b> **does** [row 3](http://x) move?")
    assert len(shown) == classroom.MOST_TEXT


@pytest.mark.parametrize("names", ["nothing", ",,,", "T,<script>", "T;d_ff", "x" * 5000])
def test_names_that_no_control_has_are_said_and_change_nothing_else(names):
    at = forward_pass(lock=names, hide=names.replace("T", "t"))
    assert at.slider(key="T").disabled == (names == "T,<script>")
    unknown = set(re.split(",", names.replace("T", "t") + "," + names)) - {"", "T"}
    assert bool(at.warning) == bool(unknown)


def test_a_student_can_always_leave_the_prepared_view():
    at = forward_pass(lock="T", hide="seed", ask="Why?", T="9")
    next(b for b in at.button if b.label == "Open the full page").click().run()
    assert not at.slider(key="T").disabled
    assert at.slider(key="T").value == 9
    assert at.number_input(key="seed").value == 11
    assert not any("Why?" in t.value for t in at.text)
    assert not {"lock", "hide", "ask"} & set(at.query_params)


def test_the_instructors_link_carries_what_was_chosen_and_opens_it():
    at = instructor(T="9", sigma="ReLU")
    at.multiselect(key="class_lock").set_value(["T"])
    at.multiselect(key="class_hide").set_value(["seed", "slot"])
    at.text_area(key="class_ask").set_value("Which rows move?\nSay why, in <b>one</b> sentence.")
    at.run()
    link = next(c.value for c in at.code if "lock=" in c.value)
    asked = {k: v[0] for k, v in parse_qs(urlsplit(link).query).items()}
    assert asked == {
        "T": "9", "sigma": "ReLU", "lock": "T", "hide": "seed,slot",
        "ask": "Which rows move? Say why, in <b>one</b> sentence.",
    }  # fmt: skip
    assert len(link) < classroom.MOST_LINK
    opened = forward_pass(**asked)
    assert opened.slider(key="T").disabled
    assert "seed" not in keys(opened.number_input)
    assert any("Which rows move?" in t.value for t in opened.text)


def test_a_question_that_makes_the_link_too_long_is_said():
    at = instructor()
    at.text_area(key="class_ask").set_value("Σ" * 500)
    at.run()
    assert "Shorten the text" in at.warning[0].value


def test_an_ordinary_page_says_nothing_of_a_class():
    at = forward_pass()
    assert not any("prepared for a class" in c.value for c in at.caption)
