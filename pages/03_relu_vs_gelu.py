"""ReLU vs GELU: curves, gains and distances side by side, one operating point, and a gain taken from two points."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core import lesson
from ffn_core.charts import curves as charts
from ffn_core.counts import model_configs
from ffn_core.curves import best_step, difference_error, differences, nearest, readings
from ffn_ui import bench, controls, figures, layout

layout.open_page(
    "An activation bends every pre-activation $x$ by itself. Its slope there, the gain $\\sigma'(x)$, is what a small "
    "change of $x$ is multiplied by on its way through the block, and the training signal on its way back.",
    r"\delta y \approx \sigma'(x)\,\delta x",
)
b = bench.current()
sigma, value = b.sigma, float(b.trace.pre[b.token, b.slot])
usual = ("ReLU", "GELU", "GELU-exact")
drawn = controls.activations("curves (sigma is always drawn)", "gelu_curves", usual, always=sigma)

st.header("Curves and gains")
own = controls.toggle("x is the value of the chosen token and slot", "gelu_own")
x = controls.slider("operating point x", "gelu_x", -4.0, 4.0, -0.5, 0.01, disabled=own)
x = value if own else x
figures.beside(*charts.panels(drawn, sigma, x, value))
st.caption(
    f"On {sigma.name}: the circle is the operating point with its tangent; the diamond is token {b.token + 1}, slot "
    f"{b.slot + 1}: x = {value:z.4f}, gain {sigma.gain(value):z.4f}. A triangle at the edge means: beyond the axis."
)
layout.metrics({f"gain of {a.name} at x": f"{a.gain(x):.6g}" for a in drawn})
st.markdown("  \n".join(f"{a.name}: $\\sigma(x) = {a.formula}$" for a in drawn))

st.header("A gain from two points")
h = 10.0 ** controls.slider("exponent of the step h (1e-12 to 1e-1)", "gelu_h", -12.0, -1.0, -4.0, 0.25)
zero, best = nearest(lesson.derivative_grid(), 0.0), best_step(sigma, x)
farthest = f"{difference_error(sigma, lesson.derivative_grid(), h).max():.1e}"
found = {label: layout.digits(gain) for label, gain in differences(sigma, h).items()}
layout.metrics({**found, "farthest from the closed form": farthest})
st.markdown(
    f"Each is $(\\sigma(x+h) - \\sigma(x-h))\\,/\\,2h$ with h = {h:.2g}, on the lesson's grid: −3, then 0.05 added "
    f"again and again. Each sum rounds: the point called 0 is {zero:.1e}, and the lesson's GELU′(0) is not quite 0.5."
)
figures.show(
    charts.error_chart, {"errors": charts.error_frame(sigma, x), "step": charts.step_frame(sigma, x, h)},
    key="gelu_error", title="Error of the difference at the operating point, by step",
    alt="Error of the central difference against the step h, its two causes, and the chosen step",
)  # fmt: skip
meet = f" The two meet near h = {best:.0e}; 1e-4 stays on the smooth side, with digits to spare." if best else ""
st.caption(
    f"{sigma.name} at x = {x:.4g}, h = {h:.2g}: error {difference_error(sigma, x, h):.1e}. A long step misses the bend "
    f"of the curve, h² |f‴| / 6; a short one divides a rounding, ε |f| / h.{meet} Within h of a kink the difference "
    "mixes both sides. Errors below 1e-18 are drawn at the edge."
)

st.header("Reading the gain")
layout.metrics({label: layout.digits(gain) for label, gain in readings(sigma).items()})
layout.table(charts.landmarks_frame(drawn))
st.markdown(
    "A gain of 1 is a wire, a gain of 0 an open switch. Left of zero ReLU's gain is exactly 0. GELU's is not, but it "
    "is not positive everywhere either: left of its own zero, a larger pre-activation gives a smaller output."
)

st.header("Which GELU, and does it matter?")
figures.beside(*charts.distance_panels(drawn, sigma, value))
st.caption(
    f"The diamond on the lower edge is where token {b.token + 1} arrives at slot {b.slot + 1}, or beyond the axis."
)
for table in (charts.comparison_frame(sigma, drawn), charts.dead_frame(drawn)):
    layout.table(table)
used = [c.activation for c in model_configs()]
st.markdown(
    f"Of {len(used)} published models, {sum(u.startswith('gelu_tanh') for u in used)} use the tanh form, as GPT-2 and "
    f"the lesson do, and {used.count('gelu_exact')} the exact one, as BERT does. In a trained model (all-MiniLM-L6-v2) "
    "exchanging the two keeps a cosine (1: same direction) of 0.999999 with a text's old embedding, ReLU for GELU only "
    "0.50: take what the model was trained with. A GELU unit can die: far left, tanh form and gain are exactly 0."
)

layout.close_page(
    asked="A unit sits at −0.5 for every token. ReLU teaches it nothing, GELU a little. Does that make GELU better?",
    answer="The unit gets 0.13 of the signal that arrives; at −0.75 it would get none, and further left a signal of "
    "the other sign. Whether it helps is a matter of experiment: at equal size and after long training, Shazeer (2020) "
    "measured a log-perplexity of 1.677 with ReLU and 1.679 with GELU; lower is better.",
    curves=[a.name for a in drawn], x=x, h=h,
)  # fmt: skip
