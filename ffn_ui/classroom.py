"""A view prepared for a class: controls locked or hidden and a question to read, all of it in the link.

Three parameters beside the controls' own: `lock` and `hide` name controls, separated by commas, and `ask` is a text.
They are read whenever the whole page runs, and belong to one page: the menu, or one button, leads to the full page.
"""

import streamlit as st

from . import link, view

PARAMETERS = ("lock", "hide", "ask")
MOST_TEXT = 500
MOST_LINK = 2000


def _names(parameter):
    asked = (name.strip() for text in st.query_params.get_all(parameter) for name in text.split(","))
    return frozenset(filter(None, asked))


def begin():
    """Read what the link locks and hides: call before any control is made."""
    now = view.current()
    now.locked, now.hidden = _names("lock"), _names("hide")


def prepared():
    """Whether this view was prepared for a class."""
    return any(st.query_params.get(p) for p in PARAMETERS)


def locked():
    """The controls that this view keeps students from moving; a button that would move them must not either.

    Returns
    -------
    frozenset of str
    """
    return view.current().locked | view.current().hidden


def draw(widget, label, *arguments, key, **more):
    """Draw a Streamlit widget as the view has it: as it is, locked, or not at all.

    A hidden control still takes its value from the link: it is drawn and taken away in the same run.

    Parameters
    ----------
    widget : str
        Name of the Streamlit function.

    Returns
    -------
    The widget's value.
    """
    now = view.current()
    if key in now.hidden:
        place = st.empty()
        value = getattr(place, widget)(label, *arguments, key=key, **more)
        place.empty()
        return value
    if key in now.locked:
        more["disabled"] = True
    return getattr(st, widget)(label, *arguments, key=key, **more)


def show_question():
    """The instructor's text, as text, with a way out to the full page."""
    if not prepared():
        return
    text = " ".join(st.query_params.get("ask", "").split())[:MOST_TEXT]
    with st.container(border=True):
        if text:
            st.text(text)
        st.caption("This view was prepared for a class: some controls may be locked or left out.")
        st.button("Open the full page", on_click=_leave, icon="🔓")


def _leave():
    for parameter in PARAMETERS:
        st.query_params.pop(parameter, None)


def unknown():
    """Names in `lock` and `hide` that no control of this page has, for the repair note.

    Returns
    -------
    list of str
    """
    return sorted(locked() - set(link.controls()))


def prepare():
    """The instructor's side: choose what students see, write a question, copy the link."""
    st.markdown("**For a class.** What students may move, what they do not see, and what they are asked.")
    names = sorted(link.controls())
    lock = st.multiselect("lock", names, key="class_lock", help="Shown, but students cannot move them.")
    hide = st.multiselect("leave out", names, key="class_hide", help="Not shown; the value is the one you have now.")
    ask = st.text_area("question or instruction", max_chars=MOST_TEXT, key="class_ask", height=90)
    address = link.address(lock=",".join(lock), hide=",".join(hide), ask=" ".join(ask.split()))
    if len(address) > MOST_LINK:
        st.warning(f"The link has {len(address):,} characters; some programs cut at {MOST_LINK:,}. Shorten the text.")
    st.code(address, language=None, wrap_lines=True)
