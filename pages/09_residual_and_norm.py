"""Residual and norm: the wires around every part, a signal and a small change along depth, two norms, and dropout."""

from ffn_ui.routing import require_router

require_router()

from contextlib import nullcontext

import streamlit as st

from ffn_core import stack
from ffn_core.block import dropout_passes
from ffn_core.charts import depth as charts
from ffn_core.rng import LessonStream
from ffn_ui import bench, cache, controls, figures, layout, wiring

layout.open_page(
    "Every part of a block is wired to a stream of tokens. A *residual path* leads the stream around the part, which "
    "then only adds to it; a *norm* brings each token to size 1 before the part reads it.",
    r"\begin{aligned}h &= x + \mathrm{Attn}(\mathrm{Norm}(x))\\ y &= h + \mathrm{FFN}(\mathrm{Norm}(h))\end{aligned}",
)
b = bench.current()

st.header("The wires")
setting, right = wiring.stack_controls("block")
with right:
    figures.show(
        charts.wires_chart, charts.wires_frames(setting, b.sigma.name), key="block_wires", title="One block",
        alt="Signal-flow graph of one block as it is wired now, from x at the top to y at the bottom",
    )  # fmt: skip

st.header("Along depth")
found, plain = (cache.along_depth(b.seed, b.T, s, b.sigma.name, b.token) for s in (setting, setting.plain))
places = [*st.columns(2), nullcontext()]
for place, (title, chart, arguments, frames) in zip(places, charts.panels(found, plain, setting), strict=True):
    with place:
        alt = f"{title}: lines over the number of blocks passed"
        figures.show(chart, frames, key=f"block_{title}", title=title, arguments=arguments, alt=alt)
st.caption(
    f"Token {b.token + 1} is changed a little at the start; {stack.passing(b.token, b.T)} pass, in {setting.width} "
    "channels. The length is that of the change of all tokens, by the product of Jacobians. Dashed grey: the same "
    f"parts, bare and without residual path. What is below {charts.FLOOR:.0e} is drawn there."
)
wiring.warn_when_blown_up(found)
layout.metrics(charts.reading(found, setting, b.sigma))
st.markdown(
    "The mean gain of ReLU, GELU and SiLU is 1/2 for zero-mean Gaussians of any size; a part alone multiplies a change "
    "by *rms* gain times weights. The gradient passes the same factors in reverse order, and fares likewise."
)
st.markdown("\n".join(f"- **{name}**: {ready.shows}" for name, ready in stack.READY.items()))
if controls.toggle("run the ready-made settings, side by side", "block_compare"):
    st.dataframe(charts.ready_frame(cache.ready_stacks(b.seed, b.T, b.sigma.name, b.token)), hide_index=True)
    st.markdown(charts.READY_SAID)

st.header("LayerNorm against RMSNorm, on one row")
edit, eps = wiring.row_controls("block")
row = edit(b.example.H[b.token])
for place, (title, chart, arguments, frames) in zip(st.columns(3), charts.row_panels(row, eps), strict=True):
    with place:
        alt = f"{title}: the chosen token and the two norms"
        figures.show(chart, frames, key=f"block_{title}", title=title, arguments=arguments, alt=alt)
layout.metrics(charts.row_reading(row, eps))
layout.table(charts.edits_frame(row, eps))
st.markdown(
    "Both divide a row by its size, so a positive factor leaves no trace. LayerNorm takes the mean out before, so a "
    "shift leaves none either; RMSNorm keeps it. On a row of mean 0 they are the same. $\\varepsilon$ forbids 0 / 0; a "
    "row whose mean square is not large beside it leaves with less than size 1, and then a factor does leave a trace."
)

st.header("Dropout")
rate, n_passes = wiring.dropout_controls("block")
half = (b.example.H[b.token], b.example.weights, b.sigma)
passes, (still, *_) = (dropout_passes(*half, p, LessonStream(b.seed + 1), n_passes) for p in (rate, 0.0))
figures.show(
    charts.dropout_chart, charts.dropout_frames(passes, still), key="block_dropout", title="x + FFN(Norm(x))",
    alt="Entries of the chosen token after the FFN half of a block, a dot a pass, with evaluation mode as a tick",
)  # fmt: skip
layout.metrics(charts.dropout_reading(passes, still))
st.markdown(
    "With $p$ the dropout rate, in training an entry is either $x$ alone or $x$ plus $1/(1-p)$ of the FFN's, so the "
    "mean stays. Its spread is largest minus smallest; darker dots are several passes. Nothing was sampled from "
    "the model. In evaluation mode all passes are the same: switch to it before two runs are compared."
)

layout.close_page(
    asked="Pre-norm and post-norm have the same parts. Which leaves the residual path alone, and at what price?",
    answer="Pre-norm: its norms sit on the branches, so $I$ stands in every factor. The price is a stream that nothing "
    "brings back to size; models put one last norm before their output. Post-norm, as in the first transformer, has "
    "its norms on the path itself, and their Jacobians with them; deep ones need a warm-up (Xiong et al. 2020).",
    **setting.words, **vars(edit), eps=eps, rate=rate, n_passes=n_passes,
)  # fmt: skip
