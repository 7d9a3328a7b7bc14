"""Exercises, the page: answers checked at once, a record that lasts for the visit, and exports that open anywhere."""

import csv
import io
import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import browsing
import pytest
from opened import assert_no_error, open_section

from ffn_core.exercises import exercise
from ffn_core.questions import Choice, Question, Selection, Verdict
from ffn_ui import solved
from ffn_ui.solved import COLUMNS, Solved

open_page = partial(open_section, "13_exercises.py")


def typed(question):
    """The right answer as a student would type it."""
    if isinstance(question.answer, tuple):
        return "; ".join(f"{v:.4f}".replace(".", ",") for v in question.answer)
    return f"{question.answer:.4f}".replace("-", "−")


def give(at, question, seed, given):
    """Give an answer through the widget of a question, by its kind."""
    key = f"ex_{question.key}_{seed}"
    if isinstance(question, Choice):
        at.radio(key=key).set_value(given).run()
    elif isinstance(question, Selection):
        at.button_group(key=key).set_value(list(given))
        at.button(key=f"{key}_check").click().run()
    else:
        at.text_input(key=key).set_value(given).run()
    assert_no_error(at)


def right(question):
    return typed(question) if isinstance(question, Question) else question.answer


@pytest.mark.parametrize("seed", [11, 3])
@pytest.mark.parametrize("number", range(1, 6))
def test_each_exercise_can_be_solved_through_the_page(number, seed):
    at = open_page(ex_number=number, seed=seed)
    questions = exercise(number, seed).questions
    for k, question in enumerate(questions, start=1):
        give(at, question, seed, right(question))
        assert len(at.success) == k
        assert {m.label: m.value for m in at.metric}["this exercise, this seed"] == f"{k} of {len(questions)}"
    assert not at.warning
    assert len(at.dataframe[0].value) == len(questions)
    assert set(at.dataframe[0].value["help"]) == {"none"}
    assert set(at.dataframe[0].value["tries"]) == {1}


def test_a_wrong_answer_is_named_and_counted_and_unreadable_text_is_not():
    at = open_page()
    question = exercise(1, 11).questions[1]
    key = "ex_collapse_entry_11"
    at.text_input(key=key).set_value("banana **bold** <b>x</b>").run()
    assert_no_error(at)
    assert "`banana **bold** <b>x</b>`: That is not a number" in at.info[0].value
    at.text_input(key=key).set_value(f"{question.slips[0][0]:.3f}").run()
    assert "transpose" in at.warning[0].value
    at.text_input(key=key).set_value("   ").run()
    assert not at.warning
    assert not at.success
    at.text_input(key=key).set_value(typed(question)).run()
    assert "Right" in at.success[0].value
    assert at.dataframe[0].value["tries"].tolist() == [2]


def test_answers_stay_when_another_exercise_or_page_is_opened_and_do_not_stand_in_the_link():
    at = open_page()
    question = exercise(1, 11).questions[0]
    give(at, question, 11, typed(question))
    at.radio(key="ex_number").set_value(5).run()
    assert not at.success
    at.radio(key="ex_number").set_value(1).run()
    assert at.text_input(key="ex_collapse_bias_11").value == typed(question)
    assert len(at.success) == 1
    at.switch_page("pages/01_forward_pass.py").run()
    at.switch_page("pages/13_exercises.py").run()
    assert at.text_input(key="ex_collapse_bias_11").value == typed(question)
    assert len(at.dataframe[0].value) == 1
    assert not [name for name in at.query_params if name.startswith("ex_collapse")]


def test_another_seed_asks_anew_and_keeps_the_record():
    at = open_page()
    give(at, exercise(1, 11).questions[0], 11, typed(exercise(1, 11).questions[0]))
    at.number_input(key="seed").set_value(12).run()
    assert_no_error(at)
    assert at.text_input(key="ex_collapse_bias_12").value == ""
    assert not at.success
    give(at, exercise(1, 12).questions[0], 12, typed(exercise(1, 12).questions[0]))
    assert at.dataframe[0].value["seed"].tolist() == [11, 12]
    assert {m.label: m.value for m in at.metric} == {"this exercise, this seed": "1 of 3", "in this session": "2"}


def test_a_selection_is_graded_only_when_the_button_is_pressed():
    at = open_page(ex_number=3)
    key = "ex_symmetry_commutes_11"
    at.button_group(key=key).set_value(["FFN"]).run()
    assert not at.warning
    at.button(key=f"{key}_check").click().run()
    assert "4 of 5" in at.warning[0].value
    at.button_group(key=key).set_value(["FFN", "attention"]).run()
    assert not at.success
    at.button(key=f"{key}_check").click().run()
    assert len(at.success) == 1


