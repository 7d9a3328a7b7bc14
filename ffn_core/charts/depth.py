"""Pictures of the block: its wires, the stream and a small change of it along depth, norms of one row, dropout."""

import altair as alt
import numpy as np
import pandas as pd

from ..norms import EDITS, EPS, moved_by, normalise, size_out
from ..stack import FLOAT16_LARGEST, FLOAT32_LARGEST, READY, expected_ratio
from .base import BLUE, GREEN, GREY, MARK, ORANGE, SHEER, cycle, data, grey_rule, kept
from .flow import Edge, Node, flow_chart, flow_frames

STAGE = ("× W, then σ", "{sigma}", "nonlinear", "one matrix and the activation")
ATTENTION = ("attention", "mixes tokens", "mixing", "each token gathers from itself and those before it")
FFN = ("FFN", "{sigma}, token by token", "linear", "the feed-forward block, on every token by itself")
SUM = "adds the part's output to the stream"
PARTS = {"stage": (STAGE,), "ffn": (FFN,), "block": (ATTENTION, FFN)}  # label, second line, kind, what it does

WIRE_ROWS, WIRE_KINDS = 9, ("signal", "norm", "mixing", "linear", "nonlinear", "sum")
ARC = 0.86  # how far to the side a residual path runs: the first to the right, the second to the left
WIRED, PLAIN = "as wired", "bare, no residual"
FLOOR = 1e-30  # log axes have no zero: what is smaller is drawn here
MEASURED, EXPECTED, MEAN_GAIN = "measured", "weights × rms gain", "mean gain"
SIZES_IN = 10.0 ** np.linspace(-9.0, 5.0, 113)
NORM_NAMES = ("LayerNorm", "RMSNorm")
MOST_DOTS = 80  # more would hide the dashes of a line; a stack of one block needs them
ENDS = 8  # blocks at either end of a stack that are averaged


@kept
def wires_frames(setting, sigma):
    """One block as it is wired: the frames of `flow.flow_chart`.

    Every box has a row of its own, so a norm that is moved or left out does not move the others.

    Parameters
    ----------
    setting : Setting
    sigma : str
        Name of the activation.

    Returns
    -------
    dict of DataFrame
        To read, not to change: they are kept.
    """
    wires = setting.wiring
    parts = PARTS[setting.kind]
    norm = {"label": wires.norm, "sub": "each token to size 1", "kind": "norm", "about": "brings each token to size 1"}
    spread = (WIRE_ROWS - 1) / (3 * len(parts) + 2)  # rows from one box to the next
    nodes, edges = [Node("x", "x", 0.0, sub="the stream", kind="signal", width=1.1)], []

    def add(name, row, **looks):
        edges.append(Edge(nodes[-1].name, name, label=looks.pop("beside", "")))
        nodes.append(Node(name, y=row * spread, **{"width": 1.1, **looks}))

    for k, (label, sub, kind, about) in enumerate(parts):
        source, row = nodes[-1].name, 3 * k + 1
        if wires.placement == "pre-norm" and wires.norm != "none":
            add(f"norm {k}", row, **norm)
        add(f"part {k}", row + 1, label=label, sub=sub.format(sigma=sigma), kind=kind, about=about)
        if wires.residual:
            beside = "" if wires.step == 1.0 else f"× {wires.step:g}"
            add(f"sum {k}", row + 2, label="+", kind="sum", about=SUM, beside=beside, width=0.3)
            edges.append(Edge(source, f"sum {k}", around=(ARC, -ARC)[k]))
        if wires.placement == "post-norm" and wires.norm != "none":
            add(f"norm {k}", row + 3, **norm)
    add("y", 3 * len(parts) + 2, label="y", sub="the stream, one block on", kind="signal")
    return flow_frames(nodes, edges)


def wires_chart():
    """One block as it is wired, see `flow.flow_chart`.

    Returns
    -------
    alt.LayerChart
    """
    return flow_chart(WIRE_ROWS, WIRE_KINDS)


