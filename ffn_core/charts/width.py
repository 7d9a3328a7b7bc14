"""The width of the hidden layer: weights, multiply-adds and shares against d_ff/d_model, and real models."""

from collections import Counter
from operator import attrgetter

import altair as alt
import numpy as np
import pandas as pd

from ..counts import TWO_THIRDS, BlockSize, model_configs
from .base import BLUE, DASHES, GREEN, GREY, MARK, ORANGE, activation_colour, dashed_rule, data, grey_rule, kept

LARGEST_RATIO, LARGEST_T = 8.5, 2**18
RULES = {"4": 4.0, "8/3": 8.0 / 3.0}
OWN_KV, SHARED_KV = "attention", "attention, grouped"
FFN, GATED = "FFN", "FFN, gated"
D_MODELS = (64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 8192, 12288, 16384)
LENGTHS, GROUPS = tuple(2**k for k in range(18)), (2, 4, 8, 16, 32, 64)
CURVES = [(matrices, attention) for matrices in ("plain", "gated") for attention in (OWN_KV, SHARED_KV)]
SIZES = {FFN: GREEN, GATED: GREEN, OWN_KV: BLUE, SHARED_KV: ORANGE}
GROUPED_HELP = "When grouped, so many query heads share one KV head, that is, one set of keys and values."
EXPERTS_HELP = "Several FFNs side by side in one block; a router sends each token through only a few of them."
SIGMAS = ("ReLU", "GELU", "GELU-exact", "SiLU")
LETTERS = str(dict(zip(SIGMAS, "RGES", strict=True)))  # beside each dot, so that colour is not the only sign
OWN = {"shape": "cross", "color": MARK, "filled": True, "opacity": 1, "size": 110}
RING = {"shape": "circle", "color": MARK, "filled": False, "opacity": 1, "size": 240, "strokeWidth": 2.5}


def _ratios():
    """d_ff/d_model in steps of 1/8."""
    return np.arange(1, int(LARGEST_RATIO * 8) + 1) / 8.0


def _hover(base, name, field, columns, number):
    """A rule at the nearest row, with its numbers."""
    near = alt.selection_point(name=name, fields=[field], nearest=True, on="pointermove", empty=False)
    tooltip = [alt.Tooltip(f"{c}:Q", format=".3~f" if c == "ratio" else number) for c in columns]
    return (
        base.mark_rule(color=GREY)
        .encode(x=f"{field}:Q", opacity=alt.condition(near, alt.value(0.6), alt.value(0)), tooltip=tooltip)
        .add_params(near)
    )


def _haloed(chart, **text):
    """A text and, below it, its outline in the colour of the page, so that it reads where it lies on lines."""
    halo = chart.mark_text(fill="transparent", stroke=alt.ExprRef("background"), strokeWidth=4, **text)
    return halo, chart.mark_text(**text)


def _matrices_shape(legend):
    """A circle for a plain FFN, a diamond for a gated one."""
    scale = alt.Scale(domain=["plain", "gated"], range=["circle", "diamond"])
    return alt.Shape("matrices:N", scale=scale, legend=legend)


def weights_frames(block, group):
    """The frames of `weights_chart`.

    Parameters
    ----------
    block : BlockSize
        The learner's own.
    group : int
        Query heads a KV head of the grouped line.

    Returns
    -------
    dict of DataFrame
    """
    ratio, d = _ratios(), block.d_model
    one = np.ones_like(ratio)
    lines = pd.DataFrame({
        "ratio": np.float32(ratio),
        FFN: 2.0 * d * d * ratio,
        GATED: 3.0 * d * d * ratio,
        OWN_KV: BlockSize(d, d).attention * one,
        SHARED_KV: BlockSize(d, d, group=group).attention * one,
    })  # fmt: skip
    plain = BlockSize(d, block.d_ff).ffn
    budget = pd.DataFrame({"from": [block.ratio * 2.0 / 3.0], "to": [block.ratio], "weights": [plain]})
    own = pd.DataFrame({"ratio": [block.ratio], "weights": [block.ffn]})
    return {"lines": lines, "budget": budget, "own": own}


