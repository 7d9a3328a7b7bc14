"""Keyed memory: which slots fire for the chosen token, the gain at each, and the ledger of what each one adds."""

from ffn_ui.routing import require_router

require_router()

import numpy as np
import streamlit as st

from ffn_core import lesson
from ffn_core.charts import gain, matrix, memory
from ffn_core.ffn import rounding_bound, slot_terms
from ffn_core.memory import error_left, kept_slots, ledger, slot_sum_error
from ffn_ui import bench, controls, figures, layout

layout.open_page(
    "Read slot by slot, the block is a memory. Column $m$ of $W_1$ is a key $k_m$, and its dot product with the token "
    "is how well they match. $\\sigma$ gates it, and that much of the value $v_m$, row $m$ of $W_2$, is added.",
    r"\mathrm{FFN}(x) = \sum_{m=1}^{d_\text{ff}} \sigma(x \cdot k_m + b_{1,m})\,v_m + b_2",
)
b = bench.current()
trace, weights, token, slot = b.trace, b.example.weights, b.token, b.slot
x, pre, post, key = trace.H[token], trace.pre[token], trace.post[token], weights.W1[:, slot]
terms, book = slot_terms(trace, weights, token), ledger(trace, weights, token)

st.header("Which slots fire")
frames, view = matrix.matrix_frames(trace.post, row=token, column=slot)
figures.show(
    matrix.matrix_chart, frames, key="mem_post", title="post, after sigma", arguments=("token", "slot"),
    alt="Heat map of post: which slots fire for which token, the chosen token and slot outlined",
)  # fmt: skip
st.caption(f"Token {token + 1} and slot {slot + 1} are outlined. {view.caption('token', 'slot').capitalize()}")
layout.metrics({
    f"slots with output > {lesson.FIRED}": f"{np.sum(trace.post > lesson.FIRED)} of {trace.post.size}",
    f"token {token + 1} alone": f"{np.sum(post > lesson.FIRED)} of {b.d_ff}",
    "max |slot sum − out|": f"{slot_sum_error(trace, weights, token):.1e}",
    "rounding alone may reach": f"{rounding_bound(trace, weights):.1e}",
})  # fmt: skip
st.markdown(memory.rounding_text())

st.header("The gain at each slot")
figures.show(
    gain.gain_curve_chart, gain.gain_curve_frames(b.sigma, pre, slot), key="mem_gain", title="One point a slot",
    alt="Gain curve of sigma with the operating point of every slot on it, the chosen slot marked",
)  # fmt: skip
st.caption(f"{b.sigma.name} at token {token + 1}; the diamond is slot {slot + 1}. Gain 1 is a wire, 0 an open switch.")
layout.metrics(gain.facts_texts(b.sigma))
st.caption("The difference is taken on −3 to 3. At ReLU's kink there is no derivative to agree on.")

st.header("One slot, from key to value")
shown = (
    ("Token, key and their products, by channel", "mem_key", {"token": x, "key": key, "product": x * key}),
    ("The slot's value, and what it adds", "mem_value", {"value": weights.W2[slot], "added": terms[slot]}),
)
for place, (title, at, row) in zip(st.columns([3, 2]), shown, strict=True):
    with place:
        figures.show(memory.pair_chart, memory.pair_frames(**row), key=at, title=title, alt=title, arguments=tuple(row))
layout.metrics({
    "match: sum of products + $b_1$": f"{pre[slot]:z.4f}", r"after $\sigma$": f"{post[slot]:z.4f}",
    "length added": f"{np.linalg.norm(terms[slot]):.4f}", f"rank among {b.d_ff}": f"{book.rank(slot) + 1}",
})  # fmt: skip

st.header("The ledger")
keep = controls.number("keep the k largest", "mem_keep", 0, b.d_ff, 8, help="Step down and the smallest goes off next.")
without = controls.toggle("switch off the chosen slot too", "mem_without", help="Step through the slots on the bench.")
kept = kept_slots(book.order, keep, slot if without else None)
left = error_left(terms, kept)
rows = memory.ledger_frame(book, trace, token, kept, slot)
shown = (
    ("What each slot adds", "mem_ledger", memory.ledger_chart, {"ledger": memory.ledger_window(rows)}, rows),
    ("Error left with the k largest", "mem_left", memory.left_chart, memory.left_frames(book.left, kept, left), None),
)
for place, (title, at, chart, frames, numbers) in zip(st.columns(2), shown, strict=True):
    with place:
        figures.show(chart, frames, key=at, title=title, alt=f"{title}; the choice is marked", numbers=numbers)
st.caption(f"Off: {controls.listing(rows['slot'][rows['state'] == 'off']) or 'none'}. Triangle: slot {slot + 1}.")
layout.metrics(memory.ledger_facts(terms, pre, kept, slot))
st.markdown(
    "Through GELU a negative match still adds a little; through ReLU it is exactly off. One slot more can raise the "
    "error, because slots also cancel each other. And sparse is not free: in a trained model (all-MiniLM-L6-v2) the 16 "
    "largest of 1,536 slots leave an error of 18 % in layer 1, but of 58 % in layer 6."
)

layout.close_page(
    asked="Attention also takes dot products with keys. What is different here?",
    answer="Attention computes its keys and values from the context; a slot's are weights, the same for every text. "
    "And slots do not compete: there is no softmax, so any number of them may fire.",
    keep=keep, without=without,
)  # fmt: skip
