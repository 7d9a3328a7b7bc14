"""Why 4×: weights and multiply-adds of a block against its width, the equal budget of a gated FFN, and real models."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core import counts, lesson
from ffn_core.charts import width
from ffn_ui import controls, figures, layout

layout.open_page(
    "A wider hidden layer has more slots and weighs more beside attention. With $r = d_\\text{ff}/d_\\text{model}$, "
    "$n$ matrices (2, or 3 when gated) and $g$ query heads per KV head, the FFN's share of a block's weights is",
    r"\frac{n\,r}{n\,r + 2\,(1 + 1/g)} \;\overset{n = 2,\ r = 4,\ g = 1}{=}\; \frac{2}{3}",
)
models = counts.model_configs()

st.header("Count one block")
with st.container(horizontal=True):
    d_model = controls.choice("d_model", "width_d_model", width.D_MODELS, lesson.TYPICAL_D_MODEL, menu=True)
    ratio = controls.slider("d_ff / d_model", "width_ratio", 0.25, 8.0, 4.0, 0.25)
    T = controls.choice("T, tokens that a token sees", "width_T", width.LENGTHS, 4096, menu=True)
with st.container(horizontal=True):
    gated = controls.toggle("gated FFN: three matrices", "width_gated")
    grouped = controls.toggle("grouped KV heads", "width_grouped", help=width.GROUPED_HELP)
    group = controls.choice("query heads per KV head, when grouped", "width_group", width.GROUPS, 4, menu=True)
block = counts.BlockSize(d_model, counts.hidden_width(d_model, ratio), gated, group if grouped else 1)
shown = (
    ("Weights of one block", "width_weights", width.weights_chart, width.weights_frames(block, group)),
    ("Multiply-adds for one token", "width_cost", width.multiply_adds_chart, width.multiply_adds_frames(block, T)),
)
for place, (title, key, chart, frames) in zip(st.columns(2), shown, strict=True):
    with place:
        figures.show(chart, frames, key=key, title=title, alt=f"{title}: lines for FFN and attention, yours marked")
st.caption(
    "Dashed rule, cross: your block. Grey bar: the same weights in two matrices or in three, two thirds as wide. The "
    "FFN costs a token one multiply-add a weight, at any length; attention also compares and mixes T tokens."
)
layout.metrics({
    "d_model": layout.digits(d_model), "d_ff": layout.digits(block.d_ff),
    "attention weights": layout.digits(block.attention), "FFN weights": layout.digits(block.ffn),
    "FFN / attention": layout.digits(block.ffn / block.attention), "FFN's share": layout.digits(block.share),
    "attention costs more from T =": f"{block.overtaken_at:,}",
})  # fmt: skip

st.header("Three matrices at the same cost")
multiple = controls.choice("round up to a multiple of", "width_multiple", (1, 64, 128, 256), 256)
equal, rounded = (counts.equal_budget_width(block.d_ff, m) for m in (1, multiple))
layout.metrics({"d_ff, two matrices": f"{block.d_ff:,}", "three, same cost": f"{equal:,}", "rounded": f"{rounded:,}"})
layout.note(counts.equal_budget_text(models, multiple))

st.header("Real models")
with st.container(horizontal=True):
    since = controls.slider("from the year", "width_since", 2018, 2025, 2018, 1)
    ffn = controls.choice("FFN", "width_ffn", counts.FFN_KINDS, "all")
    experts = controls.choice("experts", "width_experts", counts.EXPERT_KINDS, "all", help=width.EXPERTS_HELP)
    name = controls.choice("point at", "width_model", [c.model for c in models], "Llama-3 8B", menu=True)
sigmas = controls.several("activations", "width_sigmas", width.SIGMAS, width.SIGMAS)
ring = next(c for c in models if c.model == name)
some, some_t5 = (counts.select_models(m, since, sigmas, ffn, experts) for m in (models, counts.t5_configs()))
shown = (
    ("The FFN's share of a block", "width_share", width.share_chart, width.share_frames(some, block, group, ring)),
    ("Which activation, by year", "width_years", width.years_chart, width.years_frames(some, ring)),
)
for title, key, chart, frames in shown:
    figures.show(chart, frames, key=key, title=title, alt=f"{title}: real models as points, the chosen one in a ring")
layout.note("" if some else "No model passes these filters; take an earlier year, or more kinds.")
st.caption(
    f"{len(some)} of {len(models)} models. Ring: {name}, {ring.share:.1%}, {ring.reasons or 'by the rule'}. Solid, "
    f"circle: plain; dashed, diamond: gated; thin, hollow: {group} query heads per KV head. Dotted: the rules."
)
st.markdown(
    f"Is GELU the default of recent decoders? Those here since {counts.RECENT}: "
    f"{counts.activation_counts(counts.select_models(models, counts.RECENT))}. Is the FFN two thirds of a block? To "
    f"within a point in {sum(c.holds_two_thirds for c in some)} of the {len(some)} shown. Not in these, nor in T5:"
)
st.table(width.cases_frame(some, some_t5), hide_index=True, height=300)

layout.close_page(
    asked="Why four times? And why does a gated FFN need three matrices?",
    answer="Four is a convention, not a law. The first transformer had 512 and 2,048 (Vaswani et al. 2017), and most "
    "kept the ratio: more slots, but each costs $2 d_\\text{model}$ weights. At a fixed number of weights the loss "
    "depends little on the ratio, over a wide range (Kaplan et al. 2020). A gated FFN sends the token through two "
    "matrices, multiplies the results entry by entry, and brings the product back with a third: hence 8/3 for 4.",
    d_model=d_model, ratio=ratio, gated=gated, group=block.group, length=T, multiple=multiple,
)  # fmt: skip
