"""Cached computation: scalars in, small or read-only results out, every cache bounded.

A hit costs about 0.3 ms, so only what costs more than about 2 ms is here. What `cache_resource` hands out is shared by
all sessions: frozen records with read-only arrays. What takes long enough to want a progress bar stands on the shelf.
"""

import gc
from collections import OrderedDict
from threading import Lock

import streamlit as st

from ffn_core import attention, distributions, equivariance, exercises, fitting, gain, gated, lesson, linear, stack
from ffn_core.activations import ACTIVATIONS
from ffn_core.closed_gates import closed_row as find_closed_row
from ffn_core.dead_units import dead_units as count_dead_units
from ffn_core.ffn import Trace, forward
from ffn_core.rng import LessonStream


@st.cache_resource(show_spinner=False)
def spare_the_imports():
    """Once a process, take all that is imported by now out of garbage collection.

    With pandas and Altair loaded a full collection looks at some 140,000 objects that never become garbage: a pause of
    100 ms for every visitor, now and then.
    """
    gc.collect()
    gc.freeze()


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


@st.cache_resource(max_entries=32, show_spinner=False)
def gated_example(seed, T, d_model, d_ff, B=1):
    """A batch and a gated block of a seed, see `gated.draw_gated_example`."""
    return gated.draw_gated_example(seed, T, d_model, d_ff, B)


@st.cache_resource(max_entries=64, show_spinner=False)
def attention_example(seed, T, d_model, d_ff, n_heads):
    """Tokens, FFN and attention of a seed, see `equivariance.draw_attention_example`."""
    return equivariance.draw_attention_example(seed, T, d_model, d_ff, n_heads)


OFFSETS = range(-64, 65)


@st.cache_resource(max_entries=32, show_spinner=False)
def offset_scores(seed, d, base):
    """Scores of drawn queries and keys over OFFSETS, see `attention.offset_scores`."""
    return attention.offset_scores(LessonStream(seed), d, OFFSETS, base)


SHELF_SIZE = 128
_shelf, _shelf_lock = OrderedDict(), Lock()


def shelved(key, make, place, label=None):
    """A small read-only result, kept for all sessions, that may show a progress bar while it is made.

    Streamlit's caches replay what was drawn inside them; here the bar is drawn outside. A session that moves a control
    meanwhile interrupts `make` at its next step of progress, and nothing is kept of it.

    Parameters
    ----------
    key : tuple
        All that the result depends on, and a name in front.
    make : callable
        Called with `progress`, a callable that takes the share done, from 0 to 1.
    place : DeltaGenerator
        An `st.empty()` for the bar; it is empty again afterwards.
    label : str, optional
        Text of the bar; without one there is no bar.
    """
    with _shelf_lock:
        if key in _shelf:
            _shelf.move_to_end(key)
            return _shelf[key]
    result = make((lambda share: place.progress(share, label)) if label else (lambda share: None))
    if label:
        place.empty()
    with _shelf_lock:
        _shelf[key] = result
        while len(_shelf) > SHELF_SIZE:
            _shelf.popitem(last=False)
    return result


LONG_COUNT = 2**17  # random numbers and values together: about a tenth of a second


def reshaping(seed, T, d_model, d_ff, sigma, token_seed, n_tokens, scale, bias, bins, place):
    """Many tokens through the W1 of an example, counted; see `distributions.reshape_by` and `shelved`."""

    def make(progress):
        weights = distributions.with_scale_and_bias(example(seed, T, d_model, d_ff).weights, scale, bias)
        return distributions.reshape_by(ACTIVATIONS[sigma], weights.W1, token_seed, n_tokens, bias, bins, progress)

    key = ("reshaping", seed, T, d_model, d_ff, sigma, token_seed, n_tokens, scale, bias, bins)
    long = n_tokens * (d_model + d_ff) > LONG_COUNT
    return shelved(key, make, place, f"Counting {n_tokens * d_ff:,} values" if long else None)