def test_a_run_before_the_prediction_stands_in_the_record():
    at = open_page(ex_number=3)
    question = exercise(3, 11).questions[1]
    assert not at.get("vega_lite_chart")
    at.toggle(key="ex_run").set_value(True).run()
    assert len(at.get("vega_lite_chart")) == 1
    give(at, question, 11, question.answer)
    assert at.dataframe[0].value["help"].tolist() == ["experiment"]


def test_the_row_of_exercise_4_is_shown_after_the_first_answer_and_the_buttons_lead_to_seeds_that_allow_more():
    at = open_page(ex_number=4)
    seen = {m.label: m.value for m in at.metric}
    assert seen["open gates"] == "6 of 16"  # as the lesson prints for token 1
    assert [seen[f"singular value {k}"] for k in range(1, 5)] == ["1.291126", "1.098320", "0.145769", "0.046738"]
    assert not at.get("vega_lite_chart")
    at.text_input(key="ex_rank_most_11").set_value("14").run()
    assert "these weights do not allow it" in at.warning[0].value
    assert len(at.get("vega_lite_chart")) == 1
    seeds = at.pills(key="_ex_seeds")
    seeds.set_value(next(name for name in seeds.options if name.endswith("allows 15"))).run()
    assert_no_error(at)
    assert at.number_input(key="seed").value == 3
    at.text_input(key="ex_rank_most_3").set_value("15").run()
    assert len(at.success) == 1


def test_the_dial_of_exercise_2_shows_expected_and_counted_shares():
    at = open_page(ex_number=2)
    seen = {m.label: m.value for m in at.metric}
    assert seen["ReLU: expected, counted"].startswith("50.3%")
    at.slider(key="ex_bias").set_value(0.0).run()
    assert {m.value for m in at.metric if "expected" in m.label} == {"0.0%, 0.0%"}


@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("seed", [0, 16, 2**32 - 1])
def test_every_exercise_is_drawn_for_any_seed_and_bench(number, seed):
    open_page(ex_number=number, seed=seed, T=64, d_model=64, d_ff=512, sigma="Identity")
    open_page(ex_number=number, seed=seed, T=1, d_model=2, d_ff=1, sigma="SiLU", ex_run="true")


def test_an_exercise_that_is_none_opens_the_first_and_is_said():
    at = open_page(ex_number=9)
    assert at.header[0].value.startswith("1.")
    assert "ex_number was `9`" in at.warning[0].value


# The record, and what is made of it

HOSTILE = "<script>alert(1)</script> & \"quotes\" 'too' =SUM(A1) *bold*"


def entry(**changed):
    plain = {
        "section": "1. Collapse", "question": "The bias?", "given": "0,5", "answer": "0.500",
        "tolerance": "a number, ±0.01", "seed": 11, "tries": 2, "help": "hint", "solved_utc": "2026-01-02 03:04",
    }  # fmt: skip
    return Solved(**{**plain, **changed})


