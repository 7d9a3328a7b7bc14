"""The gated block in pictures: its two branches and their product, the gate as a slope, budgets, an ablation."""

import altair as alt
import numpy as np
import pandas as pd

from ..counts import equal_budget_width, ffn_params, model_configs, of_equal_budget
from ..gated import CLOSED, STATES, convention_error, gate_states, growth, missing_transpose
from .base import BLUE, GREEN, GREY, MARK, OCHRE, ORANGE, PURPLE, activation_colour, dashed_rule, data, grey_rule, kept
from .matrix import window

ROUNDED_TO = 256  # a width that hardware likes; the page on width counts real models by it
UNITS_SHOWN = 32  # bars side by side that can still be told apart
REACH = 6.0  # the gate is drawn at least on [-6, 6]
POINTS = 201
VALUE_REACH = 3.0  # the product is drawn for values in [-3, 3]
LEVELS = {"open": 1.0, "half open": 0.5, "closed": 0.0}
BRANCHES = ("gate", "value", "product")
STATE_COLOURS = (PURPLE, GREY, OCHRE, GREEN)
STATE_SHAPES = ("triangle-down", "cross", "circle", "square")


def units_frame(trace, weights, token, slot):
    """One row a unit of one token, units counted from 1.

    Parameters
    ----------
    trace : GatedTrace
        Of a forward pass with H of shape (T, d_model).
    weights : GatedWeights
    token, slot : int
        The token shown and the unit marked, counted from 0.

    Returns
    -------
    DataFrame with columns unit, arrives, gate, value, product, state, chosen
        `arrives` is what stands before the activation of the gate.
    """
    gate = trace.gate[token]
    columns = {"arrives": trace.H[token] @ weights.W_gate, "gate": gate, "value": trace.value[token]}
    at = np.arange(len(gate))
    return pd.DataFrame(
        {
            "unit": (at + 1).astype(np.int16),
            **{name: c.astype(np.float32) for name, c in columns.items()},
            "product": trace.hidden[token].astype(np.float32),
            "state": pd.Categorical.from_codes(gate_states(gate), STATES),
            "chosen": at == slot,
        }
    )


def unit_facts(units, trace):
    """The chosen unit, and how many gates of all tokens are open at all, as texts by their labels.

    Returns
    -------
    dict of str to str
    """
    unit = units[units["chosen"]].iloc[0]
    return {
        f"gate of unit {unit['unit']}": f"{unit['gate']:z.4f}",
        "its value": f"{unit['value']:z.4f}",
        "gate × value": f"{unit['product']:z.4f}",
        f"gates above {CLOSED}": f"{np.sum(trace.gate > CLOSED)} of {trace.gate.size}",
    }


def growth_text(example, token, sigma):
    """By how much the output grows when a token of the first sequence doubles, see `gated.growth`, as a sentence.

    Returns
    -------
    str
    """
    found = growth(example.H[0, token], example.weights, sigma)
    plain, gated = ("nothing, it is 0" if np.isnan(g) else f"{g:.3f} times" for g in found)
    return (
        f"When the token doubles, the output of the plain block grows {plain}, of the gated one **{gated}**; with ReLU "
        "it is exactly 2 and 4."
    )


def states_text(units, own):
    """The learner's own gate, and how many units of a token have a gate in each state, as sentences.

    Returns
    -------
    str
    """
    gate = float(own["gate"].iloc[0])
    counts = [f"{state} {(units['state'] == state).sum()}" for state in STATES]
    yours = f"Your gate, the circle, is {gate:z.4f} ({STATES[int(gate_states(gate))]})."
    return (
        f"{yours} The {len(units)} gates of the token: {', '.join(counts)}. Above 1 a gate amplifies; below 0 it turns "
        "the sign of the value."
    )


def branch_frames(units, slot):
    """The frame of `branch_chart`, a window of units that follows the chosen one, and which part that is, in words.

    Returns
    -------
    frames : dict of DataFrame
    part : str
        Empty when all units are shown.
    """
    shown = window((1, len(units)), column=slot, columns=UNITS_SHOWN).columns
    whole = shown.stop - shown.start == len(units)
    part = "" if whole else f"Units {shown.start + 1}–{shown.stop} of {len(units)} are shown."
    return {"units": units[shown]}, part