@st.cache_resource(max_entries=64, show_spinner=False)
def local_gains(seed, T, d_model, d_ff, sigma):
    """Gates and singular values at every token of that example, see `gain.local_gains`."""
    drawn = example(seed, T, d_model, d_ff)
    found = gain.local_gains(drawn.H, drawn.weights, ACTIVATIONS[sigma])
    return gain.LocalGains(lesson.read_only(found.gates), lesson.read_only(found.values))


@st.cache_resource(max_entries=128, show_spinner=False)
def probe(seed, T, d_model, d_ff, sigma, token, kind, number):
    """One token of that example pushed in one direction, see `gain.probe`; token and number count from 0."""
    drawn = example(seed, T, d_model, d_ff)
    found = gain.probe(drawn.H[token], drawn.weights, ACTIVATIONS[sigma], kind, number)
    arrays = (found.J, found.along, found.slope, found.errors)
    return gain.Probe(*(lesson.read_only(a) for a in arrays), found.reach)


LONG_STACK = 2**21  # weights and values of all blocks together: about a tenth of a second


def depth(seed, T, d_model, d_ff, n_blocks, sigma, scale, biased, place):
    """A stack of blocks without an activation and with one, see `linear.study_depth` and `shelved`."""

    def make(progress):
        return linear.study_depth(seed, T, d_model, d_ff, n_blocks, ACTIVATIONS[sigma], scale, biased, progress)

    key = ("depth", seed, T, d_model, d_ff, n_blocks, sigma, scale, biased)
    long = n_blocks * d_ff * (2 * d_model + linear.TOKENS) > LONG_STACK
    return shelved(key, make, place, f"{n_blocks} blocks" if long else None)


def fit(target, sigma, d_ff, seed, place, label="Training"):
    """A trained curve, see `fitting.fit_curve` and `shelved`."""

    def make(progress):
        return fitting.fit_curve(target, ACTIVATIONS[sigma], d_ff, seed, progress=progress)

    return shelved(("fit", target, sigma, d_ff, seed), make, place, f"{label}: {d_ff} units, {sigma}")


def fit_widths(target, sigmas, seed, place):
    """The final loss of every activation at every width of `fitting.WIDTHS`: a dict of name to list of float."""
    runs = [(sigma, d_ff) for sigma in sigmas for d_ff in fitting.WIDTHS]
    losses = {sigma: [] for sigma in sigmas}
    for number, (sigma, d_ff) in enumerate(runs, start=1):
        losses[sigma].append(fit(target, sigma, d_ff, seed, place, f"Run {number} of {len(runs)}").loss)
    return losses


@st.cache_resource(max_entries=8, show_spinner=False)
def _drawn_stack(seed, T, width, kind, depth):
    """The random numbers of a stack, see `stack.draw_stack`; at most 4 MB."""
    return stack.draw_stack(seed, T, width, kind, depth)


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs={stack.Setting: repr})  # it says all, and quickly
def along_depth(seed, T, setting, sigma, token):
    """A stream and a small change of it along depth, see `stack.run_stack`.

    `setting` is a frozen `stack.Setting`, `sigma` the name of an activation.
    """
    drawn = _drawn_stack(seed, T, setting.width, setting.kind, stack.drawn_depth(setting.depth))
    return stack.run_stack(drawn, setting, ACTIVATIONS[sigma], token)


@st.cache_resource(max_entries=64, show_spinner=False)
def ready_stacks(seed, T, sigma, token):
    """The ready-made stacks of `stack.READY`, in its order, each as by `along_depth`; a tuple."""
    return tuple(along_depth(seed, T, ready.setting, sigma, token) for ready in stack.READY.values())


@st.cache_resource(max_entries=128, show_spinner=False)
def exercise(number, seed):
    """One of the five exercises with the numbers of a seed, see `exercises.exercise`."""
    return exercises.exercise(number, seed)


@st.cache_resource(max_entries=64, show_spinner=False)
def dead_units(seed):
    """Dead units expected and counted over the bias, see `dead_units.dead_units`."""
    return count_dead_units(seed)


@st.cache_resource(max_entries=64, show_spinner=False)
def closed_row(seed):
    """The row that closes most gates of the lesson-sized example of a seed, see `closed_gates.closed_row`."""
    return find_closed_row(example(seed, lesson.T, lesson.D_MODEL, lesson.D_FF).weights)
