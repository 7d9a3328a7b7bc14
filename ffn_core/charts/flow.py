"""Signal-flow graphs, top to bottom: boxes, arrows between them, branches, and arcs that go around.

Places are in units: one unit down is one row, and across, `half` units on either side of the middle fill the width.
What a box says may change from view to view; it stands in the data, so the drawing stays.
"""

from dataclasses import dataclass
from itertools import pairwise

import altair as alt
import pandas as pd

from .base import BLUE, GREEN, GREY, ORANGE, PURPLE, data, kept

ROW_HEIGHT = 58  # pixels
BOX_HEIGHT = 0.7  # rows
ROOM_FOR_HEAD = 0.09  # rows between the end of an arrow and the box it points at
KINDS = {"signal": GREY, "linear": BLUE, "nonlinear": ORANGE, "norm": GREEN, "mixing": PURPLE, "sum": GREY}


@dataclass(frozen=True)
class Node:
    """One box.

    Attributes
    ----------
    name : str
        How edges call it.
    label, sub : str
        First and second line in the box.
    x, y : float
        Its middle, in units.
    kind : str
        One of KINDS: colour and, for a sum, a rounder shape.
    width : float
        In units.
    about : str
        Shown when the pointer rests on it.
    """

    name: str
    label: str
    y: float
    x: float = 0.0
    sub: str = ""
    kind: str = "linear"
    width: float = 1.6
    about: str = ""


@dataclass(frozen=True)
class Edge:
    """One arrow.

    Attributes
    ----------
    start, end : str
        Names of nodes.
    around : float or None
        The x, in units, of an arc that leaves and arrives sideways, as a residual path does; None goes straight down,
        with a step to the side where the boxes are not in line.
    label : str
        A word beside the arrow.
    """

    start: str
    end: str
    around: float | None = None
    label: str = ""


def _corners(edge, nodes):
    """The corners of an arrow, start to end, the last one a little before the box."""
    a, b = nodes[edge.start], nodes[edge.end]
    if edge.around is not None:
        side = 1.0 if edge.around > a.x else -1.0
        gap = ROOM_FOR_HEAD / 2.0
        ends = (a.x + side * a.width / 2.0, a.y), (b.x + side * (b.width / 2.0 + gap), b.y)
        return [ends[0], (edge.around, a.y), (edge.around, b.y), ends[1]]
    down = 1.0 if b.y > a.y else -1.0
    top, end = a.y + down * BOX_HEIGHT / 2.0, b.y - down * (BOX_HEIGHT / 2.0 + ROOM_FOR_HEAD)
    if a.x == b.x:
        return [(a.x, top), (b.x, end)]
    turn = b.y - down * 0.5  # halfway between the rows, where the branches meet
    return [(a.x, top), (a.x, turn), (b.x, turn), (b.x, end)]


def _heading(corners):
    """Which way the last piece of an arrow points."""
    (x0, y0), (x1, y1) = corners[-2:]
    if x0 != x1:
        return "right" if x1 > x0 else "left"
    return "down" if y1 > y0 else "up"


