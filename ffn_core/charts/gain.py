"""Gain in pictures: the curve of sigma' with a token's operating points, singular values, and a prediction's error.

Log axes have no zero: what is smaller than a floor is drawn at the floor, singular values there as a triangle that
points down.
"""

import altair as alt
import numpy as np
import pandas as pd

from ..gain import SIZES, TOLERATED, gain_facts, open_gates, spread
from .base import BLUE, GREY, MARK, ORANGE, activation_colour, activation_dash, dashed_rule, data, grey_rule

CURVE_POINTS = 241
LEAST_REACH = 4.0  # the lesson's gain curve spans -4 to 4
SHOWN_TOKENS = SHOWN_VALUES = 16
TABLE_VALUES = 8  # singular values that a table shows without a bar to scroll
VALUE_FLOOR, ERROR_FLOOR = 1e-6, 1e-9  # the captions call them a millionth and a billionth
ERROR_SPAN = [1e-6, 1.0]  # the error axis shows at least this
DIRECTION_HELP = (
    "principal: the strongest direction of J (1st), then the strongest at a right angle to it (2nd), and so on; its "
    "gain is that singular value. channel: one entry of the token alone. random: a drawn direction."
)
POWERS = [10.0**k for k in range(-9, 7)]  # gridlines of log axes


def gain_curve_frame(sigma, pre):
    """The gain curve, wide enough for all the operating points; a new piece starts at each kink.

    Parameters
    ----------
    sigma : Activation
    pre : ndarray of shape (d_ff,)
        Pre-activations of one token.

    Returns
    -------
    DataFrame with columns x, gain, piece, activation
    """
    reach = max(LEAST_REACH, 1.05 * float(np.max(np.abs(pre), initial=0.0)))
    kinks = np.array(sigma.kinks)
    beside = [kinks - 1e-9, kinks + 1e-9]  # both ends of a jump
    x = np.sort(np.concatenate([np.linspace(-reach, reach, CURVE_POINTS), *beside]))
    piece = np.sum(x[:, None] > kinks, axis=1)
    return pd.DataFrame(
        {
            "x": x.astype(np.float32),
            "gain": sigma.gain(x).astype(np.float32),
            "piece": piece.astype(np.int8),
            "activation": pd.Categorical([sigma.name] * len(x)),
        }
    )


def operating_frame(sigma, pre, slot=None):
    """The operating point of each slot on the gain curve; slots count from 1.

    Parameters
    ----------
    sigma : Activation
    pre : ndarray of shape (d_ff,)
    slot : int or None
        The slot to mark, counted from 0.

    Returns
    -------
    DataFrame with columns slot, x, gain, chosen
    """
    at = np.arange(len(pre))
    return pd.DataFrame(
        {
            "slot": (at + 1).astype(np.int16),
            "x": pre.astype(np.float32),
            "gain": sigma.gain(pre).astype(np.float32),
            "chosen": at == slot,
        }
    )


def gain_curve_frames(sigma, pre, slot=None, levels=(0.0, 0.5, 1.0)):
    """The frames of `gain_curve_chart`.

    Parameters
    ----------
    sigma : Activation
    pre : ndarray of shape (d_ff,)
        Pre-activations of one token.
    slot : int or None
        The slot to mark, counted from 0.
    levels : sequence of float
        Gains to draw a thin line at: unless said, an open switch, the lesson's open gate, and a wire.

    Returns
    -------
    dict of DataFrame
    """
    return {
        "points": operating_frame(sigma, pre, slot),
        "curve": gain_curve_frame(sigma, pre),
        "levels": pd.DataFrame({"gain": np.array(levels, dtype=np.float32)}),
    }


def facts_texts(sigma):
    """The numbers of `gain.gain_facts` with all their digits, by labels.

    Returns
    -------
    dict of str to str
    """
    facts = gain_facts(sigma)
    return {
        "gain at 0": f"{facts.at_zero}",
        "gain at −3": f"{facts.at_minus_3}",
        "gain at +3": f"{facts.at_plus_3}",
        "peak on −4 to 4": f"{facts.peak}",
        "peak at x =": f"{facts.peak_x:.2f}",
        "largest distance from a central difference": f"{facts.difference:.1e}",
    }


