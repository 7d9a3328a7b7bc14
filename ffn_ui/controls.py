"""The controls: Streamlit's widgets with their place in the link, returning values a page can use as they are.

Every control takes `key`, its name in the link. Keys of the bench are plain (`seed`), keys of a single page carry the
page's prefix (`gelu_x`): the same key on two pages would mix their values. What a link asks for is snapped to the
control's grid and kept within its limits; `link` says what was repaired.
"""

import streamlit as st

from ffn_core.activations import ACTIVATIONS

from . import link

BOUND = {"bind": "query-params"}


def number(label, key, low, high, default, **more):
    """A whole number from low to high. When `high` follows another control, a value beyond it comes down with it.

    The widget holds floats without decimals: one that holds whole numbers fails on `inf` in a link.
    """
    default = min(default, high)
    if key in st.session_state:  # not on the first run: there the link decides
        st.session_state[key] = float(min(max(st.session_state[key], low), high))
    raw = st.number_input(label, float(low), float(high), float(default), 1.0, "%.0f", key=key, **BOUND, **more)
    return link.settle(key, round(raw), default, f"a whole number from {low:,} to {high:,}")


def slider(label, key, low, high, default, step, **more):
    """A number from low to high on a grid of steps; whole when the limits are."""
    raw = st.slider(label, low, high, default, step, key=key, **BOUND, **more)
    snapped = low + round((raw - low) / step) * step
    value = type(default)(round(min(max(snapped, low), high), 10))
    return link.settle(key, value, default, f"a number from {low:g} to {high:g} in steps of {step:g}")


def choice(label, key, options, default, *, menu=False, **more):
    """One of a few words: radio buttons in a row, or a menu where they are many."""
    options = list(options)
    widget = st.selectbox if menu else st.radio
    if not menu:
        more.setdefault("horizontal", True)
    value = widget(label, options, options.index(default), key=key, **BOUND, **more)
    return link.settle(key, value, default, f"one of {', '.join(map(str, options))}")


def several(label, key, options, default, **more):
    """Any number of a few words, in the order of the options.

    Returns
    -------
    tuple of str
    """
    options = list(options)
    chosen = st.multiselect(label, options, list(default), key=key, **BOUND, **more)
    value = tuple(o for o in options if o in chosen)
    return link.settle(key, value, tuple(default), f"some of {', '.join(map(str, options))}")


def toggle(label, key, default=False, **more):
    """On or off."""
    return link.settle(key, st.toggle(label, default, key=key, **BOUND, **more), default, "true or false")


def text(label, key, default, most=100, **more):
    """A short text of the learner's own; show it through `link.quoted`, never as Markdown.

    Parameters
    ----------
    most : int
        Most characters.
    """
    value = st.text_input(label, default, max_chars=most, key=key, **BOUND, **more)
    return link.settle(key, value, default, f"at most {most} characters")


def listing(numbers, most=24):
    """Numbers in a row as text, the middle left out when there are many."""
    words = [str(n) for n in numbers]
    return " ".join(words) if len(words) <= most else " ".join([*words[: most - 4], "…", *words[-3:]])


def activations(label, key, default):
    """Any number of the registry's activations.

    Returns
    -------
    tuple of Activation
    """
    return tuple(ACTIVATIONS[name] for name in several(label, key, ACTIVATIONS, default))
