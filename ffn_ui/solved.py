"""What a student has solved: kept for the session and nowhere else, and written out as a printable page or as CSV."""

import csv
import io
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from html import escape

import streamlit as st

from . import link

HELP = ("none", "hint", "experiment", "answer")  # what was opened before it was solved, in this order of weight
MOST_TRIES = 999
FLEETING = "The record lasts for this visit: reloading or closing the tab ends it. Nothing is stored, so take it along."


@dataclass(frozen=True)
class Solved:
    """One solved question, all of it as text to be printed.

    Attributes
    ----------
    section, question : str
        Where it stands, and its prompt.
    given, answer : str
        What was typed or chosen, and the answer with its unit.
    tolerance : str
        What counts as right, in words.
    seed : int
        It decides the numbers of the question.
    tries : int
        How many different answers were given, the right one included.
    help : str
        The most that was opened before, one of HELP.
    solved_utc : str
        Date and time.
    """

    section: str
    question: str
    given: str
    answer: str
    tolerance: str
    seed: int
    tries: int
    help: str
    solved_utc: str


def _state():
    """Tries, help and solved questions of this session, each by (question key, seed)."""
    return st.session_state.setdefault("_solved", {"tries": {}, "help": {}, "solved": {}})


def note_help(question, seed, kind):
    """Note that a hint, the experiment or the answer was opened.

    Parameters
    ----------
    question : Question, Choice or Selection
    seed : int
    kind : str
        One of HELP.
    """
    opened = _state()["help"]
    opened[question.key, seed] = max(kind, helped(question, seed), key=HELP.index)


def helped(question, seed):
    """The most that was opened so far for a question, one of HELP."""
    return _state()["help"].get((question.key, seed), HELP[0])


def tried(question, seed):
    """Whether any answer has been given that could be read."""
    return bool(_state()["tries"].get((question.key, seed)))


def note(section, question, seed, given, verdict):
    """Note an answer: as a try, and as solved when it is right for the first time.

    Parameters
    ----------
    section : str
        Title of the exercise or page.
    question : Question, Choice or Selection
    seed : int
    given : str
    verdict : Verdict
    """
    state, key = _state(), (question.key, seed)
    if not verdict.read or key in state["solved"]:
        return
    tries = state["tries"].setdefault(key, [])
    if given not in tries[-1:] and len(tries) < MOST_TRIES:
        tries.append(given)
    if verdict.ok:
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
        state["solved"][key] = Solved(
            section, question.prompt, given, question.answer_text, question.wanted, seed, len(tries),
            helped(question, seed), now,
        )  # fmt: skip


def record():
    """All that was solved in this session, in the order it was solved.

    Returns
    -------
    list of Solved
    """
    return list(_state()["solved"].values())


def is_solved(question, seed):
    """Whether a question was solved in this session."""
    return (question.key, seed) in _state()["solved"]


COLUMNS = tuple(f.name for f in fields(Solved))


def table(solved):
    """The record as a table.

    Returns
    -------
    dict of str to list
        Column to entries.
    """
    return {name: [getattr(s, name) for s in solved] for name in COLUMNS}


def _harmless(entry):
    """One line of text that a spreadsheet will not run as a formula: one that could be gets an apostrophe in front."""
    text = " ".join(str(entry).split())
    try:
        float(text)
    except ValueError:
        return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
    return text


def as_csv(solved):
    """The record as CSV with a heading line.

    Parameters
    ----------
    solved : sequence of Solved

    Returns
    -------
    str
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_harmless(getattr(s, name)) for name in COLUMNS] for s in solved)
    return out.getvalue()


STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #111; background: #fff; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem }
table { border-collapse: collapse; width: 100% } th { background: #f1f1f1 }
th, td { border: 1px solid #999; padding: .35rem .5rem; text-align: left; vertical-align: top }
td { overflow-wrap: anywhere; min-width: 7rem } td:nth-child(n + 4) { white-space: nowrap; min-width: 0 }
p.small { color: #444; font-size: .85rem; overflow-wrap: anywhere }
@media print { body { margin: 0; max-width: none } tr { break-inside: avoid } h2 { break-after: avoid } }
"""


def as_page(solved, name="", address=""):
    """The record as a page of its own that can be printed: no scripts, nothing loaded from elsewhere.

    Parameters
    ----------
    solved : sequence of Solved
    name, address : str
        The student's name and the link to the exercises, as text; either may be empty.

    Returns
    -------
    str
        HTML, with every text escaped.
    """
    parts = []
    for section in dict.fromkeys(s.section for s in solved):
        rows = [s for s in solved if s.section == section]
        parts.append(f"<h2>{escape(section)}</h2>\n<table>\n<thead><tr>" + "".join(
            f"<th scope='col'>{escape(title)}</th>"
            for title in ("question", "given", "answer", "seed", "tries", "help", "solved at (UTC)")
        ) + "</tr></thead>\n<tbody>")  # fmt: skip
        for s in rows:
            wanted = f"{s.question} ({s.tolerance})"
            cells = (wanted, s.given, s.answer, s.seed, s.tries, s.help, s.solved_utc)
            parts.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
        parts.append("</tbody></table>")
    who = f"<p>{escape(name)}</p>" if name.strip() else ""
    where = f"<p class='small'>{escape(address)}</p>" if address else ""
    count = f"{len(solved)} question{'' if len(solved) == 1 else 's'} solved"
    legend = "Help: the most that was opened before the question was solved."
    return (
        "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>FFN Lab: exercises solved</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>FFN Lab: exercises solved</h1>\n{who}\n<p>{count}</p>\n" + "\n".join(parts)
        + f"\n<p class='small'>{legend}</p>\n{where}\n</body>\n</html>\n"
    )  # fmt: skip


def offer(done):
    """Draw the record with its downloads.

    Parameters
    ----------
    done : sequence of Solved
    """
    if not done:
        st.caption(f"Nothing yet. {FLEETING}")
        return
    st.dataframe(table(done), hide_index=True)
    name = st.text_input("your name, for the printed page", key="ex_name", max_chars=80, persist_state="session")
    with st.container(horizontal=True):
        page = as_page(done, name, link.address())
        st.download_button(
            "Download the record (to print)", page, "exercises_solved.html", "text/html", on_click="ignore"
        )
        st.download_button(
            "Download the record (CSV)", as_csv(done), "exercises_solved.csv", "text/csv", on_click="ignore"
        )
    st.caption(FLEETING)
