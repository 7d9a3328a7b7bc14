"""The information page through the app: the lesson's bits, an edited table, a chosen merge, and what sigma merges."""

from functools import partial

import pytest
from opened import frames, metrics, open_section, prose

from ffn_core import information, lesson
from ffn_ui import layout

open_page = partial(open_section, "08_information.py")


def test_the_lessons_three_numbers_stand_on_the_page():
    shown = metrics(open_page())
    assert shown["$I(Y; X)$, the ceiling"] == "0.3248567535900131"
    assert shown["least of 24 injective maps"] == "0.3248567535900131"
    assert shown["after the chosen merge"] == "0.26550220320535933"
    assert shown["lost by it"] == "0.0594"


def test_an_edited_table_is_kept_a_distribution_and_that_is_said():
    at = open_page(info_p11="0.425")
    assert not at.exception
    assert ["sum to 1.2, not to 1" in w.value for w in at.warning] == [True]
    cells = frames(at, 0)["cells"]
    assert cells.p.sum() == pytest.approx(1.0, abs=1e-12)
    assert cells.p[0] == pytest.approx(0.425 / 1.2)


def test_a_table_of_zeros_is_said_and_the_lessons_is_used():
    zeros = {f"info_p{x}{y}": "0" for x in range(1, 5) for y in range(1, 3)}
    at = open_page(**zeros)
    assert not at.exception
    assert "not a distribution" in at.warning[0].value
    assert metrics(at)["$I(Y; X)$, the ceiling"] == "0.3248567535900131"


def test_every_ready_made_table_is_one_click_away_and_its_link_opens_it():
    at = open_page()
    for name, table in information.TABLES.items():
        at.pills(key="info_p_ready").set_value(name).run()
        assert not at.warning
        bits = layout.digits(information.mutual_information(table))
        assert metrics(at)["$I(Y; X)$, the ceiling"] == bits
        controls = {k: str(v) for k, (v, default) in at.session_state["_view"].controls.items() if v != default}
        assert metrics(open_page(**controls)) == metrics(at)
    at.pills(key="info_p_ready").set_value("the lesson's table").run()
    assert metrics(at)["$I(Y; X)$, the ceiling"] == "0.3248567535900131"


def test_every_merge_can_be_chosen_and_is_marked_in_the_picture():
    for groups, bits in information.every_merge(lesson.JOINT):
        name = information.merge_name(groups)
        at = open_page(info_merge=name)
        assert not at.exception
        assert not at.warning
        assert metrics(at)["after the chosen merge"] == layout.digits(bits)
        merges = frames(at, 2)["merges"]
        assert merges["merge"][merges.chosen].tolist() == [name]


def test_the_activation_of_the_bench_decides_which_symbols_are_merged():
    assert "GELU leaves **x1 | x2 | x3 | x4**, which is **0.3249 bits**" in prose(open_page())
    at = open_page(sigma="ReLU")
    assert "ReLU leaves **x1 x2 | x3 | x4**, which is **0.3015 bits**" in prose(at)
    assert frames(at, 3)["symbols"].post.tolist() == [0.0, 0.0, 1.0, 2.0]
    coarse = open_page(info_step="0.5")
    assert "GELU leaves **x1 x2 | x3 | x4**" in prose(coarse)


def test_symbols_far_on_the_left_or_all_at_one_place_are_shown():
    for asked in ({"info_x1": "-10", "info_x2": "-9"}, {f"info_x{k}": "10" for k in range(1, 5)}):
        at = open_page(**asked)
        assert not at.exception
        assert not at.error


def test_a_table_with_empty_rows_or_columns_is_shown():
    for asked in (
        {"info_p11": "0", "info_p12": "0"},
        {f"info_p{x}2": "0" for x in range(1, 5)},
        {f"info_p{x}{y}": "0" for x in range(2, 5) for y in range(1, 3)},
    ):
        at = open_page(**asked)
        assert not at.exception
        assert not at.error
        assert float(metrics(at)["$I(Y; X)$, the ceiling"]) >= 0.0
