"""The reference table: every printed number beside ours, and how much of its tolerance each one uses."""

import altair as alt
import pandas as pd

from .. import rng
from ..__main__ import show
from .base import BLUE, MARK, SHEER, dashed_rule, data, kept

EDGE = 1e-4  # smaller shares, and differences of 0, stand at the left edge of the picture
LIMIT = pd.DataFrame({"share": [1.0]})


@kept
def results_frame(found):
    """One row a printed number.

    Parameters
    ----------
    found : tuple of Result

    Returns
    -------
    DataFrame
        To read, not to change: it is kept. Columns agrees, quantity, lesson, ours, difference, tolerance, reason,
        section; numbers as text, all digits.
    """
    return pd.DataFrame(
        {
            "agrees": ["✅" if r.ok else "❌" for r in found],
            "quantity": [r.printed.quantity for r in found],
            "lesson": [r.printed.printed for r in found],
            "ours": [show(r.ours) for r in found],
            "difference": [f"{r.difference:.2g}" for r in found],
            "tolerance": [f"{r.tolerance:.2g}" for r in found],
            "reason": [r.printed.why for r in found],
            "section": [r.printed.section for r in found],
        }
    )


@kept
def shares_frame(found, chosen=None):
    """How much of its tolerance each printed number uses.

    Parameters
    ----------
    found : tuple of Result
    chosen : str or None
        The section to mark.

    Returns
    -------
    DataFrame with columns section, quantity, share, at (share, or the left edge of the picture), chosen; it is kept
    """
    shares = [r.difference / r.tolerance for r in found]
    return pd.DataFrame(
        {
            "section": [r.printed.section for r in found],
            "quantity": [r.printed.quantity for r in found],
            "share": shares,
            "at": [max(share, EDGE) for share in shares],
            "chosen": [r.printed.section == chosen for r in found],
        }
    )


def shares_chart(height=220):
    """One dot a printed number over the datasets `shares` and `limit`: left of the dashed line it agrees.

    Returns
    -------
    alt.LayerChart
    """
    scale = alt.Scale(type="log", domain=[EDGE, 10], clamp=True)
    axis = alt.Axis(values=[EDGE, 1e-2, 1], format="~%", grid=False)
    x = alt.X("at:Q", title="difference, as a share of the tolerance", scale=scale, axis=axis)
    colour = alt.condition("datum.chosen", alt.value(MARK), alt.value(BLUE))
    dots = (
        alt.Chart(data("shares"))
        .mark_point(filled=True, size=90, **SHEER)
        .encode(
            x=x,
            y=alt.Y("section:N", sort=None, title=None, axis=alt.Axis(labelFlush=False, grid=True, ticks=False)),
            color=colour,
            stroke=colour,
            shape=alt.condition("datum.chosen", alt.value("diamond"), alt.value("circle")),
            tooltip=["section:N", "quantity:N", alt.Tooltip("share:Q", format=".2~g")],
        )
    )
    return alt.layer(dots, dashed_rule("limit", x=alt.X("share:Q", scale=scale))).properties(height=height)


def stream_frame(seed, count=4):
    """The three algorithms between a seed and its random numbers, with the first values that each gives.

    Parameters
    ----------
    seed : int
    count : int
        How many values to show.

    Returns
    -------
    DataFrame with columns step, what it does, first values
    """
    key = rng.expand_seed(seed)
    draws = rng.chacha_draws(key, 0, 1)
    numbers = rng.LessonStream(seed).randn(count)
    return pd.DataFrame(
        [
            (
                "PCG32",
                "Stretches the seed to a key of eight 32-bit words.",
                " ".join(f"{word:08x}" for word in key[:count]),
            ),
            (
                "ChaCha12",
                "Turns the key and a block counter into uniform bits, 64 at a time.",
                " ".join(f"{draw:016x}" for draw in draws[: count // 2]),
            ),
            (
                "Ziggurat",
                "Turns bits into standard normal numbers; about 98.5 % of the draws need no second look.",
                " ".join(f"{number:.6f}" for number in numbers),
            ),
        ],
        columns=["step", "what it does", "first values"],
    )