def weights_chart(height=330):
    """Weights of one block against d_ff/d_model over `lines`; the equal budget in `budget`, the learner's in `own`.

    Returns
    -------
    alt.LayerChart
    """
    names = list(SIZES)
    x = alt.X("ratio:Q", title="d_ff / d_model", scale=alt.Scale(domain=[0, LARGEST_RATIO], nice=False))
    y = alt.Y("weights:Q", title="weights", axis=alt.Axis(format="~s", tickCount=5))
    scales = {"scale": alt.Scale(domain=names, range=list(SIZES.values()))}
    dashes = alt.Scale(domain=names, range=[DASHES[0], DASHES[1], DASHES[3], DASHES[2]])
    legend = alt.Legend(orient="bottom", title=None, columns=2, symbolType="stroke", symbolSize=300)
    base = alt.Chart(data("lines"))
    lines = base.transform_fold(names, as_=["series", "weights"]).mark_line().encode(
        x=x, y=y, color=alt.Color("series:N", legend=legend, **scales),
        strokeDash=alt.StrokeDash("series:N", scale=dashes, legend=legend),
    )  # fmt: skip
    budget = alt.Chart(data("budget")).encode(y="weights:Q")
    equal = budget.mark_rule(color=GREY, strokeWidth=2).encode(x="from:Q", x2="to:Q")
    end = budget.mark_point(shape="diamond", color=GREEN, filled=True, opacity=1, size=90).encode(x="from:Q")
    own = alt.Chart(data("own")).mark_point(**OWN).encode(x="ratio:Q", y="weights:Q")
    hover = _hover(base, "weights_at", "ratio", ["ratio", *names], ".4~s")
    return alt.layer(lines, hover, equal, end, dashed_rule("own", x="ratio:Q"), own).properties(height=height)


def multiply_adds_frames(block, T):
    """The frames of `multiply_adds_chart`.

    Parameters
    ----------
    block : BlockSize
    T : int
        The learner's own length (tokens).

    Returns
    -------
    dict of DataFrame
    """
    lengths = np.unique(np.round(np.geomspace(1, LARGEST_T, 73)).astype(int))
    lines = pd.DataFrame({
        "T": np.int32(lengths),
        FFN: np.full(len(lengths), float(block.ffn_multiply_adds)),
        OWN_KV: np.float64(block.attention_multiply_adds(lengths)),
    })  # fmt: skip
    crossing = pd.DataFrame({"T": [block.overtaken_at], "count": [float(block.ffn_multiply_adds)]})
    crossing["label"] = f"T = {block.overtaken_at:,}"
    own = pd.DataFrame({"T": [T], "count": [float(block.attention_multiply_adds(T))]})
    return {"lines": lines, "crossing": crossing, "own": own}


