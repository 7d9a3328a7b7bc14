"""The reference table and its picture: nothing left out, digits as text, the chosen part marked."""

import numpy as np

from ffn_core.charts import reference as charts
from ffn_core.charts.base import MARK
from ffn_core.reference import REFERENCE, results
from ffn_core.rng import LessonStream


def test_the_table_has_a_row_for_every_printed_number_with_the_lessons_own_digits():
    frame = charts.results_frame(results())
    assert frame.lesson.tolist() == [entry.printed for entry in REFERENCE]
    assert frame.reason.tolist() == [entry.why for entry in REFERENCE]
    assert set(frame.agrees) == {"✅"}


def test_ours_is_shown_with_all_its_digits():
    frame = charts.results_frame(results())
    for text, found in zip(frame.ours, results(), strict=True):
        assert [float(word) for word in text.split()] == list(found.ours)


def test_every_number_that_agrees_is_left_of_the_limit():
    frame = charts.shares_frame(results())
    limit = charts.LIMIT.share[0]
    assert len(frame) == len(REFERENCE)
    assert (frame.share <= limit).all()
    assert (frame["at"] >= charts.EDGE).all()
    assert np.allclose(frame["at"][frame.share > charts.EDGE], frame.share[frame.share > charts.EDGE])


def test_the_chosen_part_and_only_it_is_marked():
    frame = charts.shares_frame(results(), "systems")
    assert set(frame.section[frame.chosen]) == {"systems"}
    assert set(frame.section[~frame.chosen]) == {entry.section for entry in REFERENCE} - {"systems"}
    assert not charts.shares_frame(results(), "all").chosen.any()
    dots = charts.shares_chart().to_dict()["layer"][0]["encoding"]
    assert dots["color"]["condition"]["value"] == MARK
    assert dots["shape"]["condition"]["value"] == "diamond"


def test_the_first_random_numbers_are_those_of_the_stream():
    frame = charts.stream_frame(11)
    assert frame.step.tolist() == ["PCG32", "ChaCha12", "Ziggurat"]
    shown = [float(word) for word in frame["first values"].iloc[-1].split()]
    assert np.allclose(shown, LessonStream(11).randn(4), atol=5e-7)
    assert np.allclose(shown[:2], [-0.678861, 1.238883], atol=1.1e-6)


def test_another_seed_changes_every_step():
    one, two = charts.stream_frame(11), charts.stream_frame(12)
    assert (one["first values"] != two["first values"]).all()
