"""The lesson's five exercises: numbers of one's own seed, answers checked at once, and a record of what was solved."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core.exercises import NAMES
from ffn_ui import bench, cache, controls, experiments, layout, questions, solved

layout.open_page(
    "Five exercises, at the lesson's own sizes (5 tokens, 4 channels, 16 hidden units). Their numbers come from the "
    "seed on the bench: a neighbour with another seed has others. Type an answer as you like, 0.5 or 0,5 or 1/2 or "
    "5e-1 or 50 %, and press Enter. It is checked at once, and the usual slips are named."
)
seed = bench.current().seed
number = controls.choice("exercise", "ex_number", range(1, len(NAMES) + 1), 1, captions=NAMES)
exercise = cache.exercise(number, seed)
title = f"{number}. {exercise.title}"
bias = experiments.DIAL

st.header(title)
st.markdown(exercise.intro)
match number:
    case 1:
        experiments.collapse(seed)
    case 2:
        bias = experiments.dead_units(seed)
    case 4:
        experiments.rank(seed)
    case 5:
        experiments.silu()

for k, question in enumerate(exercise.questions, start=1):
    questions.ask(question, title, seed, k)
    if number == 4 and k == 1:
        experiments.given_row(exercise, seed)
experiments.run(exercise, seed)
questions.worked_solution(exercise, seed, bias=bias)
done = solved.record()

st.header("Solved so far")
here = sum(solved.is_solved(q, seed) for q in exercise.questions)
layout.metrics({
    "this exercise, this seed": f"{here} of {len(exercise.questions)}",
    "in this session": f"{len(done)}",
})  # fmt: skip
solved.offer(done)

layout.close_page(
    asked="Two of the five exercises cannot be done as the lesson prints them. Which, and why?",
    answer="Dead units and the rank of the gain. With zero bias a unit is silent on 1,000 inputs once in about "
    "$10^{301}$ tries, so there is nothing to count. And no row drives 14 of the 16 pre-activations of the lesson's "
    "own weights negative, however long it is; 13 is the most. Both are found by asking first what to expect.",
    bias=bias,
)