def along_frame(wired, plain):
    """Two curves over the number of blocks, not below FLOOR.

    Parameters
    ----------
    wired, plain : ndarray of shape (n + 1,)

    Returns
    -------
    DataFrame with columns block, WIRED, PLAIN
    """
    blocks = np.arange(len(wired), dtype=np.int16)
    return pd.DataFrame({"block": blocks, WIRED: np.maximum(wired, FLOOR), PLAIN: np.maximum(plain, FLOOR)})


def levels_frame(*levels):
    """Heights of the thin grey lines, each with its label."""
    heights, labels = zip(*levels, strict=True)
    return pd.DataFrame({"at": np.array(heights, dtype=float), "label": labels})


def size_frames(wired, plain, width):
    """The frames of `along_chart` for the root mean square of the chosen token's entries.

    Parameters
    ----------
    wired, plain : Depth
    width : int
        Channels of the token.

    Returns
    -------
    dict of DataFrame
    """
    largest = np.nanmax(wired.size) / np.sqrt(width)
    levels = [(1.0, "")]
    levels += [(FLOAT16_LARGEST, "float16 ends")] if largest > 1e3 else []
    levels += [(FLOAT32_LARGEST, "float32 ends")] if largest > 1e30 else []
    rms = along_frame(wired.size / np.sqrt(width), plain.size / np.sqrt(width))
    return {"along": rms, "levels": levels_frame(*levels)}


def change_frames(wired, plain):
    """The frames of `along_chart` for what a change of length 1 has become."""
    return {"along": along_frame(wired.change, plain.change), "levels": levels_frame((1.0, ""))}


def _curves(base, names, colours, dashes, y):
    """One line a name, with dots where they are few, and a rule with all numbers at the block nearest the pointer."""
    near = alt.selection_point(name="near", fields=["block"], nearest=True, on="pointermove", empty=False)
    fold = base.transform_fold(list(names), as_=["curve", "y"])
    stroke = {"symbolType": "stroke", "symbolSize": 300, "symbolStrokeWidth": 2.5}
    legend = alt.Legend(orient="bottom", title=None, columns=2, **stroke)
    looks = {
        "y": y,
        "color": alt.Color("curve:N", scale=alt.Scale(domain=list(names), range=list(colours)), legend=legend),
        "strokeDash": alt.StrokeDash("curve:N", scale=alt.Scale(domain=list(names), range=dashes), legend=legend),
    }
    tooltip = ["block:Q", *(alt.Tooltip(f"{n}:Q", format=".4~g") for n in names)]
    hover = base.mark_rule(color=GREY).encode(
        opacity=alt.condition(near, alt.value(0.8), alt.value(0)), tooltip=tooltip
    )
    lines = fold.mark_line(strokeWidth=2.2).encode(**looks)
    few = fold.transform_joinaggregate(rows="count()").transform_filter(f"datum.rows <= {MOST_DOTS}")
    dots = few.mark_circle(size=14, opacity=1).encode(y=y, color=looks["color"])
    return lines, dots, hover.add_params(near)


def _levels(y):
    """Thin grey lines with their labels at the left end."""
    label = alt.Chart(data("levels")).mark_text(align="left", baseline="bottom", dx=4, dy=-1, fontSize=11)
    return grey_rule("levels", y=y), label.encode(x=alt.value(0), y=y, text="label:N")


def _depth_axis():
    """The block axis, in whole numbers."""
    return alt.X(
        "block:Q", title="blocks passed", axis=alt.Axis(format="d", tickMinStep=1), scale=alt.Scale(nice=False)
    )


def along_chart(y_title, height=280):
    """Two curves over depth on a log axis, over the datasets `along` and `levels`.

    Returns
    -------
    alt.LayerChart
    """
    whole = "abs(log(datum.value) / LN10 - round(log(datum.value) / LN10)) < 0.001"  # a grid line a power of ten
    grid = {"condition": {"test": whole, "value": 1}, "value": 0}
    label = "format(datum.value, datum.value < 0.001 || datum.value > 1000 ? '~e' : '~g')"
    axis = alt.Axis(labelExpr=label, tickCount=7, labelOverlap=True, gridOpacity=grid, tickOpacity=grid)
    scale = alt.Scale(type="log", nice=False)
    base = alt.Chart(data("along")).encode(x=_depth_axis())
    y = alt.Y("y:Q", title=y_title, scale=scale, axis=axis)
    lines, dots, hover = _curves(base, (PLAIN, WIRED), (GREY, BLUE), [[4, 3], [1, 0]], y)
    rule, label = _levels(alt.Y("at:Q", title=y_title, scale=scale, axis=axis))
    return alt.layer(rule, hover, lines, dots, label).properties(height=height)


