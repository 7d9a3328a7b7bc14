"""The frame of a page: heading and idea at the top; a question, the numbers, the script and the neighbours below."""

import re

import streamlit as st

from ffn_core.charts import export
from ffn_core.check_yourself import check

from . import bench, classroom, figures, link, programs, questions, routing, site, view


def open_page(idea, equation=None):
    """Heading, question, the idea in two sentences, and the bench in one line.

    Parameters
    ----------
    idea : str
        Markdown.
    equation : str, optional
        LaTeX.
    """
    figures.start_page()
    here = site.section(view.current().page)
    head = [f"# {here.title}", f"*{here.question}*", idea, f"$$\n{equation}\n$$" if equation else ""]
    st.markdown("\n\n".join(filter(None, head)))  # in one piece: each element of its own is a message to every student
    settings = bench.current().settings
    used = ", ".join(f"{name} {value}" for name, value in settings.items() if name in here.uses)
    if used:
        st.caption(f"On the bench: {used}.")


def metrics(values):
    """A row of labelled numbers that wraps on a phone.

    Parameters
    ----------
    values : dict of str to str
        Label (LaTeX in dollars is fine) to the number as text.
    """
    with st.container(horizontal=True):
        for label, value in values.items():
            st.metric(label, value, border=True)


MARKUP = re.compile(r"[\\`*_{}\[\]<>()#+!|$~:]")


def table(frame):
    """A small table of text, as Markdown: it costs a tenth of `st.table`, which goes by way of Arrow and pandas.

    Parameters
    ----------
    frame : DataFrame
        Its index is left out; what is in its cells is text, not Markdown. At most four narrow columns: a wider table
        does not fit a phone, and Markdown has nothing to scroll it with.
    """
    rows = [frame.columns, ["---"] * len(frame.columns), *zip(*(frame[name] for name in frame.columns), strict=True)]
    cells = ((MARKUP.sub(r"\\\g<0>", str(cell)) for cell in row) for row in rows)
    st.markdown("\n".join(f"| {' | '.join(row)} |" for row in cells))


def digits(value):
    """A number with all its digits: the shortest text that reads back as the same number."""
    return f"{value:.0f}" if float(value).is_integer() else repr(float(value))


def note(text):
    """A small line of text, and no gap where there is nothing to say."""
    if text:
        st.caption(text)


def link_to(there, label=None):
    """A link to another section; plain text where a page runs on its own, outside the app.

    Parameters
    ----------
    there : Section
    label : str, optional
        The section's title unless said.
    """
    label, page = label or there.title, routing.page_of(there)
    if page:
        st.page_link(page, label=label, icon=there.icon)
    else:
        st.markdown(f"{there.icon} {label}")


def close_page(*, asked, answer, **settings):
    """A graded question and an open one, then the numbers as tables and CSV and the script that reproduces them.

    Parameters
    ----------
    asked, answer : str
        The open question, and what can be said to it; Markdown.
    **settings
        What the page's own controls are set to, written into the script beside the bench.
    """
    here = site.section(view.current().page)
    checked = _check_yourself(here)
    if not checked:
        st.divider()
    st.markdown(f"**{'And one' if checked else 'One'} to think about.** {asked}")
    with st.expander("Show the answer"):
        st.markdown(answer)
    numbers = st.expander("The numbers as tables and CSV, figures, and the script", key="numbers", on_change="rerun")
    if numbers.open:
        with numbers:
            _offer_numbers(here, {**bench.current().settings, **settings})


def _check_yourself(here):
    """The section's graded question, with the numbers of the bench's seed; False for a section without one."""
    seed = bench.current().seed
    question = check(here.slug, seed)
    if question is None:
        return False
    st.markdown(f"## Check yourself\n\nWith numbers of your own seed, {seed}; another seed has others.")
    st.fragment(questions.ask)(question, here.title, seed, prefix="check")
    return True


def _offer_numbers(here, settings):
    """The script, then every figure of the page as a table, CSV, SVG and PNG."""
    script = programs.recipe(here, settings)
    st.download_button("Download the script", script, f"{here.slug}.py", "text/x-python", on_click="ignore")
    st.code(script, language="python", wrap_lines=True)
    caption = f"FFN Lab, {here.title}. " + ", ".join(f"{name} {value}" for name, value in settings.items())
    for number, (title, figure) in enumerate(figures.shown().items(), start=1):
        st.subheader(title, anchor=False)
        st.dataframe(figure.numbers, hide_index=True, height=min(240, 38 + 35 * len(figure.numbers)))
        # Made when the button is pressed; by then the page may have run again, so each one keeps its own figure.
        makers = {
            "csv": ("text/csv", lambda f=figure: f.numbers.to_csv(index=False)),
            "svg": ("image/svg+xml", lambda f=figure, t=title: export.as_svg(f.spec, f.frames, t, caption)),
            "png": ("image/png", lambda f=figure, t=title: export.as_png(f.spec, f.frames, t, caption)),
        }
        with st.container(horizontal=True):
            for ending, (mime, make) in makers.items():
                name = f"{here.slug}_{number}.{ending}"
                st.download_button(f"Download {name}", make, name, mime, on_click="ignore")


def repair_note(place):
    """Say in `place` what of the link could not be used."""
    said = link.repairs(classroom.unknown(), classroom.PARAMETERS)
    if said:
        place.warning("Repaired: " + " ".join(said), icon="🔧")


def share(place):
    """A control in `place` that shows the link to this view, and what an instructor needs to prepare it."""
    popover = place.popover("Share this view", icon="🔗", key="share", on_change="rerun")
    if popover.open:
        with popover:
            st.markdown("This link opens exactly what you see now.")
            st.code(link.address(), language=None, wrap_lines=True)
            if not classroom.prepared():
                classroom.prepare()


def neighbours(page, pages):
    """Links to the section before and the one after."""
    at = next(k for k, p in enumerate(pages) if p.url_path == page.url_path)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if at > 0:
            st.page_link(pages[at - 1], label=f"Back: {pages[at - 1].title}", icon="⬅️")
        if at + 1 < len(pages):
            st.page_link(pages[at + 1], label=f"Next: {pages[at + 1].title}", icon="➡️", icon_position="right")
