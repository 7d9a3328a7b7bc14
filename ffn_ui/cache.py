"""Cached computation: scalars in, small or read-only results out, every cache bounded.

A hit costs about 0.3 ms, so only what costs more than about 2 ms is here. What `cache_resource` hands out is shared by
all sessions: frozen records with read-only arrays.
"""

import streamlit as st

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.ffn import Trace, forward


@st.cache_resource(max_entries=64, show_spinner=False)
def example(seed, T, d_model, d_ff):
    """Tokens and weights of a seed, see `lesson.draw_example`."""
    return lesson.draw_example(seed, T, d_model, d_ff)


@st.cache_resource(max_entries=64, show_spinner=False)
def trace(seed, T, d_model, d_ff, sigma):
    """The forward pass of that example; `sigma` is the name of the activation."""
    drawn = example(seed, T, d_model, d_ff)
    found = forward(drawn.H, drawn.weights, ACTIVATIONS[sigma])
    return Trace(*(lesson.read_only(a) for a in (found.H, found.pre, found.post, found.out)))
