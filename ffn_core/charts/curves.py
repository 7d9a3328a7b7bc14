"""Curves over the pre-activation: activations, gains, a tangent, distances; the error of a difference over its step.

Pink is the learner's own: a filled circle on a dashed line is the operating point, a hollow diamond the value of the
chosen token and slot. What lies outside the picture is drawn at its edge, as a triangle that points outwards.
"""

import altair as alt
import numpy as np
import pandas as pd

from ..curves import dead_below, difference_error, distance, landmarks, rounding_error, truncation_error
from .base import (
    BLUE,
    GREEN,
    GREY,
    MARK,
    PURPLE,
    activation_colour,
    activation_dash,
    dashed_rule,
    data,
    grey_rule,
    kept,
)

REACH = 4.0  # curves are drawn on [-4, 4]
POINTS = 201
HOVER_EVERY = 8
TANGENT_REACH = 1.0
STEEPEST = 1e6  # a slope that is drawn upright
BESIDE_KINK = 1e-5  # where the two ends of a broken line stand
GAIN_RANGE = (-1.0, 3.0)  # a gain without limit would flatten all others
DISTANCE_FLOOR = 1e-7  # log axes have no zero: what is smaller is drawn here
ERROR_FLOOR, ERROR_CEILING = 1e-18, 1.0
STEPS = 10.0 ** np.linspace(-12.0, -1.0, 111)
ERROR_SERIES = ("measured", "truncation, as h²", "rounding, as 1/h")


def _grid(kinks):
    """Evenly spaced x with three extra places at each kink: left of it, at it, right of it."""
    extra = [k + side * BESIDE_KINK for k in kinks for side in (-1.0, 0.0, 1.0)]
    return np.unique(np.concatenate([np.linspace(-REACH, REACH, POINTS), extra]))


def _wide(x, columns):
    return pd.DataFrame({name: np.float32(column) for name, column in {"x": x, **columns}.items()})


@kept
def activation_frame(activations):
    """One column an activation over a grid of x.

    Parameters
    ----------
    activations : tuple of Activation

    Returns
    -------
    DataFrame with columns x and the names
    """
    x = _grid(())
    return _wide(x, {a.name: a.f(x) for a in activations})


@kept
def gain_frame(activations):
    """One column a gain over a grid of x; at a kink, and out of GAIN_RANGE, it is missing: the line breaks there.

    Parameters
    ----------
    activations : tuple of Activation

    Returns
    -------
    DataFrame with columns x and the names
    """
    x = _grid([k for a in activations for k in a.kinks if abs(k) < REACH])
    gains = {a.name: np.where(np.isin(x, a.kinks), np.nan, a.gain(x)) for a in activations}
    low, high = GAIN_RANGE
    return _wide(x, {name: np.where((gain >= low) & (gain <= high), gain, np.nan) for name, gain in gains.items()})


@kept
def distance_frame(sigma, others, gains=False):
    """|f - g| of one activation and each of the others over x, not below DISTANCE_FLOOR.

    Parameters
    ----------
    sigma : Activation
    others : tuple of Activation
    gains : bool
        Compare the gains instead.

    Returns
    -------
    DataFrame with columns x and the names of the others
    """
    x = _grid(())
    apart = {o.name: (o.gain(x) - sigma.gain(x)) if gains else (o.f(x) - sigma.f(x)) for o in others}
    return _wide(x, {name: np.clip(np.abs(d), DISTANCE_FLOOR, STEEPEST) for name, d in apart.items()})


def tangent_frame(sigma, x):
    """Two ends of the tangent at x, cut at the edges of the picture.

    Returns
    -------
    DataFrame with columns x, y
    """
    slope = float(np.clip(sigma.gain(x), -STEEPEST, STEEPEST))
    reach = min(TANGENT_REACH, REACH / max(abs(slope), 1.0))
    ends = np.clip([x - reach, x + reach], -REACH, REACH)
    return pd.DataFrame({"x": ends, "y": sigma.f(x) + slope * (ends - x)})


