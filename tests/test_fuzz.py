"""Whatever a link asks for: junk, hostile and enormous values for every control, and the far ends of all of them.

The controls are those that the app itself says it has. What holds, each time: no exception, no error box, every control
within its own limits, and everything that was refused is said.
"""

import math
import random
import re
from functools import lru_cache

import pytest
from opened import assert_no_error
from test_pages import EVERY, open_page

from ffn_ui import classroom, link
from ffn_ui.site import ALL, CONTENTS

JUNK_OPENS, END_OPENS = 13, 4  # how often a page is opened with junk, and at its ends
MOST_SHARE = 0.9  # of the controls get a value in one open; now and then all get the same one

JUNK = (
    # no number at all, or none that can be used
    "", " ", "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400", "0x10", "0b1", "1e", "--5", "5-",
    "1/2", "0,5", "½", "²", "1 2", "None", "null", "undefined", "[object Object]", "\ufffd",
    # numbers said in another way, at the edge, or far beyond
    "-0", "-0.0", "+5", "05", "5.", ".5", "1_0", "１２", "٣", " 5 ", "1e1", "3.7", "-1", "-4", "1e9", "4294967295",
    "4294967296", "4294967295.5", "18446744073709551616", "5e-324", "1.7976931348623157e308", "1" + "0" * 400,
    "9" * 5000,
    # words of other controls, in the wrong case, or nearly right
    "true", "TRUE", "1", "yes", "gelu", "RELU", "GELU ", "ReLU", "Identity", "own", "random", "all", "3 1 2 5 4",
    # what would be harmful if it were not text
    "<script>window.__pwned=1</script>", "<img src=x onerror=window.__pwned=1>", "javascript:alert(1)", "**bold**",
    "`x`", "$x$", "[a](http://b)", ":red[x]", "'; DROP TABLE x", "{0}", "%s", "%00", "../../etc/passwd", "5&T=9", "#",
    "\\",
    # characters that are not seen, or that change how others are
    "\x00", "a\x00b", "\x1b[31m", "\r\n", "\u202e5", "\u200b5", "5" + "\u0300" * 50, "😀", "x" * 5000,
    # several at once
    ["5", "6"], ["5", "5"], ["", "5"], ["5", ""], ["inf", "5"], ["5", "nan"], ["ReLU", "SiLU"], ["ReLU", "ReLU"],
    ["true", "false"], ["5"] * 30,
)  # fmt: skip

# The ends of the bench and some of the way, where a page is most likely to run out of something.
BENCH_ENDS = {
    "seed": ("0", "11", "4294967295"), "T": ("1", "2", "64"), "d_model": ("2", "3", "64"), "d_ff": ("1", "2", "512"),
    "token": ("1", "64"), "slot": ("1", "512"),
}  # fmt: skip


def widgets(at):
    """Every drawn control by its key."""
    kinds = ("number_input", "slider", "selectbox", "radio", "multiselect", "toggle", "text_input")
    return {widget.key: widget for kind in kinds for widget in at.get(kind)}


@lru_cache
def controls_of(s):
    """The controls of a page, those included that stand there only with another choice of its radio buttons."""
    at = open_page(s)
    found = dict.fromkeys(at.session_state["_view"].controls)
    for radio in at.radio:
        for option in radio.options if radio.key in found else ():
            found |= dict.fromkeys(open_page(s, **{radio.key: option}).session_state["_view"].controls)
    return tuple(found)


