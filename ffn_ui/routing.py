"""From the table of contents to Streamlit's navigation, and the guard that every page starts with.

With a `pages/` folder beside the entry script, a process that has not yet run the router serves a deep link as a bare
page, without menu and bench (streamlit issue 9992). Students arrive by deep link on an app that was asleep, so the
guard sends such a first visit through the router. Pages never set `url_path`: the file name decides.
"""

import sys
from contextvars import ContextVar

import streamlit as st

from . import link, parts
from .site import CONTENTS

_routed = ContextVar("routed", default=False)


def sections():
    """Menu groups with their pages, as `st.navigation` takes them; made once a session, not on every rerun.

    Returns
    -------
    dict of str to list of StreamlitPage
    """
    if "_menu" in st.session_state:
        return st.session_state["_menu"]
    groups = {}
    for s in CONTENTS:
        page = st.Page(f"pages/{s.file}", title=s.title, icon=s.icon, default=s is CONTENTS[0])
        groups.setdefault(s.group, []).append(page)
    st.session_state["_menu"] = groups
    return groups


def page_of(section):
    """The page of a section, to be linked to: quicker than its path; None where a page runs on its own."""
    groups = st.session_state.get("_menu", {})
    return next((page for group in groups.values() for page in group if page.url_path == section.slug), None)


def run(page):
    """Run a page from the router: its guard then hands it over, to be drawn part by part."""
    token = _routed.set(True)
    try:
        page.run()
    except parts.Drawn:
        pass
    finally:
        _routed.reset(token)


def require_router():
    """First call of every page: draw it part by part, and send a visit that came past the router through it.

    On its own, outside the app, the file is a script like any other and just goes on.
    """
    if _routed.get():
        page = sys._getframe(1)
        parts.draw(page.f_code, page.f_globals, whole=link.shown_elsewhere())
        raise parts.Drawn
    try:
        st.navigation(sections())
    except st.errors.StreamlitAPIException:
        return  # the file is run on its own, outside the app
    st.rerun()
