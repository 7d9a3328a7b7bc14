"""Position: layers against a shuffle and a changed token, context that reaches the FFN, and RoPE turned by hand."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core.attention import repeated_scores
from ffn_core.charts import position as charts
from ffn_core.equivariance import LAYERS, ffn_moved, rows_moved, shuffle_miss
from ffn_ui import bench, cache, controls, figures, layout

layout.open_page(
    "The FFN treats every token alike, wherever it stands. Attention does too, until a mask or positions tell it the "
    "order. RoPE turns queries and keys by their position, so that their product knows only how far apart they are.",
    r"\langle R_m q,\; R_n k \rangle = \langle q,\; R_{n-m}\, k \rangle",
)
b = bench.current()

st.header("Shuffle the tokens, or change one")
with st.container(horizontal=True):
    order = controls.order("pos", b.T, b.seed)
    heads = controls.number("heads", "pos_heads", 1, 8, 2)
added = controls.slider("added to channel 1 of the chosen token", "pos_added", -3.0, 3.0, 1.0, 0.1)
drawn = cache.attention_example(b.seed, b.T, b.d_model, b.d_ff, heads)
misses = {name: shuffle_miss(name, drawn, b.sigma, order) for name in LAYERS}
moved = {name: rows_moved(name, drawn, b.sigma, b.token, added) for name in LAYERS}
shown = (
    ("Shuffle: how far f(P H) is from P f(H)", charts.miss_chart, charts.miss_frames(misses)),
    ("Change: how far each row of the output moves", charts.rows_chart, charts.rows_frames(moved, b.token)),
)
for title, chart, frames in shown:
    figures.show(chart, frames, key=f"pos_{title}", title=title, alt=f"{title}, a line a layer; the token outlined")
st.caption(f"Tokens in the order {controls.listing(i + 1 for i in order)}. {charts.miss_text(misses)}")
st.markdown(
    "**Does attention commute with a shuffle?** Exercise 3 says no, the second document yes, and both mean something "
    "true. Plain attention commutes, but never keeps *rows apart*: change one token and all move. A mask or positions "
    "take the first away as well; only the FFN has both."
)

st.header("How context reaches the FFN of a pre-norm block")
after = b.T - 1 - b.token  # tokens
later = controls.number("watch a token so much later", "pos_later", 1, max(1, after), 3, disabled=not after)
watched = b.token + later if after else None
moved = {f"attention {on}": ffn_moved(drawn, b.sigma, b.token, added, on == "on") for on in ("on", "off")}
figures.show(
    charts.rows_chart, charts.rows_frames(moved, b.token, watched), key="pos_context", title="How far FFN rows move",
    alt="Heat map, attention on and off, a column a token: how far the FFN's output moves when one token changes",
)  # fmt: skip
st.caption("Outlined: the token that changes, as set above; dashed: the one watched. Causal attention, RMSNorm.")
layout.metrics(charts.context_facts(moved, watched))
if not after:
    st.info(charts.LAST_TOKEN, icon="🔚")

st.header("RoPE: turn queries and keys")
with st.container(horizontal=True):
    d = int(controls.choice("width of a head", "pos_d", ("4", "8", "16", "32", "64", "128"), "128", menu=True))
    base = controls.number("base", "pos_base", 2, 10_000_000, 10_000)
    trained = controls.number("trained length", "pos_trained", 2, 10_000_000, 4096)
    longer = controls.number("a longer text", "pos_longer", 2, 10_000_000, 8192)
p = controls.slider("position", "pos_p", 0, 100, 3, 1)
scores, pairs = cache.offset_scores(b.seed, d, base), charts.pairs_frames(d, base, trained, longer)
same = repeated_scores(scores.query, scores.key, b.T, base)
shown = (
    ("Some pairs as hands of a clock", charts.clock_chart, charts.clock_frames(d, base, p)),
    ("Score if every token had the same q and k", charts.grid_chart, charts.grid_frames(same, b.token)),
    ("Score over the offset", charts.scores_chart, charts.scores_frames(cache.OFFSETS, scores)),
    ("Wavelengths and the trained length", charts.pairs_chart, pairs),
    ("Angles seen in training", charts.phases_chart, charts.phases_frames(d, base, trained, longer)),
)
left, right = st.columns(2)
for place, (title, chart, frames) in zip((left, left, left, right, right), shown, strict=True):
    with place:
        figures.show(chart, frames, key=f"pos_{title}", title=title, alt=f"RoPE: {title}")
right.markdown(
    "Each pair is a hand that moves by its own angle a position, the outermost fastest. Lengths stay. The score knows "
    "only the offset, so the grid is constant along its diagonals.\n\nWith many hands, a query that looks for its like "
    "scores highest nearby; unrelated tokens score no less for being far.\n\nA hand that never turns once in training "
    "meets new angles (hollow) in a longer text: RoPE does not extrapolate by itself. Dashed: trained; dotted: longer."
)
layout.metrics(charts.rotation_facts(scores.query, p, base, same) | charts.pairs_facts(pairs["pairs"]))

layout.close_page(
    asked="The FFN looks at one row at a time. By what way do the other tokens of a text reach what it puts out?",
    answer="By the row it reads: attention wrote something of the earlier tokens into it. With attention off, a later "
    "output does not move at all, however much an earlier token changes. The two take turns, block after block.",
    order=[i + 1 for i in order], heads=heads, added=added, d=d, base=base, trained=trained, p=p, later=later,
)  # fmt: skip