def ratio_frames(found, kind, scale):
    """The frames of `ratio_chart`.

    Parameters
    ----------
    found : Depth
    kind : str
        One of `block.KINDS`.
    scale : float
        Weight variance times the number of inputs.

    Returns
    -------
    dict of DataFrame
    """
    columns = {
        MEASURED: found.ratios, EXPECTED: expected_ratio(kind, scale, found.rms_gain), MEAN_GAIN: found.mean_gain,
    }  # fmt: skip
    blocks = np.arange(1, len(found.ratios) + 1, dtype=np.int16)
    frame = pd.DataFrame({"block": blocks, **{name: np.float32(column) for name, column in columns.items()}})
    return {"ratios": frame, "levels": levels_frame((0.5, "1/2"), (1.0, ""))}


def ratio_chart(height=280):
    """Change after a block over change before it, with what the gains say, over `ratios` and `levels`.

    Returns
    -------
    alt.LayerChart
    """
    axis = alt.Axis(format="~g", tickCount=6)
    title = "factor of one block"
    base = alt.Chart(data("ratios")).encode(x=_depth_axis())
    y = alt.Y("y:Q", title=title, axis=axis)
    names, colours = (MEASURED, EXPECTED, MEAN_GAIN), (BLUE, ORANGE, GREEN)
    lines, dots, hover = _curves(base, names, colours, [[1, 0], [6, 3], [2, 2]], y)
    rule, label = _levels(alt.Y("at:Q", title=title, axis=axis))
    return alt.layer(rule, hover, lines, dots, label).properties(height=height)


def panels(wired, plain, setting):
    """The three pictures along depth, in reading order.

    Parameters
    ----------
    wired, plain : Depth
    setting : Setting

    Returns
    -------
    tuple of (title, chart, arguments, frames)
    """
    changes, ratios = change_frames(wired, plain), ratio_frames(wired, setting.kind, setting.scale)
    return (
        ("Size of the token", along_chart, ("rms of its entries",), size_frames(wired, plain, setting.width)),
        ("What a change of length 1 becomes", along_chart, ("length",), changes),
        ("What one block multiplies it by, against 1/2", ratio_chart, (), ratios),
    )


def reading(found, setting, sigma):
    """What the pictures along depth come to, as text.

    Parameters
    ----------
    found : Depth
    setting : Setting
    sigma : Activation

    Returns
    -------
    dict of str to str
    """
    expected = expected_ratio(setting.kind, setting.scale, found.rms_gain)
    return {
        r"gain $\sigma'(0)$": f"{float(sigma.gain(0.0)):g}",
        MEAN_GAIN: f"{np.nanmean(found.mean_gain):.3f}",
        EXPECTED: f"{np.nanmean(expected):.3f}",
        "factor of a block": f"{found.mean_ratio():.3f}",
        f"in the last {ENDS} blocks": f"{found.mean_ratio(-ENDS):.3f}",
    }


READY_SAID = (
    "Factor of a block: what it multiplies the length of the change by; then that length after the last block, and the "
    f"block after which an entry is beyond {FLOAT16_LARGEST:,.0f}, where float16 ends (–: none)."
)


def ready_frame(found):
    """Ready-made stacks side by side, as text.

    Parameters
    ----------
    found : sequence of Depth
        Of READY, in its order.

    Returns
    -------
    DataFrame of str
    """
    rows = []
    for (name, ready), depth in zip(READY.items(), found, strict=True):
        end = depth.beyond(FLOAT16_LARGEST)
        rows.append(
            {
                "setting": name,
                "blocks": f"{ready.setting.depth}",
                f"factor, first {ENDS}": f"{depth.mean_ratio(0, ENDS):.2f}",
                f"factor, last {ENDS}": f"{depth.mean_ratio(-ENDS):.2f}",
                "mean gain": f"{np.nanmean(depth.mean_gain):.2f}",
                "a change of 1 becomes": f"{depth.change[depth.reached]:.2g}",
                "rms of the token": f"{depth.size[depth.reached] / np.sqrt(ready.setting.width):.2g}",
                "float16 ends after": "–" if end is None else f"{end}",
            }
        )
    return pd.DataFrame(rows)


