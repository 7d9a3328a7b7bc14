"""Histograms: counted bars, theory's line, an arrow for values that are exactly 0, and the learner's own value."""

import math

import altair as alt
import numpy as np
import pandas as pd

from ..distributions import NEAR_REACH
from ..lesson import NEAR_ZERO
from .base import BLUE, GREY, ORANGE, dashed_rule, data, grey_rule

COUNTED, THEORY, GAUSSIAN = "counted", "theory", "one Gaussian"
COLOURS = {COUNTED: BLUE, THEORY: ORANGE, GAUSSIAN: GREY}


def histogram_frames(counts, own, gaussian=None):
    """The frames of a histogram.

    Parameters
    ----------
    counts : Counts
    own : float
        The learner's own value, to be marked.
    gaussian : ndarray of shape (bins,), optional
        What a single Gaussian would put in each bin (counts).

    Returns
    -------
    dict of DataFrame
        bins (from, to, counted, expected, and gaussian if given), own (at).
    """
    edges = np.float32(counts.edges)
    bins = {"from": edges[:-1], "to": edges[1:], "counted": np.int32(counts.counted)}
    bins["expected"] = np.float32(counts.expected)
    if gaussian is not None:
        bins["gaussian"] = np.float32(gaussian)
    return {"bins": pd.DataFrame(bins), "own": pd.DataFrame({"at": [float(own)]})}


def zeros_frame(share):
    """The arrow for values that are exactly 0; without such values there is a row that is not drawn, with no label.

    Parameters
    ----------
    share : float
        How many of the values they are, from 0 to 1.

    Returns
    -------
    DataFrame with columns at, share, label
    """
    part = f"{share:.1%}" if share >= 0.0005 else f"{share:.0e} of them"
    return pd.DataFrame({"at": [0.0], "share": [share], "label": [f"{part} exactly 0" if share > 0.0 else ""]})


def arrow_text(share):
    """What the arrow stands for; an empty string when there is none."""
    said = " The arrow stands for values that are exactly 0: they stay together however narrow the bins, so no bar has "
    return f"{said}their true height." if share > 0.0 else ""


def statistics_frame(found):
    """Counted beside expected, as text.

    Parameters
    ----------
    found : Reshaping

    Returns
    -------
    DataFrame with columns quantity, counted, theory
    """
    rows = {
        "share of pre < 0": "pre_negative",
        f"share of |pre| < {NEAR_ZERO}": "pre_near_zero",
        f"share of |post| < {NEAR_ZERO}": "post_near_zero",
        "share of post = 0 exactly": "post_zero",
        "least post": "post_min",
        "mean of post": "post_mean",
        "mean gain": "mean_gain",
        "rms gain": "rms_gain",
    }
    columns = {"counted": found, "theory": found.theory}
    texts = {name: [_decimal(getattr(side, field)) for field in rows.values()] for name, side in columns.items()}
    return pd.DataFrame({"quantity": list(rows), **texts})


def _decimal(value):
    return "no limit" if math.isinf(value) else f"{value:.5f}"


def _bars_and_theory(x_title, names, domain=alt.Undefined):
    """Bars and the step line over `bins`; the dashed curve too when it is among the names."""
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=[COLOURS[name] for name in names]),
        legend=alt.Legend(orient="bottom", title=None),
    )

    def series(name):
        return alt.Chart(data("bins")).transform_calculate(series=f"'{name}'").encode(color=colour)

    scale = alt.Scale(domain=domain, nice=domain is alt.Undefined)
    x = alt.X("from:Q", bin="binned", title=x_title, axis=alt.Axis(format=".4~g", tickCount=8), scale=scale)
    y = alt.Y("counted:Q", title="values a bin", axis=alt.Axis(format="~s", tickCount=5))
    tooltip = [
        alt.Tooltip("from:Q", format=".4~f"),
        alt.Tooltip("to:Q", format=".4~f"),
        alt.Tooltip("counted:Q", format=","),
        alt.Tooltip("expected:Q", format=",.1f"),
    ]
    # From the left end of a bin to its right end, and on to the next: in the order of the bins, not sorted by place.
    ends = series(THEORY).transform_calculate(at="[datum.from, datum.to]").transform_flatten(["at"])
    layers = [
        series(COUNTED).mark_bar(binSpacing=0.5).encode(x=x, x2="to:Q", y=y, tooltip=tooltip),
        ends.mark_line(strokeWidth=2, order=False).encode(x="at:Q", y="expected:Q"),
    ]
    if GAUSSIAN in names:
        curve = series(GAUSSIAN).transform_calculate(middle="(datum.from + datum.to) / 2")
        dashed = curve.mark_line(interpolate="monotone", strokeDash=[4, 3], strokeWidth=2)
        layers.append(dashed.encode(x="middle:Q", y="gaussian:Q"))
    one = alt.Chart(data("own")).mark_point(opacity=0).encode(y=alt.YDatum(1))  # keeps the axis from 0 to 0 away
    return [*layers, one]


def _arrow_at_zero():
    """Values that are exactly 0, as signal theory draws an impulse: an arrow with its weight, for it has no height."""
    shown = alt.condition("datum.share > 0", alt.value(1), alt.value(0))
    arrow = alt.Chart(data("zeros")).encode(x="at:Q", opacity=shown)
    return [
        arrow.mark_rule(color=BLUE, strokeWidth=3),
        arrow.mark_point(shape="triangle-up", color=BLUE, filled=True, size=130).encode(y=alt.value(-3)),
        arrow.mark_text(align="left", dx=10).encode(y=alt.value(-6), text="label:N"),
    ]


def pre_chart(height=320):
    """Before sigma: `bins` with the column gaussian, and `own`.

    Returns
    -------
    alt.LayerChart
    """
    layers = _bars_and_theory("value of pre", [COUNTED, THEORY, GAUSSIAN])
    return alt.layer(*layers, dashed_rule("own", x="at:Q")).properties(height=height)


def post_chart(height=320):
    """After sigma: `bins` without the values that are exactly 0, which are in `zeros`; and `own`.

    Returns
    -------
    alt.LayerChart
    """
    layers = [*_bars_and_theory("value of post", [COUNTED, THEORY]), *_arrow_at_zero()]
    return alt.layer(*layers, dashed_rule("own", x="at:Q")).properties(height=height)


def near_chart(height=300):
    """After sigma, magnified about 0: as `post_chart`, with the borders of "near zero".

    Returns
    -------
    alt.LayerChart
    """
    layers = [*_bars_and_theory("value of post", [COUNTED, THEORY], [-NEAR_REACH, NEAR_REACH]), *_arrow_at_zero()]
    own = dashed_rule("own", x="at:Q").transform_filter(f"abs(datum.at) <= {NEAR_REACH}")
    borders = grey_rule("own", x="at:Q").transform_calculate(at=f"[{-NEAR_ZERO}, {NEAR_ZERO}]")
    return alt.layer(*layers, own, borders.transform_flatten(["at"])).properties(height=height)
