"""The parts of a page: how its text is cut, and that a part which runs by itself shows what the whole page would."""

import random
from pathlib import Path

import pytest
from browsing import free_port, running_process
from raw_session import RawSession

from ffn_ui import parts
from ffn_ui.site import CONTENTS

ROOT = Path(__file__).resolve().parents[1]
WITH_CONTROLS = [s for s in CONTENTS if s.file not in ("00_overview.py", "13_exercises.py")]
MOVES, COMPARE_EVERY = 24, 6
THAT_LIMIT_OTHERS = {"T", "d_model", "d_ff", "token", "slot"}  # moved together, they are repaired in a link


@pytest.fixture(scope="module")
def port():
    """A server of the app."""
    number = free_port()
    with running_process(number):
        yield number


def cut(text, tmp_path):
    script = tmp_path / "page.py"
    script.write_text("require_router()\nimport streamlit as st\n" + text, encoding="utf-8")
    return parts.cut(compile(script.read_text(encoding="utf-8"), str(script), "exec"))


def outline(some):
    """Parts as nested lists of the names that they set."""
    return [[sorted(part.piece.sets), *([outline(part.inside)] if part.inside else [])] for part in some]


FOLLOWS = """
st.header("One")
a = controls.slider()
st.header("Two, on its own")
b = controls.slider()
st.header("Three, follows two")
c = controls.slider() + b
st.header("Four, on its own, though it has a name in common")
b = controls.slider()
print(b)
"""
BETWEEN = """
st.header("One")
a = controls.slider()
st.header("Between")
b = controls.slider()
st.header("Follows one")
c = [a for _ in range(3)]
st.header("After")
d = controls.slider()
"""
BY_WAY = """
st.header("One")
a = controls.slider()
st.header("Two, only shows")
b = [x + a for x in (1, 2)]
st.header("Three, follows two")
c = (lambda: b)()
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param(FOLLOWS, [[["a"]], [["b"], [[["c"]]]], [["b"]]], id="what reads a name stands inside"),
        pytest.param(BETWEEN, [[["a"], [[["b"]], [["c"]]]], [["d"]]], id="what is between goes along"),
        pytest.param(BY_WAY, [[["a"], [[["b"]], [["c"]]]]], id="by way of a part without controls"),
    ],
)
def test_a_part_that_follows_an_earlier_one_stands_inside_it(text, wanted, tmp_path):
    page = cut(text + "layout.close_page(a=a, b=b)\n", tmp_path)
    assert outline(page.parts) == wanted
    assert page.opening.sets == {"st"}
    assert page.closing.reads >= {"a", "b", "layout"}


def test_a_name_that_an_opening_sets_does_not_tie_parts_together(tmp_path):
    one, two = 'st.header("One")\na = controls.slider(x)\n', 'st.header("Two")\nb = controls.slider(x)\n'
    page = cut("x = 1\n" + one + two, tmp_path)
    assert outline(page.parts) == [[["a"]], [["b"]]]
    assert page.parts[0].reads >= {"x", "controls"}


def lines(code):
    """The numbers of the lines that do something."""
    return {line for *_, line in code.co_lines() if line}


def pieces(some):
    for part in some:
        yield part.piece
        yield from pieces(part.inside)


@pytest.mark.parametrize("s", CONTENTS, ids=lambda s: s.slug)
def test_a_page_is_whole_when_its_parts_are_put_together(s):
    path = ROOT / "pages" / s.file
    text = path.read_text(encoding="utf-8")
    script = compile(text, str(path), "exec")
    page = parts.cut(script)
    guard = text.splitlines().index("require_router()") + 1
    together = [line for piece in (page.opening, *pieces(page.parts), page.closing) for line in lines(piece.code)]
    assert len(together) == len(set(together))
    assert set(together) == {line for line in lines(script) if line > guard}


def another(draw, kind, widget):
    """A value for a control."""
    if kind in ("slider", "number_input"):
        steps = int((widget.max - widget.min) / widget.step + 1e-9)
        return round(widget.min + widget.step * draw.randint(0, min(steps, 40)), 10)
    if kind == "checkbox":
        return draw.random() < 0.5
    if kind == "text_input":
        return draw.choice(["5 4 3 2 1", "2 2", ""])
    options = [str(o) for o in widget.options]
    return draw.sample(options, draw.randint(0, len(options))) if kind == "multiselect" else draw.choice(options)


@pytest.mark.parametrize("s", WITH_CONTROLS, ids=lambda s: s.slug)
def test_a_part_that_runs_by_itself_shows_what_the_whole_page_would(port, s):
    draw = random.Random(s.slug)
    alone = 0
    with RawSession(port, s.slug) as session:
        for turn in range(1, MOVES + 1):
            usable = {k: c for k, c in session.controls().items() if not c[1].disabled and k not in THAT_LIMIT_OTHERS}
            delta, widget = usable[key := draw.choice(sorted(usable))]
            session.move(key, another(draw, delta.new_element.WhichOneof("type"), widget))
            alone += bool(delta.fragment_id)
            assert session.runs[-1] < session.runs[0] or not delta.fragment_id
            if turn % COMPARE_EVERY == 0:
                with RawSession(port, s.slug, **session.link) as fresh:
                    assert session.shown() == fresh.shown(), session.link
    assert alone


def test_a_repaired_view_follows_as_a_whole_until_nothing_of_it_is_repaired(port):
    with RawSession(port, "forward_pass", fwd_added="junk", fwd_channel="2") as session:
        assert "alert" in kinds(session)
        session.move("fwd_channel", 3)
        assert "alert" in kinds(session)
        session.move("fwd_added", 2.0)
        assert "alert" not in kinds(session)
        session.move("fwd_channel", 2)
        session.move("fwd_channel", 1)
        assert session.runs[-1] < session.runs[0] / 2


def kinds(session):
    return [kind for kind, _ in session.shown()]


def test_what_shows_the_settings_elsewhere_follows_while_it_is_open(port):
    with RawSession(port, "forward_pass") as session:
        session.open("numbers")
        for channel in (2, 3):
            session.move("fwd_channel", channel)
            assert any(f"channel = {channel}\n".encode() in what for kind, what in session.shown() if kind == "code")
    with RawSession(port, "forward_pass") as session:
        session.open("share")
        for channel in (2, 3):
            session.move("fwd_channel", channel)
            assert any(f"fwd_channel={channel}".encode() in what for kind, what in session.shown() if kind == "code")


def test_a_class_cannot_move_what_is_locked_and_sees_nothing_of_what_is_hidden_when_a_part_runs_alone(port):
    with RawSession(port, "forward_pass", lock="fwd_channel", hide="fwd_order", fwd_order="reverse") as session:
        for _ in range(2):
            session.move("fwd_added", session.controls()["fwd_added"][1].min)
            controls = session.controls()
            assert controls["fwd_channel"][1].disabled
            assert "fwd_order" not in controls
            assert any(b"5 4 3 2 1" in what for kind, what in session.shown() if kind == "markdown")


def test_ready_made_settings_of_a_part_set_its_controls(port):
    with RawSession(port, "residual_and_norm") as session:
        session.press("half a layer")
        assert session.runs[-1] < session.runs[0]
        assert session.link["block_kind"] == "stage"
        with RawSession(port, "residual_and_norm", **session.link) as fresh:
            assert session.shown() == fresh.shown()


def test_ready_made_settings_of_the_bench_take_the_whole_page_along(port):
    with RawSession(port, "exercises", ex_number=4) as session:
        option = next(o for o in ready_made(session) if o.startswith("Seed") and "11" not in o.split()[1])
        session.press(option)
        with RawSession(port, "exercises", ex_number=4, seed=option.split()[1]) as fresh:
            assert session.shown() == fresh.shown()


def ready_made(session):
    return [option.content for delta, _ in session.tree.values() for option in delta.new_element.button_group.options]


def test_the_dial_of_an_exercise_runs_its_part_alone(port):
    with RawSession(port, "exercises", ex_number=2) as session:
        for bias in (-1.5, -2.5):  # a view that came by a link follows as a whole once
            session.move("ex_bias", bias)
        assert session.runs[-1] < session.runs[0]
        with RawSession(port, "exercises", **session.link) as fresh:
            assert session.shown() == fresh.shown()


def test_an_answer_runs_its_question_alone_and_is_judged(port):
    with RawSession(port, "relu_vs_gelu") as session:
        session.type("A training signal", "1e9")
        assert session.runs[-1] < 15
        assert "alert" in kinds(session)
