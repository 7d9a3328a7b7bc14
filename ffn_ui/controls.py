"""The controls: Streamlit's widgets with their place in the link, returning values a page can use as they are.

Every control takes `key`, its name in the link. Keys of the bench are plain (`seed`), keys of a single page carry the
page's prefix (`gelu_x`): the same key on two pages would mix their values. What a link asks for is snapped to the
control's grid and kept within its limits; `link` says what was repaired.
"""

import streamlit as st
from streamlit.elements.widgets.number_input import NumberInputSerde

from ffn_core import order as token_orders
from ffn_core.activations import ACTIVATIONS

from . import classroom, link, view

BOUND = {"bind": "query-params"}


def _refusing_infinity(serde, value, deserialize=NumberInputSerde.deserialize):
    """Streamlit 1.67 fails on an infinity in the link of a whole number; told by a ValueError, it refuses it."""
    try:
        return deserialize(serde, value)
    except OverflowError as error:
        raise ValueError(str(error)) from None


NumberInputSerde.deserialize = _refusing_infinity


def number(label, key, low, high, default, **more):
    """A whole number from low to high. When `high` follows another control, a value beyond it comes down with it.

    The browser is told of a value only when it has come down, or its default has moved and it belongs into the address
    now: an answer that always told it would overtake what a student on a slow network has typed since.
    """
    default, defaults = min(default, high), view.current().defaults
    if key in st.session_state:  # not on the first run: there the link decides
        held = st.session_state[key]
        within = min(max(held, low), high)
        if within != held or defaults.get(key, default) != default:
            st.session_state[key] = within
    defaults[key] = default
    value = classroom.draw("number_input", label, low, high, default, 1, key=key, **BOUND, **more)
    return link.settle(key, value, default, f"a whole number from {low:,} to {high:,}")


def slider(label, key, low, high, default, step, **more):
    """A number from low to high on a grid of steps; whole when the limits are."""
    raw = classroom.draw("slider", label, low, high, default, step, key=key, **BOUND, **more)
    snapped = low + round((raw - low) / step) * step
    value = type(default)(round(min(max(snapped, low), high), 10))
    return link.settle(key, value, default, f"a number from {low:g} to {high:g} in steps of {step:g}")


def decimal(label, key, low, high, default, step, **more):
    """A number from low to high that may be typed with up to ten decimals; the buttons go in steps."""
    raw = classroom.draw("number_input", label, low, high, default, step, key=key, **BOUND, **more)
    value = round(min(max(raw, low), high), 10) + 0.0  # no negative zero
    return link.settle(key, value, default, f"a number from {low:g} to {high:g} with at most 10 decimals")


def choice(label, key, options, default, *, menu=False, **more):
    """One of a few words: radio buttons in a row, or a menu where they are many."""
    options = list(options)
    widget = "selectbox" if menu else "radio"
    if not menu:
        more.setdefault("horizontal", True)
    value = classroom.draw(widget, label, options, options.index(default), key=key, **BOUND, **more)
    return link.settle(key, value, default, f"one of {', '.join(map(str, options))}")


def several(label, key, options, default, **more):
    """Any number of a few words, in the order of the options.

    Returns
    -------
    tuple of str
    """
    options = list(options)
    chosen = classroom.draw("multiselect", label, options, list(default), key=key, **BOUND, **more)
    value = tuple(o for o in options if o in chosen)
    return link.settle(key, value, tuple(default), f"some of {', '.join(map(str, options))}")


def toggle(label, key, default=False, **more):
    """On or off."""
    value = classroom.draw("toggle", label, default, key=key, **BOUND, **more)
    return link.settle(key, value, default, "true or false")


def text(label, key, default, most=100, **more):
    """A short text of the learner's own; show it through `link.quoted`, never as Markdown.

    Parameters
    ----------
    most : int
        Most characters.
    """
    value = classroom.draw("text_input", label, default, max_chars=most, key=key, **BOUND, **more)
    return link.settle(key, value, default, f"at most {most} characters")


def order(key, T, seed):
    """An order of the tokens: one of `order.KINDS`, or the learner's own; what cannot be an order is said.

    Parameters
    ----------
    key : str
        Prefix of the two names in the link: `key` + "_order" and `key` + "_own".
    T, seed : int

    Returns
    -------
    list of int
        Counted from 0.
    """
    kind = choice("order of the tokens", f"{key}_order", token_orders.KINDS, "lesson")
    own = text("own order", f"{key}_own", "3 1 2 5 4", most=200, disabled=kind != "own")
    try:
        return token_orders.token_order(kind, T, seed, own)
    except ValueError as error:
        st.warning(f"Your own order cannot be used: {error}. The lesson's is shown.", icon="🔀")
        return token_orders.lesson_order(T)


def presets(label, key, ready, *, on_bench=False):
    """A row of buttons, each of which sets several controls at once; they leave alone those that this view locks.

    Parameters
    ----------
    label : str
        In front of the row.
    key : str
        Of the row; it has no place in the link.
    ready : dict of str to dict
        Name of a button to the values it sets, by the key of the control.
    on_bench : bool
        Whether they are controls of the bench, and not of the same part of the page: then all of it has to follow.
    """
    locked = classroom.locked()

    def set_controls():
        chosen = ready.get(st.session_state[key], {})
        st.session_state.update({name: value for name, value in chosen.items() if name not in locked})
        st.session_state[key] = None  # a button, not a state: the controls may be moved on from there
        if on_bench:
            st.rerun()

    disabled = set().union(*ready.values()) <= locked
    st.pills(label, list(ready), key=key, on_change=set_controls, disabled=disabled, wrap=True)


def listing(numbers, most=24):
    """Numbers in a row as text, the middle left out when there are many."""
    words = [str(n) for n in numbers]
    return " ".join(words) if len(words) <= most else " ".join([*words[: most - 4], "…", *words[-3:]])


def activations(label, key, default, always):
    """Any number of the registry's activations, and one that is always among them, in the registry's order.

    Returns
    -------
    tuple of Activation
    """
    chosen = several(label, key, ACTIVATIONS, default)
    return tuple(a for a in ACTIVATIONS.values() if a.name in chosen or a is always)