class Reader(HTMLParser):
    """Collects tags, attributes and text of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def read(page):
    reader = Reader()
    reader.feed(page)
    return reader


def test_the_printable_page_escapes_every_text_and_loads_nothing():
    page = solved.as_page(
        [entry(**dict.fromkeys(("section", "question", "given", "answer", "help"), HOSTILE))], HOSTILE, HOSTILE
    )
    reader = read(page)
    assert "script" not in reader.tags
    assert not [name for name, _ in reader.attributes if name.startswith("on") or name in ("src", "href")]
    assert "".join(reader.text).count(HOSTILE) == 7
    assert "url(" not in page
    assert "@import" not in page


def test_the_printable_page_has_the_record_section_by_section():
    page = solved.as_page([entry(), entry(section="2. Dead units", answer="−3.198 sd"), entry(given="1/2")], "Ada")
    text = " ".join(read(page).text)
    assert page.startswith("<!doctype html>")
    assert "3 questions solved" in text
    assert read(page).tags.count("h2") == 2
    assert all(word in text for word in ("Ada", "0,5", "1/2", "−3.198 sd", "a number, ±0.01", "2026-01-02 03:04"))


def read_csv(record):
    return list(csv.DictReader(io.StringIO(solved.as_csv(record), newline="")))


def test_the_csv_reads_back_and_no_cell_can_be_run_by_a_spreadsheet():
    rows = read_csv([entry(given="-0.5"), entry(given="=1/2", question='a "b",\n c;d')])
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["given"] == "-0.5"
    assert rows[1]["given"] == "'=1/2"
    assert rows[1]["question"] == 'a "b", c;d'
    for text in ("=1+1", "+cmd", "@x", "-2+3", " =1", "\t=1", "\r=1"):
        assert read_csv([entry(given=text)])[0]["given"] == f"'{text.strip()}"


def test_an_empty_record_is_a_heading_and_an_empty_page():
    assert solved.as_csv([]).strip() == ",".join(COLUMNS)
    assert "0 questions solved" in solved.as_page([])


def test_the_record_counts_different_answers_and_keeps_the_first_time_it_was_right(monkeypatch):
    state = {}
    monkeypatch.setattr(solved.st, "session_state", state)
    question = exercise(5, 11).questions[1]
    for given, ok, read_ in (("1", False, True), ("1", False, True), ("x", False, False), ("0.4", False, True)):
        solved.note("5", question, 11, given, Verdict(ok, "", read_))
    solved.note_help(question, 11, "answer")
    solved.note_help(question, 11, "hint")
    solved.note("5", question, 11, "0.5", Verdict(True, "Right."))
    solved.note("5", question, 11, "1/2", Verdict(True, "Right."))
    (found,) = solved.record()
    assert (found.tries, found.help, found.given, found.seed) == (3, "answer", "0.5", 11)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", found.solved_utc)


# In a real browser


def box_of(page, question, number):
    """The frame round a question and all that belongs to it."""
    return page.locator('[data-testid="stVerticalBlock"]').filter(has_text=f"{number}. {question.prompt} (").last


def answer_in_browser(page, question, box):
    if isinstance(question, Question):
        box.get_by_role("textbox").fill(typed(question))
        page.keyboard.press("Enter")
    elif isinstance(question, Choice):
        box.locator('[data-testid="stRadio"] label', has_text=question.answer).first.click()
    else:
        for option in question.answer:
            box.get_by_role("button", name=option, exact=True).click()
            page.wait_for_timeout(300)
        box.get_by_role("button", name="Check").click()


@pytest.mark.browser
def test_all_five_exercises_are_solved_in_the_browser_and_each_export_opens(browser, app, tmp_path):
    with browsing.tab(browser) as page:
        page.goto(f"{app}/exercises?seed=3")
        browsing.settle(page)
        asked = 0
        for number in range(1, 6):
            page.locator('[data-testid="stRadio"]').first.locator("label", has_text=str(number)).first.click()
            page.wait_for_function("n => document.querySelector('h2')?.innerText.startsWith(n + '.')", arg=str(number))
            browsing.settle(page)
            for k, question in enumerate(exercise(number, 3).questions, start=1):
                answer_in_browser(page, question, box_of(page, question, k))
                asked += 1
                page.wait_for_function(
                    "n => [...document.querySelectorAll('[data-testid=stMetric]')].some(m => "
                    "m.innerText.includes('in this session') && m.innerText.trim().endsWith('\\n' + n))",
                    arg=str(asked),
                )
            browsing.settle(page)
            browsing.assert_fine(page)
        page.get_by_label("your name, for the printed page").fill("Ada <b>L</b>")
        page.keyboard.press("Enter")
        page.wait_for_timeout(800)
        for button, name in (
            ("Download the record (to print)", "solved.html"),
            ("Download the record (CSV)", "solved.csv"),
        ):
            with page.expect_download() as waiting:
                page.get_by_role("button", name=button).click()
            waiting.value.save_as(tmp_path / name)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "solved.csv").read_text(encoding="utf-8"))))
    assert len(rows) == asked
    assert {row["help"] for row in rows} == {"none"}
    with browsing.tab(browser) as page:
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto((tmp_path / "solved.html").as_uri())
        assert page.locator("tbody tr").count() == asked
        assert page.locator("h2").count() == 5
        assert page.get_by_text("Ada <b>L</b>").count() == 1
        assert requests == [(tmp_path / "solved.html").as_uri()]
        assert page.problems == []
        assert len(page.pdf()) > 5000


@pytest.mark.browser
def test_hint_answer_and_program_open_and_are_noted(browser, app):
    with browsing.tab(browser) as page:
        page.goto(f"{app}/exercises?ex_number=5")
        browsing.settle(page)
        box = box_of(page, exercise(5, 11).questions[1], 2)
        assert box.get_by_text("The answer, and why").count() == 0
        box.get_by_text("Hint", exact=True).click()
        page.get_by_text("read the curve above x = 0").wait_for()
        box.get_by_text("The answer, and why").click()
        page.get_by_text("as it is for GELU").wait_for()
        box.get_by_role("textbox").fill("50 %")
        page.keyboard.press("Enter")
        page.get_by_text("Right: 0.500.").wait_for()
        page.get_by_text("Worked solution, as a program").click()
        page.get_by_text("product rule: (x s)").wait_for()
        browsing.settle(page)
        browsing.assert_fine(page)
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Download the record (CSV)").click()
        rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
        assert [(row["given"], row["help"]) for row in rows] == [("50 %", "answer")]
