"""What of a page stands in its link: the controls shown, what a link asked for that cannot be, and the link itself.

Every control is bound to the address by Streamlit, which drops a wrong value silently. So the raw parameters that a
page was entered with are compared with the values its controls first came to, and each difference is said in one
visible line until that control is moved.
"""

import re
from urllib.parse import urlencode

import streamlit as st

from . import view

SHOWN_CHARACTERS = 40
MOST_REPAIRS = 6
FROM_ELSEWHERE = re.compile("utm_.*|mc_.*|fbclid|gclid|ref")  # added by mail and social sites, no business of ours


def begin(page):
    """Start the run of a page: call before any control is made. `page` is its part of the address."""
    now = view.current()
    now.is_new, now.controls = now.page != page, {}
    if now.is_new:
        now.page, now.defaults, now.repairs = page, {}, {}
        now.asked = {key: st.query_params.get_all(key) for key in st.query_params}
        now.unread = dict(now.asked)


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
    now = view.current()
    now.controls[key] = (value, default)
    raw = now.unread.pop(key, None)  # read once, in the first run that comes to this control
    if raw is not None and not _same(raw, value):
        now.repairs[key] = (raw, value, wanted)
    return value


def controls():
    """The controls of this run.

    Returns
    -------
    dict of str to tuple (value, default)
    """
    return view.current().controls


def shown_elsewhere():
    """Whether something outside a control's part of the page shows what it is set to, so that all of it has to follow.

    That is the link when it is being shared, the script among the numbers, and the note on what was repaired.
    """
    now, state = view.current(), st.session_state
    return bool((now.unread if now.is_new else now.repairs) or state.get("share") or state.get("numbers"))


def _as_text(value):
    """A control's value as it stands in a link."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _parts(value):
    """Its texts, one a parameter; choosing none of several is an empty one."""
    return [_as_text(v) for v in (value if isinstance(value, tuple | list) else [value])] or [""]


def _same(raw, value):
    """Whether the raw texts of a parameter say this value; several choices may stand in any order."""
    parts = _parts(value)
    if isinstance(value, tuple | list):
        raw, parts = sorted(raw), sorted(parts)
    return len(raw) == len(parts) and all(map(_equal, raw, parts))


def _equal(text, part):
    if text == part or (part in ("true", "false") and text.lower() == part):
        return True
    try:
        return float(text) == float(part)
    except ValueError:
        return False


def quoted(text):
    """Text from a link as a short Markdown code span: shown as text, whatever is in it."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in str(text)).replace("`", "'").split())
    short = flat if len(flat) <= SHOWN_CHARACTERS else flat[: SHOWN_CHARACTERS - 1] + "…"
    return f"`{short}`" if short else "an empty value"


def repairs(also_unknown=(), also_known=()):
    """One sentence for each thing in the link that could not be used, as Markdown.

    Parameters
    ----------
    also_unknown, also_known : sequence of str
        Further names that the link speaks of: of no control, and of something other than a control.

    Returns
    -------
    list of str
    """
    now, known = view.current(), controls()
    now.repairs = {k: r for k, r in now.repairs.items() if k in known and known[k][0] == r[1]}
    said = [
        f"{key} was {' and '.join(quoted(r) for r in raw[:3])} in the link; {wanted} is wanted, so "
        f"{quoted(', '.join(_parts(value)))} is used."
        for key, (raw, value, wanted) in now.repairs.items()
    ]
    fine = {*known, *also_known}
    unknown = [k for k in now.asked if k not in fine and not FROM_ELSEWHERE.fullmatch(k)]
    said += [f"The link sets {quoted(k)}, which this page does not have." for k in [*unknown, *also_unknown]]
    return [*said[:MOST_REPAIRS], f"And {len(said) - MOST_REPAIRS} more."] if len(said) > MOST_REPAIRS else said


def address(**more):
    """The link that opens exactly this view: the page's address and every control that is not at its default.

    Parameters
    ----------
    **more : str
        Further parameters; an empty one is left out.
    """
    pairs = [(k, _parts(value)) for k, (value, default) in controls().items() if value != default]
    query = urlencode([*pairs, *((k, v) for k, v in more.items() if v)], doseq=True, safe=",")
    base = st.context.url or ""
    if base.count("/") == 2:  # the front page: a browser shows it with a slash
        base += "/"
    return f"{base}?{query}" if query else base
