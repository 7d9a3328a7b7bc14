"""Bits under maps of symbols: no map is above the ceiling, renaming keeps all, and an activation is such a map."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ffn_core import information, lesson
from ffn_core.activations import ACTIVATIONS

TABLES = arrays(int, (4, 2), elements=st.integers(0, 1000)).filter(np.any).map(information.normalised)
PRINTED = {  # worked out apart from this project, four digits
    "x1 | x2 | x3 | x4": 0.3249,
    "x1 | x2 x3 | x4": 0.2655,
    "x1 x2 | x3 | x4": 0.3015,
    "x1 | x2 | x3 x4": 0.3015,
    "x1 x3 | x2 | x4": 0.1770,
    "x1 | x2 x4 | x3": 0.1770,
    "x1 x4 | x2 | x3": 0.0594,
    "x1 x2 | x3 x4": 0.2781,
    "x1 x2 x3 x4": 0.0,
}


def bits_by_sum(joint):
    """I(X; Y) straight from sum p log2 (p / (p p)), without entropies."""
    px, py = joint.sum(axis=1), joint.sum(axis=0)
    return sum(p * math.log2(p / (px[x] * py[y])) for (x, y), p in np.ndenumerate(joint) if p > 0)


def test_the_15_merges_of_the_lessons_symbols_keep_the_known_bits():
    found = {information.merge_name(groups): bits for groups, bits in information.every_merge(lesson.JOINT)}
    assert len(found) == 15
    for name, bits in PRINTED.items():
        assert found[name] == pytest.approx(bits, abs=5e-5)


def test_merges_come_sorted_by_bits_and_equals_stay_in_the_order_of_partitions():
    found = information.every_merge(lesson.JOINT)
    bits = [b for _, b in found]
    assert all(a >= b - 1e-12 for a, b in pairwise(bits))
    everything_equal = information.every_merge(information.TABLES["nothing to lose"])
    assert [groups for groups, _ in everything_equal] == information.partitions(4)


@given(TABLES)
def test_no_merge_is_above_the_ceiling_and_a_coarser_one_never_above_a_finer_one(joint):
    bits = dict(information.every_merge(joint))
    assert max(bits.values()) <= information.mutual_information(joint) + 1e-9
    for fine, coarse in product(bits, repeat=2):
        if all(any(set(f) <= set(c) for c in coarse) for f in fine):
            assert bits[coarse] <= bits[fine] + 1e-9


@given(TABLES)
def test_all_24_injective_maps_keep_every_bit(joint):
    bits = information.injective_bits(joint)
    assert bits.shape == (24,)
    assert np.allclose(bits, bits_by_sum(joint), rtol=0, atol=1e-9)


def test_the_256_maps_of_four_symbols_fall_on_the_15_merges():
    known = dict(information.every_merge(lesson.JOINT))
    count = dict.fromkeys(known, 0)
    for targets in product(range(4), repeat=4):
        groups = information.equal_groups(targets)
        table = np.zeros((4, 2))
        np.add.at(table, list(targets), lesson.JOINT)
        assert information.mutual_information(table) == pytest.approx(known[groups], abs=1e-12)
        count[groups] += 1
    assert all(n == math.perm(4, len(groups)) for groups, n in count.items())


def test_a_merge_of_symbols_with_the_same_shares_loses_nothing():
    alike = information.TABLES["x2 and x3 alike"]
    merged = information.merge(alike, [[0], [1, 2], [3]])
    assert information.mutual_information(merged) == pytest.approx(information.mutual_information(alike), abs=1e-15)
    whole = information.TABLES["one whole bit"]
    assert information.mutual_information(whole) == pytest.approx(1.0, abs=1e-15)
    assert information.mutual_information(information.merge(whole, [[0, 1], [2, 3]])) == pytest.approx(1.0, abs=1e-15)
    assert information.mutual_information(information.TABLES["nothing to lose"]) == 0.0


def test_every_table_of_the_buttons_is_a_distribution():
    for table in information.TABLES.values():
        assert table.shape == (4, 2)
        assert table.sum() == pytest.approx(1.0, abs=1e-15)


def test_entries_that_sum_to_1_are_left_as_they_are():
    table, said = information.as_distribution(lesson.JOINT.tolist(), np.zeros((4, 2)))
    assert np.array_equal(table, lesson.JOINT)
    assert said == ""


def test_entries_that_do_not_sum_to_1_are_divided_by_their_sum_and_that_is_said():
    table, said = information.as_distribution(2.0 * lesson.JOINT, lesson.JOINT)
    assert np.allclose(table, lesson.JOINT, rtol=0, atol=1e-16)
    assert "sum to 2, not to 1" in said


@pytest.mark.parametrize(("entry", "word"), [(0.0, "all weights are 0"), (-1.0, "entry -1"), (math.nan, "nan")])
def test_entries_that_no_scaling_helps_fall_back_to_the_lessons_table_and_say_why(entry, word):
    table, said = information.as_distribution([[0.0, 0.0], [0.0, entry]], lesson.JOINT)
    assert table is lesson.JOINT
    assert word in said


def test_a_merge_in_words_counts_from_1():
    assert information.merge_name(((0,), (1, 2), (3,))) == "x1 | x2 x3 | x4"


def test_names_of_all_merges_differ():
    assert len({information.merge_name(groups) for groups in information.partitions(4)}) == 15


def test_equal_groups_are_partitions_in_their_order_and_minus_zero_is_zero():
    assert information.equal_groups([0.0, 5.0, -0.0, 1.0]) == ((0, 2), (1,), (3,))
    assert {information.equal_groups(t) for t in product(range(4), repeat=4)} == set(information.partitions(4))


def test_quantised_values_are_multiples_of_the_step_and_step_0_keeps_all():
    values = np.array([-0.16, 0.04, 0.3, 1.96])
    assert np.allclose(information.quantise(values, 0.1), [-0.2, 0.0, 0.3, 2.0])
    assert np.array_equal(information.quantise(values, 0.0), values)


@pytest.mark.parametrize(
    ("sigma", "pre", "step", "left"),
    [
        ("ReLU", [-2, -1, 1, 2], 0.0, "x1 x2 | x3 | x4"),
        ("GELU", [-2, -1, 1, 2], 0.0, "x1 | x2 | x3 | x4"),
        ("GELU", [-2, -1, 1, 2], 0.5, "x1 x2 | x3 | x4"),
        ("GELU", [-9, -8, 1, 2], 0.0, "x1 x2 | x3 | x4"),  # float64 gives exactly 0 that far out
        ("Identity", [-2, -1, 1, 2], 0.0, "x1 | x2 | x3 | x4"),
    ],
)
def test_an_activation_merges_the_symbols_it_sends_to_one_value(sigma, pre, step, left):
    groups, bits = information.through_activation(lesson.JOINT, ACTIVATIONS[sigma], np.array(pre, float), step)
    assert information.merge_name(groups) == left
    assert bits == pytest.approx(PRINTED[left], abs=5e-5)