@kept
def span_frame(activations):
    """Lowest and highest y that a curve or a tangent can reach: they keep the axis still while x moves."""
    x = _grid(())
    steps = (a.f(x) - TANGENT_REACH * np.minimum(np.abs(a.gain(x)), STEEPEST) for a in activations)
    low = min(float(np.min(y)) for y in steps)
    high = max(float(np.max(a.f(x))) for a in activations)
    return pd.DataFrame({"y": [max(low, -REACH), high]})


def marks_frame(f, value, x=None):
    """The value of the chosen token and slot, and the operating point when there is one, as points of a curve.

    Parameters
    ----------
    f : callable
        The curve they stand on.
    value, x : float

    Returns
    -------
    DataFrame with columns mark, x, y, shape
        `x` and `y` are cut at the edge of the picture; `shape` says so.
    """
    at = np.array([value] if x is None else [value, x])
    inside = np.clip(at, -REACH, REACH)
    usual = ["diamond", "circle"][: len(at)]
    shape = np.where(at < -REACH, "triangle-left", np.where(at > REACH, "triangle-right", usual))
    mark = ["token's value", "operating point"][: len(at)]
    return pd.DataFrame({"mark": mark, "x": inside, "y": f(inside), "shape": shape})


def levels_frame(*values):
    """Heights of the thin grey lines."""
    return pd.DataFrame({"y": values})


def activation_frames(activations, sigma, x, value):
    """The frames of `activation_chart`.

    Parameters
    ----------
    activations : sequence of Activation
        The curves.
    sigma : Activation
        The one that carries the operating point x and the value of the chosen token and slot.
    x, value : float

    Returns
    -------
    dict of DataFrame
    """
    return {
        "curves": activation_frame(tuple(activations)),
        "tangent": tangent_frame(sigma, x),
        "marks": marks_frame(sigma.f, value, x),
        "levels": levels_frame(0.0),
        "span": span_frame(tuple(activations)),
    }


def gain_frames(activations, sigma, x, value):
    """The frames of `gain_chart`, see `activation_frames`; the grey lines are at 0 and 1/2."""
    return {
        "curves": gain_frame(tuple(activations)),
        "marks": marks_frame(lambda at: np.clip(sigma.gain(at), *GAIN_RANGE), value, x),
        "levels": levels_frame(0.0, 0.5),
    }


def distance_frames(sigma, others, value, gains=False):
    """The frames of `distance_chart`, see `distance_frame`; the token's value is marked on the lower edge."""
    return {
        "curves": distance_frame(sigma, tuple(others), gains),
        "marks": marks_frame(lambda at: np.full_like(at, DISTANCE_FLOOR), value),
    }


def landmarks_frame(activations):
    """One row an activation: where its gain is zero, lowest and highest, as text. Few columns: it is read on a phone.

    Parameters
    ----------
    activations : sequence of Activation

    Returns
    -------
    DataFrame of str
    """
    rows = []
    for a in activations:
        at = landmarks(a)
        valley, peak = ("", "") if at.zero_x is None else (f" at {at.valley_x:.4f}", f" at {at.peak_x:.4f}")
        rows.append(
            {
                "activation": a.name,
                "gain 0 at x": "–" if at.zero_x is None else f"{at.zero_x:.4f}",
                "lowest gain": f"{at.valley:z.4f}{valley}",
                "highest gain": f"{at.peak:.4f}{peak}",
            }
        )
    return pd.DataFrame(rows)


def comparison_frame(sigma, activations):
    """One row an activation: how far it is from sigma, in value and in gain, and at which x, as text.

    Parameters
    ----------
    sigma : Activation
    activations : sequence of Activation

    Returns
    -------
    DataFrame of str
    """
    rows = []
    for a in activations:
        d = distance(sigma, a)
        rows.append(
            {
                "activation": a.name,
                "largest distance in value": f"{d.value:.3g}" + (f" at {d.value_x:z.2f}" if d.value else ""),
                "largest distance in gain": f"{d.gain:.3g}" + (f" at {d.gain_x:z.2f}" if d.gain else ""),
            }
        )
    return pd.DataFrame(rows)


def dead_frame(activations):
    """One row an activation: below which x its value and gain are exactly 0 in finite precision, as text.

    Parameters
    ----------
    activations : sequence of Activation

    Returns
    -------
    DataFrame of str
    """
    rows = []
    for a in activations:
        dead = {t: dead_below(a, t) for t in ("float16", "float32", "float64")}
        below = {f"exactly 0 below ({t})": "never" if x is None else f"{x:.4g}" for t, x in dead.items()}
        rows.append({"activation": a.name, **below})
    return pd.DataFrame(rows)


