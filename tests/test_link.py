"""Text from a link is text, values are compared as a reader would, and the shared link says what is shown."""

import pytest
from streamlit.testing.v1 import AppTest

from ffn_ui import link


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (["5"], 5), (["5.0"], 5), (["1e1"], 10), (["0.30"], 0.3), (["TRUE"], True), (["GELU"], "GELU"),
        (["b", "a"], ("a", "b")), ([""], ()), (["NaN"], "NaN"),
    ],
)  # fmt: skip
def test_a_value_said_in_another_way_is_no_repair(raw, value):
    assert link._same(raw, value)


@pytest.mark.parametrize(
    ("raw", "value"),
    [(["5"], 6), (["3.7"], 3), ([""], 5), (["5", "6"], 5), (["gelu"], "GELU"), (["a"], ("a", "b")), (["1"], True)],
)
def test_a_value_that_was_not_used_is_a_repair(raw, value):
    assert not link._same(raw, value)


@pytest.mark.parametrize("text", ["<b>x</b>", "**x**", "`x`", "[a](http://b)", "a\nb", "$x$", "\u202ex", "x" * 5000])
def test_text_from_a_link_is_shown_as_a_short_code_span(text):
    shown = link.quoted(text)
    assert shown.startswith("`")
    assert shown.endswith("`")
    assert "`" not in shown[1:-1]
    assert "\n" not in shown
    assert len(shown) <= link.SHOWN_CHARACTERS + 2


def test_an_empty_text_is_said_in_words():
    assert link.quoted(" \n ") == "an empty value"


def app(asked):
    """A page with one control, opened with these parameters."""

    def script():
        import streamlit as st

        from ffn_ui import controls, link

        link.begin("page")
        controls.slider("x", "p_x", 0.0, 1.0, 0.5, 0.25)
        controls.several("names", "p_names", ["a", "b", "c"], ["a"])
        st.text(link.address(ask="why?"))
        for said in link.repairs():
            st.warning(said)

    at = AppTest.from_function(script)
    at.query_params.update(asked)
    return at.run()


def test_the_link_carries_what_is_not_at_its_default():
    assert app({}).text[0].value == "?ask=why%3F"
    assert app({"p_x": "1", "p_names": ["c", "b"]}).text[0].value == "?p_x=1&p_names=b&p_names=c&ask=why%3F"


def test_choosing_none_of_several_stands_in_the_link_and_is_no_repair():
    at = app({"p_names": ""})
    assert at.multiselect[0].value == []
    assert not at.warning
    assert at.text[0].value == "?p_names=&ask=why%3F"


def test_a_repair_is_said_until_its_control_is_moved():
    at = app({"p_x": "0.3"})
    assert at.warning[0].value == (
        "p_x was `0.3` in the link; a number from 0 to 1 in steps of 0.25 is wanted, so `0.25` is used."
    )
    at.multiselect[0].set_value(["b"]).run()
    assert len(at.warning) == 1
    at.slider[0].set_value(1.0).run()
    assert not at.warning


def test_a_run_that_is_interrupted_loses_no_repair():
    """A visitor may move a control while the first run still computes, before it comes to the others."""

    def script():
        import streamlit as st

        from ffn_ui import controls, link

        link.begin("page")
        controls.slider("x", "p_x", 0.0, 1.0, 0.5, 0.25)
        if not st.session_state.get("interrupted"):
            st.session_state["interrupted"] = True
            st.rerun()
        controls.slider("y", "p_y", 0.0, 1.0, 0.5, 0.25)
        for said in link.repairs():
            st.warning(said)

    at = AppTest.from_function(script)
    at.query_params.update({"p_x": "7", "p_y": "8"})
    at.run()
    assert [w.value.split(" in the link")[0] for w in at.warning] == ["p_x was `7`", "p_y was `8`"]
    at.run()
    assert len(at.warning) == 2


def test_a_control_that_comes_later_is_compared_when_it_comes():
    def script():
        import streamlit as st

        from ffn_ui import controls, link

        link.begin("page")
        if controls.toggle("more", "p_more"):
            controls.slider("y", "p_y", 0.0, 1.0, 0.5, 0.25)
        for said in link.repairs():
            st.warning(said)

    at = AppTest.from_function(script)
    at.query_params.update({"p_y": "8"})
    at.run()
    assert at.warning[0].value == "The link sets `p_y`, which this page does not have."
    at.toggle[0].set_value(True).run()
    assert at.warning[0].value.startswith("p_y was `8` in the link")


def test_many_repairs_are_cut_short():
    at = app({f"k{n}": "1" for n in range(20)})
    assert len(at.warning) == link.MOST_REPAIRS + 1
    assert at.warning[-1].value == "And 14 more."


def test_parameters_that_sites_add_to_links_are_no_business_of_ours():
    assert not app({"utm_source": "mail", "fbclid": "1", "ref": "mail"}).warning
    assert app({"reference": "1"}).warning


@pytest.mark.parametrize("text", ["inf", "-inf", "1e999", "Infinity"])
def test_infinity_in_a_link_is_refused_and_said(text):
    at = app({"p_x": text})
    assert not at.exception
    assert at.slider[0].value == 0.5
    assert f"`{text}`" in at.warning[0].value