def gain_curve_chart():
    """The curve over the dataset `curve`, the operating points over `points`, grey levels over `levels`.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("x:Q", title="x, before sigma", scale=alt.Scale(nice=False))
    y = alt.Y("gain:Q", title="gain σ′(x)")
    curve = alt.Chart(data("curve")).mark_line().encode(
        x=x, y=y, color=activation_colour(legend=False), strokeDash=activation_dash(), detail="piece:N"
    )  # fmt: skip
    base = alt.Chart(data("points")).encode(
        x=x,
        y=y,
        tooltip=["slot:O", alt.Tooltip("x:Q", title="before sigma", format=".4f"), alt.Tooltip("gain:Q", format=".4f")],
    )
    others = base.transform_filter("!datum.chosen").mark_circle(color=GREY, size=45, opacity=1)
    rule = dashed_rule("points", x=x).transform_filter("datum.chosen")
    here = base.transform_filter("datum.chosen").mark_point(
        color=MARK, filled=True, size=110, opacity=1, shape="diamond"
    )
    return alt.layer(grey_rule("levels", y="gain:Q"), curve, others, rule, here).properties(height=260)


def shown_values(local, token, most=SHOWN_VALUES):
    """Which tokens and singular values are on screen.

    Parameters
    ----------
    local : LocalGains
    token : int
        Counted from 0; the page of 16 tokens that holds it is shown.
    most : int
        Singular values of a token, at most.

    Returns
    -------
    tokens, places : ndarray of int
        `places` always holds the first and the last singular value, and others evenly between.
    """
    T, d_model = local.values.shape
    start = token // SHOWN_TOKENS * SHOWN_TOKENS
    places = np.unique(np.linspace(0, d_model - 1, most).round().astype(int))
    return np.arange(start, min(start + SHOWN_TOKENS, T)), places


def values_frame(local, token):
    """Singular values of the tokens on screen, long form; tokens and places count from 1.

    Returns
    -------
    DataFrame with columns token, place, value, height, mark, chosen
        `height` is the value, or the floor; `mark` is the shape of the point.
    """
    tokens, places = shown_values(local, token)
    values = local.values[np.ix_(tokens, places)].ravel()
    at = np.repeat(tokens, len(places))
    return pd.DataFrame(
        {
            "token": (at + 1).astype(np.int16),
            "place": np.tile(places + 1, len(tokens)).astype(np.int16),
            "value": values.astype(np.float32),
            "height": np.maximum(values, VALUE_FLOOR).astype(np.float32),
            "mark": pd.Categorical(np.where(values < VALUE_FLOOR, "triangle-down", "circle")),
            "chosen": at == token,
        }
    )


def values_chart():
    """Singular values token by token over the dataset `singular`, on a log axis; the chosen token stands out.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("token:O", title="token", axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False))
    y = alt.Y(
        "height:Q", title="singular value of J", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g", values=POWERS)
    )
    colour = alt.condition("datum.chosen", alt.value(MARK), alt.value(BLUE))
    base = alt.Chart(data("singular")).encode(x=x)
    reach = base.mark_rule(strokeWidth=2).encode(y=alt.Y("min(height):Q"), y2="max(height):Q", color=alt.value(GREY))
    points = base.mark_point(filled=True, opacity=1).encode(
        y=y,
        color=colour,
        shape=alt.Shape("mark:N", scale=None),
        size=alt.condition("datum.chosen", alt.value(110), alt.value(50)),
        tooltip=["token:O", "place:O", alt.Tooltip("value:Q", title="singular value", format=".6~g")],
    )
    return alt.layer(reach, points).properties(height=280)


def values_text(local):
    """How many singular values of a token the table and the picture show, as a sentence; empty when it is all.

    Returns
    -------
    str
    """
    n = local.values.shape[1]
    if n <= TABLE_VALUES:
        return ""
    return (
        f"The table shows {TABLE_VALUES} of the {n} singular values, the picture {min(n, SHOWN_VALUES)}, spread evenly "
        "from the first to the last."
    )


def values_table(local, token, most=SHOWN_VALUES):
    """The tokens on screen as text: how many gates are open, and the singular values with six decimals.

    Parameters are those of `shown_values`.

    Returns
    -------
    DataFrame of str with columns token, open gates, s1, s2, ...
    """
    tokens, places = shown_values(local, token, most)
    rows = {"token": [f"{t + 1}" for t in tokens], "open gates": [f"{n}" for n in open_gates(local.gates[tokens])]}
    return pd.DataFrame({**rows, **{f"s{k + 1}": [f"{v:.6f}" for v in local.values[tokens, k]] for k in places}})


def error_frames(probe, size, error):
    """Relative error of the prediction against the size of the change: the frames of `error_chart`.

    Parameters
    ----------
    probe : Probe
    size, error : float
        The chosen size, and the error there.

    Returns
    -------
    dict of DataFrame
        `errors` is the curve and `here` the chosen size, with columns size, error, height; `guide` a line of slope 1,
        where the curve has that slope; `reach` the size at which the tolerated error is passed, where that is on the
        axis; `level` the tolerated error; `span` the least that the axis shows. Empty where nothing is predicted.
    """
    on_axis = [probe.reach] if SIZES[0] < probe.reach <= SIZES[-1] else []
    return {
        "errors": _error_frame(SIZES, probe.errors),
        "here": _error_frame([size], [error]),
        "guide": guide_frame(probe.errors),
        "span": pd.DataFrame({"height": ERROR_SPAN}),
        "reach": pd.DataFrame({"size": on_axis}, dtype=np.float64),
        "level": pd.DataFrame({"size": [SIZES[0]], "height": [TOLERATED], "label": [f"{TOLERATED:.0%}"]}),
    }


