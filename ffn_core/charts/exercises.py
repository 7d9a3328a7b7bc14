"""The pictures of the exercises: dead units over the bias, rows that move, singular values, gain curves to read."""

import altair as alt
import numpy as np
import pandas as pd

from ..closed_gates import COMPARED, SURVIVES
from ..dead_units import READINGS
from ..equivariance import ROUNDING
from .base import (
    BLUE,
    DASHES,
    GREEN,
    GREY,
    ORANGE,
    activation_colour,
    activation_dash,
    dashed_rule,
    data,
    grey_rule,
    outline,
)

READING_COLOURS = (BLUE, ORANGE, GREEN)  # ReLU and GELU as everywhere; the second reading of GELU apart
READING_DASHES = (DASHES[0], DASHES[1], DASHES[3])
READING_SHAPES = ("circle", "square", "triangle-up")
VALUE_FLOOR = 1e-6  # log axes have no zero: what is smaller is drawn here
GAIN_REACH, GAIN_STEP = 5.0, 0.05


def dead_units_frames(found, bias):
    """The frames of `dead_units_chart`: expected and counted shares of dead units over the bias.

    Parameters
    ----------
    found : DeadUnits
    bias : float
        The dial.

    Returns
    -------
    dict of DataFrame
        `dead` has one row a bias, with columns bias, a column of expected shares a reading, and one of counted shares
        named with " counted" behind; `dial` is the one bias.
    """
    expected = dict(zip(READINGS, found.expected, strict=True))
    counted = {f"{name} counted": row for name, row in zip(READINGS, found.counted, strict=True)}
    frame = pd.DataFrame({"bias": found.biases, **expected, **counted}).astype(np.float32)
    return {"dead": frame, "dial": pd.DataFrame({"bias": [bias]})}


def dead_units_chart():
    """Lines for what is expected, points for what is counted, over the datasets `dead` and `dial`.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("bias:Q", title="bias, in standard deviations of the pre-activation", scale=alt.Scale(nice=False))
    y = alt.Y("share:Q", title="share of dead units", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    legend = alt.Legend(orient="bottom", title=None, columns=1)
    colour = alt.Color("reading:N", scale=alt.Scale(domain=list(READINGS), range=list(READING_COLOURS)), legend=legend)
    dash = alt.StrokeDash(
        "reading:N", scale=alt.Scale(domain=list(READINGS), range=list(READING_DASHES)), legend=legend
    )  # fmt: skip
    shape = alt.Shape("reading:N", scale=alt.Scale(domain=list(READINGS), range=list(READING_SHAPES)), legend=legend)
    base = alt.Chart(data("dead")).encode(x=x)
    lines = (
        base.transform_fold(list(READINGS), as_=["reading", "share"])
        .mark_line(interpolate="monotone")
        .encode(y=y, color=colour, strokeDash=dash)
    )
    counted = [f"{name} counted" for name in READINGS]
    points = (
        base.transform_window(i="row_number()")
        .transform_filter("datum.i % 2 == 1")
        .transform_fold(counted, as_=["column", "share"])
        .transform_calculate(reading="replace(datum.column, ' counted', '')")
        .mark_point(size=40, filled=False, strokeWidth=1.5, opacity=1)
        .encode(
            y=y, color=colour, shape=shape,
            tooltip=[
                alt.Tooltip("bias:Q", format=".1f"), "reading:N",
                alt.Tooltip("share:Q", title="counted", format=".1%"),
            ],
        )
    )  # fmt: skip
    return alt.layer(lines, points, dashed_rule("dial", x=x)).properties(height=380)


def moved_frames(moved, token):
    """How far each row of each layer's output moves: the frames of `moved_chart`.

    Parameters
    ----------
    moved : dict of str to ndarray of shape (T,)
        By layer.
    token : int
        The one that was changed, counted from 0.

    Returns
    -------
    dict of DataFrame
        `moved` with columns layer, row (from 1), by and text, rounding left out; `token` is the changed one.
    """
    rows = [
        {"layer": layer, "row": row + 1, "by": by, "text": f"{by:.2g}"}
        for layer, found in moved.items()
        for row, by in enumerate(np.where(found > ROUNDING * found.max(), found, 0.0).tolist())
    ]
    return {"moved": pd.DataFrame(rows), "token": pd.DataFrame({"row": [token + 1]})}


def moved_chart(layers):
    """A table of cells over the dataset `moved`, filled where the row moves; the changed row is outlined.

    Parameters
    ----------
    layers : tuple of str
        In the order of the rows.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("row:O", title="row of the output", axis=alt.Axis(labelAngle=0, ticks=False, orient="top"))
    y = alt.Y("layer:N", title=None, sort=list(layers), axis=alt.Axis(ticks=False, labelLimit=220))
    base = alt.Chart(data("moved")).encode(x=x, y=y)
    cells = base.mark_rect(stroke=GREY, strokeWidth=1).encode(
        color=alt.condition("datum.by > 0", alt.value(BLUE), alt.value("transparent")),
        tooltip=["layer:N", "row:O", alt.Tooltip("by:Q", title="moves by", format=".4~g")],
    )
    filled = base.transform_filter("datum.by > 0").mark_text(color="black").encode(text="text:N")
    empty = base.transform_filter("datum.by == 0").mark_text().encode(text="text:N")
    changed = outline(alt.Chart(data("token")), x=x)
    return alt.layer(cells, filled, empty, changed).properties(height=230)