def _hover(base, field, tooltip):
    """A rule at the x nearest to the pointer, with a tooltip, on every 8th row."""
    near = alt.selection_point(name="near", fields=[field], nearest=True, on="pointermove", empty=False)
    return (
        base.transform_window(i="row_number()")
        .transform_filter(f"datum.i % {HOVER_EVERY} == 1")
        .mark_rule(color=GREY)
        .encode(opacity=alt.condition(near, alt.value(1), alt.value(0)), tooltip=tooltip)
        .add_params(near)
    )


def _marks(y):
    """The operating point, its dashed line, and the value of the chosen token and slot."""
    base = alt.Chart(data("marks")).encode(
        x="x:Q",
        y=y,
        shape=alt.Shape("shape:N", scale=None),
        tooltip=["mark:N", alt.Tooltip("x:Q", format=".4f"), alt.Tooltip("y:Q", format=".4~g")],
    )
    rule = dashed_rule("marks", x="x:Q").transform_filter("datum.mark == 'operating point'")
    point = base.transform_filter("datum.mark == 'operating point'").mark_point(
        filled=True, color=MARK, size=90, opacity=1
    )
    value = base.transform_filter("datum.mark != 'operating point'").mark_point(
        filled=False, stroke=MARK, strokeWidth=2.5, size=130, opacity=1
    )
    return rule, point, value


def _lines(names, y_title, scale, axis):
    """One line a name over the dataset `curves`, with hover; returns the encoding of y and the layers."""
    x = alt.X("x:Q", title="pre-activation x", scale=alt.Scale(domain=[-REACH, REACH], nice=False))
    y = alt.Y("y:Q", title=y_title, scale=scale, axis=axis)
    base = alt.Chart(data("curves")).encode(x=x)
    lines = (
        base.transform_fold(list(names), as_=["activation", "y"])
        .mark_line(strokeWidth=2.2, clip=True)
        .encode(
            y=y,
            color=activation_colour().legend(orient="bottom", title=None, values=list(names)),
            strokeDash=activation_dash().legend(orient="bottom", title=None, values=list(names)),
        )
    )
    tooltip = [alt.Tooltip("x:Q", format=".2f"), *(alt.Tooltip(f"{n}:Q", format=".4~g") for n in names)]
    return y, (lines, _hover(base, "x", tooltip))


def activation_chart(names, height=340):
    """Activations over `curves`, `tangent`, `marks`, `levels` and `span`.

    Parameters
    ----------
    names : tuple of str
        The activations drawn.

    Returns
    -------
    alt.LayerChart
    """
    y, layers = _lines(names, "activation σ(x)", alt.Scale(zero=False), alt.Axis(format="~g"))
    span = alt.Chart(data("span")).mark_point(opacity=0).encode(y=y)
    tangent = alt.Chart(data("tangent")).mark_line(color=MARK, strokeWidth=3, clip=True).encode(x="x:Q", y=y)
    return alt.layer(span, grey_rule("levels", y="y:Q"), *layers, tangent, *_marks(y)).properties(height=height)


def gain_chart(names, height=340):
    """Gains over `curves`, `marks` and `levels`.

    Returns
    -------
    alt.LayerChart
    """
    y, layers = _lines(names, "gain σ′(x)", alt.Scale(zero=True), alt.Axis(format="~g"))
    return alt.layer(grey_rule("levels", y="y:Q"), *layers, *_marks(y)).properties(height=height)


def distance_chart(names, height=270):
    """Distances over `curves` and `marks`, on a log axis.

    Returns
    -------
    alt.LayerChart
    """
    scale = alt.Scale(type="log", domain=[DISTANCE_FLOOR, 10.0], nice=False)
    axis = alt.Axis(format="~e", values=[1e-7, 1e-5, 1e-3, 1e-1, 10.0])
    y, layers = _lines(names, "distance", scale, axis)
    *_, token = _marks(y)
    return alt.layer(*layers, token).properties(height=height)


