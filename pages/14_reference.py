"""Reference: every number the lesson prints beside ours, where its text needs care, and the random numbers."""

from ffn_ui.routing import require_router

require_router()

import streamlit as st

from ffn_core.care import NOTES, markdown_table
from ffn_core.charts import reference as charts
from ffn_core.reference import results
from ffn_ui import bench, controls, figures, layout, site

layout.open_page(
    "Every number that the lesson prints is computed again here, by the code that all pages use, and compared with the "
    "printed digits. The tolerance is half a unit of the last printed digit, or more where a reason is given.",
    r"|\,\text{ours} - \text{the lesson's}\,| \le \text{tolerance}",
)
found = results()
agree = sum(r.ok for r in found)
layout.metrics({
    "printed numbers reproduced": f"{agree} of {len(found)}",
    "without any difference": f"{sum(r.difference == 0 for r in found)}",
    "largest difference, over its tolerance": f"{max(r.difference / r.tolerance for r in found):.2f}",
})  # fmt: skip
if agree < len(found):
    st.error("Not every number agrees: see the rows with a cross. Another processor or version may be the cause.")
st.markdown("The same table is a command. It ends with exit code 1 when a row fails, and it is one of the tests.")
st.code("python -m ffn_core", language="bash")

st.header("Number by number")
parts = list(dict.fromkeys(r.printed.section for r in found))
part = controls.choice("part of the lesson", "ref_part", ["all", *parts], "all", menu=True)
with st.container(horizontal=True):
    for name in parts if part == "all" else [part]:
        layout.link_to(site.for_lesson(name))
chosen = tuple(r for r in found if part in ("all", r.printed.section))
rows = charts.results_frame(chosen).assign(page=[site.for_lesson(r.printed.section).title for r in chosen])
widths = {"quantity": 135, "lesson": 155, "ours": 300, "agrees": 60, "difference": 80, "tolerance": 80} | {
    "reason": 380, "section": 120, "page": 150
}  # fmt: skip
st.dataframe(
    rows, hide_index=True, height="content", row_height=68, key="ref_table", column_order=list(widths),
    column_config={name: st.column_config.TextColumn(width=width) for name, width in widths.items()},
)  # fmt: skip
st.caption("Further to the right: the reason for the tolerance, the part of the lesson, and the page that shows it.")
figures.show(
    charts.shares_chart, {"shares": charts.shares_frame(found, part), "limit": charts.LIMIT}, key="ref_shares",
    title="How close each number comes to its tolerance", numbers=charts.results_frame(found),
    alt="One dot a printed number, placed by its difference as a share of its tolerance, beside the limit",
)  # fmt: skip
st.caption(
    "Left of the dashed line a number agrees. At the left edge: no difference at all. Numbers that are rounding noise "
    "are held below a bound, since another processor may add in another order. The chosen part is marked."
)

st.header("Where the lesson needs care")
st.markdown(
    "A lesson has to be short, and what it prints holds. In a few places its words say a little more than what is so. "
    "Here is the fine print, computed now, by the page where you can see it."
)
for there in dict.fromkeys(site.for_lesson(note.section) for note in NOTES):
    layout.link_to(there)
    st.markdown(markdown_table(note for note in NOTES if site.for_lesson(note.section) is there))

st.header("The same random numbers everywhere")
b = bench.current()
st.markdown(
    "The lesson's `seed(n)` and `randn(m, n)` are three public algorithms in a row. They are replayed here draw for "
    f"draw, so a link shows the same numbers on every machine. For seed {b.seed}:"
)
st.table(charts.stream_frame(b.seed), hide_index=True)

layout.close_page(
    asked="Why is the printed 0 of the shuffle test held below a bound, and not compared digit by digit?",
    answer="In floating point, adding the same numbers in another order can give another last digit. The lesson's "
    "machine happened to add every row alike. On another one some $10^{-16}$ would be just as right, so only the size "
    "counts.",
    part=part,
)  # fmt: skip
