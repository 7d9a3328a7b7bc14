"""Information: a joint table, every way to merge its symbols, and what an activation merges."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core import information, lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import information as charts
from ffn_ui import bench, controls, figures, layout
from ffn_ui.joint import joint_table

layout.open_page(
    "The block is a fixed rule: the same row in, the same row out. It can rearrange what a row tells about the next "
    "token, or lose some of it, but it cannot add to it. Such bits are hard to measure on rows of real numbers, so try "
    "it on four symbols: $X$ stands for the row, $Y$ for what we want to know, $f$ for the block.",
    r"\begin{aligned} I(Y; f(X)) &\le I(Y; X) \\ &= H(X) + H(Y) - H(X, Y) \end{aligned}",
)
b = bench.current()

st.header("A joint table, and a map")
left, right = st.columns(2)
with left:
    joint = joint_table("info_p", lesson.JOINT, {"the lesson's table": lesson.JOINT, **information.TABLES})
merges = {information.merge_name(groups): groups for groups in information.partitions(4)}
with right:
    chosen = merges[controls.choice("symbols that the map merges", "info_merge", merges, "x1 | x2 x3 | x4", menu=True)]
    for when, groups in (("before", merges["x1 | x2 | x3 | x4"]), ("after", chosen)):
        figures.show(
            charts.mosaic_chart, charts.mosaic_frames(joint, groups, chosen), key=f"info_{when}",
            title=f"The table {when} the map",
            alt=f"Areas: the joint table {when} the map, a band a symbol, split at the share of each outcome",
        )  # fmt: skip
st.caption(
    "A band is as high as its symbol is likely; the number is the share of y = 1, the dashed line that share in all. "
    "Outlined is what the map merges. Bands that split in different places are what tells $Y$; a merge averages them."
)

st.header("All 15 ways to merge four symbols")
bits, injective = information.mutual_information(joint), information.injective_bits(joint)
after = information.mutual_information(information.merge(joint, chosen))
figures.show(
    charts.merges_chart, charts.merges_frames(joint, chosen), key="info_merges", title="Bits about Y after each merge",
    alt="One row a merge of the four symbols, placed by the bits about Y that are left, beside the ceiling I(Y; X)",
)  # fmt: skip
layout.metrics({
    "$I(Y; X)$, the ceiling": layout.digits(bits),
    f"least of {len(injective)} injective maps": layout.digits(injective.min()),
    "after the chosen merge": layout.digits(after),
    "lost by it": f"{max(0.0, bits - after):.4f}",
})  # fmt: skip
st.markdown(
    f"The upright line is the ceiling, and no row is beyond it. Four separate symbols stand for all {len(injective)} "
    "injective maps, which only rename and keep every bit, but for a rounding in the last digit. A merge loses bits, "
    "unless the symbols it joins have the same shares of $Y$: try *x2 and x3 alike*, or *one whole bit*."
)

st.header("What the activation merges")
st.markdown(
    "Let the symbols be numbers that arrive at one hidden unit. Those that $\\sigma$ sends to the same value are one "
    "symbol from then on. Steps stand for a coarse number format: two binary places after the point, steps of 0.25."
)
pre = [-2.0, -1.0, 1.0, 2.0]
with st.container(horizontal=True):
    for k in range(4):
        pre[k] = controls.slider(f"$x_{k + 1}$ arrives at", f"info_x{k + 1}", -10.0, 10.0, pre[k], 0.1)
step = controls.slider("output in steps of (0: exact)", "info_step", 0.0, 1.0, 0.0, 0.05)
figures.show(
    charts.levels_chart, charts.levels_frames(b.sigma, pre, step), key="info_levels", title="Where symbols come out",
    alt="The activation with the four symbols as points, a dashed line at each value: one line is one symbol",
)  # fmt: skip
for name in dict.fromkeys((b.sigma.name, "ReLU", "GELU")):
    groups, left_over = information.through_activation(joint, ACTIVATIONS[name], pre, step)
    st.markdown(f"{name} leaves **{information.merge_name(groups)}**, which is **{left_over:.4f} bits**.")
st.markdown(
    "ReLU sends every negative number to 0. GELU keeps most apart, but it is not injective either: it dips below zero "
    "and comes back, so pairs of numbers share a value, and far on the left all end at 0. That GELU still passes a "
    "training signal where ReLU is flat is about $\\sigma'$, a small change. Bits only ask what can be told apart."
)

layout.close_page(
    asked="If the block can only keep or lose information about the next token, what is it good for?",
    answer="It changes the form, not the amount. What reads the row next starts with a linear map, and that finds only "
    "what lies along a direction; the block turns what is in the row, but folded up, into directions. And it works "
    "beside a residual path that carries the row itself on.",
    joint=joint.tolist(), groups=[[i + 1 for i in group] for group in chosen], pre=pre, step=step,
)  # fmt: skip
