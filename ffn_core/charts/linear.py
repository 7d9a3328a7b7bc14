"""Blocks and stacks without an activation: the matrix they collapse to, how it narrows, and what sigma adds.

A `*_picture` is a figure ready to be shown: chart, frames, title and the rest, by name.
"""

import altair as alt
import numpy as np
import pandas as pd

from ..linear import ROUNDING
from . import bars, matrix
from .base import BLUE, GREEN, GREY, PURPLE, SHEER, data

MOST_LINES = 8
FLOOR = 1e-18  # log axes have no zero: what is smaller is drawn here
KINDS = ("largest", "between", "smallest")


def narrowing_frame(singular_values):
    """Singular values by depth, each over the largest of its depth; at most eight of them, first and last included.

    Parameters
    ----------
    singular_values : ndarray of shape (n_blocks, d_model)
        Of the stack after 1, 2, ... blocks, largest first.

    Returns
    -------
    DataFrame with columns blocks, number, kind, value
    """
    n_blocks, d_model = singular_values.shape
    shown = np.unique(np.linspace(0, d_model - 1, min(MOST_LINES, d_model)).astype(int))
    largest = singular_values[:, :1]
    relative = np.divide(singular_values, largest, out=np.zeros_like(singular_values), where=largest > 0.0)
    blocks, column = np.indices((n_blocks, len(shown)))
    number = shown[column] + 1
    return pd.DataFrame(
        {
            "blocks": blocks.ravel() + 1,
            "number": number.ravel(),
            "kind": np.select([number == 1, number == d_model], ["largest", "smallest"], "between").ravel(),
            "value": np.maximum(relative[:, shown], FLOOR).ravel(),
        }
    )


def narrowing_chart(height=280):
    """Lines over the dataset `narrowing`, logarithmic.

    Returns
    -------
    alt.LayerChart
    """
    legend = alt.Legend(orient="bottom", title=None, symbolType="stroke")
    kinds = list(KINDS)
    y_axis = alt.Axis(format="~e", tickCount=4)
    base = alt.Chart(data("narrowing")).encode(
        x=alt.X(
            "blocks:Q",
            title="blocks in the stack",
            axis=alt.Axis(tickMinStep=1, format="d"),
            scale=alt.Scale(nice=False, zero=False),
        ),
        y=alt.Y("value:Q", title="singular value / largest", scale=alt.Scale(type="log"), axis=y_axis),
        detail="number:N",
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[BLUE, GREEN, PURPLE]), legend=legend),
        strokeDash=alt.StrokeDash(
            "kind:N", scale=alt.Scale(domain=kinds, range=[[1, 0], [2, 3], [7, 3]]), legend=legend
        ),
    )
    dots = base.mark_point(filled=True, size=28, opacity=1).encode(
        strokeDash=alt.value([1, 0]),
        tooltip=[
            alt.Tooltip("blocks:Q", title="blocks"),
            alt.Tooltip("number:Q", title="singular value"),
            alt.Tooltip("value:Q", title="over the largest", format=".2e"),
        ],
    )
    return alt.layer(base.mark_line(strokeWidth=2), dots).properties(height=height)


def straight_frames(actual, predicted):
    """The frames of `straight_chart`: one dot a token, and the diagonal on which all would lie without an activation.

    Both are measured from the mean of `actual`, in its standard deviations, so that stacks of any scale compare.

    Parameters
    ----------
    actual, predicted : ndarray of shape (n,)

    Returns
    -------
    dict of DataFrame
    """
    sd = float(actual.std())
    sd = sd if sd > ROUNDING * np.abs(actual).max() else 1.0  # a dead channel: nothing varies but roundings
    actual, predicted = (actual - actual.mean()) / sd, (predicted - actual.mean()) / sd
    ends = np.array([min(actual.min(), predicted.min()), max(actual.max(), predicted.max())])
    return {
        "dots": pd.DataFrame({"predicted": predicted, "actual": actual}).astype(np.float32),
        "diagonal": pd.DataFrame({"predicted": ends, "actual": ends}),
    }


