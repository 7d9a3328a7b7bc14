"""Distributions: many tokens before and after the activation, counted, with the curve theory expects."""

from ffn_ui.routing import require_router

require_router()

from contextlib import nullcontext

import streamlit as st

from ffn_core import lesson
from ffn_core.charts import histogram
from ffn_core.distributions import MOST_VALUES, gaussian_counts, tokens_within, with_scale_and_bias, without_zeros
from ffn_core.ffn import forward
from ffn_ui import bench, cache, controls, figures, layout

layout.open_page(
    "A pre-activation is a weighted sum of the token's entries. The tokens here are Gaussian, so each unit's values "
    "are too, as wide as its key is long. $\\sigma$ then moves every value: where its curve is flat, values pile up.",
    r"\begin{aligned}\mathrm{pre}_m &= x \cdot k_m + b \;\sim\; \mathcal{N}(b, \lVert k_m \rVert^2)\\"
    r"\mathrm{post}_m &= \sigma(\mathrm{pre}_m)\end{aligned}",
)
b = bench.current()

st.header("Before and after")
with st.container(horizontal=True):
    sizes, usual = (16, 64, 256, 1024, 4096, 16384, 65536), lesson.DISTRIBUTION_TOKENS
    asked = controls.choice("number of tokens", "dist_tokens", sizes, usual, menu=True)
    token_seed = controls.number("seed of the tokens", "dist_seed", 0, bench.LARGEST_SEED, lesson.DISTRIBUTION_SEED)
    bins = controls.choice("number of bins", "dist_bins", (20, 40, 80, 160), lesson.BINS, menu=True)
with st.container(horizontal=True):
    scale = controls.slider("weight scale: variance of W1 × d_model (2 is He)", "dist_scale", 0.5, 4.0, 2.0, 0.25)
    bias = controls.slider("bias b, the same for every unit", "dist_bias", -4.0, 4.0, 0.0, 0.1)
n_tokens = tokens_within(asked, b.d_ff)
layout.note(f"At most {MOST_VALUES:,} values are counted, so here {n_tokens:,} tokens." if n_tokens < asked else "")
found = cache.reshaping(
    b.seed, b.T, b.d_model, b.d_ff, b.sigma.name, token_seed, n_tokens, scale, bias, bins, place=st.empty()
)
own = forward(b.example.H[b.token], with_scale_and_bias(b.example.weights, scale, bias), b.sigma)
own_pre, own_post = own.pre[b.slot], own.post[b.slot]
gaussian = gaussian_counts(found.pre.edges, found.n_values, scale, bias)
zeros = {"zeros": histogram.zeros_frame(found.post_zero)}
post, near = (histogram.histogram_frames(without_zeros(c, found), own_post) | zeros for c in (found.post, found.near))
pre = histogram.histogram_frames(found.pre, own_pre, gaussian)
shown = (
    ("pre, before sigma", "dist_pre", histogram.pre_chart, pre),
    ("post, after sigma", "dist_post", histogram.post_chart, post),
    ("post, magnified about 0", "dist_near", histogram.near_chart, near),
)
for place, (title, key, chart, frames) in zip([*st.columns(2), nullcontext()], shown, strict=True):
    with place:
        figures.show(chart, frames, key=key, title=title, alt=f"Histogram of {title}; theory's line; the choice marked")
st.caption(
    f"{found.n_values:,} values ({n_tokens:,} tokens, d_ff {b.d_ff}). Dashed: token {b.token + 1} at slot "
    f"{b.slot + 1}, {own_pre:.4f} before and {own_post:.4f} after. Dotted: "
    f"±{lesson.NEAR_ZERO}.{histogram.arrow_text(found.post_zero)}"
)
layout.metrics({
    "fraction pre < 0": layout.digits(found.pre_negative),
    "min post": layout.digits(found.post_min),
    f"fraction |pre| < {lesson.NEAR_ZERO}": layout.digits(found.pre_near_zero),
    f"fraction |post| < {lesson.NEAR_ZERO}": layout.digits(found.post_near_zero),
})  # fmt: skip

st.header("Counted against theory")
layout.table(histogram.statistics_frame(found))
st.markdown(
    "- As the tokens are Gaussian, theory is exact up to numerical integration (rougher where a gain has no limit): a "
    "mixture of Gaussians, bent by $\\sigma$. Four times the tokens come about twice as near. In a wider "
    "$d_\\text{model}$ the keys are more alike in length, and the mixture nears one $\\mathcal{N}(b, \\text{scale})$.\n"
    "- ReLU puts every negative value at exactly 0 (GELU only where its tanh form rounds to it, far to the left). GELU "
    "squeezes them into a narrow band and piles them up at its lower end, the least post; the lesson says −0.17.\n"
    "- The mean of post is not 0: like any rectifier, $\\sigma$ makes a constant part out of noise. For GELU and a "
    "Gaussian of variance 1 it is $1/(2\\sqrt{\\pi})$.\n"
    "- With bias 0 the mean gain is exactly 1/2 in theory, since $\\sigma'(x) + \\sigma'(-x) = 1$ for ReLU, GELU and "
    "SiLU. How much a perturbation grows is another matter: there the rms gain and the weight scale count."
)

layout.close_page(
    asked="Here half of the values are negative and the mean gain is 1/2. Is it so in a trained model?",
    answer="No, training moves the values to the left. In all-MiniLM-L6-v2, over 1,398 tokens, 68–81 % of the "
    "pre-activations are negative and the mean gain is 0.17–0.32, layer by layer; set the bias to about −0.7 to see "
    "both here. With ReLU it goes further: only about 3 % of the values are not 0 in T5-Base (Li et al. 2023, *The "
    "Lazy Neuron Phenomenon*) and in OPT-6.7B (Alizadeh et al. 2023, *LLM in a flash*).",
    tokens=n_tokens, token_seed=token_seed, bins=bins, scale=scale, bias=bias,
)  # fmt: skip
