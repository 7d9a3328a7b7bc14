"""What all charts share: colours, data names, and the marks for the learner's own token, slot and point."""

from functools import lru_cache

import altair as alt

from ..activations import ACTIVATIONS

# Colours that read at 3:1 or better on white and on the dark theme alike, and stay apart in the common kinds of colour
# blindness (after Okabe & Ito 2008, darkened or lightened to hold on both grounds).
BLUE, ORANGE, GREEN, PURPLE, RED, OCHRE, GREY = (
    "#2f7fd1",
    "#d9620d",
    "#1f9467",
    "#a262c9",
    "#d6455d",
    "#a8770a",
    "#808080",
)
PALETTE = (GREY, BLUE, ORANGE, GREEN, PURPLE, OCHRE, RED)
DASHES = ([1, 0], [7, 2], [2, 2], [9, 2, 2, 2], [5, 5], [3, 1], [12, 3])  # no two alike
# In the order of the registry: the lesson's GELU is the solid line.
ACTIVATION_DASHES = (DASHES[4], DASHES[1], DASHES[0], DASHES[2], DASHES[3], DASHES[5], DASHES[6])
MARK = "#e0368c"  # the learner's own choice: token, slot, operating point
CASING = "#ffffff"  # beneath an outline that crosses colours: it keeps 3:1 to MARK, whatever the cell
DIVERGING = ["#2166ac", "#6ba4d6", "#f4f4f4", "#f09a57", "#b3400b"]  # minus, zero, plus

# Points that may lie on each other: a clear rim, and a filling that shows what is below. Encode `stroke` as `color`.
SHEER = {"opacity": 1, "fillOpacity": 0.4, "strokeWidth": 1.2}


kept = lru_cache(maxsize=64)
"""Decorator for a frame that follows from hashable arguments alone: made once, then to be read, not to be changed."""


def cycle(options, count):
    """The first `count` of the options, starting over when they run out."""
    return [options[k % len(options)] for k in range(count)]


def activation_colour(field="activation", legend=True):
    """Colour encoding: one fixed colour per activation of the registry, on every page."""
    names = list(ACTIVATIONS)
    return alt.Color(
        f"{field}:N",
        scale=alt.Scale(domain=names, range=cycle(PALETTE, len(names))),
        legend=alt.Legend(orient="bottom", title=None) if legend else None,
    )


def activation_dash(field="activation"):
    """Dash encoding beside the colour, so that colour is never the only sign."""
    names = list(ACTIVATIONS)
    scale = alt.Scale(domain=names, range=cycle(ACTIVATION_DASHES, len(names)))
    return alt.StrokeDash(f"{field}:N", scale=scale, legend=None)


def data(name):
    """A dataset that the page will send under this name."""
    return alt.NamedData(name=name)


def dashed_rule(name, **encodings):
    """A dashed line in the learner's colour, at the places in dataset `name`."""
    return alt.Chart(data(name)).mark_rule(color=MARK, strokeDash=[5, 3], strokeWidth=1.5).encode(**encodings)


def grey_rule(name, **encodings):
    """A thin neutral line for axes and levels."""
    return alt.Chart(data(name)).mark_rule(color=GREY, strokeDash=[2, 3]).encode(**encodings)


def outline(chart, width=2, dash=(1, 0), **encodings):
    """A frame in the learner's colour round cells, cased in white: on some cells its colour alone would not stand out.

    Parameters
    ----------
    chart : alt.Chart
        Over the dataset of what to frame.
    width : float
    dash : sequence of float
    **encodings
        The place of the frame.

    Returns
    -------
    alt.LayerChart
    """
    casing = chart.mark_rect(fill=None, stroke=CASING, strokeWidth=width + 2).encode(**encodings)
    frame = chart.mark_rect(fill=None, stroke=MARK, strokeWidth=width, strokeDash=list(dash)).encode(**encodings)
    return alt.layer(casing, frame)


def text_config(ink):
    """The settings that all charts share: one ink for every text, and nothing to read aloud mark by mark.

    A screen reader gets the name of the chart, what its axes and legends say, and the numbers as a table below; some
    hundred marks in a row would only stand in its way.

    Parameters
    ----------
    ink : str
        A colour. Streamlit's own for axes and legends, #808495, is 3.7:1 on white.

    Returns
    -------
    dict
    """
    labels = {"labelColor": ink, "titleColor": ink}
    return {
        "text": {"color": ink}, "axis": labels, "legend": labels, "view": {"stroke": None}, "mark": {"aria": False},
    }  # fmt: skip