def surviving_frames(found):
    """Singular values of J at the row that closes most gates: the frames of `surviving_chart`.

    Parameters
    ----------
    found : ClosedRow

    Returns
    -------
    dict of DataFrame
        `values` with columns place (from 1), activation, value, height; `limit` is the level asked for.
    """
    rows = [
        {"place": k + 1, "activation": sigma.name, "value": value, "height": max(value, VALUE_FLOOR)}
        for sigma in COMPARED
        for k, value in enumerate(found.values[sigma.name].tolist())
    ]
    return {"values": pd.DataFrame(rows), "limit": pd.DataFrame({"height": [SURVIVES]})}


def surviving_chart():
    """Points on a log axis over the dataset `values`, one shape an activation, and the line at 0.001 over `limit`.

    Returns
    -------
    alt.LayerChart
    """
    names = [sigma.name for sigma in COMPARED]
    x = alt.X("place:O", title="singular value, largest first", axis=alt.Axis(labelAngle=0, ticks=False))
    y = alt.Y(
        "height:Q", title="size (0 is drawn at 1e-6)", axis=alt.Axis(format="~g"),
        scale=alt.Scale(type="log", domain=[VALUE_FLOOR, 10.0]),
    )  # fmt: skip
    legend = alt.Legend(orient="bottom", title=None, values=names)
    points = (
        alt.Chart(data("values"))
        .mark_point(size=120, filled=False, strokeWidth=2.5, opacity=1)
        .encode(
            x=x, y=y, xOffset=alt.XOffset("activation:N", sort=names), color=activation_colour().legend(legend),
            shape=alt.Shape(
                "activation:N", scale=alt.Scale(domain=names, range=["circle", "triangle-up"]), legend=legend
            ),
            tooltip=["activation:N", "place:O", alt.Tooltip("value:Q", title="singular value", format=".4~g")],
        )
    )  # fmt: skip
    return alt.layer(grey_rule("limit", y=y), points).properties(height=280)


def gains_frames(activations):
    """Gain curves on a grid of 0.05, which is what the pointer reads: the frames of `gains_chart`.

    Parameters
    ----------
    activations : sequence of Activation

    Returns
    -------
    dict of DataFrame
        `curves` with columns x and the names; `levels` holds the heights of the grey lines, 0 and 1/2.
    """
    x = np.round(np.arange(-GAIN_REACH, GAIN_REACH + GAIN_STEP / 2.0, GAIN_STEP), 10)
    curves = pd.DataFrame({"x": x, **{a.name: a.gain(x) for a in activations}}).astype(np.float32)
    return {"curves": curves, "levels": pd.DataFrame({"y": [0.0, 0.5]})}


def gains_chart(names):
    """Gain curves over the datasets of `gains_frames`; the pointer reads both at the nearest x.

    Parameters
    ----------
    names : tuple of str

    Returns
    -------
    alt.LayerChart
    """
    near = alt.selection_point(
        name="near_x", fields=["x"], nearest=True, on="pointermove", empty=False, clear="pointerout"
    )
    x = alt.X("x:Q", title="pre-activation x", scale=alt.Scale(domain=[-GAIN_REACH, GAIN_REACH], nice=False))
    y = alt.Y("y:Q", title="gain σ′(x)", axis=alt.Axis(format="~g"))
    base = alt.Chart(data("curves")).encode(x=x)
    legend = alt.Legend(orient="bottom", title=None, values=list(names))
    lines = (
        base.transform_fold(list(names), as_=["activation", "y"])
        .mark_line(strokeWidth=2.2)
        .encode(y=y, color=activation_colour().legend(legend), strokeDash=activation_dash().legend(legend))
    )
    tooltip = [alt.Tooltip("x:Q", format=".2f"), *(alt.Tooltip(f"{n}:Q", format=".4f") for n in names)]
    reader = (
        base.mark_rule(color=GREY)
        .encode(opacity=alt.condition(near, alt.value(1), alt.value(0)), tooltip=tooltip)
        .add_params(near)
    )
    return alt.layer(grey_rule("levels", y="y:Q"), lines, reader).properties(height=380)
