"""Bits under every merge of symbols, the joint table as a mosaic, and what an activation sends to one value."""

import math

import altair as alt
import numpy as np
import pandas as pd

from .. import information
from .base import BLUE, GREY, MARK, ORANGE, activation_colour, activation_dash, dashed_rule, data, outline

OUTCOMES = ("y = 1", "y = 2")
ROOM_FOR_TEXT = 1.3  # the axis of bits goes this far beyond the ceiling
CURVE_POINTS = 301
LEAST_LABELLED = 0.04  # a band of the mosaic narrower than this has no room for its label


def merges_frames(joint, chosen):
    """Every merge of the symbols, most bits first.

    Parameters
    ----------
    joint : ndarray of shape (n, 2)
    chosen : tuple of tuple of int
        The learner's own merge.

    Returns
    -------
    dict of DataFrame
        `merges` (merge, symbols_left, maps, bits, bits_lost, chosen), where `maps` counts the maps of n symbols onto n
        names that merge them so; `ceiling` (bits); `span` (bits), which keeps room for text.
    """
    found = information.every_merge(joint)
    ceiling = information.mutual_information(joint)
    merges = pd.DataFrame(
        {
            "merge": [information.merge_name(groups) for groups, _ in found],
            "symbols_left": [len(groups) for groups, _ in found],
            "maps": [math.perm(len(joint), len(groups)) for groups, _ in found],
            "bits": [bits for _, bits in found],
            "bits_lost": [max(0.0, ceiling - bits) for _, bits in found],
            "chosen": [groups == chosen for groups, _ in found],
        }
    )
    span = pd.DataFrame({"bits": [0.0, ROOM_FOR_TEXT * ceiling or 1.0]})
    return {"merges": merges, "ceiling": pd.DataFrame({"bits": [ceiling]}), "span": span}


def merges_chart(height=400):
    """One row a merge: a line to the bits kept, dots on to the ceiling for what is lost.

    Datasets `merges`, `ceiling` and `span`.

    Returns
    -------
    alt.LayerChart
    """
    row = alt.Y(
        "merge:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8, labelFlush=False)
    )
    bits = alt.X("bits:Q", title="bits about Y that are left", scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=5))
    base = alt.Chart(data("merges")).encode(
        y=row,
        tooltip=[
            alt.Tooltip("merge:N"),
            alt.Tooltip("symbols_left:Q", title="symbols left"),
            alt.Tooltip("maps:Q", title="maps that do this"),
            alt.Tooltip("bits:Q", format=".6f"),
            alt.Tooltip("bits_lost:Q", title="bits lost", format=".6f"),
        ],
    )
    colour = alt.condition("datum.chosen", alt.value(MARK), alt.value(BLUE))
    span = alt.Chart(data("span")).mark_point(opacity=0).encode(x=bits)
    chosen = base.transform_filter("datum.chosen").mark_rect(fill=None, stroke=MARK, strokeWidth=2)
    kept = base.transform_calculate(start="0").mark_rule(strokeWidth=3).encode(x="start:Q", x2="bits:Q", color=colour)
    lost = (
        base.transform_calculate(end="datum.bits + datum.bits_lost")
        .mark_rule(color=GREY, strokeDash=[1, 4], strokeWidth=2)
        .encode(x=bits, x2="end:Q")
    )
    dots = base.mark_point(filled=True, opacity=1, size=90).encode(
        x=bits, color=colour, shape=alt.condition("datum.chosen", alt.value("diamond"), alt.value("circle"))
    )
    number = base.mark_text(align="right", dx=-4).encode(x=alt.value("width"), text=alt.Text("bits:Q", format=".4f"))
    ceiling = alt.Chart(data("ceiling")).mark_rule(color=GREY, strokeWidth=2).encode(x=bits)
    return alt.layer(span, ceiling, kept, lost, chosen, dots, number).properties(height=height)


def mosaic_frames(joint, groups, chosen):
    """A joint table as areas: a band a symbol, as high as its probability, split at the share of each outcome.

    Parameters
    ----------
    joint : ndarray of shape (n, 2)
        The table before the merge.
    groups : sequence of sequences of int
        A partition of 0 .. n-1: one band a group.
    chosen : sequence of sequences of int
        The learner's merge: bands with a symbol that it merges with another are to be outlined.

    Returns
    -------
    dict of DataFrame
        `cells` (symbol, outcome, p, share, and the corners x, x2, y, y2), `bands` (symbol, middle, share, y, y2,
        merged), `overall` (share). Symbols of probability 0 have no band.
    """
    table = information.merge(joint, groups)
    p = table.sum(axis=1)
    keep = p > 0
    names = [information.merge_name([group]) for group, kept in zip(groups, keep, strict=True) if kept]
    joined = {symbol for group in chosen if len(group) > 1 for symbol in group}
    merged = [bool(joined & set(group)) for group, kept in zip(groups, keep, strict=True) if kept]
    table, p = table[keep], p[keep]
    share = table[:, 0] / p
    bottom = np.cumsum(p)
    top = bottom - p
    zero, one = np.zeros_like(share), np.ones_like(share)
    cells = pd.DataFrame(
        {
            "symbol": names * 2,
            "outcome": np.repeat(OUTCOMES, len(p)),
            "p": np.concatenate([table[:, 0], table[:, 1]]),
            "share": np.concatenate([share, one - share]),
            "x": np.concatenate([zero, share]),
            "x2": np.concatenate([share, one]),
            "y": np.tile(top, 2),
            "y2": np.tile(bottom, 2),
        }
    )
    bands = pd.DataFrame(
        {"symbol": names, "middle": (top + bottom) / 2, "share": share, "y": top, "y2": bottom, "merged": merged}
    )
    overall = pd.DataFrame({"share": [float(table[:, 0].sum())]})
    return {"cells": cells, "bands": bands, "overall": overall}


