"""Position in pictures: the shuffle duel, which rows move, rotating pairs, scores over the offset, unseen phases."""

import math

import altair as alt
import numpy as np
import pandas as pd

from ..attention import diagonal_spread, rope, rope_frequencies, rope_wavelengths, sinusoids
from ..equivariance import ROUNDING
from .base import BLUE, DASHES, GREEN, GREY, ORANGE, PURPLE, dashed_rule, data, grey_rule, outline
from .matrix import WINDOW_ROWS, matrix_chart, matrix_frames

FLOOR, CEILING = 1e-17, 100.0  # a log axis has no zero: what is smaller is drawn at the floor
VERDICTS = ("commutes", "notices")
HANDS = 4  # so many pairs are drawn as hands of a clock
HAND_WIDTH = 0.035  # half of it, in radians
SEEN = ("seen in training", "new in the longer text")
ROOM_FOR_ZEROS = 16  # more of them run into each other on a phone
FAINT = 0.3  # exponent of the colour scale: small changes stay visible beside large ones
TURNS = ("turns at least once", "never turns once")
SCORES = ("one query, one key", "a query with itself, mean", "unrelated q and k, rms of many")


def miss_frames(misses):
    """By how much each layer misses the shuffle.

    Parameters
    ----------
    misses : dict of str to float
        Layer to `equivariance.shuffle_miss`.

    Returns
    -------
    dict of DataFrame
        `layers` (layer, miss, drawn, floor, verdict, said) and `levels` (drawn), the level of rounding.
    """
    miss = np.array(list(misses.values()))
    layers = pd.DataFrame(
        {
            "layer": list(misses),
            "miss": miss,
            "drawn": np.clip(miss, 2.0 * FLOOR, CEILING),
            "floor": FLOOR,
            "verdict": np.where(miss < ROUNDING, *VERDICTS),
            "said": [f"{m:.2g}" for m in miss],
        }
    )
    return {"layers": layers, "levels": pd.DataFrame({"drawn": [ROUNDING]})}


def miss_text(misses):
    """Which layers commute with the shuffle, as a sentence.

    Parameters
    ----------
    misses : dict of str to float

    Returns
    -------
    str
    """
    if not any(misses.values()):
        return "This order leaves every token where it was, so nothing can be missed."
    commute = [name for name, miss in misses.items() if miss < ROUNDING]
    return (
        f"Within rounding, left of the dotted line: {' and '.join(commute)}. To commute is to give the same result "
        f"whether you shuffle before or after. The bars begin at {FLOOR:.0e}."
    )


LAST_TOKEN = "The last token has none after it: choose an earlier one on the bench."


def context_facts(moved, watched):
    """How far the FFN's output moves at a later token, by labels; nothing where no later token is watched.

    Parameters
    ----------
    moved : dict of str to ndarray of shape (T,)
    watched : int or None
        Counted from 0.

    Returns
    -------
    dict of str to str
    """
    if watched is None:
        return {}
    return {f"FFN at token {watched + 1}, {name}": f"{far[watched]:.4g}" for name, far in moved.items()}


def miss_chart(height=230):
    """Datasets `layers` and `levels`, on a log axis.

    Returns
    -------
    alt.LayerChart
    """
    scale = alt.Scale(type="log", domain=[FLOOR, CEILING], nice=False)
    axis = alt.Axis(format="~e", values=[10.0**k for k in range(-16, 1, 4)])
    x = alt.X("drawn:Q", title="largest miss, over the largest output", scale=scale, axis=axis)
    colour = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=VERDICTS, range=[BLUE, ORANGE]),
        legend=alt.Legend(orient="bottom", title=None),
    )
    layer = alt.Y("layer:N", sort=None, title=None, axis=alt.Axis(ticks=False, labelLimit=200, labelOverlap=False))
    base = alt.Chart(data("layers")).encode(
        y=layer, tooltip=["layer:N", alt.Tooltip("miss:Q", format=".3g"), "verdict:N"]
    )
    bars = base.mark_bar().encode(x=x, x2="floor:Q", color=colour)
    said = base.mark_text(align="left", dx=6).encode(x=x, text="said:N")
    return alt.layer(grey_rule("levels", x="drawn:Q"), bars, said).properties(height=height)