def _state():
    """Colour and shape of a gate's state; both, so that colour is never the only sign."""
    shown = alt.Legend(orient="bottom", title=None, symbolOpacity=1, labelLimit=0, columns=2)
    return {
        "color": alt.Color("state:N", scale=alt.Scale(domain=STATES, range=STATE_COLOURS), legend=shown),
        "shape": alt.Shape("state:N", scale=alt.Scale(domain=STATES, range=STATE_SHAPES), legend=shown),
    }


def _tooltip(*names):
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]
    return ["unit:O", *numbers]


def branch_chart(branch):
    """One of BRANCHES as bars over the dataset `units`; all have the same axis, so that unit stands below unit.

    Returns
    -------
    alt.LayerChart
    """
    unit = alt.X("unit:O", title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False))
    y = alt.Y(f"{branch}:Q", title=None, axis=alt.Axis(tickCount=4, minExtent=30))
    colour = {"gate": _state()["color"], "value": alt.value(BLUE), "product": alt.value(ORANGE)}[branch]
    bars = alt.Chart(data("units")).mark_bar().encode(x=unit, y=y, color=colour, tooltip=_tooltip(*BRANCHES))
    chosen = alt.Chart(data("units")).transform_filter("datum.chosen").mark_rect(fill=None, stroke=MARK, strokeWidth=2)
    return alt.layer(bars, chosen.encode(x=unit)).properties(height=190 if branch == "gate" else 120)


def _curve(sigma, reach):
    x = np.linspace(-reach, reach, POINTS, dtype=np.float32)
    names = pd.Categorical.from_codes(np.zeros(POINTS, dtype=np.int8), [sigma.name])
    return pd.DataFrame({"arrives": x, "gate": sigma.f(x), "activation": names})


def gate_frames(sigma, units, u):
    """The gate over what arrives at it: the curve, one point a unit, and the learner's own point.

    Parameters
    ----------
    sigma : Activation
    units : DataFrame
        From `units_frame`.
    u : float
        What arrives at the learner's own gate.

    Returns
    -------
    dict of DataFrame
        `units`, `curve` (arrives, gate, activation), `own` (arrives, gate), `levels` (gate).
    """
    reach = max(REACH, float(units["arrives"].abs().max()))
    return {
        "units": units[["unit", "arrives", "gate", "state", "chosen"]],
        "curve": _curve(sigma, reach),
        "own": pd.DataFrame({"arrives": [u], "gate": [float(sigma.f(u))]}),
        "levels": pd.DataFrame({"gate": list(LEVELS.values())}),
    }


def _arrives():
    return alt.X("arrives:Q", title="arrives at the gate", scale=alt.Scale(nice=False, zero=False))


def gate_chart(height=280):
    """Datasets `curve`, `units`, `own` and `levels`: every unit stands on the curve of the gate.

    Returns
    -------
    alt.LayerChart
    """
    y = alt.Y("gate:Q", title="gate = σ(what arrives)")
    curve = alt.Chart(data("curve")).mark_line(strokeWidth=2)
    curve = curve.encode(x=_arrives(), y=y, color=activation_colour(legend=False))
    units = alt.Chart(data("units")).encode(x=_arrives(), y=y, tooltip=[*_tooltip("arrives", "gate"), "state:N"])
    points = units.mark_point(filled=True, opacity=0.9, size=45).encode(**_state())
    chosen = units.transform_filter("datum.chosen")
    chosen = chosen.mark_point(shape="diamond", filled=False, stroke=MARK, strokeWidth=2.5, size=170, opacity=1)
    own = alt.Chart(data("own")).mark_point(filled=True, color=MARK, size=90, opacity=1)
    own = own.encode(x=_arrives(), y=y, tooltip=[alt.Tooltip(f"{n}:Q", format=".4f") for n in ("arrives", "gate")])
    levels = grey_rule("levels", y=alt.Y("gate:Q"))
    layers = alt.layer(levels, curve, points, chosen, dashed_rule("own", x="arrives:Q"), own)
    return layers.resolve_scale(color="independent", shape="independent").properties(height=height)


def product_frames(own, units):
    """The product over the value: a straight line whose slope is the gate.

    Parameters
    ----------
    own : DataFrame
        The learner's own gate, from `gate_frames`.
    units : DataFrame
        The value of the chosen one is marked.

    Returns
    -------
    dict of DataFrame
        `lines` (value, gate is, product): two ends of each line; `own` (value, product), the value of the chosen unit
        through the learner's gate.
    """
    gate, value = float(own["gate"].iloc[0]), float(units.loc[units["chosen"], "value"].iloc[0])
    reach = max(VALUE_REACH, abs(value))
    slopes = {**LEVELS, "yours": gate}
    lines = [
        {"value": v, "gate is": name, "product": slope * v} for name, slope in slopes.items() for v in (-reach, reach)
    ]
    return {"lines": pd.DataFrame(lines), "own": pd.DataFrame({"value": [value], "product": [gate * value]})}


