"""Why nonlinear: a block and a stack that collapse, what sigma adds to them, and a curve fitted live."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core import linear
from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import fitting as fit_charts
from ffn_core.charts import linear as charts
from ffn_core.fitting import TARGETS, WIDTHS, best_line_loss
from ffn_ui import bench, cache, controls, figures, layout

layout.open_page(
    "A matrix after a matrix is a matrix. With the identity for $\\sigma$ the two layers are one, and so is any number "
    "of blocks. With an activation the output can follow curves, and with more units it follows them more closely.",
    r"\begin{aligned}\sigma = \mathrm{id}:\quad \mathrm{FFN}(x) &= x\,W_1 W_2\\&\quad + (b_1 W_2 + b_2)\end{aligned}",
)
b = bench.current()
size = (b.seed, b.T, b.d_model, b.d_ff)

st.header("One block collapses")
biased = controls.toggle("random biases (the lesson's are zero)", "lin_biases")
one = linear.collapse_block(b.example.H, next(linear.blocks(*size, 1, biased=biased)))
figures.beside(charts.matrix_picture(one), charts.bias_picture(one))
layout.note(charts.matrix_part(one))
layout.metrics({
    "two layers hold": f"{one.before:,} numbers", "one layer holds": f"{one.after:,} numbers",
    "largest difference": f"{one.error:.1e}", "and with b₁W₂ forgotten": f"{one.error_without_b1:.1e}",
})  # fmt: skip
st.markdown("Either way the tokens come out the same, up to rounding. With biases on, $b_1$ must not be forgotten.")

st.header("A stack collapses, and with sigma it does not")
with st.container(horizontal=True):
    n_blocks = controls.slider("blocks in the stack", "lin_blocks", 1, linear.MOST_BLOCKS, 6, 1)
    scale = controls.slider("weight variance × inputs (He: 2)", "lin_scale", 0.5, 2.0, 2.0, 0.25)
deep = cache.depth(*size, n_blocks, b.sigma.name, scale, biased, st.empty())
layout.metrics({
    "largest relative difference": f"{deep.errors[-1]:.1e}",
    "largest singular value": f"{deep.singular_values[-1, 0]:.3g}", "smallest / largest": f"{deep.spread:.1e}",
    "rank in float64": f"{deep.rank} of {b.d_model}",
})  # fmt: skip
figures.show(**charts.narrowing_picture(deep))
st.markdown(
    f"Without an activation {n_blocks} blocks are one matrix. Depth even takes something away: every block stretches "
    "some directions more than others, until the weakest are lost in rounding. The rank counts those that are left. A "
    "larger weight scale multiplies all singular values alike."
)
figures.beside(charts.left_over_picture(deep), charts.straight_picture(deep))
st.markdown(
    f"With {b.sigma.name} the best single matrix and bias miss {deep.left_over[0]:.1%} of what one block does and "
    f"{deep.left_over[-1]:.1%} of what {n_blocks} do (fitted to {linear.TOKENS // 2} tokens, tried on as many others). "
    "Small weights make GELU straighter, for it is almost straight near zero; ReLU has its kink at every scale."
)

st.header("Fit a curve")
with st.container(horizontal=True):
    target = controls.choice("target", "lin_target", TARGETS, "sine", menu=True)
    name = controls.choice("activation", "lin_sigma", ACTIVATIONS, "GELU", menu=True)
    width = int(controls.choice("units (d_ff)", "lin_width", map(str, WIDTHS), "16", menu=True))
sweep, place = controls.toggle("train every width", "lin_sweep"), st.empty()
line_loss = best_line_loss(target)
fits = {n: cache.fit(target, n, width, b.seed, place) for n in (name, "Identity")}
figures.beside(fit_charts.fit_picture(fits), fit_charts.loss_picture(fits, line_loss))
layout.metrics({**{f"loss with {n}": f"{fit.loss:.2g}" for n, fit in fits.items()}, "best line": f"{line_loss:.2g}"})
if sweep:
    losses = cache.fit_widths(target, tuple(fits), b.seed, place)
    figures.show(**fit_charts.width_picture(losses, WIDTHS, width, line_loss))
st.markdown(
    "Dotted, under the end of the Identity line: the best straight line. The identity gets there and no further. Any "
    "continuous curve can be approximated, with a width that grows with the accuracy asked for: no fixed width is "
    "universal. And training need not find the best fit that a width allows; try the target called step."
)

layout.close_page(
    asked="Why would leaving out the activation be a problem for a transformer of N layers, not only for one block?",
    answer="Every FFN would be one matrix, and with its residual path, $x + xW = x(I + W)$, still one. Between two "
    "attentions a token could only be mapped linearly, at the price of N blocks of parameters; all that still bends "
    "would be the norms and attention's softmax.",
    biased=biased, n_blocks=n_blocks, scale=scale, target=target, fit_sigma=name, width=width,
)  # fmt: skip
