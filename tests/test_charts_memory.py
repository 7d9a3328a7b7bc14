"""The pictures of the keyed memory: their numbers through the frames, their looks through the grammar."""

import numpy as np
import pytest

from ffn_core import lesson
from ffn_core.charts import memory as charts
from ffn_core.ffn import slot_terms
from ffn_core.memory import error_left, kept_slots, ledger

TRACE, WEIGHTS, TOKEN = lesson.worked_trace(), lesson.worked_example().weights, lesson.TOKEN
BOOK = ledger(TRACE, WEIGHTS, TOKEN)
KEPT = kept_slots(BOOK.order, 5)


def test_products_of_token_and_key_sum_to_the_match():
    x, key = TRACE.H[TOKEN], WEIGHTS.W1[:, 0]
    frame = charts.pair_frames(token=x, key=key, product=x * key)["pair"]
    assert list(frame.columns) == ["channel", "token", "key", "product"]
    assert list(frame["channel"]) == [1, 2, 3, 4]
    assert frame["product"].sum() == pytest.approx(TRACE.pre[TOKEN, 0])


def test_each_vector_has_its_own_colour_and_place_in_a_channel():
    spec = charts.pair_chart("token", "key", "product").to_dict()
    assert spec["transform"][0]["fold"] == ["token", "key", "product"]
    scale = spec["encoding"]["color"]["scale"]
    assert len(set(scale["range"])) == len(scale["domain"]) == 3
    assert spec["encoding"]["xOffset"]["field"] == spec["encoding"]["color"]["field"]


def test_the_ledger_frame_is_sorted_and_marks_kept_slots_and_the_chosen_one():
    frame = charts.ledger_frame(BOOK, TRACE, TOKEN, kept=KEPT, slot=3)
    assert list(frame["rank"]) == list(range(1, 17))
    assert frame["size"].is_monotonic_decreasing
    assert list(frame["state"]) == ["kept"] * 5 + ["off"] * 11
    assert list(frame["slot"][frame["chosen"]]) == [4]
    assert frame["output"].tolist() == TRACE.post[TOKEN][frame["slot"] - 1].tolist()
    assert frame["match"].tolist() == TRACE.pre[TOKEN][frame["slot"] - 1].tolist()


@pytest.mark.parametrize("slot", range(16))
def test_a_window_of_the_ledger_always_holds_the_chosen_slot(slot):
    rows = charts.ledger_frame(BOOK, TRACE, TOKEN, kept=KEPT, slot=slot)
    part = charts.ledger_window(rows, most=6)
    assert len(part) == 6
    assert list(part["rank"][:5]) == [1, 2, 3, 4, 5]
    assert part["chosen"].sum() == 1


def test_a_short_ledger_is_shown_whole():
    rows = charts.ledger_frame(BOOK, TRACE, TOKEN, kept=KEPT, slot=0)
    assert charts.ledger_window(rows).equals(rows)


def test_the_ledger_chart_sorts_by_rank_and_points_at_the_chosen_slot():
    bars, pointer = charts.ledger_chart().to_dict()["layer"]
    assert bars["encoding"]["x"]["sort"] == {"field": "rank", "op": "min"}
    assert bars["encoding"]["color"]["scale"]["domain"] == ["kept", "off"]
    assert pointer["transform"] == [{"filter": "datum.chosen"}]


@pytest.mark.parametrize("keep", [0, 8, 16])
def test_the_chosen_number_of_slots_lies_on_the_error_curve(keep):
    frames = charts.left_frames(BOOK.left, kept_slots(BOOK.order, keep), BOOK.left[keep])
    assert list(frames["left"]["kept"]) == list(range(17))
    assert frames["left"]["error"].to_numpy() == pytest.approx(BOOK.left, rel=1e-6)
    assert frames["keep"]["kept"].tolist() == [keep]
    assert frames["keep"]["error"].to_numpy() == pytest.approx(BOOK.left[[keep]], rel=1e-6)


def test_a_large_slot_that_is_off_takes_the_mark_off_the_curve():
    kept = kept_slots(BOOK.order, 8, BOOK.order[0])
    error = error_left(slot_terms(TRACE, WEIGHTS, TOKEN), kept)
    here = charts.left_frames(BOOK.left, kept, error)["keep"]
    assert here["kept"].tolist() == [7]
    assert here["error"].item() == pytest.approx(error, rel=1e-6)
    assert error > BOOK.left[7]


def test_the_rounding_sentence_quotes_the_lesson():
    assert "the lesson prints 2.2e-16" in charts.rounding_text()


def test_the_error_chart_names_its_data_and_its_hover():
    spec = charts.left_chart().to_dict()
    assert {layer["data"]["name"] for layer in spec["layer"]} == {"left", "keep"}
    assert [p["name"] for p in spec["params"]] == ["near_kept"]


def test_the_charts_hold_no_numbers():
    for spec in (charts.ledger_chart().to_dict(), charts.left_chart().to_dict(), charts.pair_chart("a", "b").to_dict()):
        assert "values" not in str(spec)
        assert "datasets" not in spec
    assert np.isfinite(BOOK.left).all()