def junk_links(s):
    """What the page is asked for: a list of dict of str to str or several of them, the same on every machine."""
    draw, keys = random.Random(s.slug), controls_of(s)
    links = [dict.fromkeys(keys, draw.choice(JUNK)) for _ in range(JUNK_OPENS // 4)]
    while len(links) < JUNK_OPENS:
        links.append({key: draw.choice(JUNK) for key in keys if draw.random() < MOST_SHARE})
    for asked in links[::3]:
        asked["lock"], asked["hide"] = (",".join(map(str, draw.sample([*keys, "no", "<b>", " "], 3))) for _ in range(2))
        asked["ask"], asked["no such"] = draw.choice(JUNK), draw.choice(JUNK)
    return links


def ends(widget):
    """Texts for the ends of a control, or for each of its options."""
    if widget.type in ("number_input", "slider"):
        return [f"{x:.10g}" for x in (widget.min, widget.max, *([0] if widget.min < 0 < widget.max else []))]
    if widget.type == "multiselect":
        return [[""], widget.options[-1:], list(widget.options)]
    if widget.type == "toggle":
        return ["true", "false"]
    return ["1", "64 " * 60] if widget.type == "text_input" else widget.options


def end_links(s):
    """Links to the far ends of all controls together."""
    draw, drawn = random.Random(s.slug), widgets(open_page(s))
    return [{key: draw.choice(BENCH_ENDS.get(key) or ends(drawn[key])) for key in drawn} for _ in range(END_OPENS)]


def is_said_by(raw, value):
    """Whether a reader of the link would expect this value."""
    raw = [raw] if isinstance(raw, str) else list(raw)
    if isinstance(value, tuple):
        return sorted(raw) == sorted(value or ("",))
    if len(raw) != 1:
        return False
    if isinstance(value, bool):
        return raw[0].lower() == str(value).lower()
    if isinstance(value, str):
        return raw[0] == value
    try:
        return float(raw[0]) == value
    except ValueError:
        return False


def assert_within(widget, value):
    """The value that the page uses is one that its control offers."""
    if widget.type in ("number_input", "slider"):
        assert math.isfinite(value)
        assert widget.min <= value <= widget.max
        if widget.type == "slider":
            steps = (value - widget.min) / widget.step
            assert abs(steps - round(steps)) < 1e-6
    elif widget.type == "multiselect":
        assert set(value) <= set(widget.options)
        assert len(set(value)) == len(value)
    elif widget.type == "toggle":
        assert isinstance(value, bool)
    elif widget.type == "text_input":
        assert len(value) <= widget.proto.max_chars
    else:
        assert value in [type(value)(option) for option in widget.options]


def assert_said(at, asked):
    """Every parameter that was refused is said in the note, by name or in the number of further ones."""
    settled = {key: value for key, (value, _) in at.session_state["_view"].controls.items()}
    refused = {key for key in asked if key in settled and not is_said_by(asked[key], settled[key])}
    unknown = set(asked) - set(settled) - set(classroom.PARAMETERS)
    names = {name.strip() for p in ("lock", "hide") for name in asked.get(p, "").split(",")} - {"", *settled}
    assert set(at.session_state["_view"].repairs) == refused
    count = len(refused) + len(unknown) + len(names)
    notes = [w.value for w in at.warning if w.value.startswith("Repaired: ")]
    assert len(notes) == (count > 0)
    if notes:
        more = re.search(r" And (\d+) more\.$", notes[0])
        assert (link.MOST_REPAIRS + int(more[1]) if more else count) == count
        by_name = [key for key in settled if key in refused][: link.MOST_REPAIRS]
        assert [key for key in by_name if f"{key} was " not in notes[0]] == []


def assert_sane(at, asked):
    assert_no_error(at)
    drawn = widgets(at)
    for key, (value, _) in at.session_state["_view"].controls.items():
        if key in drawn:  # the others are hidden by the link
            assert_within(drawn[key], value)
    assert_said(at, asked)
    assert [m.value for m in at.metric if re.search(r"\b(nan|inf)\b", m.value, re.IGNORECASE)] == []


def test_the_fuzz_tries_two_thousand_values_on_every_control_of_every_page():
    cases = {}
    for s in CONTENTS:
        for asked in junk_links(s):
            for key in set(asked) - {*classroom.PARAMETERS, "no such"}:
                cases[s.slug, key] = cases.get((s.slug, key), 0) + 1
    assert sum(cases.values()) >= 2000
    assert {key for slug, key in cases if slug == CONTENTS[0].slug} >= ALL
    assert min(cases.values()) >= 3
    assert len(cases) == sum(len(controls_of(s)) for s in CONTENTS)


@EVERY
def test_junk_is_refused_and_said_and_breaks_nothing(s):
    for asked in junk_links(s):
        assert_sane(open_page(s, **asked), asked)


@EVERY
def test_the_far_ends_of_all_controls_together_are_computed(s):
    for asked in end_links(s):
        asked.pop("lin_sweep", None)  # trains 14 networks; that is tried elsewhere
        assert_sane(open_page(s, **asked), asked)


@pytest.mark.parametrize("raw", ["inf", "-inf", "1e400", "nan"])
def test_an_infinity_is_refused_however_the_page_is_reached(raw):
    """Streamlit's whole numbers fail on one; on the second page of a visit the bench is bound already."""
    at = open_page(CONTENTS[1])
    at.switch_page(f"pages/{CONTENTS[6].file}")
    at.query_params.update(d_ff=raw, mem_keep=raw, T=raw, ask=raw)
    at.run()
    assert_sane(at, {"d_ff": raw, "mem_keep": raw, "T": raw})
    assert raw in [text.value for text in at.text]
