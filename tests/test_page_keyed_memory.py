"""Keyed memory, the page: the lesson's numbers at the default link, the extremes of the bench, and its own control."""

from functools import partial

import numpy as np
import pytest
from opened import frames, metrics, open_section, prose

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.memory import ledger
from ffn_core.reference import REFERENCE, half_unit

open_page = partial(open_section, "06_keyed_memory.py")


def printed(quantity):
    return next(p.printed for p in REFERENCE if p.section == "signals" and p.quantity.startswith(quantity))


def test_the_default_link_shows_the_printed_numbers_of_the_signals_lens():
    at = open_page()
    seen = metrics(at)
    assert not at.warning
    assert seen["slots with output > 0.1"] == f"{printed('slots with output')} of 80"
    assert float(seen["max |slot sum − out|"]) <= float(seen["rounding alone may reach"]) < 1e-12
    for column, quantity in (
        ("gain at 0", "gain at x = 0"),
        ("gain at −3", "gain at x = -3"),
        ("gain at +3", "gain at x = +3"),
        ("peak on −4 to 4", "peak gain"),
        ("peak at x =", "x of peak"),
    ):
        digits = printed(quantity)
        assert float(seen[column]) == pytest.approx(float(digits), abs=half_unit(digits) + 2e-15)
    assert float(seen["largest distance from a central difference"]) < 2e-9
    assert "For its token 2 the lesson prints 2.2e-16" in prose(at)


@pytest.mark.parametrize("sigma", ACTIVATIONS)
@pytest.mark.parametrize(
    ("T", "d_model", "d_ff"), [(1, 2, 1), (64, 64, 512), (5, 64, 3), (64, 2, 512)], ids=lambda v: str(v)
)
def test_the_extremes_of_the_bench_raise_nothing(sigma, T, d_model, d_ff):
    at = open_page(sigma=sigma, T=T, d_model=d_model, d_ff=d_ff, token=T, slot=d_ff, mem_keep=d_ff)
    assert not at.warning
    assert metrics(at)["error left"] == "0.0%"
    assert len(at.get("vega_lite_chart")) == 6


def test_the_chosen_slot_is_marked_in_every_picture_where_it_has_a_place():
    at = open_page(T=7, d_ff=200, token=3, slot=150)
    assert frames(at, "cells")["columns"]["column"].tolist() == [150]
    assert frames(at, "cells")["rows"]["row"].tolist() == [3]
    points = frames(at, "points")["points"]
    assert points["slot"][points["chosen"]].tolist() == [150]
    bars = frames(at, "ledger")["ledger"]
    assert bars["slot"][bars["chosen"]].tolist() == [150]


def test_slots_go_off_one_by_one_from_the_smallest():
    book = ledger(lesson.worked_trace(), lesson.worked_example().weights, lesson.TOKEN)
    at = open_page(mem_keep=16)
    for keep in (16, 15, 14):
        at.number_input(key="mem_keep").set_value(keep).run()
        bars = frames(at, "ledger")["ledger"]
        assert bars["slot"][bars["state"] == "off"].tolist() == (book.order[keep:] + 1).tolist()
        assert metrics(at)["error left"] == f"{book.left[keep]:.1%}"
        assert frames(at, "left")["keep"]["kept"].tolist() == [keep]


def test_the_chosen_slot_can_be_switched_off_beside_the_small_ones():
    book = ledger(lesson.worked_trace(), lesson.worked_example().weights, lesson.TOKEN)
    first, last = (int(book.order[k]) + 1 for k in (0, -1))
    at = open_page(slot=first, mem_keep=16, mem_without="true")
    bars = frames(at, "ledger")["ledger"]
    assert bars["slot"][bars["state"] == "off"].tolist() == [first]
    seen = metrics(at)
    assert seen["slots kept"] == "15 of 16"
    assert seen["error left"] == seen[f"with slot {first} alone off"] != "0.0%"
    assert frames(at, "left")["keep"]["kept"].tolist() == [15]
    small = metrics(open_page(slot=last, mem_keep=15))["error left"]
    assert small == metrics(open_page(slot=last, mem_keep=15, mem_without="true"))["error left"]


def test_relu_slots_with_a_negative_match_are_exactly_off():
    relu, gelu = (metrics(open_page(sigma=name)) for name in ("ReLU", "GELU"))
    assert relu["slots that add exactly nothing"] == str(int(np.sum(lesson.worked_trace().pre[lesson.TOKEN] < 0)))
    assert relu["with only the slots of x · k > 0"] == "0.0%"
    assert gelu["slots that add exactly nothing"] == "0"
    assert gelu["with only the slots of x · k > 0"] != "0.0%"


def test_keeping_more_slots_than_there_are_comes_down_to_all_of_them():
    at = open_page(mem_keep=16)
    at.number_input(key="d_ff").set_value(4).run()
    assert not at.exception
    assert metrics(at)["slots kept"] == "4 of 4"


def test_rounding_may_make_a_bound_of_the_identity_but_never_more():
    for seed in (1, 2, 3):
        seen = metrics(open_page(seed=seed, T=9, d_model=16, d_ff=64, sigma="SiLU"))
        assert float(seen["max |slot sum − out|"]) <= float(seen["rounding alone may reach"])