def _error_frame(sizes, errors):
    sizes, errors = np.float32(sizes), np.float32(errors)
    here = ~np.isnan(errors)
    return pd.DataFrame({"size": sizes[here], "error": errors[here], "height": np.maximum(errors[here], ERROR_FLOOR)})


def guide_frame(errors):
    """A line of slope 1 through the error at size 0.001; of no length where the curve has another slope there.

    Parameters
    ----------
    errors : ndarray of shape (101,)
        At each of SIZES.

    Returns
    -------
    DataFrame with columns size, height
    """
    low, middle = errors[20], errors[40]  # at 0.001 and 0.01
    straight = low > ERROR_FLOOR and 8.0 < middle / low < 12.5
    ends = SIZES[[0, -1]] if straight else SIZES[[0, 0]]
    height = low * ends / SIZES[20] if straight else np.full(2, TOLERATED)
    return pd.DataFrame({"size": ends, "height": height})


def error_chart():
    """Error against size over the datasets of `error_frames`, both axes logarithmic.

    Returns
    -------
    alt.LayerChart
    """
    near = alt.selection_point(
        name="near_size", fields=["size"], nearest=True, on="pointermove", empty=False, clear="pointerout"
    )
    log = alt.Axis(format="~g", values=POWERS)
    x = alt.X("size:Q", title="size of the change", axis=log, scale=alt.Scale(type="log", domain=[SIZES[0], SIZES[-1]]))
    y = alt.Y("height:Q", title="relative error", axis=log, scale=alt.Scale(type="log"))
    base = alt.Chart(data("errors")).encode(x=x)
    hover = (
        base.transform_window(i="row_number()")
        .transform_filter("datum.i % 4 == 1")
        .mark_rule(color=GREY)
        .encode(
            opacity=alt.condition(near, alt.value(1), alt.value(0)),
            tooltip=[alt.Tooltip("size:Q", format=".3~g"), alt.Tooltip("error:Q", format=".3~g")],
        )
        .add_params(near)
    )
    here = alt.Chart(data("here")).encode(x=x, y=y)
    level = alt.Chart(data("level")).encode(x=x, y=y, text="label:N")
    return alt.layer(
        alt.Chart(data("span")).mark_point(opacity=0).encode(y=y),
        grey_rule("level", y=y),
        level.mark_text(align="left", baseline="bottom", dx=4, dy=-2),
        alt.Chart(data("guide")).mark_line(color=GREY, strokeDash=[2, 3], clip=True).encode(x=x, y=y),
        alt.Chart(data("reach")).mark_rule(color=ORANGE, strokeWidth=1.5, strokeDash=[9, 2, 2, 2]).encode(x=x),
        base.mark_line(color=BLUE).encode(y=y),
        hover,
        dashed_rule("here", x=x),
        here.mark_point(color=MARK, filled=True, size=110, opacity=1, shape="diamond"),
    ).properties(height=300)


def error_caption(probe):
    """What the marks of `error_chart` mean, or why it is empty."""
    if np.isnan(probe.reach):
        return "J sends this direction to 0. Nothing is predicted, so there is no error to draw."
    return (
        f"The diamond is the chosen size; at the upright dash-dotted line the error passes {TOLERATED:.0%}. The dotted "
        "slope is an error in proportion to the size. What is below a billionth is rounding, and drawn there."
    )


def error_text(error):
    """A relative error as text: in per cent, as a multiple from 10 times on, a dash where nothing is predicted."""
    if np.isnan(error):
        return "–"
    return f"{error:,.0f}×" if error >= 10.0 else f"{100.0 * error:.3g}%"


def spread_text(values):
    """The largest of some values over the smallest, as text."""
    times = spread(values)
    if np.isnan(times):
        return "–"
    return "∞" if np.isinf(times) else f"{times:,.0f}×" if times >= 100.0 else f"{times:#.3g}×"


def reach_text(reach):
    """Size at which the tolerated error is passed, as text; beyond the ends of the axis it says so."""
    if np.isnan(reach):
        return "–"
    if reach <= SIZES[0]:
        return f"below {SIZES[0]:g}"
    return f"{reach:.3g}" if reach <= SIZES[-1] else f"beyond {SIZES[-1]:g}"
