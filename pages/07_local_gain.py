"""Local gain: the Jacobian at each token, its singular values, and how far it predicts a real perturbation."""

from ffn_ui.routing import require_router

require_router()

import numpy as np
import streamlit as st
from numpy.linalg import norm

from ffn_core.charts import gain, matrix, memory
from ffn_core.gain import DIRECTIONS, actual_change, open_gates, prediction_error
from ffn_ui import bench, cache, controls, figures, layout

layout.open_page(
    "Change a token a little, and the output changes by $dx\\,J$. The weights are the same for every token; the gates "
    "$\\sigma'$ are not. So the same block amplifies one token and quiets another, and each direction differently.",
    r"\begin{aligned} J(x) &= W_1\,\mathrm{diag}\big(\sigma'(x W_1 + b_1)\big)\,W_2 \\ "
    r"\mathrm{FFN}(x + dx) &\approx \mathrm{FFN}(x) + dx\,J(x) \end{aligned}",
)
b = bench.current()
weights, x, setting = b.example.weights, b.example.H[b.token], (b.seed, b.T, b.d_model, b.d_ff, b.sigma.name)
local = cache.local_gains(*setting)

st.header("Which gates are open")
frames, view = matrix.matrix_frames(local.gates, row=b.token, column=b.slot)
figures.show(
    matrix.matrix_chart, frames, key="local_gates", title="The gain of each slot", arguments=("token", "slot"),
    alt="Heat map of the gain of each slot at each token, the chosen token and slot outlined",
)  # fmt: skip
st.caption(f"Token {b.token + 1} and slot {b.slot + 1} are outlined. {view.caption('token', 'slot').capitalize()}")

st.header("The gain in each direction")
figures.show(
    gain.values_chart, {"singular": gain.values_frame(local, b.token)}, key="local_values",
    title="Singular values of J, token by token", numbers=gain.values_table(local, b.token),
    alt="Points on a log axis: the singular values of the Jacobian at each token, the chosen token marked",
)  # fmt: skip
st.caption(f"Token {b.token + 1} is pink, and larger. A triangle at the lower edge: a value below a millionth, or 0.")
st.table(gain.values_table(local, b.token, gain.TABLE_VALUES), hide_index=True)
layout.note(gain.values_text(local))
layout.metrics({
    f"open gates of token {b.token + 1}": f"{open_gates(local.gates[b.token])} of {b.d_ff}",
    "singular values above 0": f"{np.sum(local.values[b.token] > 0)} of {b.d_model}",
    "spread of the largest": gain.spread_text(local.values[:, 0]),
    "spread of the smallest": gain.spread_text(local.values[:, -1]),
})  # fmt: skip
st.markdown(
    "A gate is open above a gain of ½; a spread is the largest over the smallest among the tokens. A gate with gain 0 "
    "takes its slot out of $J$: with ReLU, no more singular values are above 0 than gates are open. Texts with column "
    "vectors transpose $J$, which leaves its singular values as they are."
)

st.header("Where local ends")
with st.container(horizontal=True):
    kind = controls.choice("direction", "local_along", DIRECTIONS, "principal")
    number = controls.number("which of them: 1st, 2nd, …", "local_number", 1, b.d_model, 1, help=gain.DIRECTION_HELP)
    power = controls.slider("size, as a power of ten", "local_size", -4.0, 1.0, 0.0, 0.1)
size, probe = 10.0**power, cache.probe(*setting, b.token, kind, number - 1)
predicted, actual = size * probe.slope, actual_change(x, probe.along, size, weights, b.sigma)
error, tenth = prediction_error(x, probe.along, np.array([size, size / 10]), probe.slope, weights, b.sigma)
J, view = matrix.matrix_frames(probe.J, row=number - 1 if kind == "channel" else None, columns=16)
changes = memory.pair_frames(predicted=predicted, actual=actual)
shown = (
    ("Change of out, by channel", "local_change", memory.pair_chart, changes, ("predicted", "actual")),
    ("The Jacobian J of the chosen token", "local_J", matrix.matrix_chart, J, ("channel in", "channel out")),
)
for place, (title, at, chart, frames, arguments) in zip(st.columns(2), shown, strict=True):
    with place:
        figures.show(chart, frames, key=at, title=title, alt=title, arguments=arguments)
layout.note(view.caption("input", "output").capitalize())
figures.show(
    gain.error_chart, gain.error_frames(probe, size, error), key="local_error", title="Error of the prediction",
    alt="Curve: relative error of the prediction against the size of the change, log axes, the chosen size marked",
)  # fmt: skip
st.caption(gain.error_caption(probe))
layout.metrics({
    "size": f"{size:.3g}", "predicted": f"{norm(predicted):.4g}", "actual": f"{norm(actual):.4g}",
    "relative error": gain.error_text(error), "at a tenth of the size": gain.error_text(tenth),
    "10% is passed at": gain.reach_text(probe.reach),
})  # fmt: skip

layout.close_page(
    asked="Set sigma to ReLU on the bench. Up to some size the error is only rounding, then it jumps. What happens?",
    answer="A pre-activation crosses zero and its gate flips. Between flips a ReLU block is exactly linear, so $J$ is "
    "no approximation at all. GELU bends everywhere: its error is there from the start, in proportion to the size.",
    kind=kind, number=number, size=size,
)  # fmt: skip
