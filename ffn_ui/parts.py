"""A page by its parts: what stands under a heading runs again by itself when a control in it moves.

A page is a plain script, read and written from top to bottom. Its text is cut here at the headings, and each part is
run as a fragment of Streamlit's: a moved control costs its own part, not the page. A part that reads a name which an
earlier one sets has to follow that one, so it stands inside it. What comes before the first heading (imports, the
idea, what follows from the bench alone) and what closes the page run only with the whole page.
"""

import ast
import dis
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType

import streamlit as st

GUARD, HEADING, CLOSING = "require_router", "st.header", "layout.close_page"
WITH_CONTROLS = frozenset({"controls", "experiments", "joint_table", "questions", "wiring"})  # names of what draws them


class Drawn(BaseException):
    """A page has been drawn part by part: nothing of it is left to run. Not an error, so nothing else catches it."""


@dataclass(frozen=True)
class Piece:
    """Statements of a page that belong together.

    Attributes
    ----------
    code : CodeType
        To be run with `exec`.
    reads : frozenset of str
        All names that stand in it to be read.
    takes : frozenset of str
        Those of them that it reads before it sets them itself.
    sets : frozenset of str
    """

    code: CodeType
    reads: frozenset[str]
    takes: frozenset[str]
    sets: frozenset[str]

    @property
    def has_controls(self):
        """Whether anything in it can be moved; else it need not run by itself."""
        return bool(self.reads & WITH_CONTROLS)


@dataclass(frozen=True)
class Part:
    """What stands under one heading, and the parts that follow it, in the order of the page."""

    piece: Piece
    inside: tuple["Part", ...] = ()

    @property
    def reads(self):
        """The names that have to be kept for it to run by itself."""
        return self.piece.reads.union(*(part.reads for part in self.inside))


@dataclass(frozen=True)
class Page:
    """A page cut at its headings: what opens it, its parts, what closes it."""

    opening: Piece
    parts: tuple[Part, ...]
    closing: Piece


def _names(code):
    """Names that code reads, takes from before, and sets; what a lambda or a comprehension reads counts where it ends.

    Returns
    -------
    tuple of three sets of str
    """
    reads, takes, sets = set(), set(), set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            found = {step.argval}
        elif step.opname == "LOAD_CONST" and isinstance(step.argval, CodeType):
            found, _, _ = _names(step.argval)
        else:
            sets |= {step.argval} if step.opname == "STORE_NAME" else set()
            continue
        reads |= found
        takes |= found - sets
    return reads, takes, sets


def _piece(statements, path):
    code = compile(ast.Module(statements, []), path, "exec")
    return Piece(code, *map(frozenset, _names(code)))


def _is_call(statement, name):
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and ast.unparse(statement.value.func) == name
    )


def _nested(pieces):
    """Parts, those that take a name from an earlier one with controls standing inside it."""
    if not pieces:
        return ()
    last, sure = 0, 0
    while pieces[0].has_controls and sure <= last:  # what follows the first piece, and what follows that
        sets = pieces[sure].sets
        for k in range(sure + 1, len(pieces)):
            if pieces[k].takes & sets:
                last = max(last, k)
            sets = sets - pieces[k].sets
        sure += 1
    return (Part(pieces[0], _nested(pieces[1 : last + 1])), *_nested(pieces[last + 1 :]))


@lru_cache(maxsize=64)
def cut(script):
    """Cut the text of a page at its headings.

    Parameters
    ----------
    script : CodeType
        The compiled page; another one when its file has been changed.

    Returns
    -------
    Page
    """
    path = script.co_filename
    statements = ast.parse(Path(path).read_text(encoding="utf-8"), path).body
    statements = statements[next((k + 1 for k, s in enumerate(statements) if _is_call(s, GUARD)), 0) :]
    end = next((k for k, s in enumerate(statements) if _is_call(s, CLOSING)), len(statements))
    starts = [k for k, s in enumerate(statements[:end]) if _is_call(s, HEADING)]
    opening, *parts = (
        _piece(statements[a:b], path) for a, b in zip([0, *starts], [*starts, end], strict=True)
    )  # fmt: skip
    return Page(opening, _nested(parts), _piece(statements[end:], path))


def draw(script, names, whole):
    """Draw a page, part by part; when one cannot be computed, the others stand, but for what closes the page.

    Parameters
    ----------
    script : CodeType
        The compiled page.
    names : dict
        Where its names live; they are those of the whole page when it has been drawn.
    whole : bool
        Whether each control has to run the whole page again, because something outside of its part shows what it is
        set to.

    Raises
    ------
    ValueError
        From the pieces outside the parts; within a part it is said there.
    """
    page, failed = cut(script), []
    exec(page.opening.code, names)
    for part in page.parts:
        _draw_part(part, names, whole, failed)
    if not failed:
        exec(page.closing.code, names)


def _draw_part(part, names, whole, failed):
    """Draw a part and those inside it; as a fragment it keeps of the names before it only those it may need again."""
    kept = {name: names[name] for name in part.reads & names.keys()}
    first = [names]

    def run():
        mine = first.pop() if first else dict(kept)
        try:
            exec(part.piece.code, mine)
            for inner in part.inside:
                _draw_part(inner, mine, whole, failed)
        except ValueError as error:
            failed.append(error)
            say(error)

    if not part.piece.has_controls:
        run()
    elif whole:
        with st.container():  # as a fragment has one: the charts keep their place, and are not drawn anew
            run()
    else:
        st.fragment(run)()


def say(error):
    """What a student reads when something cannot be computed."""
    st.error(f"This cannot be computed: {error}. Change a setting, or start again from the menu.")
