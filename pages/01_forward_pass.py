"""Position-wise FFN: shapes and values on the way through, a shuffle of the rows, and one changed entry."""

from ffn_ui.routing import require_router

require_router()

import numpy as np
import streamlit as st

from ffn_core.charts import bars, matrix
from ffn_core.ffn import forward, rounding_bound
from ffn_ui import bench, controls, figures, layout

layout.open_page(
    "Every token is a row of $H$. The block widens the row to $d_\\text{ff}$ numbers, bends each of them with "
    "$\\sigma$, and brings the result back to $d_\\text{model}$ numbers, with the same weights for every row.",
    r"\mathrm{FFN}(x) = \sigma(x W_1 + b_1)\,W_2 + b_2",
)
b = bench.current()
trace, weights = b.trace, b.example.weights
T, d_model, d_ff = trace.H.shape[0], weights.d_model, weights.d_ff

st.header("On the way through")
layout.metrics({
    "$H$": f"{T} × {d_model}",
    "pre $= HW_1 + b_1$": f"{T} × {d_ff}",
    r"post $= \sigma(\mathrm{pre})$": f"{T} × {d_ff}",
    r"out $= \mathrm{post}\,W_2 + b_2$": f"{T} × {d_model}",
})  # fmt: skip
stages = (
    ("H, the tokens", "H", trace.H, "channel", None),
    ("pre, before sigma", "pre", trace.pre, "slot", b.slot),
    ("post, after sigma", "post", trace.post, "slot", b.slot),
    ("out, the result", "out", trace.out, "channel", None),
)
places = [*st.columns([1, 2]), *st.columns([2, 1])]
for place, (title, name, values, column, slot) in zip(places, stages, strict=True):
    with place:
        frames, view = matrix.matrix_frames(values, row=b.token, column=slot)
        figures.show(
            matrix.matrix_chart, frames, key=f"fwd_{name}", title=title, arguments=("token", column),
            alt=f"Heat map of {name}, one row a token, the chosen token and slot outlined",
        )  # fmt: skip
        layout.note(view.caption("token", column))
st.caption(f"Token {b.token + 1} and slot {b.slot + 1} are outlined; blue with a − is negative, orange positive.")

st.header("Shuffle the rows")
order = controls.order("fwd", T, b.seed)
shuffled = forward(trace.H[order], weights, b.sigma).out
st.markdown("Tokens in the order " + controls.listing(i + 1 for i in order) + ".")
layout.metrics({
    "largest difference": f"{np.max(np.abs(shuffled - trace.out[order])):.2g}",
    "rounding alone may reach": f"{rounding_bound(trace, weights):.1e}",
})  # fmt: skip
st.markdown(
    "Shuffling first and then applying the block gives the rows of the output in the shuffled order. The lesson prints "
    "0; a processor may add the same numbers in another order, so up to the bound is rounding, not mixing."
)

st.header("Change one entry")
with st.container(horizontal=True):
    channel = controls.number("channel", "fwd_channel", 1, d_model, 1)
    added = controls.slider("added to that entry", "fwd_added", -3.0, 3.0, 1.0, 0.1)
changed = trace.H.copy()
changed[b.token, channel - 1] += added
moved = np.max(np.abs(forward(changed, weights, b.sigma).out - trace.out), axis=1)
figures.show(
    bars.bars_chart, {"bars": bars.bars_frame(moved, b.token)}, key="fwd_moved", title="How far each row of out moves",
    arguments=("token", "largest change"), alt="Bars: the largest change of each row of the output, one bar a token",
)  # fmt: skip
layout.metrics({
    f"row {b.token + 1} moves by": f"{moved[b.token]:.4f}",
    "all other rows move by": f"{np.max(np.delete(moved, b.token), initial=0.0):.4g}",
})  # fmt: skip

layout.close_page(
    asked="If the block never mixes tokens, how can its output for a word depend on the words before it?",
    answer="Through its input. Attention has already mixed the context into each row of $H$; the block then transforms "
    "every row by itself, and the next attention layer mixes the results again.",
    order=[i + 1 for i in order], channel=channel, added=added,
)  # fmt: skip
