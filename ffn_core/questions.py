"""Questions with their answers and the slips behind wrong ones, and how an answer is graded; no page is known here.

A slip is a wrong answer that has a reason: the value it leads to, and a sentence that names what went wrong. Prompts
and options are plain text, so that they can be printed as they are; hints, messages and solutions are Markdown.
"""

import math
from dataclasses import dataclass

from .answers import read_number, read_numbers


@dataclass(frozen=True)
class Question:
    """A question that is answered by a number, or by several in a row.

    Attributes
    ----------
    key : str
        Its name among all questions.
    prompt : str
    unit : str
        Empty for a plain number; with "%" the answer is in per cent.
    tolerance : float
        Largest distance from the answer that is still right; 0 for whole numbers.
    answer : float or tuple of float
    slips : tuple of (float or tuple of float, str)
        What a typical error leads to, and its name.
    hint, solution : str
    """

    key: str
    prompt: str
    unit: str
    tolerance: float
    answer: float | tuple[float, ...]
    slips: tuple[tuple[float | tuple[float, ...], str], ...]
    hint: str
    solution: str

    @property
    def wanted(self):
        """What is to be typed: how many numbers, their unit, and the tolerance."""
        if not self.tolerance:
            return f"a whole number of {self.unit}" if self.unit else "a whole number"
        kind = f"{len(self.answer)} numbers" if isinstance(self.answer, tuple) else "a number"
        return f"{kind}{f' in {self.unit}' if self.unit else ''}, ±{self.tolerance:g}"

    @property
    def answer_text(self):
        """The answer with as many digits as the tolerance asks for, and one more."""
        decimals = 1 - math.floor(math.log10(self.tolerance)) if self.tolerance else 0
        values = self.answer if isinstance(self.answer, tuple) else (self.answer,)
        text = " ".join(f"{v:.{decimals}f}" for v in values).replace("-", "−")
        return f"{text} {self.unit}".rstrip()


@dataclass(frozen=True)
class Choice:
    """A question with one right option.

    Attributes
    ----------
    key, prompt : str
    options : tuple of str
    answer : str
    slips : tuple of (str, str)
        Each wrong option, and why it is tempting and wrong.
    hint, solution : str
    """

    key: str
    prompt: str
    options: tuple[str, ...]
    answer: str
    slips: tuple[tuple[str, str], ...]
    hint: str
    solution: str

    wanted = "one of them"

    @property
    def answer_text(self):
        """The right option."""
        return self.answer


@dataclass(frozen=True)
class Selection:
    """A question with any number of right options.

    Attributes
    ----------
    key, prompt : str
    options, answer : tuple of str
    slips : tuple of (str, str)
        For each option what to say when it stands on the wrong side.
    hint, solution : str
    """

    key: str
    prompt: str
    options: tuple[str, ...]
    answer: tuple[str, ...]
    slips: tuple[tuple[str, str], ...]
    hint: str
    solution: str

    wanted = "all that apply"

    @property
    def answer_text(self):
        """The right options."""
        return ", ".join(self.answer)


@dataclass(frozen=True)
class Verdict:
    """What is said to an answer.

    Attributes
    ----------
    ok : bool
    message : str
        Markdown; nothing that was typed stands in it.
    read : bool
        False when the text could not be read as an answer at all, so that it does not count as a try.
    """

    ok: bool
    message: str
    read: bool = True


NEAR = 4.0  # so many tolerances from the answer are "close"


def grade(question, given):
    """Whether an answer is right, and if not, which slip is behind it.

    Parameters
    ----------
    question : Question, Choice or Selection
    given : str, or sequence of str for a Selection
        As typed or chosen.

    Returns
    -------
    Verdict
    """
    if isinstance(question, Choice):
        return _grade_choice(question, given)
    if isinstance(question, Selection):
        return _grade_selection(question, given)
    several = isinstance(question.answer, tuple)
    if not given.strip():
        return Verdict(False, f"No answer yet: {question.wanted}.", read=False)
    try:
        if several:
            return _grade_numbers(question, read_numbers(given, len(question.answer), question.unit))
        return _grade_numbers(question, (read_number(given, question.unit),))
    except ValueError as error:
        reason = f"{error}"
        return Verdict(False, f"{reason[0].upper()}{reason[1:]}.", read=False)


