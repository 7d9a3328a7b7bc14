"""What each exercise shows beside its questions: the numbers to work with, a picture, and the experiment itself."""

import streamlit as st

from ffn_core import equivariance, exercises, lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.charts import bars, matrix
from ffn_core.charts import exercises as charts
from ffn_core.closed_gates import CLOSED_BELOW, seed_that_allows
from ffn_core.gain import jacobian, open_gates, singular_values

from . import cache, controls, figures, layout, solved

SIZES = (lesson.T, lesson.D_MODEL, lesson.D_FF)
DIAL = -3.2  # half of the ReLU units are silent near it


def _to_copy(**arrays):
    """Arrays as text to work with elsewhere."""
    with st.expander("The numbers, to copy"):
        st.code(exercises.listing(**arrays), language="python", wrap_lines=True)


def collapse(seed):
    """Exercise 1: the four arrays, with the row and the column that the asked entry needs outlined."""
    w = exercises.biased_example(seed).weights
    row, column = exercises.asked_entry(exercises.collapse(w)[0])
    for place, name, values, line in zip(
        st.columns([2, 1]), ("W1", "W2"), (w.W1, w.W2), ({"row": row}, {"column": column}), strict=True
    ):
        with place:
            frames, _ = matrix.matrix_frames(values, **line)
            figures.show(
                matrix.matrix_chart, frames, key=f"ex_{name}", title=name, arguments=("row", "column"),
                alt=f"Heat map of {name}, with the line outlined that the asked entry needs",
            )  # fmt: skip
    st.caption(f"Outlined: row {row + 1} of W1, column {column + 1} of W2. Blue with a − is negative, orange positive.")
    _to_copy(W1=w.W1, b1=w.b1, W2=w.W2, b2=w.b2)


def dead_units(seed):
    """Exercise 2: the dial, the curves and the counts.

    Returns
    -------
    float
        The bias.
    """
    bias = controls.slider("bias of every unit, in standard deviations (sd)", "ex_bias", -7.0, 0.0, DIAL, 0.1)
    found = cache.dead_units(seed)
    figures.show(
        charts.dead_units_chart, charts.dead_units_frames(found, bias), key="ex_dead", title="Dead units by bias",
        alt="Share of dead units over the bias: lines expected, points counted, for ReLU and two readings of GELU",
    )  # fmt: skip
    st.caption(
        f"Lines: expected. Points: counted among {found.n_units} units. Dashed: the dial. The units of one block see "
        "the same inputs and live or die together, so the counts scatter more than those of single coins."
    )
    layout.metrics({f"{name}: expected, counted": f"{e:.1%}, {c:.1%}" for name, (e, c) in found.at(bias).items()})
    return bias


def symmetry(seed):
    """Exercise 3, run: five layers against a shuffle and against a changed token."""
    example = equivariance.draw_attention_example(seed, *SIZES, exercises.N_HEADS)
    order, token, layers = exercises.shuffle(seed), exercises.changed_token(seed), equivariance.LAYERS
    missed = {name: equivariance.shuffle_miss(name, example, lesson.SIGMA, order) for name in layers}
    moved = {name: equivariance.rows_moved(name, example, lesson.SIGMA, token, 1.0) for name in layers}
    st.markdown("**Shuffled before or after: the largest difference, as a share of the largest output**")
    layout.metrics({name: f"{miss:.2g}" for name, miss in missed.items()})
    st.caption("What is near 1e-16 is rounding: the same sums, taken in another order.")
    figures.show(
        charts.moved_chart, charts.moved_frames(moved, token), key="ex_moved", arguments=(layers,),
        title="How far each row moves when 1 is added to an entry of the changed token",
        alt="A cell for each layer and row of the output, filled where the row moves when one token changes",
    )  # fmt: skip
    st.caption(f"Outlined: token {token + 1}, which was changed. An empty cell does not move at all.")


def rank(seed):
    """Exercise 4: the weights, and seeds that allow more."""
    drawn = cache.example(seed, *SIZES)
    gains = lesson.SIGMA.gain(drawn.H[0] @ drawn.weights.W1)
    values = singular_values(jacobian(drawn.H[0], drawn.weights, lesson.SIGMA))
    st.markdown(f"Token 1 as it stands, with {lesson.SIGMA.name}:")
    singular = {f"singular value {k + 1}": f"{v:.6f}" for k, v in enumerate(values)}
    layout.metrics({"open gates": f"{open_gates(gains)} of {lesson.D_FF}", **singular})
    seeds = {count: seed_that_allows(count) for count in (exercises.AS_PRINTED, exercises.AS_PRINTED + 1)}
    ready = {f"Seed {there} allows {count}": {"seed": there} for count, there in seeds.items()}
    controls.presets("seeds of the bench", "_ex_seeds", ready, on_bench=True)
    _to_copy(W1=drawn.weights.W1, W2=drawn.weights.W2)


def given_row(exercise, seed):
    """Exercise 4, between its questions: the row that closes most gates, once the first question has an answer."""
    first = exercise.questions[0]
    if not solved.tried(first, seed) and solved.helped(first, seed) == "none":
        st.caption("The row for the next questions stands here when question 1 has an answer, or its hint is opened.")
        return
    found = cache.closed_row(seed)
    figures.show(
        bars.bars_chart, {"bars": bars.bars_frame(found.pre)}, key="ex_pre", title="Pre-activations of the given row",
        arguments=("slot", "before sigma", "symlog", 200, "~s"), alt="Bars: the 16 pre-activations of the given row",
    )  # fmt: skip
    row = ", ".join(exercises.shown(x, 3) for x in found.row)
    st.markdown(
        f"**The given row** is ({row}), which no other row beats. It is the shortest, to three decimals, with all its "
        f"closed gates below {exercises.shown(CLOSED_BELOW, 0)}: some of them are only just closed, and GELU leaks "
        "there."
    )
    st.code(f"row = np.array({found.row.tolist()})", language="python", wrap_lines=True)


def surviving(seed):
    """Exercise 4, run: the singular values at the given row."""
    figures.show(
        charts.surviving_chart, charts.surviving_frames(cache.closed_row(seed)), key="ex_values",
        title="Singular values of J at the given row",
        alt="Singular values of J at the given row, on a log axis, for GELU and ReLU, with a line at 0.001",
    )  # fmt: skip
    st.caption("Dotted: 0.001. What is below a millionth is drawn at the lower edge.")


def run(exercise, seed):
    """The control that runs the experiment, under the questions; noted in the record for what is not solved yet."""
    if exercise.key not in RUNS:
        return
    if controls.toggle("run it (predict first)", "ex_run"):
        for question in exercise.questions:
            solved.note_help(question, seed, "experiment")
        RUNS[exercise.key](seed)


RUNS = {"symmetry": symmetry, "rank": surviving}


def silu():
    """Exercise 5: two gain curves to read."""
    drawn = (ACTIVATIONS["SiLU"], lesson.SIGMA)
    figures.show(
        charts.gains_chart, charts.gains_frames(drawn), key="ex_gains", title="The gains of SiLU and GELU",
        arguments=(tuple(a.name for a in drawn),), alt="The gains of SiLU and of GELU over the pre-activation x",
    )  # fmt: skip
    st.caption("Hold the pointer over the curve: it reads both gains at the nearest x, in steps of 0.05.")