def rows_frames(moved, token, watched=None):
    """How far each token's output moves when one token changes, one line a layer.

    Parameters
    ----------
    moved : dict of str to ndarray of shape (T,)
    token : int
        The token that changes, counted from 0.
    watched : int, optional
        A token to be marked with dashes, counted from 0.

    Returns
    -------
    dict of DataFrame
        `cells` (layer, token, moved, said), with something to say where nothing moves; `chosen` and `watched` (token).
    """
    T = len(next(iter(moved.values())))
    far = np.concatenate(list(moved.values()))
    cells = pd.DataFrame(
        {
            "layer": pd.Categorical.from_codes(np.repeat(np.arange(len(moved), dtype=np.int8), T), list(moved)),
            "token": np.tile(np.arange(1, T + 1, dtype=np.int16), len(moved)),
            "moved": far.astype(np.float32),
            "said": pd.Categorical.from_codes(
                (far <= ROUNDING).astype(np.int8), ["", "0" if T <= ROOM_FOR_ZEROS else "·"]
            ),
        }
    )
    marks = {"chosen": [token + 1], "watched": [] if watched is None else [watched + 1]}
    return {"cells": cells, **{name: pd.DataFrame({"token": np.array(at, np.int16)}) for name, at in marks.items()}}


def rows_chart(height=230):
    """Datasets `cells`, `chosen` and `watched`: the stronger, the farther; 0 and no colour where nothing moves.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("token:O", title="token whose output is watched", axis=alt.Axis(labelAngle=0, labelOverlap=True))
    y = alt.Y("layer:N", sort=None, title=None, axis=alt.Axis(ticks=False, labelLimit=200, labelOverlap=False))
    legend = alt.Legend(orient="bottom", title=None, gradientLength=140, gradientThickness=7, format=".2~g")
    scale = alt.Scale(type="pow", exponent=FAINT, range=["#fdebdc", "#f09a57", "#b3400b"], zero=True)
    base = alt.Chart(data("cells")).encode(
        x=x, y=y, tooltip=["layer:N", "token:O", alt.Tooltip("moved:Q", format=".4g")]
    )
    moving = base.transform_calculate(drawn="datum.said ? null : datum.moved")
    cells = moving.mark_rect(invalid="filter").encode(color=alt.Color("drawn:Q", scale=scale, legend=legend))
    still = base.transform_filter("datum.said").mark_text().encode(text="said:N")
    chosen, watched = outline(alt.Chart(data("chosen")), x=x), outline(alt.Chart(data("watched")), dash=[4, 3], x=x)
    return alt.layer(cells, still, chosen, watched).properties(height=height)


def clock_frames(d, base, position):
    """Some pairs of a head as hands of a clock that all stood upright at position 0.

    Parameters
    ----------
    d : int
        Width of the head.
    base, position : float

    Returns
    -------
    dict of DataFrame
        `hands` (pair, angle_per_position, turns, degrees, and the arcs as end, left, right, ring, outer), fastest and
        outermost first; `face` (start, end, ring, outer).
    """
    theta = rope_frequencies(d, base)
    at = np.unique(np.linspace(0, len(theta) - 1, HANDS).round().astype(int))
    angle = theta[at] * position
    end = np.mod(angle, 2.0 * math.pi)
    outer = np.arange(HANDS, HANDS - len(at), -1, dtype=float)
    hands = pd.DataFrame(
        {
            "pair": [f"pair {k + 1}" for k in at],
            "angle_per_position": theta[at],
            "turns": angle / (2.0 * math.pi),
            "degrees": np.degrees(end),
            "end": end,
            "left": end - HAND_WIDTH,
            "right": end + HAND_WIDTH,
            "ring": outer - 0.35,
            "outer": outer,
        }
    )
    face = pd.DataFrame({"start": 0.0, "end": 2.0 * math.pi, "ring": outer - 0.35, "outer": outer})
    return {"hands": hands, "face": face}


def clock_chart(height=300):
    """Datasets `hands` and `face`: a hand a pair, and how far each has come on its ring since the last full turn.

    Returns
    -------
    alt.LayerChart
    """
    turn = alt.Scale(domain=[0, 2.0 * math.pi], range=[0, 2.0 * math.pi], nice=False)
    reach = alt.Scale(domain=[0, HANDS], nice=False, zero=True)
    colour = alt.Color(
        "pair:N",
        sort=None,
        scale=alt.Scale(range=[BLUE, ORANGE, GREEN, PURPLE]),
        legend=alt.Legend(orient="bottom", title="from the outside in", columns=4, symbolOpacity=1),
    )
    line = alt.Stroke("pair:N", sort=None, scale=colour["scale"], legend=None)
    tooltip = [
        "pair:N",
        alt.Tooltip("angle_per_position:Q", title="radians a position", format=".4~g"),
        alt.Tooltip("turns:Q", title="turns so far", format=".4f"),
        alt.Tooltip("degrees:Q", title="points to, in degrees", format=".1f"),
    ]

    def arc(name, start, end, inner, **mark):
        return (
            alt.Chart(data(name))
            .transform_calculate(zero="0")
            .mark_arc(**mark)
            .encode(
                theta=alt.Theta(f"{start}:Q", scale=turn, stack=None),
                theta2=f"{end}:Q",
                radius=alt.Radius(f"{inner}:Q", scale=reach, stack=None),
                radius2="outer:Q",
            )
        )

    face = arc("face", "start", "end", "ring", color=GREY, opacity=0.15)
    trail = arc("hands", "zero", "end", "ring", fillOpacity=0.4).encode(color=colour, stroke=line, tooltip=tooltip)
    hand = arc("hands", "left", "right", "zero", opacity=1).encode(color=colour, tooltip=tooltip)
    return alt.layer(face, trail, hand).properties(height=height)


def rotation_facts(query, position, base, same):
    """What a position does to a query, by rotation and by addition, and the spread on a diagonal, by labels.

    Parameters
    ----------
    query : ndarray of shape (d,)
    position : int
    base : float
    same : ndarray of shape (T, T)
        From `attention.repeated_scores`.

    Returns
    -------
    dict of str to str
    """
    added = query + sinusoids(position + 1, len(query), base)[position]
    lengths = {
        "length of a query": query,
        f"rotated to position {position}": rope(query, position, base),
        "with a position vector added": added,
    }
    facts = {label: f"{np.linalg.norm(x):.4f}" for label, x in lengths.items()}
    return facts | {"on one diagonal, at most apart": f"{diagonal_spread(same):.1g}"}


def grid_frames(same, token):
    """The frames of `grid_chart`: scores of one query and one key at every pair of positions.

    Parameters
    ----------
    same : ndarray of shape (T, T)
    token : int
        Whose row and column are outlined, counted from 0; the window follows it.

    Returns
    -------
    dict of DataFrame
    """
    return matrix_frames(same, row=token, column=token, columns=WINDOW_ROWS)[0]


def grid_chart():
    """A heat map of scores over the frames of `grid_frames`.

    Returns
    -------
    alt.LayerChart
    """
    return matrix_chart("query at", "key at")


def scores_frames(offsets, scores):
    """Scores over the offset of the key.

    Parameters
    ----------
    offsets : ndarray of shape (n,)
    scores : OffsetScores

    Returns
    -------
    dict of DataFrame
        `scores`: offset and SCORES.
    """
    columns = (scores.one, scores.itself, scores.unrelated)
    frame = pd.DataFrame({"offset": offsets, **dict(zip(SCORES, columns, strict=True))})
    return {"scores": frame.astype(np.float32)}


def scores_chart(height=300):
    """One line each of SCORES over the dataset `scores`, with a hover rule.

    Returns
    -------
    alt.LayerChart
    """
    near = alt.selection_point(
        name="near_offset", fields=["offset"], nearest=True, on="pointermove", empty=False, clear="pointerout"
    )
    legend = alt.Legend(orient="bottom", title=None, labelLimit=0, columns=1)
    names = list(SCORES)
    base = alt.Chart(data("scores")).encode(
        x=alt.X("offset:Q", title="position of the key − position of the query", scale=alt.Scale(nice=False))
    )
    lines = (
        base.transform_fold(names, as_=["of", "score"])
        .mark_line(strokeWidth=2)
        .encode(
            y=alt.Y("score:Q", title="score q · k / √d"),
            color=alt.Color("of:N", scale=alt.Scale(domain=names, range=[BLUE, ORANGE, GREEN]), legend=legend),
            strokeDash=alt.StrokeDash("of:N", scale=alt.Scale(domain=names, range=list(DASHES[:3])), legend=legend),
        )
    )
    tooltip = [alt.Tooltip("offset:Q"), *(alt.Tooltip(f"{name}:Q", format=".3f") for name in names)]
    rule = (
        base.transform_filter("datum.offset % 2 == 0")
        .mark_rule(color=GREY)
        .encode(opacity=alt.condition(near, alt.value(1), alt.value(0)), tooltip=tooltip)
        .add_params(near)
    )
    return alt.layer(lines, rule).properties(height=height)


def pairs_frames(d, base, trained, longer):
    """Wavelength of every pair, and the angles it takes within a trained and a longer length.

    Parameters
    ----------
    d : int
    base : float
    trained, longer : int
        Lengths in tokens.

    Returns
    -------
    dict of DataFrame
        `pairs` (pair, wavelength, turns, kind), where `turns` counts full turns in training; `trained` and `longer`
        (wavelength), the two lengths.
    """
    waves = rope_wavelengths(d, base)
    pairs = pd.DataFrame(
        {
            "pair": np.arange(1, len(waves) + 1, dtype=np.int16),
            "wavelength": waves,
            "turns": trained / waves,
            "kind": pd.Categorical.from_codes((waves > trained).astype(np.int8), TURNS),
        }
    )
    lengths = {name: pd.DataFrame({"wavelength": [at]}) for name, at in (("trained", trained), ("longer", longer))}
    return {"pairs": pairs, **lengths}


def pairs_facts(pairs):
    """The first and the last wavelength, and how many pairs never turn once in training, by labels.

    Parameters
    ----------
    pairs : DataFrame
        From `pairs_frames`.

    Returns
    -------
    dict of str to str
    """
    first, last = pairs.iloc[0], pairs.iloc[-1]
    return {
        "shortest wavelength": f"{first['wavelength']:.4f}",
        "longest": f"{last['wavelength']:,.1f}",
        "pairs that never turn once in training": f"{np.sum(pairs['turns'] < 1.0)} of {len(pairs)}",
        "turns of the slowest pair": f"{last['turns']:.4f}",
    }


def pairs_chart(height=280):
    """Datasets `pairs`, `trained` and `longer`: wavelengths on a log axis; the dashed line is the trained length.

    Returns
    -------
    alt.LayerChart
    """
    axis = alt.Axis(format="~s", values=[10.0**k for k in range(10)])
    y = alt.Y("wavelength:Q", title="wavelength (positions)", scale=alt.Scale(type="log"), axis=axis)
    legend = alt.Legend(orient="bottom", title=None, labelLimit=0)
    points = (
        alt.Chart(data("pairs"))
        .mark_point(filled=True, size=45, opacity=1)
        .encode(
            x=alt.X("pair:Q", title="pair", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False)),
            y=y,
            color=alt.Color("kind:N", scale=alt.Scale(domain=TURNS, range=[BLUE, ORANGE]), legend=legend),
            shape=alt.Shape("kind:N", scale=alt.Scale(domain=TURNS, range=["circle", "triangle-up"]), legend=legend),
            tooltip=[
                "pair:Q",
                alt.Tooltip("wavelength:Q", format=",.1f"),
                alt.Tooltip("turns:Q", title="turns in training", format=",.3f"),
            ],
        )
    )
    lengths = (dashed_rule("trained", y="wavelength:Q"), grey_rule("longer", y="wavelength:Q"))
    return alt.layer(*lengths, points).properties(height=height)


def phases_frames(d, base, trained, longer):
    """Which part of its circle each pair has seen in training, and what a longer text adds.

    Parameters
    ----------
    d : int
    base : float
    trained, longer : int
        Lengths in tokens.

    Returns
    -------
    dict of DataFrame
        `phases` (pair, which, low, high), angles in degrees.
    """
    reach = [np.minimum(360.0, np.degrees(length * rope_frequencies(d, base))) for length in (trained, longer)]
    seen, reached = reach[0], np.maximum(*reach)
    pair = np.arange(1, len(seen) + 1, dtype=np.int16)
    which = np.repeat(np.arange(2, dtype=np.int8), len(pair))
    phases = pd.DataFrame(
        {
            "pair": np.tile(pair, 2),
            "which": pd.Categorical.from_codes(which, SEEN),
            "low": np.concatenate([np.zeros_like(seen), seen]),
            "high": np.concatenate([seen, reached]),
        }
    )
    return {"phases": phases[phases["high"] > phases["low"]]}


def phases_chart(height=280):
    """Dataset `phases`: bars from 0 to 360 degrees, one a pair, filled as far as training has seen.

    Returns
    -------
    alt.Chart
    """
    legend = alt.Legend(orient="bottom", title=None, labelLimit=0)
    colours = alt.Scale(domain=SEEN, range=[BLUE, ORANGE])
    return (
        alt.Chart(data("phases"))
        .mark_bar()
        .encode(
            x=alt.X("pair:O", title="pair", axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
            y=alt.Y(
                "low:Q",
                title="angle (degrees)",
                scale=alt.Scale(domain=[0, 360], nice=False),
                axis=alt.Axis(values=[0, 90, 180, 270, 360]),
            ),
            y2="high:Q",
            color=alt.Color("which:N", scale=colours, legend=legend),
            stroke=alt.Stroke("which:N", scale=colours, legend=legend),
            fillOpacity=alt.FillOpacity("which:N", scale=alt.Scale(domain=SEEN, range=[1.0, 0.15]), legend=legend),
            tooltip=["pair:O", "which:N", alt.Tooltip("low:Q", format=".1f"), alt.Tooltip("high:Q", format=".1f")],
        )
        .properties(height=height)
    )