def mosaic_chart(height=230):
    """Datasets `cells`, `bands` and `overall`: areas are probabilities, the dashed line is p(y = 1) of all together.

    Returns
    -------
    alt.LayerChart
    """
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format="~%", grid=False)
    x = alt.X(
        "x:Q",
        title="shares of y = 1 (left) and y = 2 (right)",
        axis=axis,
        scale=alt.Scale(domain=[-0.27, 1.17], nice=False),
    )
    y = alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(domain=[1, 0], nice=False))
    cells = (
        alt.Chart(data("cells"))
        .mark_rect(stroke="#ffffff", strokeWidth=1)
        .encode(
            x=x, x2="x2:Q", y=y, y2="y2:Q",
            color=alt.Color(
                "outcome:N",
                scale=alt.Scale(domain=list(OUTCOMES), range=[BLUE, ORANGE]),
                legend=alt.Legend(orient="bottom", title=None, symbolStrokeWidth=0),
            ),
            tooltip=[
                "symbol:N", "outcome:N",
                alt.Tooltip("p:Q", title="joint probability", format=".4f"),
                alt.Tooltip("share:Q", title="share of the symbol", format=".4f"),
            ],
        )
    )  # fmt: skip
    bands = alt.Chart(data("bands"))
    joined = bands.transform_filter("datum.merged").transform_calculate(x="0", x2="1")
    merged = outline(joined, width=3, x=x, x2="x2:Q", y=y, y2="y2:Q")
    wide = bands.transform_filter(f"datum.y2 - datum.y >= {LEAST_LABELLED}").encode(y=alt.Y("middle:Q"))
    symbol = wide.transform_calculate(x="-0.03").mark_text(align="right").encode(x=x, text="symbol:N")
    share = (
        wide.transform_calculate(x="1.02").mark_text(align="left").encode(x=x, text=alt.Text("share:Q", format=".2f"))
    )
    overall = (
        alt.Chart(data("overall")).mark_rule(color="#ffffff", strokeDash=[4, 3], strokeWidth=2).encode(x="share:Q")
    )
    return alt.layer(cells, merged, overall, symbol, share).properties(height=height)


def levels_frames(sigma, pre, step):
    """An activation at the pre-activations of a few symbols, its output kept to multiples of `step`.

    Parameters
    ----------
    sigma : Activation
    pre : sequence of float
    step : float
        See `information.quantise`.

    Returns
    -------
    dict of DataFrame
        `symbols` (symbol, pre, post, gain) and `curve` (x, activation, y).
    """
    pre = np.asarray(pre, dtype=float)
    symbols = pd.DataFrame(
        {
            "symbol": [f"x{i + 1}" for i in range(len(pre))],
            "pre": pre,
            "post": information.quantise(sigma.f(pre), step),
            "gain": sigma.gain(pre),
        }
    )
    x = np.linspace(pre.min() - 1.0, pre.max() + 1.0, CURVE_POINTS)
    y = information.quantise(sigma.f(x), step)
    curve = pd.DataFrame(
        {"x": x.astype(np.float32), "activation": pd.Categorical([sigma.name] * len(x)), "y": y.astype(np.float32)}
    )
    return {"symbols": symbols, "curve": curve}


def levels_chart(height=240):
    """The curve, and each symbol as a point with a dashed line at its value: symbols on one line are merged.

    Datasets `symbols` and `curve`.

    Returns
    -------
    alt.LayerChart
    """
    y_title = "after sigma"
    curve = (
        alt.Chart(data("curve"))
        .mark_line()
        .encode(
            x=alt.X("x:Q", title="pre-activation", scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("y:Q", title=y_title),
            color=activation_colour(legend=False),
            strokeDash=activation_dash(),
        )
    )
    level = dashed_rule("symbols", y=alt.Y("post:Q", title=y_title))
    base = alt.Chart(data("symbols")).encode(
        x="pre:Q",
        y="post:Q",
        tooltip=[
            "symbol:N",
            alt.Tooltip("pre:Q", title="before sigma", format=".2f"),
            alt.Tooltip("post:Q", title="after sigma", format=".6f"),
            alt.Tooltip("gain:Q", title="gain there", format=".6f"),
        ],
    )
    points = base.mark_point(shape="diamond", color=MARK, filled=True, opacity=1, size=110)
    name = base.mark_text(dy=-14, fontWeight="bold").encode(text="symbol:N")
    return alt.layer(level, curve, points, name).properties(height=height)