def flow_frames(nodes, edges):
    """The frames of `flow_chart`.

    Parameters
    ----------
    nodes : sequence of Node
    edges : sequence of Edge

    Returns
    -------
    dict of DataFrame
        `nodes` (name, label, sub, kind, about, x, y, and the corners left, right, top, bottom), `paths` (edge, corner,
        x, y), `heads` (x, y, shape), `words` (x, y, label).
    """
    at = {node.name: node for node in nodes}
    boxes = pd.DataFrame(
        {
            "name": [n.name for n in nodes],
            "label": [n.label for n in nodes],
            "sub": [n.sub for n in nodes],
            "kind": [n.kind for n in nodes],
            "about": [n.about or n.label for n in nodes],
            "x": [n.x for n in nodes],
            "y": [n.y for n in nodes],
            "left": [n.x - n.width / 2.0 for n in nodes],
            "right": [n.x + n.width / 2.0 for n in nodes],
            "top": [n.y - BOX_HEIGHT / 2.0 for n in nodes],
            "bottom": [n.y + BOX_HEIGHT / 2.0 for n in nodes],
        }
    )
    ways = [_corners(edge, at) for edge in edges]
    rows = [(k, c, x, y) for k, way in enumerate(ways) for c, (x, y) in enumerate(way)]
    heads = [(*way[-1], f"triangle-{_heading(way)}") for way in ways]
    named = [(edge.label, *way[len(way) // 2]) for edge, way in zip(edges, ways, strict=True) if edge.label]
    return {
        "nodes": boxes,
        "paths": pd.DataFrame(rows, columns=["edge", "corner", "x", "y"]),
        "heads": pd.DataFrame(heads, columns=["x", "y", "shape"]),
        "words": pd.DataFrame(named, columns=["label", "x", "y"]).astype({"label": str, "x": float, "y": float}),
    }


def flow_chart(rows, kinds, half=1.0):
    """A signal-flow graph over the datasets `nodes`, `paths`, `heads` and `words`.

    Parameters
    ----------
    rows : int
        Rows of boxes, from y = 0 down.
    kinds : tuple of str
        The kinds of boxes, for the legend.
    half : float
        Units on either side of the middle.

    Returns
    -------
    alt.LayerChart
    """
    x_scale = alt.Scale(domain=[-half, half], nice=False, zero=False)
    y_scale = alt.Scale(domain=[rows - 0.5, -0.5], nice=False, zero=False)

    def across(field):
        return alt.X(f"{field}:Q", scale=x_scale, axis=None)

    def down(field):
        return alt.Y(f"{field}:Q", scale=y_scale, axis=None)

    paths = (
        alt.Chart(data("paths"))
        .mark_line(color=GREY, strokeWidth=2, strokeJoin="round")
        .encode(x=across("x"), y=down("y"), detail="edge:N", order="corner:Q")
    )
    heads = (
        alt.Chart(data("heads"))
        .mark_point(filled=True, color=GREY, opacity=1, size=90)
        .encode(x=across("x"), y=down("y"), shape=alt.Shape("shape:N", scale=None))
    )
    colour = alt.Scale(domain=list(kinds), range=[KINDS[kind] for kind in kinds])
    legend = alt.Legend(orient="bottom", title=None, symbolOpacity=1, columns=3)  # more in a row are cut on a phone
    boxes = alt.Chart(data("nodes")).encode(
        x=across("left"),
        x2="right:Q",
        y=down("top"),
        y2="bottom:Q",
        color=alt.Color("kind:N", scale=colour, legend=legend),
        tooltip=[alt.Tooltip("about:N", title="what it does"), alt.Tooltip("sub:N", title="gives")],
    )
    text = alt.Chart(data("nodes")).encode(x=across("x"), y=down("y"))
    two, one = text.transform_filter("datum.sub != ''"), text.transform_filter("datum.sub == ''")
    label = {"fontSize": 13, "fontWeight": "bold"}
    words = alt.Chart(data("words")).mark_text(align="left", dx=8).encode(x=across("x"), y=down("y"), text="label:N")
    return alt.layer(
        paths,
        heads,
        boxes.mark_rect(cornerRadius=7, opacity=0.16),
        boxes.mark_rect(cornerRadius=7, filled=False, strokeWidth=2, opacity=1),
        two.mark_text(dy=-7, **label).encode(text="label:N"),
        two.mark_text(dy=9).encode(text="sub:N"),
        one.mark_text(**label).encode(text="label:N"),
        words,
    ).properties(height=ROW_HEIGHT * rows)


FFN_KINDS = ("signal", "linear", "nonlinear")


@kept
def ffn_frames(T, d_model, d_ff, sigma):
    """The feed-forward block as a graph of seven boxes, with the shape that comes out of each.

    Parameters
    ----------
    T, d_model, d_ff : int
    sigma : str
        Name of the activation.

    Returns
    -------
    dict of DataFrame
        See `flow_frames`. To read, not to change: they are kept.
    """
    narrow, wide = f"{T} × {d_model}", f"{T} × {d_ff}"
    steps = (
        ("H", "H", f"{narrow}, a row a token", "signal", "the tokens, one a row"),
        ("W1", f"× W₁  ({d_model} × {d_ff})", wide, "linear", "compares every row with every key"),
        ("b1", f"+ b₁  ({d_ff})", f"pre, {wide}", "linear", "shifts every slot"),
        ("sigma", f"σ  ({sigma})", f"post, {wide}", "nonlinear", "bends every number by itself"),
        ("W2", f"× W₂  ({d_ff} × {d_model})", narrow, "linear", "adds up the values of the slots"),
        ("b2", f"+ b₂  ({d_model})", narrow, "linear", "shifts every channel"),
        ("out", "out", narrow, "signal", "the result, one row a token, as wide as H"),
    )
    nodes = [
        Node(name, label, y, sub=sub, kind=kind, about=about) for y, (name, label, sub, kind, about) in enumerate(steps)
    ]
    return flow_frames(nodes, [Edge(a.name, b.name) for a, b in pairwise(nodes)])
