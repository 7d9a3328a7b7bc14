"""What of a page stands in its link: the controls shown, what a link asked for that cannot be, and the link itself.

Every control is bound to the address by Streamlit, which drops a wrong value silently. So the raw parameters of the
first run on a page are compared with the values its controls came to, and each difference is said in one visible line
until that control is moved.
"""

from urllib.parse import urlencode

import streamlit as st

SHOWN_CHARACTERS = 40
MOST_REPAIRS = 6
FROM_ELSEWHERE = ("utm_", "fbclid", "gclid", "mc_", "ref")  # added by mail and social sites, no business of ours


def begin(page):
    """Start the run of a page: call before any control is made. `page` is its part of the address."""
    state = st.session_state
    entered = state.get("_page") != page
    state["_page"], state["_controls"] = page, {}
    if entered:
        state["_asked"] = {key: st.query_params.get_all(key) for key in st.query_params}
        state["_repairs"] = {}
    state["_entered"] = entered


def settle(key, value, default, wanted):
    """Note the value a control came to.

    Parameters
    ----------
    key : str
        The control's key, which is its name in the link.
    value, default : int, float, bool, str or tuple
        What the page uses, and what it uses without a link.
    wanted : str
        What the control takes, in words, for the repair note.

    Returns
    -------
    The value.
    """
    state = st.session_state
    controls = state.setdefault("_controls", {})
    controls[key] = (value, default)
    if state.get("_entered") and key in state["_asked"] and not _same(state["_asked"][key], value):
        state["_repairs"][key] = (state["_asked"][key], value, wanted)
    return value


def _as_text(value):
    """A control's value as it stands in a link."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _parts(value):
    return [_as_text(v) for v in (value if isinstance(value, tuple | list) else [value])]


def _same(raw, value):
    """Whether the raw texts of a parameter say this value."""
    parts = _parts(value)
    if len(raw) != len(parts):
        return False
    for text, part in zip(raw, parts, strict=True):
        try:
            equal = float(text) == float(part)
        except ValueError:
            equal = text == part or (isinstance(value, bool) and text.lower() == part)
        if not equal:
            return False
    return True


def quoted(text):
    """Text from a link as a short Markdown code span: shown as text, whatever is in it."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in str(text)).replace("`", "'").split())
    short = flat if len(flat) <= SHOWN_CHARACTERS else flat[: SHOWN_CHARACTERS - 1] + "…"
    return f"`{short}`" if short else "an empty value"


def repairs():
    """One sentence for each thing in the link that could not be used, as Markdown.

    Returns
    -------
    list of str
    """
    state = st.session_state
    controls = state.get("_controls", {})
    standing = {k: r for k, r in state.get("_repairs", {}).items() if k in controls and controls[k][0] == r[1]}
    state["_repairs"] = standing
    said = [
        f"{key} was {' and '.join(quoted(r) for r in raw[:3])} in the link; {wanted} is wanted, so "
        f"{quoted(', '.join(_parts(value)))} is used."
        for key, (raw, value, wanted) in standing.items()
    ]
    unknown = [k for k in state.get("_asked", {}) if k not in controls and not k.startswith(FROM_ELSEWHERE)]
    said += [f"The link sets {quoted(k)}, which this page does not have." for k in unknown]
    return [*said[:MOST_REPAIRS], f"And {len(said) - MOST_REPAIRS} more."] if len(said) > MOST_REPAIRS else said


def address():
    """The link that opens exactly this view: the page's address and every control that is not at its default."""
    pairs = [(k, _parts(value)) for k, (value, default) in st.session_state["_controls"].items() if value != default]
    query = urlencode(pairs, doseq=True)
    return f"{st.context.url or ''}{'?' if query else ''}{query}"
