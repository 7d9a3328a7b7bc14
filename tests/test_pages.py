"""Every page through the app, alone, and with links that were edited by hand."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from opened import assert_no_error, open_section, tables, title
from streamlit.testing.v1 import AppTest

from ffn_ui.site import ALL, CONTENTS

ROOT = Path(__file__).resolve().parents[1]
EVERY = pytest.mark.parametrize("s", CONTENTS, ids=lambda s: s.slug)


def open_page(s, **asked):
    """A deep link: the app is opened at this page with these parameters."""
    return open_section(s.file, **asked)


@EVERY
def test_a_page_opens_from_the_app_with_menu_bench_share_and_neighbours(s):
    at = open_page(s)
    assert_no_error(at)
    assert not at.warning
    assert title(at) == s.title
    assert at.number_input(key="seed").value == 11
    assert at.get("page_link")
    assert [e.label for e in at.expander][-1].startswith("The numbers as tables")


@EVERY
def test_a_page_runs_on_its_own(s):
    at = AppTest.from_file(str(ROOT / "pages" / s.file), default_timeout=90).run()
    assert not at.exception


@EVERY
def test_controls_that_a_page_does_not_use_are_disabled_there(s):
    at = open_page(s)
    kinds = {"sigma": at.selectbox, "T": at.slider, "d_model": at.slider}
    assert {key for key in ALL if not kinds.get(key, at.number_input)(key=key).disabled} == s.uses


@EVERY
def test_every_chart_has_a_name_and_no_data_in_its_grammar(s):
    at = open_page(s)
    for node in at.get("vega_lite_chart"):
        assert len(node.proto.alt) > 20
        spec = json.loads(node.proto.spec)
        assert "datasets" not in spec
        assert "values" not in json.dumps(spec.get("data", {}))


@EVERY
def test_what_changes_goes_into_the_data_and_never_into_the_grammar(s):
    """A changed grammar or name would redraw the chart and lose the reader's place in it."""
    before, after = open_page(s), open_page(s, seed="5", token="4", slot="9", T="7")
    grammars = [[(n.proto.spec, n.proto.alt) for n in at.get("vega_lite_chart")] for at in (before, after)]
    assert grammars[0] == grammars[1]


@EVERY
def test_the_whole_range_of_the_bench_is_computed(s):
    for asked in (
        {"T": "1", "d_model": "2", "d_ff": "1", "token": "1", "sigma": "Identity"},
        {"T": "64", "d_model": "64", "d_ff": "512", "token": "64", "slot": "512", "sigma": "ReLU"},
        {"T": "2", "d_model": "64", "d_ff": "3", "sigma": "SiLU", "seed": str(2**32 - 1)},
    ):
        assert_no_error(open_page(s, **asked))


@EVERY
def test_a_value_off_the_grid_is_snapped_and_said(s):
    at = open_page(s, T="3.7", d_model="4.2")
    assert_no_error(at)
    assert at.slider(key="T").value == 3
    assert "T was `3.7` in the link" in at.warning[0].value


def test_token_and_slot_come_down_when_the_bench_shrinks():
    at = open_page(CONTENTS[1], T="8", token="7", d_ff="32", slot="30")
    at.slider(key="T").set_value(3)
    at.number_input(key="d_ff").set_value(5)
    at.run()
    assert_no_error(at)
    assert at.number_input(key="token").value == 3
    assert at.number_input(key="slot").value == 5
    assert not at.warning


def test_the_bench_travels_from_page_to_page():
    at = open_page(CONTENTS[1], seed="7", sigma="SiLU")
    at.switch_page(f"pages/{CONTENTS[4].file}").run()
    assert title(at) == CONTENTS[4].title
    assert at.number_input(key="seed").value == 7
    assert at.selectbox(key="sigma").value == "SiLU"


def test_what_is_in_a_table_is_text_and_not_markdown():
    hostile = pd.DataFrame(
        {"a | b": ["*x*", "$y$", "<i>", "[z](http://a.b)"], "c_d_e": [":red[f]", "`g`", "\\h", "# i"]}
    )

    def script(frame):
        from ffn_ui import layout

        layout.table(frame)

    at = AppTest.from_function(script, args=(hostile,)).run()
    assert not at.exception
    written = at.markdown[0].value
    assert not re.search(r"(?<!\\)[*$<\[`_#]", written)
    (read,) = tables(at)
    pd.testing.assert_frame_equal(read, hostile)


def test_a_part_that_cannot_be_computed_says_so_and_leaves_the_others_standing(monkeypatch):
    def fails(*_):
        raise ValueError("no such block")

    monkeypatch.setattr("ffn_core.linear.collapse_block", fails)
    at = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=90)
    at.switch_page("pages/02_why_nonlinear.py").run()
    assert not at.exception
    assert [error.value.split(". ")[0] for error in at.error] == ["This cannot be computed: no such block"]
    assert "loss with GELU" in {metric.label for metric in at.metric}
    assert at.sidebar.slider(key="T").value == 5
