"""The keyed memory in pictures: a key against the token, and the ledger of what each slot adds."""

import altair as alt
import numpy as np
import pandas as pd

from ..memory import error_left
from ..reference import REFERENCE
from .base import BLUE, DASHES, GREEN, GREY, MARK, ORANGE, cycle, dashed_rule, data

LEDGER_ROWS = 40  # bars that a screen can still tell apart


def pair_frames(**rows):
    """Several vectors over the same channels, to be compared: the frames of `pair_chart`.

    Parameters
    ----------
    **rows : ndarray of shape (d_model,)

    Returns
    -------
    dict of DataFrame
        `pair` has one row a channel, counted from 1, with columns channel and one for each vector.
    """
    length = len(next(iter(rows.values())))
    return {"pair": pd.DataFrame({"channel": np.arange(1, length + 1, dtype=np.int16), **rows})}


def pair_chart(*names):
    """Bars side by side in each channel, one colour and one place a vector, over the dataset `pair`.

    Parameters
    ----------
    *names : str
        The vectors, in the order of the bars.

    Returns
    -------
    alt.Chart
    """
    colours = alt.Scale(domain=list(names), range=cycle((BLUE, ORANGE, GREEN), len(names)))
    return (
        alt.Chart(data("pair"))
        .transform_fold(list(names), as_=["what", "number"])
        .mark_bar()
        .encode(
            x=alt.X("channel:O", title="channel", axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
            xOffset=alt.XOffset("what:N", sort=list(names)),
            y=alt.Y("number:Q", title="entry", axis=alt.Axis(format="~g")),
            color=alt.Color("what:N", scale=colours, legend=alt.Legend(orient="bottom", title=None)),
            tooltip=["channel:O", alt.Tooltip("what:N", title="vector"), alt.Tooltip("number:Q", format=".4f")],
        )
        .properties(height=250)
    )


def rounding_text():
    """What the lesson prints for the slot sum, and why another machine may print another number, as sentences.

    Returns
    -------
    str
    """
    (printed,) = (float(p.printed) for p in REFERENCE if p.quantity.startswith("max |slot sum"))
    return (
        "The slot sum and out are the same products, added in another order. For its token 2 the lesson prints "
        f"{printed:.1e}; yours may differ. Neither is an error of the block: a number near 1 is stored in steps of "
        f"{np.finfo(float).eps:.1e}, and each order of adding rounds at other steps."
    )


def ledger_frame(ledger, trace, token, kept, slot):
    """The slots of one token, largest contribution first; slots and ranks count from 1.

    Parameters
    ----------
    ledger : Ledger
    trace : Trace
    token, slot : int
        The token the ledger is of, and the slot to mark, counted from 0.
    kept : ndarray of shape (d_ff,), dtype bool
        From `memory.kept_slots`; the others are switched off.

    Returns
    -------
    DataFrame with columns rank, slot, match, output, size, share, state, chosen
    """
    order = ledger.order
    at = np.arange(len(order))
    return pd.DataFrame(
        {
            "rank": at + 1,
            "slot": order + 1,
            "match": trace.pre[token][order],
            "output": trace.post[token][order],
            "size": ledger.size,
            "share": ledger.share,
            "state": np.where(kept[order], "kept", "off"),
            "chosen": order == slot,
        }
    )


def ledger_facts(terms, match, kept, slot):
    """What the choice leaves, and what would be left by two other choices, by labels.

    Parameters
    ----------
    terms : ndarray of shape (d_ff, d_model)
        From `slot_terms`.
    match : ndarray of shape (d_ff,)
        The token's pre-activations.
    kept : ndarray of shape (d_ff,), dtype bool
    slot : int
        The chosen slot, counted from 0.

    Returns
    -------
    dict of str to str
    """
    every_other = np.arange(len(terms)) != slot
    return {
        "error left": f"{error_left(terms, kept):.1%}",
        f"with slot {slot + 1} alone off": f"{error_left(terms, every_other):.1%}",
        "with only the slots of x · k > 0": f"{error_left(terms, match > 0):.1%}",
        "slots kept": f"{np.sum(kept)} of {len(kept)}",
        "slots that add exactly nothing": f"{np.sum(~terms.any(axis=1))}",
    }


def ledger_window(rows, most=LEDGER_ROWS):
    """The first rows of a long ledger; the chosen slot comes last when it is not among them."""
    beyond = rows[most:]
    if not beyond["chosen"].any():
        return rows[:most]
    return pd.concat([rows[: most - 1], beyond[beyond["chosen"]]])


def ledger_chart():
    """Sorted bars over the dataset `ledger`: kept slots filled, the others hollow, a pointer at the chosen one.

    Returns
    -------
    alt.LayerChart
    """
    slots = alt.X(
        "slot:O",
        title=f"slot, largest first (at most {LEDGER_ROWS} bars)",
        sort=alt.EncodingSortField("rank", op="min"),
        axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False),
    )
    base = alt.Chart(data("ledger")).encode(
        x=slots,
        y=alt.Y("size:Q", title="length added"),
        tooltip=[
            "slot:O",
            "rank:O",
            alt.Tooltip("match:Q", title="match", format=".4f"),
            alt.Tooltip("output:Q", title="after sigma", format=".4f"),
            alt.Tooltip("size:Q", title="length added", format=".4f"),
            alt.Tooltip("share:Q", title="share of the sum", format=".1%"),
            "state:N",
        ],
    )
    states = ["kept", "off"]
    legend = alt.Legend(orient="bottom", title=None)
    bars = base.mark_bar(stroke=GREY, strokeWidth=1).encode(
        color=alt.Color("state:N", scale=alt.Scale(domain=states, range=[BLUE, "transparent"]), legend=legend)
    )
    pointer = base.transform_filter("datum.chosen").mark_point(
        shape="triangle-down", color=MARK, filled=True, opacity=1, size=70, yOffset=-8
    )
    return alt.layer(bars, pointer).properties(height=240)


