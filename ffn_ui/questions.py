"""A graded question on a page: prompt, answer, verdict at once, a hint, and the answer with its reason.

Answers are kept for the session, by question and seed; they do not stand in the link.
"""

import streamlit as st

from ffn_core.answers import MOST_CHARACTERS
from ffn_core.questions import Choice, Selection, grade

from . import link, programs, solved

KEPT = {"persist_state": "session"}


def ask(question, section, seed, number=None, prefix="ex"):
    """Draw a question and say at once whether, and why, the answer is right.

    Parameters
    ----------
    question : Question, Choice or Selection
    section : str
        Where it stands, for the record.
    seed : int
        The seed that the question's numbers were drawn from.
    number : int, optional
        In front of the prompt.
    prefix : str
        Of the page's keys.

    Returns
    -------
    Verdict or None
        None when there is no answer yet.
    """
    key = f"{prefix}_{question.key}_{seed}"
    label = f"{f'**{number}.** ' if number else ''}{question.prompt} *({question.wanted})*"
    with st.container(border=True):
        given = _answer(question, key, label)
        verdict = _verdict(question, section, seed, given)
        _help(question, seed, key, verdict)
    return verdict


def _answer(question, key, label):
    """The widget of a question: text for numbers, one option, or several options and a button."""
    if isinstance(question, Choice):
        return st.radio(label, question.options, index=None, key=key, **KEPT)
    if isinstance(question, Selection):
        chosen = st.pills(label, question.options, selection_mode="multi", key=key, wrap=True, **KEPT)
        st.button("Check", key=f"{key}_check", on_click=_check, args=(key,))
        return chosen if chosen == st.session_state.get("_checked", {}).get(key) else None
    return st.text_input(label, key=key, max_chars=MOST_CHARACTERS, autocomplete="off", **KEPT)


def _check(key):
    """Take what is chosen now as the answer."""
    st.session_state.setdefault("_checked", {})[key] = st.session_state[key]


def _verdict(question, section, seed, given):
    """Grade an answer, say it, and note it in the record."""
    if not given or (isinstance(given, str) and not given.strip()):
        return None
    verdict = grade(question, given)
    solved.note(section, question, seed, given if isinstance(given, str) else ", ".join(given), verdict)
    if verdict.ok:
        st.success(verdict.message, icon="✅")
    elif verdict.read:
        st.warning(verdict.message, icon="🔎")
    else:
        st.info(f"{link.quoted(given)}: {verdict.message}", icon="✏️")
    return verdict


def _help(question, seed, key, verdict):
    """A hint at any time; the answer after a hint or a try, and what could not be read is none."""
    row = st.container(horizontal=True)
    hint = row.expander("Hint", key=f"{key}_hint", on_change="rerun", icon="💡")
    if hint.open:
        solved.note_help(question, seed, "hint")
        hint.markdown(question.hint)
    if not (verdict and verdict.read) and solved.helped(question, seed) == "none" and not solved.tried(question, seed):
        return
    answer = row.expander("The answer, and why", key=f"{key}_answer", on_change="rerun", icon="🗝️")
    if answer.open:
        solved.note_help(question, seed, "answer")
        answer.markdown(f"**{question.answer_text}**")
        answer.markdown(question.solution)


def worked_solution(exercise, seed, **settings):
    """The program that works an exercise, with today's seed; its text is sent only when it is opened.

    Parameters
    ----------
    exercise : Exercise
    seed : int
    **settings
        Further settings of the program.
    """
    place = st.expander(
        "Worked solution, as a program", key=f"ex_{exercise.key}_{seed}_program", on_change="rerun", icon="🧮"
    )
    if place.open:
        for question in exercise.questions:
            solved.note_help(question, seed, "answer")
        text = programs.program("solutions", f"{exercise.key}.py", {"seed": seed, **settings})
        place.markdown("Run it from the folder that holds `ffn_core`, or read it.")
        place.code(text, language="python", wrap_lines=True)
        name = f"{exercise.key}.py"
        place.download_button(f"Download {name}", text, name, "text/x-python", on_click="ignore", key="_ex_program")