def panels(activations, sigma, x, value):
    """The activations and their gains over x.

    Parameters
    ----------
    activations : sequence of Activation
        The curves; sigma is one of them.
    sigma : Activation
    x, value : float

    Returns
    -------
    tuple of dict
        Each is what a page needs to show a picture.
    """
    names, point = tuple(a.name for a in activations), (sigma, x, value)
    said = "over the pre-activation, one line each, with the operating point and the token's value"
    return (
        _picture("Activations", activation_chart, names, activation_frames(activations, *point), said),
        _picture("Gains", gain_chart, names, gain_frames(activations, *point), said),
    )


def distance_panels(activations, sigma, value):
    """How far sigma is from the other activations, by value and by gain; see `panels`."""
    others = tuple(a for a in activations if a is not sigma)
    names, said = tuple(a.name for a in others), "over the pre-activation, one line each, with the token's value"
    values, gains = distance_frames(sigma, others, value), distance_frames(sigma, others, value, gains=True)
    return (
        _picture("Distance from sigma, values", distance_chart, names, values, said),
        _picture("Distance from sigma, gains", distance_chart, names, gains, said),
    )


def _picture(title, chart, names, frames, said):
    return {
        "chart": chart,
        "frames": frames,
        "key": f"gelu_{title}",
        "title": title,
        "arguments": (names,),
        "alt": f"{title} {said}",
    }


def error_frame(sigma, x):
    """Error of the central difference against its step, and the two errors theory expects.

    Parameters
    ----------
    sigma : Activation
    x : float

    Returns
    -------
    DataFrame with columns h and ERROR_SERIES
        Errors are kept within [1e-18, 1], the range of the picture; theory is missing at a kink.
    """
    errors = (f(sigma, x, STEPS) for f in (difference_error, truncation_error, rounding_error))
    kept = {name: np.clip(e, ERROR_FLOOR, ERROR_CEILING) for name, e in zip(ERROR_SERIES, errors, strict=True)}
    return pd.DataFrame({"h": STEPS, **kept}).astype(np.float32)


def step_frame(sigma, x, h):
    """The chosen step and the error there.

    Returns
    -------
    DataFrame with columns h, error
    """
    error = np.clip(difference_error(sigma, x, h), ERROR_FLOOR, ERROR_CEILING)
    return pd.DataFrame({"h": [h], "error": [float(error)]})


def error_chart(height=340):
    """Error against step over `errors` and `step`, both axes logarithmic.

    Returns
    -------
    alt.LayerChart
    """
    h = alt.X(
        "h:Q",
        title="step h",
        scale=alt.Scale(type="log", domain=[1e-12, 0.1], nice=False),
        axis=alt.Axis(format="~e", values=[10.0**k for k in range(-12, 0, 2)]),
    )
    y = alt.Y(
        "error:Q",
        title="error of σ′",
        scale=alt.Scale(type="log", domain=[ERROR_FLOOR, ERROR_CEILING], nice=False),
        axis=alt.Axis(format="~e", values=[10.0**k for k in range(-18, 1, 3)]),
    )
    legend = alt.Legend(orient="bottom", title=None, labelLimit=0, columns=2)
    names = list(ERROR_SERIES)
    base = alt.Chart(data("errors")).encode(x=h)
    lines = (
        base.transform_fold(names, as_=["error of", "error"])
        .mark_line(strokeWidth=2.2, clip=True)
        .encode(
            y=y,
            color=alt.Color("error of:N", scale=alt.Scale(domain=names, range=[BLUE, GREEN, PURPLE]), legend=legend),
            strokeDash=alt.StrokeDash(
                "error of:N", scale=alt.Scale(domain=names, range=[[1, 0], [7, 3], [2, 3]]), legend=legend
            ),
        )
    )
    tooltip = [alt.Tooltip("h:Q", format=".1e"), *(alt.Tooltip(f"{n}:Q", format=".2e") for n in names)]
    step = alt.Chart(data("step")).encode(x=h, y=y)
    point = step.mark_point(filled=True, color=MARK, size=90, opacity=1)
    return alt.layer(lines, _hover(base, "h", tooltip), dashed_rule("step", x="h:Q"), point).properties(height=height)