def bias_frames(b):
    """The frames of `bias_chart`: one row a channel, and an axis that reaches at least from -1 to 1.

    Parameters
    ----------
    b : ndarray of shape (d_model,)

    Returns
    -------
    dict of DataFrame
    """
    reach = max(1.0, float(np.max(np.abs(b))))
    return {"bars": bars.bars_frame(b), "span": pd.DataFrame({"value": [-reach, reach]})}


def bias_chart(height=230):
    """Signed bars over the datasets `bars` and `span`, each with a point at its end: a bar of 0 is seen by its point.

    Returns
    -------
    alt.LayerChart
    """
    y = alt.Y("value:Q", title="b′")
    span = alt.Chart(data("span")).mark_point(opacity=0).encode(y=y)
    signed = alt.Chart(data("bars")).encode(
        x=alt.X("at:O", title="to channel", axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
        y=y,
        tooltip=[alt.Tooltip("at:O", title="to channel"), alt.Tooltip("value:Q", title="b′", format=".4f")],
    )
    ends = signed.mark_point(color=BLUE, filled=True, opacity=1, size=45)
    return alt.layer(span, signed.mark_bar(color=BLUE), ends).properties(height=height)


def straight_chart(height=280):
    """Block against best linear map, over the datasets `dots` and `diagonal`.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("predicted:Q", title="best linear map", scale=alt.Scale(zero=False))
    y = alt.Y("actual:Q", title="the stack, in its sd", scale=alt.Scale(zero=False))
    tooltip = [alt.Tooltip("predicted:Q", format=".4~g"), alt.Tooltip("actual:Q", format=".4~g")]
    dots = alt.Chart(data("dots")).mark_point(filled=True, size=30, color=BLUE, stroke=BLUE, **SHEER)
    diagonal = alt.Chart(data("diagonal")).mark_line(color=GREY, strokeDash=[5, 3])
    return alt.layer(diagonal.encode(x=x, y=y), dots.encode(x=x, y=y, tooltip=tooltip)).properties(height=height)


def matrix_picture(collapsed):
    """The one matrix of a block; of a large one, the first rows and columns."""
    frames, _ = matrix.matrix_frames(collapsed.W)
    return {
        "chart": matrix.matrix_chart,
        "frames": frames,
        "arguments": ("from channel", "to channel"),
        "key": "lin_matrix",
        "title": "W₁W₂, one matrix for two",
        "alt": "Heat map of the collapsed matrix, one row a channel that goes in",
    }


def matrix_part(collapsed):
    """Which part of the one matrix is on screen; an empty string when it is all of it."""
    _, view = matrix.matrix_frames(collapsed.W)
    return view.caption("from channel", "to channel")


def bias_picture(collapsed):
    """The one bias of a block."""
    return {
        "chart": bias_chart,
        "frames": bias_frames(collapsed.b),
        "key": "lin_bias",
        "title": "b′ = b₁W₂ + b₂, one bias for two",
        "alt": "The combined bias, one bar a channel with a point at its end",
    }


def narrowing_picture(depth):
    """Singular values of the one matrix of a stack, by depth."""
    return {
        "chart": narrowing_chart,
        "frames": {"narrowing": narrowing_frame(depth.singular_values)},
        "key": "lin_narrowing",
        "title": "Singular values of the one matrix, over the largest",
        "alt": "Lines: singular values over the largest, by the number of blocks",
    }


def left_over_picture(depth):
    """What the best linear map leaves unexplained, by depth."""
    return {
        "chart": bars.bars_chart,
        "frames": {"bars": bars.bars_frame(depth.left_over, len(depth.left_over) - 1)},
        "arguments": ("blocks in the stack", "share of the variance", "linear", 280, ".0%"),
        "key": "lin_left_over",
        "title": "With sigma: what no single matrix explains",
        "alt": "Bars: share of the output that the best linear map leaves over, by the number of blocks",
    }


def straight_picture(depth):
    """The stack against its best linear map, token by token."""
    return {
        "chart": straight_chart,
        "frames": straight_frames(depth.actual, depth.predicted),
        "key": "lin_straight",
        "title": "With sigma: channel 1 of the stack, token by token",
        "alt": "Dots: output of the stack over what its best linear map gives, and the diagonal",
    }