def _grade_choice(question, given):
    """See `grade`."""
    if given == question.answer:
        return Verdict(True, "Right.")
    said = dict(question.slips).get(given)
    return Verdict(False, said) if said else Verdict(False, "No answer yet: choose one.", read=False)


def _grade_selection(question, given):
    """See `grade`."""
    given, answer = set(given), set(question.answer)
    if not given:
        return Verdict(False, "No answer yet: choose all that apply.", read=False)
    if given == answer:
        return Verdict(True, "Right.")
    wrong = [o for o in question.options if (o in given) != (o in answer)]
    reasons = dict(question.slips)
    named = " ".join(f"{o}: {reasons[o]}" for o in wrong[:1])
    count = len(question.options) - len(wrong)
    return Verdict(False, f"{count} of {len(question.options)} stand on the right side. {named}")


def _apart(readings, values):
    """For each number its distance from the value, taken for the reading that is nearest."""
    return [min(abs(r - v) for r in read) for read, v in zip(readings, values, strict=True)]


def _within(distance, tolerance):
    """Whether a distance is within the tolerance, up to the rounding of decimal fractions."""
    return distance <= tolerance * (1.0 + 1e-9) + 1e-12


def _grade_numbers(question, readings):
    """The verdict on numbers that were read; see `grade`."""
    several = isinstance(question.answer, tuple)
    answer, tolerance = question.answer if several else (question.answer,), question.tolerance
    right = [_within(d, tolerance) for d in _apart(readings, answer)]
    if all(right):
        return Verdict(True, f"Right: {question.answer_text}.")
    slips = [(max(_apart(readings, v if several else (v,))), said) for v, said in question.slips]
    distance, named = min(slips, key=lambda slip: slip[0], default=(math.inf, ""))
    if _within(distance, tolerance):
        return Verdict(False, named)
    if said := _general_slip(answer, readings, tolerance):
        return Verdict(False, said)
    if several and any(right):
        fits = ", ".join(str(k + 1) for k, ok in enumerate(right) if ok)
        rest = ", ".join(str(k + 1) for k, ok in enumerate(right) if not ok)
        return Verdict(False, f"Right in place {fits}, not in place {rest}.")
    if several:
        return Verdict(False, "None of them fits, and no usual slip leads there. The hint says where to begin.")
    if not tolerance and not readings[0][0].is_integer():
        return Verdict(False, "A whole number is wanted.", read=False)
    side = "too large" if readings[0][0] > answer[0] else "too small"
    return Verdict(False, f"That is {side}, and no usual slip leads there. The hint says where to begin.")


GENERAL_FACTORS = (
    (-1.0, "The size is right, the sign is not. Was an absolute value taken, or a minus lost?"),
    (100.0, "That is a hundred times the answer: per cent without the sign?"),
    (0.01, "That is a hundredth of the answer: divided by 100 once too often?"),
    (10.0, "That is ten times the answer: look at the point."),
    (0.1, "That is a tenth of the answer: look at the point."),
)


def _general_slip(answer, readings, tolerance):
    """A slip that can happen to any number, in words, or None."""
    near = max(_apart(readings, answer))
    if tolerance and _within(near, NEAR * tolerance):
        return f"Close, but further away than ±{tolerance:g}. Keep more digits on the way."
    for factor, said in GENERAL_FACTORS if tolerance else GENERAL_FACTORS[:1]:
        scaled = [factor * a for a in answer]
        distance = max(_apart(readings, scaled))
        if distance < near and _within(distance, max(abs(factor), 0.1) * tolerance):
            return said
    return None
