"""Overview: the block as a graph, its names, what to learn where, what to take home, and what is reproduced."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core.charts import flow
from ffn_core.reference import results
from ffn_ui import bench, figures, guide, layout, site

layout.open_page(
    "A transformer block has two parts. Attention moves information between the tokens. The feed-forward network then "
    "works on every token by itself: it makes the row wider, bends each number, and makes it narrow again. This is a "
    "bench to take that second part apart, number by number.",
    r"\mathrm{FFN}(x) = \sigma(x W_1 + b_1)\,W_2 + b_2",
)
b = bench.current()
found = results()
left, right = st.columns(2)
with left:
    figures.show(
        flow.flow_chart, flow.ffn_frames(b.T, b.d_model, b.d_ff, b.sigma.name), key="over_flow",
        title="The way of the tokens through the block", arguments=(7, flow.FFN_KINDS),
        alt="Signal-flow graph from top to bottom: H, times W1, plus b1, sigma, times W2, plus b2, out, with shapes",
    )  # fmt: skip
with right:
    st.markdown(
        "**FFN** is *feed-forward network*: signals go forward only, without a loop. **MLP** is *multi-layer "
        "perceptron*, the older name for layers of units with an activation between them. In a transformer both names "
        "mean this block.\n\n"
        "**Position-wise**: the same weights for every position, each row by itself.\n\n"
        f"**σ sits between the two matrices**, and nowhere else. It takes one number at a time: here is the one of "
        f"token {b.token + 1} at slot {b.slot + 1}."
    )
    layout.metrics({
        "before $\\sigma$": f"{b.trace.pre[b.token, b.slot]:z.4f}",
        "after $\\sigma$": f"{b.trace.post[b.token, b.slot]:z.4f}",
        "gain there": f"{b.sigma.gain(b.trace.pre[b.token, b.slot]):z.4f}",
        "printed numbers reproduced": f"{sum(r.ok for r in found)} of {len(found)}",
    })  # fmt: skip
    layout.link_to(site.section("reference"), "Number by number, computed just now")

st.header("What you will be able to do")
guide.links(guide.OBJECTIVES)
st.markdown("And three ways to look at the same block:")
guide.links(guide.LENSES)

st.header("What to take home")
st.markdown("\n".join(f"- {text}" for text in guide.TAKEAWAYS))

st.header("What learners ask")
guide.links((slug, f"*{question}* {answer}") for slug, question, answer in guide.QUESTIONS)

st.header("How to use the bench")
st.markdown("\n".join(f"- {text}" for text in guide.HOW_TO))

layout.close_page(
    asked="Why is there no activation after $W_2$?",
    answer="The result is added to the row that came in. It has to be able to push every channel up or down, by any "
    "amount; ReLU there would allow only up. The next layer brings its own nonlinearity.",
)