def product_chart(height=280):
    """Datasets `lines` and `own`: closed is flat, open passes the value as it is.

    Returns
    -------
    alt.LayerChart
    """
    names = [*LEVELS, "yours"]
    legend = alt.Legend(orient="bottom", title=None, symbolType="stroke", columns=2)
    colours = alt.Scale(domain=names, range=[GREEN, OCHRE, GREY, MARK])
    dashes = alt.Scale(domain=names, range=[[1, 0], [7, 3], [2, 3], [1, 0]])
    x = alt.X("value:Q", title="value", scale=alt.Scale(nice=False))
    y = alt.Y("product:Q", title="gate × value")
    lines = (
        alt.Chart(data("lines"))
        .mark_line()
        .encode(
            x=x,
            y=y,
            color=alt.Color("gate is:N", scale=colours, legend=legend),
            strokeDash=alt.StrokeDash("gate is:N", scale=dashes, legend=legend),
            strokeWidth=alt.condition("datum['gate is'] == 'yours'", alt.value(3.5), alt.value(1.8)),
        )
    )
    own = alt.Chart(data("own")).mark_point(shape="diamond", color=MARK, filled=True, size=120, opacity=1)
    own = own.encode(x=x, y=y, tooltip=[alt.Tooltip(f"{n}:Q", format=".4f") for n in ("value", "product")])
    return alt.layer(lines, own).properties(height=height)


def cloud_frames(frames, units):
    """The frames of `cloud_chart`: the curve of `gate_frames`, and what each unit puts out.

    Returns
    -------
    dict of DataFrame
    """
    return {"units": units[["unit", "arrives", "value", "product", "chosen"]], "curve": frames["curve"]}


def cloud_chart(height=280):
    """Datasets `curve` and `units` of `cloud_frames`: what each unit puts out, beside the curve of an activation.

    Returns
    -------
    alt.LayerChart
    """
    curve = alt.Chart(data("curve")).mark_line(strokeDash=[5, 3], strokeWidth=2)
    y = alt.Y("gate:Q", title="the unit puts out")
    curve = curve.encode(x=_arrives(), y=y, color=activation_colour(legend=False))
    units = alt.Chart(data("units")).encode(
        x=_arrives(), y="product:Q", tooltip=_tooltip("arrives", "value", "product")
    )
    points = units.mark_point(filled=True, opacity=0.9, size=45, color=ORANGE)
    chosen = units.transform_filter("datum.chosen")
    chosen = chosen.mark_point(shape="diamond", filled=False, stroke=MARK, strokeWidth=2.5, size=170, opacity=1)
    return alt.layer(curve, points, chosen).properties(height=height)


def shapes_frame(B, T, D, M):
    """The walk [B, T, D] -> [B, T, M] -> [B, T, D] in both conventions, as text.

    Parameters
    ----------
    B, T, D, M : int
        Batch, tokens, d_model, d_ff.

    Returns
    -------
    DataFrame of str
    """
    rows = (
        ("tokens", "H", f"[{B}, {T}, {D}]", "X", f"[{B}, {D}, {T}]"),
        ("gate", f"σ(H W_gate), W_gate {D} × {M}", f"[{B}, {T}, {M}]", f"σ(W_g X), W_g {M} × {D}", f"[{B}, {M}, {T}]"),
        ("value", f"H W_value, W_value {D} × {M}", f"[{B}, {T}, {M}]", f"W_u X, W_u {M} × {D}", f"[{B}, {M}, {T}]"),
        ("hidden", "gate ⊙ value", f"[{B}, {T}, {M}]", "gate ⊙ value", f"[{B}, {M}, {T}]"),
        ("out", f"hidden W_out, W_out {M} × {D}", f"[{B}, {T}, {D}]", f"W_o hidden, W_o {D} × {M}", f"[{B}, {D}, {T}]"),
    )  # fmt: skip
    names = ("step", "rows: H W", "shape", "columns: W X", "shape ")
    return pd.DataFrame(dict(zip(names, column, strict=True)) for column in rows)