def left_frames(left, kept, error):
    """The error left for every number of slots kept, and the choice; it leaves the curve when a large slot is off.

    Parameters
    ----------
    left : ndarray of shape (d_ff + 1,)
        From `memory.ledger`.
    kept : ndarray of shape (d_ff,), dtype bool
    error : float
        The slots that are on now, and the error they leave.

    Returns
    -------
    dict of DataFrame
        `left` and `keep` with columns kept, error; `keep` is the one row to mark.
    """
    frame = pd.DataFrame({"kept": np.arange(len(left), dtype=np.int16), "error": np.asarray(left, dtype=np.float32)})
    here = pd.DataFrame({"kept": [np.sum(kept)], "error": [error]}).astype(frame.dtypes)
    return {"left": frame, "keep": here}


def left_chart():
    """Error left against slots kept, over the datasets `left` and `keep` (the choice), with a hover rule.

    Returns
    -------
    alt.LayerChart
    """
    near = alt.selection_point(
        name="near_kept", fields=["kept"], nearest=True, on="pointermove", empty=False, clear="pointerout"
    )
    base = alt.Chart(data("left")).encode(
        x=alt.X("kept:Q", title="slots kept", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False)),
    )
    error = alt.Y("error:Q", title="error left", axis=alt.Axis(format="%"), scale=alt.Scale(zero=True))
    line = base.mark_line(color=BLUE, interpolate="step-after", strokeDash=DASHES[0]).encode(y=error)
    hover = (
        base.mark_rule(color=GREY)
        .encode(
            opacity=alt.condition(near, alt.value(1), alt.value(0)),
            tooltip=[alt.Tooltip("kept:Q", title="slots kept"), alt.Tooltip("error:Q", title="error", format=".2%")],
        )
        .add_params(near)
    )
    here = alt.Chart(data("keep")).mark_point(color=MARK, filled=True, size=90, opacity=1, shape="diamond")
    here = here.encode(x="kept:Q", y="error:Q")
    return alt.layer(line, hover, dashed_rule("keep", x="kept:Q"), here).properties(height=240)
