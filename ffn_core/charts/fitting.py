"""A curve fitted by a small block: the fit, its loss step by step, and its loss against the number of units.

A `*_picture` is a figure ready to be shown: chart, frames, title and the rest, by name.
"""

import altair as alt
import numpy as np
import pandas as pd

from .base import MARK, activation_colour, activation_dash, data, grey_rule

LOSS_FLOOR = 1e-14  # log axes have no zero: a smaller loss is drawn here
EVERY_DOT = 4  # the target is drawn as dots, one in four of the points that are fitted


def fit_frames(fits):
    """The frames of `fit_chart`.

    Parameters
    ----------
    fits : dict of str to Fit
        Name of the activation to its fit, all of one target.

    Returns
    -------
    dict of DataFrame
        "fits" with columns x, target and the names; "target" with columns x, y.
    """
    first = next(iter(fits.values()))
    columns = {"x": first.x, "target": first.target, **{name: fit.fitted for name, fit in fits.items()}}
    dots = pd.DataFrame({"x": first.x, "y": first.target})[::EVERY_DOT]
    return {"fits": pd.DataFrame(columns).astype(np.float32), "target": dots.astype(np.float32)}


def _lines(base, names, as_field, y):
    """One line a name, in the colour and dash of its activation."""
    legend = {"orient": "bottom", "title": None, "values": list(names), "symbolType": "stroke"}
    return (
        base.transform_fold(list(names), as_=["activation", as_field])
        .mark_line(strokeWidth=2.4)
        .encode(y=y, color=activation_colour().legend(**legend), strokeDash=activation_dash().legend(**legend))
    )


def fit_chart(names, height=320):
    """The target as dots and one fitted line a name, over the datasets `fits` and `target`.

    Parameters
    ----------
    names : tuple of str

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("x:Q", title="input x", scale=alt.Scale(nice=False))
    y = alt.Y("y:Q", title="output", scale=alt.Scale(zero=False), axis=alt.Axis(format="~g"))
    dots = alt.Chart(data("target")).mark_point(size=45, stroke="currentColor", opacity=0.8).encode(x=x, y=y)
    lines = _lines(alt.Chart(data("fits")).encode(x=x), names, "y", y)
    return alt.layer(dots, lines).properties(height=height)


def _loss_axis():
    return alt.Y(
        "loss:Q", title="mean squared error", scale=alt.Scale(type="log"), axis=alt.Axis(format="~e", tickCount=4)
    )


def _kept(losses):
    return np.maximum(losses, LOSS_FLOOR)


def floor_frame(loss):
    """Height of the grey line: the best that a straight line can do."""
    return pd.DataFrame({"loss": [float(_kept(loss))]})


def loss_frame(fits):
    """Loss by training step, one column a name.

    Parameters
    ----------
    fits : dict of str to Fit

    Returns
    -------
    DataFrame with columns step and the names
    """
    steps = next(iter(fits.values())).steps
    return pd.DataFrame({"step": steps, **{name: _kept(fit.losses) for name, fit in fits.items()}})


def loss_chart(names, height=320):
    """Loss by step over the datasets `losses` and `floor`, logarithmic.

    Returns
    -------
    alt.LayerChart
    """
    base = alt.Chart(data("losses")).encode(x=alt.X("step:Q", title="training step"))
    return alt.layer(grey_rule("floor", y="loss:Q"), _lines(base, names, "loss", _loss_axis())).properties(
        height=height
    )


def width_frame(losses, widths):
    """Final loss by number of units, one column a name.

    Parameters
    ----------
    losses : dict of str to sequence of float
        Name to one loss a width.
    widths : sequence of int

    Returns
    -------
    DataFrame with columns units and the names
    """
    return pd.DataFrame({"units": list(widths), **{name: _kept(found) for name, found in losses.items()}})


def chosen_width_frame(losses, widths, width):
    """The chosen width on each line, to be marked.

    Returns
    -------
    DataFrame with columns units, loss
    """
    at = list(widths).index(width)
    return pd.DataFrame({"units": width, "loss": [float(_kept(found[at])) for found in losses.values()]})


def width_chart(names, height=300):
    """Loss against width over the datasets `widths`, `chosen` and `floor`.

    Returns
    -------
    alt.LayerChart
    """
    x, y = alt.X("units:O", title="units (d_ff)", axis=alt.Axis(labelAngle=0)), _loss_axis()
    base = alt.Chart(data("widths")).encode(x=x)
    lines = _lines(base, names, "loss", y)
    tooltip = [alt.Tooltip("units:O"), *(alt.Tooltip(f"{n}:Q", format=".2e") for n in names)]
    dots = lines.mark_point(filled=True, size=50, opacity=1).encode(strokeDash=alt.value([1, 0]), tooltip=tooltip)
    chosen = alt.Chart(data("chosen")).mark_point(size=170, stroke=MARK, strokeWidth=2.5, opacity=1).encode(x=x, y=y)
    return alt.layer(grey_rule("floor", y="loss:Q"), lines, dots, chosen).properties(height=height)


def fit_picture(fits):
    """Target and fits."""
    return {
        "chart": fit_chart,
        "frames": fit_frames(fits),
        "arguments": (tuple(fits),),
        "key": "lin_fit",
        "title": "Target (dots) and fits",
        "alt": "The target curve as dots and one fitted line an activation",
    }


def loss_picture(fits, line_loss):
    """How the loss came down in training; `line_loss` is that of the best straight line."""
    return {
        "chart": loss_chart,
        "frames": {"losses": loss_frame(fits), "floor": floor_frame(line_loss)},
        "arguments": (tuple(fits),),
        "key": "lin_loss",
        "title": "Loss in training",
        "alt": "Mean squared error by training step, and that of the best straight line",
    }


def width_picture(losses, widths, width, line_loss):
    """Loss against width, the chosen width ringed."""
    return {
        "chart": width_chart,
        "frames": {
            "widths": width_frame(losses, widths),
            "chosen": chosen_width_frame(losses, widths, width),
            "floor": floor_frame(line_loss),
        },
        "arguments": (tuple(losses),),
        "key": "lin_widths",
        "title": "Loss after training, by width",
        "alt": "Mean squared error after training by the number of units, one line an activation",
    }
