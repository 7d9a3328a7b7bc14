"""From the table of contents to Streamlit's navigation, and the guard that every page starts with.

With a `pages/` folder beside the entry script, a process that has not yet run the router serves a deep link as a bare
page, without menu and bench (streamlit issue 9992). Students arrive by deep link on an app that was asleep, so the
guard sends such a first visit through the router. Pages never set `url_path`: the file name decides.
"""

from contextvars import ContextVar

import streamlit as st

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


def run(page):
    """Run a page from the router, so that its guard lets it pass."""
    token = _routed.set(True)
    try:
        page.run()
    finally:
        _routed.reset(token)


def require_router():
    """First call of every page: send a visit that came past the router through it."""
    if _routed.get():
        return
    try:
        st.navigation(sections())
    except st.errors.StreamlitAPIException:
        return  # the file is run on its own, outside the app
    st.rerun()
