"""The reference page through the app: every number, filtered, beside the command and the fine print."""

from functools import partial

import pyarrow as pa
import pytest
from opened import open_section

from ffn_core.care import NOTES
from ffn_core.reference import REFERENCE
from ffn_ui import site

open_page = partial(open_section, "14_reference.py")

PARTS = list(dict.fromkeys(entry.section for entry in REFERENCE))


def test_39_of_39_printed_numbers_are_reproduced():
    at = open_page()
    shown = {m.label: m.value for m in at.metric}
    assert shown["printed numbers reproduced"] == "39 of 39" == f"{len(REFERENCE)} of {len(REFERENCE)}"
    assert not at.error


def test_the_table_shows_every_printed_number_with_its_page():
    frame = open_page().dataframe[0].value
    assert frame["lesson"].tolist() == [entry.printed for entry in REFERENCE]
    assert frame["page"].tolist() == [site.for_lesson(entry.section).title for entry in REFERENCE]
    assert set(frame["agrees"]) == {"✅"}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_lesson_can_be_looked_at_alone(part):
    at = open_page(ref_part=part)
    assert set(at.dataframe[0].value["section"]) == {part}
    assert {m.label: m.value for m in at.metric}["printed numbers reproduced"] == "39 of 39"
    proto = at.get("vega_lite_chart")[0].proto
    shares = {d.name: pa.ipc.open_stream(d.data.data).read_pandas() for d in proto.datasets}["shares"]
    assert set(shares.section[shares.chosen]) == {part}


def test_every_part_of_the_lesson_leads_to_a_page():
    for part in {*PARTS, *(note.section for note in NOTES)}:
        assert site.for_lesson(part) in site.CONTENTS


def test_the_pages_are_linked_from_the_table_and_from_the_fine_print():
    linked = [node.proto.page for node in open_page().get("page_link")]
    for slug in {site.for_lesson(part).slug for part in PARTS}:
        assert slug in linked


def test_every_note_of_the_fine_print_is_on_the_page():
    prose = "\n".join(m.value for m in open_page().markdown)
    for note in NOTES:
        assert f"| {note.says} | {note.text} |" in prose


def test_the_command_stands_on_the_page():
    assert "python -m ffn_core" in [code.value for code in open_page().code]


def test_the_first_random_numbers_follow_the_seed_of_the_bench():
    lesson = open_page().table[-1].value["first values"].tolist()
    other = open_page(seed="12").table[-1].value["first values"].tolist()
    assert lesson[-1].startswith("-0.67886")
    assert all(a != b for a, b in zip(lesson, other, strict=True))