def budget_frames(d_model, d_ff, multiple):
    """Parameters over the hidden width, of a plain and of a gated block, and the four ways to choose M.

    Parameters
    ----------
    d_model, d_ff : int
        The plain block whose budget is to be kept.
    multiple : int
        Widths are rounded up to a multiple of this.

    Returns
    -------
    dict of DataFrame
        `choices` (choice, block, width, parameters, of_plain), `lines` (width, plain, gated) and `budget` (parameters).
    """
    exact, rounded = (equal_budget_width(d_ff, m) for m in (1, multiple))
    budget = ffn_params(d_model, d_ff)
    choices = (
        ("plain, M", "plain", d_ff),
        ("gated, same M", "gated", d_ff),
        ("gated, ⅔ M", "gated", exact),
        ("gated, ⅔ M rounded", "gated", rounded),
    )
    rows = [
        {"choice": name, "block": block, "width": M, "parameters": ffn_params(d_model, M, gated=block == "gated")}
        for name, block, M in choices
    ]
    frame = pd.DataFrame(rows)
    ends = np.array([0, max(d_ff, rounded) * 9 // 8 + 1])
    lines = {"width": ends, "plain": ffn_params(d_model, ends), "gated": ffn_params(d_model, ends, gated=True)}
    return {
        "choices": frame.assign(of_plain=frame["parameters"] / budget),
        "lines": pd.DataFrame(lines),
        "budget": pd.DataFrame({"parameters": [budget]}),
    }


def budget_facts(choices):
    """The counts of `budget_frames` as texts by their labels (LaTeX in dollars).

    Parameters
    ----------
    choices : DataFrame

    Returns
    -------
    dict of str to str
    """
    plain, same, exact, rounded = choices.to_dict("records")
    return {
        "plain, $2DM$": f"{plain['parameters']:,}",
        "gated, same M, $3DM$": f"{same['parameters']:,}",
        r"$\tfrac23 M$": f"{exact['width']:,}",
        "rounded up": f"{rounded['width']:,}",
        "rounded ÷ plain": f"{rounded['of_plain']:.4f}",
    }


def budget_text():
    """How published gated models choose their width, as a sentence; models with one FFN a block only."""
    gated = [c for c in model_configs() if c.gated and c.n_experts == 1]
    near = sum(abs(c.ratio / (8 / 3) - 1) < 0.03 for c in gated)
    equal = len(of_equal_budget(gated, ROUNDED_TO))
    return (
        f"Of {len(gated)} published gated models with one FFN a block, {near} lie within 3 % of 8/3 D "
        f"({equal} equal it after rounding up to a multiple of {ROUNDED_TO}); the others "
        f"spend more, up to {max(c.ratio for c in gated):.2g} D."
    )


def convention_facts(batch, square, sigma):
    """How well rows and columns agree, and what a missing transpose does to square matrices, by labels.

    Parameters
    ----------
    batch, square : GatedExample
        The second with d_ff = d_model.
    sigma : Activation

    Returns
    -------
    dict of str to str
    """
    silent = missing_transpose(square.H, square.weights, sigma)
    right, wrong = silent.sizes
    return {
        "rows − columns, at most": f"{convention_error(batch.H, batch.weights, sigma):.2g}",
        f"M = D = {square.weights.d_ff}, untransposed: off by": f"{silent.off_by:.0%}",
        "rms of the right output": f"{right:.3f}",
        "rms of the wrong output": f"{wrong:.3f}",
    }


def budget_chart(height=280):
    """Datasets `choices`, `lines` and `budget`: where the gated line meets the budget is the M to take.

    Returns
    -------
    alt.LayerChart
    """
    names = ("plain", "gated")
    x = alt.X("width:Q", title="hidden width M", axis=alt.Axis(tickCount=5, format="~s"), scale=alt.Scale(nice=False))
    y = alt.Y("parameters:Q", title="parameters", axis=alt.Axis(format="~s", tickCount=5))
    legend = alt.Legend(orient="bottom", title=None, symbolStrokeWidth=0)
    colour = alt.Color("block:N", scale=alt.Scale(domain=names, range=[BLUE, ORANGE]), legend=legend)
    lines = (
        alt.Chart(data("lines"))
        .transform_fold(list(names), as_=["block", "parameters"])
        .mark_line()
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=alt.StrokeDash("block:N", scale=alt.Scale(domain=names, range=[[7, 3], [1, 0]]), legend=legend),
        )
    )
    points = (
        alt.Chart(data("choices"))
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            shape=alt.Shape("block:N", scale=alt.Scale(domain=names, range=["square", "circle"]), legend=legend),
            tooltip=[
                "choice:N",
                alt.Tooltip("width:Q", title="M", format=","),
                alt.Tooltip("parameters:Q", format=","),
                alt.Tooltip("of_plain:Q", title="of the plain block's", format=".2%"),
            ],
        )
    )
    return alt.layer(grey_rule("budget", y="parameters:Q"), lines, points).properties(height=height)


