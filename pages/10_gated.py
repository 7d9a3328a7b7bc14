"""Gated FFN: gate, value and product apart, what the third matrix costs, shapes in two conventions, an ablation."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core.charts import gated as charts
from ffn_core.gated import gated_forward, glu_ablation, missing_transpose, variant
from ffn_ui import bench, cache, controls, figures, layout

layout.open_page(
    "A plain block bends each hidden number by itself. A gated block computes two numbers for each unit, a gate and a "
    "value, and multiplies them: the gate says how much of the value passes. With SiLU at the gate it is SwiGLU.",
    r"\mathrm{FFN}(x) = \big[\,\sigma(x W_\text{gate}) \odot x W_\text{value}\,\big]\, W_\text{out}",
)
b = bench.current()
example = cache.gated_example(b.seed, b.T, b.d_model, b.d_ff)
trace = gated_forward(example.H[0], example.weights, b.sigma)
units = charts.units_frame(trace, example.weights, b.token, b.slot)

st.header("Two branches and their product")
frames, part = charts.branch_frames(units, b.slot)
for branch, title in zip(charts.BRANCHES, ("gate", "value", "gate × value"), strict=True):
    figures.show(
        charts.branch_chart, frames, key=f"gated_{branch}", title=title, arguments=(branch,),
        alt=f"Bars, one a unit: {title}; the chosen unit is outlined", numbers=units[["unit", "arrives", branch]],
    )  # fmt: skip
st.caption(
    f"{variant(b.sigma)}, token {b.token + 1}; unit {b.slot + 1} is outlined. $W_\\text{{gate}}$ is the $W_1$ of the "
    f"other pages, their slots the gates. A *value* is a row of $W_2$ there, the second branch here. {part}"
)
layout.metrics(charts.unit_facts(units, trace))

st.header("Closed, half open, open")
frames = charts.gate_frames(b.sigma, units, controls.slider("arrives at your gate", "gated_u", -6.0, 6.0, 0.75, 0.05))
shown = (
    ("The gate over what arrives", charts.gate_chart, frames),
    ("A gate is a slope", charts.product_chart, charts.product_frames(frames["own"], units)),
    ("What the units put out", charts.cloud_chart, charts.cloud_frames(frames, units)),
)
left, right = st.columns(2)
for place, (title, chart, drawn) in zip((left, left, right), shown, strict=True):
    with place:
        figures.show(chart, drawn, key=f"gated_{title}", title=title, alt=f"{title}; the chosen unit is a diamond")
right.markdown(
    f"{charts.states_text(units, frames['own'])}\n\n"
    "**Is SwiGLU just another activation?** No. An activation is a curve (dashed): the same number in, the same "
    "number out. A gated unit is also multiplied by a second projection of the token, so it leaves the curve. "
    f"{charts.growth_text(example, b.token, b.sigma)}\n\n"
    "**Why three matrices?** One says how much passes, one says what, and one leads back to $d_\\text{model}$."
)

st.header("What the third matrix costs")
with st.container(horizontal=True):
    D = controls.number("D, the width of a token", "gated_D", 1, 65_536, 4096)
    M = controls.number("M of the plain block", "gated_M", 1, 262_144, 16_384)
    multiple = int(controls.choice("rounded up to a multiple of", "gated_multiple", ("1", "64", "128", "256"), "256"))
frames = charts.budget_frames(D, M, multiple)
figures.show(
    charts.budget_chart, frames, key="gated_budget", title="Parameters over the hidden width M",
    alt="Two lines through zero, 2 D M and 3 D M, with the plain block, the gated one, and the gated one within budget",
)  # fmt: skip
layout.metrics(charts.budget_facts(frames["choices"]))
st.markdown(f"A gated block that keeps M costs half as much again. {charts.budget_text()}")

st.header("[B, T, D] → [B, T, M] → [B, T, D]")
B = controls.slider("B (sequences at a time); T, D and M are the bench's", "gated_B", 1, 8, 2, 1)
batch, square = (cache.gated_example(b.seed, b.T, b.d_model, width, B) for width in (b.d_ff, b.d_model))
layout.table(charts.shapes_frame(B, b.T, b.d_model, b.d_ff))
st.markdown(
    "Texts with columns write $Wx$; their $W$ is our transpose. Used as $HW$ all the same, it raises the error below. "
    "Where M = D nothing is raised, and the wrong output looks just as plausible: compare with a known one."
)
st.code(missing_transpose(batch.H, batch.weights, b.sigma).message or "None, since M = D.", None, wrap_lines=True)
layout.metrics(charts.convention_facts(batch, square, b.sigma))

st.header("Does it help?")
long_run = controls.choice("training steps", "gated_steps", ("65,536", "524,288"), "524,288") == "524,288"
figures.show(
    charts.ablation_chart, charts.ablation_frames(glu_ablation(), b.sigma, long_run), key="gated_ablation",
    title="Eight blocks of equal size, trained alike", alt="Dots: log-perplexity of three plain and five gated blocks",
)  # fmt: skip
st.markdown(f"Table 1 of Shazeer 2020; outlined: the bench's σ. {charts.ablation_text(glu_ablation(), long_run)}")

layout.close_page(
    asked="A unit's gate is 0. What of its value gets through? And with the gate open, but the value 0?",
    answer="Nothing, both times: a product is 0 when one factor is. So a unit can report two things *together*.",
    B=B, D=D, M=M, multiple=multiple,
)  # fmt: skip