def multiply_adds_chart(height=330):
    """Multiply-adds for one token against T over `lines`; where attention overtakes in `crossing`, own T in `own`.

    Returns
    -------
    alt.LayerChart
    """
    names = [FFN, OWN_KV]
    x = alt.X(
        "T:Q",
        title="T, tokens that a token sees",
        scale=alt.Scale(type="log", base=2, domain=[1, LARGEST_T], nice=False),
        axis=alt.Axis(values=[16**k for k in range(5)], format=","),
    )
    y = alt.Y("count:Q", title="multiply-adds", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s", tickCount=4))
    legend = alt.Legend(orient="bottom", title=None, symbolType="stroke")
    base = alt.Chart(data("lines"))
    lines = base.transform_fold(names, as_=["series", "count"]).mark_line().encode(
        x=x, y=y, color=alt.Color("series:N", scale=alt.Scale(domain=names, range=[GREEN, BLUE]), legend=legend),
        strokeDash=alt.StrokeDash("series:N", scale=alt.Scale(domain=names, range=[[1, 0], [6, 2]]), legend=legend),
    )  # fmt: skip
    crossing = alt.Chart(data("crossing")).encode(x="T:Q", y="count:Q")
    point = crossing.mark_point(shape="diamond", color=GREY, filled=True, opacity=1, size=90)
    label = crossing.mark_text(align="right", dx=-8, dy=-10).encode(text="label:N")
    own = alt.Chart(data("own")).mark_point(**OWN).encode(x="T:Q", y="count:Q")
    hover = _hover(base, "cost_at", "T", ["T", *names], ",.0f")
    return alt.layer(lines, hover, point, label, dashed_rule("own", x="T:Q"), own).properties(height=height)


@kept
def models_frame(configs):
    """One row a model; models at the same place tell of each other.

    Parameters
    ----------
    configs : tuple of ModelConfig

    Returns
    -------
    DataFrame
        To read, not to change: it is kept.
    """
    rows = pd.DataFrame({
        "model": [c.model for c in configs],
        "year": np.array([c.year for c in configs], dtype=np.int16),
        "d_model": np.array([c.d_model for c in configs], dtype=np.int32),
        "d_ff": np.array([c.d_ff for c in configs], dtype=np.int32),
        "heads / KV": [f"{c.n_heads} / {c.n_kv_heads}" for c in configs],
        "activation": [c.sigma for c in configs],
        "matrices": ["gated" if c.gated else "plain" for c in configs],
        "experts": np.array([c.n_experts for c in configs], dtype=np.int16),
        "ratio": np.array([c.ratio for c in configs], dtype=np.float64),
        "share": np.array([c.share for c in configs], dtype=np.float64),
        "attention": [SHARED_KV if c.group > 1 else OWN_KV for c in configs],
    })  # fmt: skip
    place = rows.groupby(["ratio", "share"])["model"]
    rows["others here"] = place.transform("size").to_numpy(dtype=np.int16) - 1 if len(rows) else np.int16(0)
    return rows


def extremes(configs):
    """The models at the four edges: most and least share, widest and narrowest d_ff/d_model.

    Returns
    -------
    tuple of ModelConfig, without repetition
    """
    edges = [pick(configs, key=attrgetter(of)) for of in ("share", "ratio") for pick in (max, min) if configs]
    return tuple(dict.fromkeys(edges))


@kept
def _places(configs):
    """Where these models stand, with their names; a frame to read, not to change."""
    return pd.DataFrame({
        "model": pd.Series([c.model for c in configs], dtype=object),
        "ratio": np.array([c.ratio for c in configs], dtype=float),
        "share": np.array([c.share for c in configs], dtype=float),
    })  # fmt: skip


@kept
def _rules():
    """The rules 4 and 8/3; a frame to read, not to change."""
    return pd.DataFrame({"ratio": list(RULES.values()), "share": TWO_THIRDS, "label": list(RULES)})


@kept
def _share_curves(group):
    """The share over the ratio, a column a curve; a frame to read, not to change."""
    ratio = _ratios()
    curves = {"ratio": np.float32(ratio)}
    for matrices, attention in CURVES:
        heads = group if attention == SHARED_KV else 1
        sizes = (BlockSize(512, round(512 * r), matrices == "gated", heads) for r in ratio)
        curves[f"{matrices} / {attention}"] = np.float32([size.share for size in sizes])
    return pd.DataFrame(curves)


def share_frames(configs, block, group, marked):
    """The frames of `share_chart`.

    Parameters
    ----------
    configs : sequence of ModelConfig
        The models to show.
    block : BlockSize
        The learner's own.
    group : int
        Query heads a KV head of the grouped curves.
    marked : ModelConfig
        The model to point at.

    Returns
    -------
    dict of DataFrame
    """
    return {
        "models": models_frame(tuple(configs)),
        "curves": _share_curves(group),
        "names": _places(tuple(c for c in extremes(configs) if c != marked)),
        "marked": _places((marked,)),
        "rules": _rules(),
        "own": pd.DataFrame({"ratio": [block.ratio], "share": [block.share]}),
    }


def share_chart(height=460):
    """The FFN's share of a block against d_ff/d_model: curves, real models, and the rules 4 and 8/3.

    Datasets `curves`, `models`, `names`, `marked`, `rules` and `own`.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("ratio:Q", title="d_ff / d_model", scale=alt.Scale(domain=[0, LARGEST_RATIO], nice=False))
    y = alt.Y("share:Q", title="FFN's share of a block's weights", axis=alt.Axis(format=".0%", tickCount=6))
    y = y.scale(domain=[0.4, 1.0])
    names = [OWN_KV, SHARED_KV]
    said = f"datum.label == '{OWN_KV}' ? 'beside attention' : 'beside grouped attention'"
    legend = alt.Legend(orient="bottom", title="FFN's share", symbolType="stroke", columns=1, labelExpr=said)
    colour = alt.Color("attention:N", scale=alt.Scale(domain=names, range=[BLUE, ORANGE]), legend=legend)
    kinds = ["plain", "gated"]
    dash = alt.StrokeDash("line:N", scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 3]]), legend=None)
    thick = alt.StrokeWidth("attention:N", scale=alt.Scale(domain=names, range=[3, 1.5]), legend=legend)
    full = alt.FillOpacity("attention:N", scale=alt.Scale(domain=names, range=[1, 0.1]), legend=None)
    curves = (
        alt.Chart(data("curves"))
        .transform_fold([f"{m} / {a}" for m, a in CURVES], as_=["kind", "share"])
        .transform_calculate(line="split(datum.kind, ' / ')[0]", attention="split(datum.kind, ' / ')[1]")
        .mark_line(clip=True)
        .encode(x=x, y=y, color=colour, strokeDash=dash, strokeWidth=thick, detail="kind:N")
    )
    columns = ["model", "year", "d_model", "d_ff", "heads / KV", "activation", "matrices", "experts", "others here"]
    tooltip = [alt.Tooltip(c, type="nominal") for c in columns]
    tooltip += [alt.Tooltip("ratio:Q", title="d_ff / d_model", format=".3~f"), alt.Tooltip("share:Q", format=".1%")]
    corner = alt.Legend(orient="bottom-right", title=None, symbolFillColor=GREY, symbolStrokeColor=GREY)
    shape = _matrices_shape(corner)  # inside the plot, where no model is
    models = alt.Chart(data("models")).mark_point(size=75, filled=True, opacity=1, strokeWidth=1.5)
    rim = alt.Stroke("attention:N", scale=colour["scale"], legend=None)
    models = models.encode(x=x, y=y, color=colour, stroke=rim, fillOpacity=full, shape=shape, tooltip=tooltip)
    rules = grey_rule("rules", x="ratio:Q") + grey_rule("rules", y=y)
    rule_names = alt.Chart(data("rules")).mark_text(dy=-7).encode(x="ratio:Q", y=alt.value(0), text="label:N")
    crowd = "datum.ratio > 2.5 && datum.ratio < 4.2 && datum.share > 0.7 && datum.share < 0.95"
    before = f"datum.ratio > 6 || ({crowd})"  # clear of the edge, and of the points and curves right of the crowd
    beside = {"align": alt.ExprRef(f"{before} ? 'right' : 'left'"), "dx": alt.ExprRef(f"{before} ? -9 : 9")}
    shifted = alt.ExprRef("datum.ratio < 1 ? 13 : datum.ratio > 6 ? -10 : 0")  # clear of a name on a phone, of a curve
    named = alt.Chart(data("names")).encode(x=x, y=y, text="model:N")
    labels = _haloed(named, **beside, dy=shifted)
    marked = alt.Chart(data("marked")).encode(x=x, y=y)
    ring = marked.mark_point(**RING)
    above = alt.ExprRef(f"{crowd} ? -19 : 14")
    marked_name = _haloed(marked.encode(text="model:N"), **beside, dy=above, fontWeight="bold")
    own = alt.Chart(data("own")).mark_point(**OWN).encode(x=x, y=y)
    own_rule = dashed_rule("own", x="ratio:Q")
    layers = [*rules.layer, rule_names, curves, models, own_rule, *labels, own, ring, *marked_name]
    return alt.layer(*layers).properties(height=height)


def years_frames(configs, marked):
    """The frames of `years_chart`: a dot a model, in the row of its year, alike ones beside each other.

    Parameters
    ----------
    configs : sequence of ModelConfig
    marked : ModelConfig
        The model to point at, if it is among them.

    Returns
    -------
    dict of DataFrame
    """
    return {"dots": _dots(tuple(configs), marked.model)}


@kept
def _dots(configs, marked):
    """A row a model, alike ones beside each other in the row of their year."""
    ordered = sorted(configs, key=lambda c: (c.year, c.gated, c.sigma, c.model))
    dots = models_frame(tuple(ordered))[["model", "year", "activation", "matrices"]]
    dots["place"] = dots.groupby("year").cumcount().astype(np.int16) + np.int16(1)
    dots["chosen"] = dots["model"] == marked
    return dots


def years_chart(height=380):
    """The models by year over `dots`: colour and letter for the activation, shape for the matrices, the chosen ringed.

    Returns
    -------
    alt.Chart
    """
    colour = activation_colour()
    said = f"{LETTERS}[datum.label] + ': ' + datum.label"
    colour["legend"] = alt.Legend(
        orient="bottom", title=None, values=list(SIGMAS), symbolType="square", labelExpr=said, columns=2
    )
    per_year = Counter(c.year for c in model_configs())
    across = alt.Scale(domain=[0, max(per_year.values()) + 1], nice=False)  # of all, so that a filter moves nothing
    x = alt.X("place:Q", title="models", scale=across, axis=alt.Axis(tickMinStep=1, grid=False, format="d"))
    y = alt.Y("year:O", title=None, scale=alt.Scale(domain=sorted(per_year)), axis=alt.Axis(ticks=False))
    base = alt.Chart(data("dots")).encode(
        x=x, y=y, tooltip=[alt.Tooltip(c, type="nominal") for c in ("model", "year", "activation", "matrices")]
    )
    dots = base.mark_point(size=110, filled=True, opacity=1).encode(color=colour, shape=_matrices_shape(None))
    letters = base.transform_calculate(letter=f"{LETTERS}[datum.activation]").mark_text(dy=-13, fontSize=10)
    ring = base.transform_filter("datum.chosen").mark_point(**RING)
    return alt.layer(dots, letters.encode(text="letter:N"), ring).properties(height=height)


@kept
def cases_frame(configs, t5):
    """The models whose FFN has not two thirds of the block, with the reasons, by share; then the T5 models.

    Parameters
    ----------
    configs : tuple of ModelConfig
    t5 : tuple of T5Config

    Returns
    -------
    DataFrame with columns model, share, d_ff / d_model, why; to read, not to change: it is kept
    """
    cases = sorted((c for c in configs if not c.holds_two_thirds), key=lambda c: -c.share)
    rows = [(c.model, f"{c.share:.1%}", f"{c.ratio:.4g}", c.reasons) for c in cases]
    for c in t5:
        shares = f"{c.encoder_share:.1%} / {c.decoder_share:.1%}"
        rows.append((f"{c.model} encoder / decoder", shares, f"{c.ratio:.4g}", c.reasons))
    return pd.DataFrame(rows, columns=["model", "share", "d_ff / d_model", "why"])