@kept
def ablation_frames(rows, sigma, long_run=True):
    """One row a variant, best first.

    Parameters
    ----------
    rows : tuple of AblationRow
    sigma : Activation
        Rows with this activation are marked.
    long_run : bool
        The long training run, or the short one with its spread over four runs.

    Returns
    -------
    dict of DataFrame
        To read, not to change: `rows` (variant, block, loss, low, high, chosen); `low` and `high` are one standard
        deviation away, or the value itself where there was one run.
    """
    table = pd.DataFrame(
        {
            "variant": [r.variant for r in rows],
            "block": ["gated" if r.gated else "plain" for r in rows],
            "loss": [r.long_run if long_run else r.short_run for r in rows],
            "spread": [0.0 if long_run else r.short_run_sd for r in rows],
            "chosen": [r.uses(sigma) for r in rows],
        }
    ).sort_values("loss", kind="stable")
    table = table.assign(low=table["loss"] - table["spread"], high=table["loss"] + table["spread"])
    return {"rows": table.drop(columns="spread")}


def ablation_chart(height=270):
    """Dots over the dataset `rows`, one line a variant; rows with the bench's sigma are outlined.

    Returns
    -------
    alt.LayerChart
    """
    names = ("plain", "gated")
    legend = alt.Legend(orient="bottom", title=None)
    names_axis = alt.Axis(ticks=False, domain=False, labelPadding=8, labelOverlap=False)
    best_first = alt.EncodingSortField("loss", op="min")
    base = alt.Chart(data("rows")).encode(
        y=alt.Y("variant:N", sort=best_first, title=None, axis=names_axis),
        tooltip=["variant:N", "block:N", alt.Tooltip("loss:Q", title="log-perplexity", format=".3f")],
    )
    axis = alt.Axis(tickCount=5)
    x = alt.X(
        "loss:Q", title="held-out log-perplexity (lower is better)", scale=alt.Scale(zero=False, padding=36), axis=axis
    )
    spread = base.mark_rule(color=GREY, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q")
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=x,
        color=alt.Color("block:N", scale=alt.Scale(domain=names, range=[BLUE, ORANGE]), legend=legend),
        shape=alt.Shape("block:N", scale=alt.Scale(domain=names, range=["square", "circle"]), legend=legend),
    )
    number = base.mark_text(align="left", dx=9).encode(x="high:Q", text=alt.Text("loss:Q", format=".3f"))
    outline = base.transform_filter("datum.chosen").mark_rect(fill=None, stroke=MARK, strokeWidth=2)
    return alt.layer(outline, spread, dots, number).properties(height=height)


def ablation_text(rows, long_run=True):
    """What the ablation says at one length of training, as sentences; parameters as in `ablation_frames`.

    Returns
    -------
    str
    """
    ordered = sorted(rows, key=lambda r: r.long_run if long_run else r.short_run)
    plain, gated = ({r.variant: r for r in ordered if r.gated == g} for g in (False, True))
    loss = {r.variant: r.long_run if long_run else r.short_run for r in ordered}
    best, best_plain, worst_gated = next(iter(gated)), next(iter(plain)), list(gated)[-1]
    apart = loss[best_plain] - loss[worst_gated]
    said = [
        f"The best is {best} with {loss[best]:.3f}, {loss[best_plain] - loss[best]:.3f} below the best plain block, "
        f"{best_plain}."
    ]
    if apart > 0:
        said.append(f"Every gated row beats every plain one, by {apart:.3f} at least.")
    if long_run:
        said.append(f"Among the plain ones, GELU ({loss['GELU']:.3f}) is no better than ReLU ({loss['ReLU']:.3f}).")
    else:
        spread = max(r.short_run_sd for r in rows)
        said.append(
            f"Bars: one standard deviation of four runs, up to {spread:.3f}; gaps as small as that say nothing."
        )
    said.append("Why gating trains better is not known; the paper offers no explanation, and says so.")
    return " ".join(said)
