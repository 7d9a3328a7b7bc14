"""Bars: one number a token, slot or direction, with the learner's own marked."""

import altair as alt
import numpy as np
import pandas as pd

from .base import BLUE, MARK, data


def bars_frame(values, chosen=None, start=1):
    """One row a bar.

    Parameters
    ----------
    values : ndarray of shape (n,)
    chosen : int or None
        The bar to mark, counted from 0.
    start : int
        The number of the first bar on screen.

    Returns
    -------
    DataFrame with columns at, value, chosen
    """
    at = np.arange(len(values))
    return pd.DataFrame({"at": at + start, "value": values, "chosen": at == chosen})


def bars_chart(x_title, y_title, y_type="linear", height=200, tick_format=""):
    """Bars over the dataset `bars`; the chosen one stands out by colour and by a pointer above it.

    Returns
    -------
    alt.LayerChart
    """
    base = alt.Chart(data("bars")).encode(
        x=alt.X("at:O", title=x_title, axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
        y=alt.Y("value:Q", title=y_title, scale=alt.Scale(type=y_type), axis=alt.Axis(format=tick_format)),
        tooltip=[alt.Tooltip("at:O", title=x_title), alt.Tooltip("value:Q", title=y_title, format=".4~g")],
    )
    bars = base.mark_bar().encode(color=alt.condition("datum.chosen", alt.value(MARK), alt.value(BLUE)))
    pointer = base.mark_point(shape="triangle-down", color=MARK, filled=True, size=70, yOffset=-8).encode(
        opacity=alt.condition("datum.chosen", alt.value(1), alt.value(0))
    )
    return alt.layer(bars, pointer).properties(height=height)
