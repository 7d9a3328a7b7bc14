"""The view that a student looks at: what router, link, bench and controls have noted of it, one record a session.

In one record, because Streamlit copies the whole session state for most controls of each run.
"""

from dataclasses import dataclass, field

import streamlit as st


@dataclass
class View:
    """What is known of the page on screen.

    Attributes
    ----------
    page : str
        Its part of the address.
    is_new : bool
        Whether this is its first run.
    asked, unread : dict of str to list of str
        The parameters that it was entered with, and those that no control has read yet.
    controls : dict of str to tuple (value, default)
        By name in the link.
    defaults : dict of str to int
        Of the whole numbers in the last run; some follow another control.
    repairs : dict of str to tuple (raw texts, value used, what is wanted)
    locked, hidden : frozenset of str
        The controls that a prepared view keeps students from moving, and those that it does not show.
    bench : Bench or None
    """

    page: str | None = None
    is_new: bool = True
    asked: dict = field(default_factory=dict)
    unread: dict = field(default_factory=dict)
    controls: dict = field(default_factory=dict)
    defaults: dict = field(default_factory=dict)
    repairs: dict = field(default_factory=dict)
    locked: frozenset = frozenset()
    hidden: frozenset = frozenset()
    bench: object = None


def current():
    """The view of this session.

    Returns
    -------
    View
    """
    if "_view" not in st.session_state:
        st.session_state["_view"] = View()
    return st.session_state["_view"]
