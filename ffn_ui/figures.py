"""Show a chart: its grammar is compiled once, and each rerun sends only today's numbers.

Building and converting an Altair chart costs 50-75 ms under a lock that all sessions share; the compiled one costs 2.
Every figure shown in a run is kept, so that the page can offer it as a table, CSV, SVG and PNG.
"""

import weakref
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

from ffn_core.charts.base import text_config

# Text drawn inside a chart is black by default, also on the dark theme; `currentColor` follows the page at once.
CONFIG = text_config("currentColor")


@dataclass(frozen=True)
class Figure:
    """A figure as it was shown.

    Attributes
    ----------
    spec : dict
        The compiled chart.
    frames : dict of str to DataFrame
    numbers : DataFrame
        The table behind it.
    """

    spec: dict
    frames: dict[str, pd.DataFrame]
    numbers: pd.DataFrame


_shown = ContextVar("shown", default=None)


def start_page():
    """Forget the figures of the run before."""
    _shown.set({})


def shown():
    """The figures of this run.

    Returns
    -------
    dict of str to Figure
        By title, in the order of the page.
    """
    return dict(_shown.get() or {})


def _layers(spec):
    """The single layers of a chart, in order."""
    if "layer" not in spec:
        return [spec]
    return [single for layer in spec["layer"] for single in _layers(layer)]


def _say_once(spec):
    """Leave out, in place, what a layer says of a shared axis, scale or legend when one before it said just that.

    The picture is the same; what is sent for it on each rerun is a sixth less. A scale with limits of its own is left
    as it is: a layer that does not repeat them would widen them to its numbers.
    """
    said = {}
    for layer in _layers(spec):
        shared = {c: e for c, e in layer.get("encoding", {}).items() if isinstance(e, dict)}  # a tooltip is a list
        for (channel, encoding), part in product(shared.items(), ("title", "axis", "scale", "legend")):
            words = encoding.get(part)
            if words is None or (part == "scale" and "domain" in words and encoding["type"] == "quantitative"):
                continue
            if (channel, part) not in said:
                said[channel, part] = words
            elif said[channel, part] == words:
                del encoding[part]
    return spec


@lru_cache(maxsize=256)
def _compiled(chart, arguments):
    """The chart as a plain dict. Which grammar it is written in need not be said: Streamlit draws only Vega-Lite."""
    spec = {**chart(*arguments).to_dict(), "config": CONFIG}
    del spec["$schema"]
    return _say_once(spec) if "resolve" not in spec else spec


FLOAT32_SAFE = 1e30  # sizes between 1 over this and this keep their seven digits in float32


_leaned = {}  # id of a frame to a weak reference to it, and its table


def _lean(frame):
    """A frame as an Arrow table that is quick to send: without pandas' description of it, and seven digits a number.

    Seven digits are more than a screen can show; tables and downloads are made from the frame itself. One that is shown
    again, as those that are kept, is not worked on twice.
    """
    known = _leaned.get(id(frame))
    if known is None or known[0]() is not frame:
        seen = weakref.ref(frame, partial(_forget, id(frame)))
        known = _leaned[id(frame)] = (seen, _as_table(frame))
    return known[1]


def _forget(key, _):
    _leaned.pop(key, None)


def _as_table(frame):
    columns = {}
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pd.StringDtype):
            columns[name] = pa.array(column.array).cast(pa.string())
            continue
        values = column.to_numpy()
        if values.dtype == np.float64:
            sizes = np.abs(values[(values != 0.0) & np.isfinite(values)])
            if sizes.size == 0 or (sizes.min() > 1.0 / FLOAT32_SAFE and sizes.max() < FLOAT32_SAFE):
                values = values.astype(np.float32)
        columns[name] = pa.array(values, from_pandas=True)
    return pa.table(columns)


def show(chart, frames, *, key, title, alt, arguments=(), numbers=None):
    """Show a figure.

    Parameters
    ----------
    chart : callable
        A `*_chart` of `ffn_core.charts`.
    frames : dict of str to DataFrame
        Today's numbers, under the dataset names that the chart uses.
    key : str
        Stable across reruns: the live chart is patched, not drawn anew.
    title : str
        Heading above the figure and name of its table.
    alt : str
        What the figure shows, in words that do not change with the numbers; a changed text would redraw the chart.
    arguments : tuple
        Structure of the chart (titles, names of series), never numbers that a control changes.
    numbers : DataFrame, optional
        The table behind the figure; the first of the frames unless said.
    """
    st.markdown(f"**{title}**")
    spec = _compiled(chart, arguments)
    sent = {**spec, "datasets": {name: _lean(frame) for name, frame in frames.items()}}
    st.vega_lite_chart(spec=sent, key=key, alt=alt, width="stretch")
    figures = _shown.get()
    if figures is not None:
        figures[title] = Figure(spec, frames, next(iter(frames.values())) if numbers is None else numbers)


def beside(*pictures):
    """Show figures next to each other; on a phone they stand below each other.

    Parameters
    ----------
    *pictures : dict
        The arguments of `show`, by name.
    """
    for place, picture in zip(st.columns(len(pictures)), pictures, strict=True):
        with place:
            show(**picture)
