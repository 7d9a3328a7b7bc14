"""The notes on the lesson's text: their numbers against oracles that share no code, and values known from elsewhere."""

import math
import re

import numpy as np
import pytest

from ffn_core import care
from ffn_core.activations import ACTIVATIONS
from ffn_core.reference import REFERENCE


def text(words):
    """The one note whose first column holds these words."""
    (found,) = [note.text for note in care.NOTES if words in note.says]
    return found


def test_every_note_fills_all_its_braces_and_ends_as_a_sentence():
    for note in care.NOTES:
        assert not re.search(r"[{}]|nan|inf\b|None", note.text), note.text
        assert "|" not in note.says + note.text  # they stand in a table in Markdown
        assert note.says.endswith(".")
        assert note.text.endswith(".")


def test_no_two_notes_say_the_same():
    assert len({note.says for note in care.NOTES}) == len(care.NOTES)


def test_the_parts_of_the_notes_hold_most_parts_of_the_reference():
    parts = {entry.section for entry in REFERENCE}
    assert parts - {note.section for note in care.NOTES} == {"signals", "systems"}


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("left of zero as well", ["−0.7525", "−0.1290", "−1.4185"]),
        ("exactly 0.5", ["0.49999999999999817", "−2.3e-15"]),
        ("tanh form matches", ["4.73e-04", "2.70", "8.68e-04", "2.02"]),
        ("always keeps some gradient", ["−3.59", "−5.42", "−7.19"]),
        ("from −0.17 to 0", ["−0.16997", "−0.17004"]),
        ("negative on all 1,000", ["9e-302", "3.1976"]),
        ("below 0.01", ["−0.73"]),
        ("about 8/3", ["2.69", "2.70", "3.5"]),
        ("two thirds", ["66.7%", "80.8%", "90.0%", "97.1%", "60.0%"]),
        ("about one half a layer", ["0.6997", "0.99", "0.5"]),
        ("14 or more", ["13", "15", "14"]),
        ("merges two symbols", ["0.2655", "0.3249"]),
    ],
)
def test_a_note_carries_the_known_numbers(words, wanted):
    shown = text(words)
    for number in wanted:
        assert number in shown


def test_the_rms_gain_is_the_mean_of_the_squared_gain_over_a_fine_grid():
    x = np.linspace(-12.0, 12.0, 200_001)
    for variance in (0.5, 1.0, 2.0):
        weight = np.exp(-0.5 * x * x / variance)
        for name in ("GELU", "GELU-exact", "SiLU"):
            squared = np.sum(weight * ACTIVATIONS[name].gain(x) ** 2) / np.sum(weight)
            assert care.rms_gain(ACTIVATIONS[name], variance) == pytest.approx(math.sqrt(squared), abs=1e-6)
    assert care.rms_gain(ACTIVATIONS["ReLU"], 2.0) == pytest.approx(math.sqrt(0.5), abs=1e-6)


def test_half_of_all_units_with_the_silent_bias_are_silent():
    for n in (1, 10, 1_000):
        b = care.silent_bias(n)
        silent_once = 0.5 * math.erfc(-b / math.sqrt(2.0))
        assert silent_once**n == pytest.approx(0.5, abs=1e-9)


def test_a_hyphen_of_a_name_is_no_minus_sign():
    assert "Llama-3 8B" in text("about 8/3")