def rows_frame(**rows):
    """Several rows over the same channels, counted from 1, one column each."""
    length = len(next(iter(rows.values())))
    return pd.DataFrame({"channel": np.arange(1, length + 1, dtype=np.int16), **rows})


def normed_frame(row, eps=EPS):
    """What leaves LayerNorm and RMSNorm when a row comes in.

    Parameters
    ----------
    row : ndarray of shape (d_model,)
    eps : float

    Returns
    -------
    DataFrame with columns channel, LayerNorm, RMSNorm
    """
    return rows_frame(**{name: normalise(row, name, eps) for name in NORM_NAMES})


def rows_chart(*names, height=230):
    """Bars side by side in each channel, one colour a row, over the dataset `rows`.

    Parameters
    ----------
    *names : str
        The rows, in the order of the bars.

    Returns
    -------
    alt.Chart
    """
    colours = (MARK,) if len(names) == 1 else cycle((BLUE, ORANGE), len(names))
    legend = alt.Legend(orient="bottom", title=None) if len(names) > 1 else None
    return (
        alt.Chart(data("rows"))
        .transform_fold(list(names), as_=["row", "entry"])
        .mark_bar()
        .encode(
            x=alt.X("channel:O", axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
            xOffset=alt.XOffset("row:N", sort=list(names)),
            y=alt.Y("entry:Q", axis=alt.Axis(format="~g", tickCount=6)),
            color=alt.Color("row:N", scale=alt.Scale(domain=list(names), range=list(colours)), legend=legend),
            tooltip=["channel:O", "row:N", alt.Tooltip("entry:Q", format=".6~g")],
        )
        .properties(height=height)
    )


def size_out_frames(row, eps=EPS):
    """The frames of `size_out_chart`.

    Parameters
    ----------
    row : ndarray of shape (d_model,)
        Marked by its standard deviation for LayerNorm, by its root mean square for RMSNorm.
    eps : float

    Returns
    -------
    dict of DataFrame
    """
    sizes = np.clip([np.std(row), np.sqrt(np.mean(row * row))], SIZES_IN[0], SIZES_IN[-1])
    marks = {"norm": NORM_NAMES, "size in": sizes, "size out": size_out(sizes, eps)}
    curve = {"size in": SIZES_IN, "size out": size_out(SIZES_IN, eps)}
    return {"curve": pd.DataFrame(curve), "marks": pd.DataFrame(marks)}


def size_out_chart(height=230):
    """What size leaves a norm for what size comes in, over `curve` and `marks`.

    Returns
    -------
    alt.LayerChart
    """
    scale = alt.Scale(type="log", domain=[float(SIZES_IN[0]), float(SIZES_IN[-1])], nice=False)
    axis = alt.Axis(format="~e", values=[1e-9, 1e-6, 1e-3, 1.0, 1e3])
    x = alt.X("size in:Q", title="size of the row that comes in", scale=scale, axis=axis)
    y = alt.Y("size out:Q", title="size of what leaves", scale=alt.Scale(domain=[0, 1.05]))
    tooltip = [alt.Tooltip("size in:Q", format=".4~g"), alt.Tooltip("size out:Q", format=".6~g")]
    shape = alt.Shape(
        "norm:N",
        scale=alt.Scale(domain=list(NORM_NAMES), range=["circle", "diamond"]),
        legend=alt.Legend(orient="bottom", title=None),
    )
    curve = alt.Chart(data("curve")).mark_line(color=BLUE, strokeWidth=2.2).encode(x=x, y=y)
    marks = alt.Chart(data("marks")).mark_point(stroke=MARK, fill=None, strokeWidth=2.5, size=130, opacity=1)
    return alt.layer(curve, marks.encode(x=x, y=y, shape=shape, tooltip=["norm:N", *tooltip])).properties(height=height)


def row_panels(row, eps=EPS):
    """The three pictures of one row and its norms, in reading order.

    Returns
    -------
    tuple of (title, chart, arguments, frames)
    """
    return (
        ("The row that comes in", rows_chart, ("token",), {"rows": rows_frame(token=row)}),
        ("What leaves", rows_chart, NORM_NAMES, {"rows": normed_frame(row, eps)}),
        ("What epsilon does", size_out_chart, (), size_out_frames(row, eps)),
    )


def row_reading(row, eps=EPS):
    """What the pictures of one row come to, as text.

    Returns
    -------
    dict of str to str
    """
    normed = {name: normalise(row, name, eps) for name in NORM_NAMES}
    sizes = {f"rms after {name}": f"{np.sqrt(np.mean(out * out)):.6f}" for name, out in normed.items()}
    return {
        "largest difference of the two": f"{np.max(np.abs(normed['LayerNorm'] - normed['RMSNorm'])):.2g}",
        "mean after RMSNorm": f"{normed['RMSNorm'].mean():z.3f}",
        **sizes,
    }


def edits_frame(row, eps=EPS):
    """How far what leaves each norm moves when the row is edited, as text.

    Parameters
    ----------
    row : ndarray of shape (d_model,)
    eps : float

    Returns
    -------
    DataFrame of str
    """
    moves = {f"{norm} moves by": [moved_by(row, edit, norm, eps) for edit in EDITS.values()] for norm in NORM_NAMES}
    return pd.DataFrame({"the row": list(EDITS), **{head: [f"{m:.1g}" for m in col] for head, col in moves.items()}})


PASS, EVALUATION = "a pass", "evaluation mode"


def dropout_frames(passes, evaluation):
    """The frames of `dropout_chart`.

    Parameters
    ----------
    passes : ndarray of shape (n_passes, d_model)
    evaluation : ndarray of shape (d_model,)

    Returns
    -------
    dict of DataFrame
    """
    number, channel = np.indices(passes.shape, dtype=np.int16)
    return {
        "passes": pd.DataFrame(
            {"channel": channel.ravel() + 1, "pass": number.ravel() + 1, "entry": np.float32(passes.ravel())}
        ),
        "evaluation": pd.DataFrame(
            {"channel": np.arange(1, passes.shape[1] + 1, dtype=np.int16), "entry": np.float32(evaluation)}
        ),
    }


def dropout_reading(passes, evaluation):
    """What the picture of dropout comes to, as text.

    Returns
    -------
    dict of str to str
    """
    return {
        "largest spread of an entry": f"{np.ptp(passes, axis=0).max():.4f}",
        "mean of the passes, off evaluation by": f"{np.max(np.abs(passes.mean(axis=0) - evaluation)):.4f}",
    }


def dropout_chart(height=250):
    """One dot a pass and channel, a tick where evaluation mode puts it, over `passes` and `evaluation`.

    Returns
    -------
    alt.LayerChart
    """
    scale = alt.Scale(domain=[PASS, EVALUATION], range=[BLUE, ORANGE])
    colour = alt.Color("series:N", scale=scale, legend=alt.Legend(orient="bottom", title=None, symbolOpacity=1))

    def series(name, dataset):
        return (
            alt.Chart(data(dataset))
            .transform_calculate(series=f"'{name}'")
            .encode(
                x=alt.X("channel:O", axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
                y=alt.Y("entry:Q", title="entry of y", scale=alt.Scale(zero=False), axis=alt.Axis(format="~g")),
                color=colour,
            )
        )

    entry = alt.Tooltip("entry:Q", format=".6f")
    ticks = series(EVALUATION, "evaluation").mark_tick(thickness=3, opacity=1).encode(tooltip=["channel:O", entry])
    faint = {**SHEER, "fillOpacity": 0.12}  # the more passes coincide, the darker
    dots = (
        series(PASS, "passes").mark_circle(size=60, stroke=BLUE, **faint).encode(tooltip=["channel:O", "pass:O", entry])
    )
    return alt.layer(ticks, dots).properties(height=height)
