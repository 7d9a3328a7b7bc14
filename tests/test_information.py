"""Entropy, mutual information and merges: against the definition at 40 digits, scipy, and the laws."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from oracles import mp_mutual_information

from ffn_core.information import entropy_bits, merge, mutual_information, partitions
from ffn_core.lesson import JOINT

# Worked out apart from this project; symbols count from 0 here. The finest map keeps everything.
KNOWN_BITS = {
    "0|1|2|3": 0.3249,
    "0|12|3": 0.2655,
    "01|2|3": 0.3015,
    "0|1|23": 0.3015,
    "02|1|3": 0.1770,
    "0|13|2": 0.1770,
    "03|1|2": 0.0594,
    "01|23": 0.2781,
    "03|12": 0.0,
    "0123": 0.0,
}


def name(groups):
    return "|".join(sorted("".join(map(str, sorted(group))) for group in groups))


@st.composite
def joints(draw, max_symbols=6):
    """Joint tables of whole weights, some of them 0, divided by their sum."""
    n, m = draw(st.integers(1, max_symbols)), draw(st.integers(1, 4))
    weights = draw(st.lists(st.integers(0, 50), min_size=n * m, max_size=n * m).filter(any))
    return np.array(weights, dtype=float).reshape(n, m) / sum(weights)


@st.composite
def joints_and_maps(draw):
    """A joint table and a partition of its symbols."""
    joint = draw(joints())
    goes_to = draw(st.lists(st.integers(0, 5), min_size=len(joint), max_size=len(joint)))
    return joint, [[i for i, g in enumerate(goes_to) if g == group] for group in sorted(set(goes_to))]


# --- Entropy


@given(joints())
def test_entropy_is_scipys_in_bits(joint):
    assert entropy_bits(joint) == pytest.approx(scipy.stats.entropy(joint.ravel(), base=2), abs=1e-12)


@pytest.mark.parametrize(("p", "bits"), [([1.0], 0.0), ([0.5, 0.5], 1.0), ([0.25] * 4, 2.0), ([1.0, 0.0], 0.0)])
def test_entropy_of_equal_chances_is_the_logarithm_of_their_number(p, bits):
    found = entropy_bits(p)
    assert found == bits
    assert str(found) == str(bits), "never -0.0: it would show on screen"


# --- Mutual information


@given(joints())
def test_mutual_information_is_its_definition_at_40_digits(joint):
    assert mutual_information(joint) == pytest.approx(mp_mutual_information(joint), abs=1e-13)


@given(joints())
def test_mutual_information_lies_between_0_and_either_entropy_and_is_symmetric(joint):
    bits = mutual_information(joint)
    assert 0.0 <= bits <= min(entropy_bits(joint.sum(axis=0)), entropy_bits(joint.sum(axis=1))) + 1e-12
    assert bits == pytest.approx(mutual_information(joint.T), abs=1e-12)


@given(joints())
def test_independent_variables_share_nothing(joint):
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    bits = mutual_information(independent / independent.sum())
    assert 0.0 <= bits < 1e-12


def test_two_copies_of_a_fair_bit_share_one_bit():
    assert mutual_information([[0.5, 0.0], [0.0, 0.5]]) == 1.0


# --- Merges


@given(joints_and_maps())
def test_no_map_of_the_symbols_adds_information(case):
    joint, groups = case
    assert mutual_information(merge(joint, groups)) <= mutual_information(joint) + 1e-12


@given(joints_and_maps(), st.integers(0, 5), st.integers(0, 5))
def test_a_second_map_after_the_first_adds_none_either(case, first, second):
    joint, groups = case
    once = merge(joint, groups)
    a, b = first % len(once), second % len(once)
    rest = [[i] for i in range(len(once)) if i not in (a, b)]
    twice = merge(once, [sorted({a, b}), *rest])
    assert mutual_information(twice) <= mutual_information(once) + 1e-12


@given(joints(), st.randoms(use_true_random=False))
def test_a_map_that_only_renames_keeps_every_bit(joint, random):
    order = list(range(len(joint)))
    random.shuffle(order)
    assert mutual_information(merge(joint, [[i] for i in order])) == pytest.approx(mutual_information(joint), abs=1e-12)


@given(joints_and_maps())
def test_merging_adds_rows_and_loses_no_probability(case):
    joint, groups = case
    merged = merge(joint, groups)
    assert merged.shape == (len(groups), joint.shape[1])
    for row, group in zip(merged, groups, strict=True):
        np.testing.assert_allclose(row, [sum(joint[i, y] for i in group) for y in range(joint.shape[1])], rtol=1e-14)


def test_all_15_merges_of_the_lessons_symbols_keep_their_known_bits_and_none_more_than_the_whole():
    whole = mutual_information(JOINT)
    found = {name(groups): mutual_information(merge(JOINT, groups)) for groups in partitions(4)}
    assert len(found) == 15
    for groups in partitions(4):
        bits = found[name(groups)]
        assert bits == pytest.approx(mp_mutual_information(merge(JOINT, groups)), abs=1e-13)
        assert bits <= whole + 1e-15
    for key, bits in KNOWN_BITS.items():
        assert found[key] == pytest.approx(bits, abs=0.5e-4), key


# --- Partitions


@pytest.mark.parametrize(("n", "bell"), [(0, 1), (1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)])
def test_there_are_bell_many_partitions_all_different_the_finest_first(n, bell):
    found = partitions(n)
    assert len({name(groups) for groups in found}) == len(found) == bell
    for groups in found:
        assert sorted(i for group in groups for i in group) == list(range(n))
        assert all(groups)
    sizes = [len(groups) for groups in found]
    assert sizes == sorted(sizes, reverse=True)


# --- What is refused, and in what words


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.5, 0.6], "p sums to 1.1; probabilities that sum to 1 are wanted"),
        ([], "p sums to 0; probabilities that sum to 1 are wanted"),
        ([1.25, -0.25], "p has the entry -0.25; probabilities of 0 or more are wanted"),
        ([np.nan, 1.0], "p has nan at flat position 0 (1 of 2 values are not finite); finite numbers are wanted"),
        ("half", "p holds 'half'; an array of numbers is wanted"),
    ],
)
def test_what_is_not_a_distribution_is_refused_with_what_came_and_what_was_wanted(p, message):
    with pytest.raises(ValueError) as caught:
        entropy_bits(p)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ([0.5, 0.5], "joint has shape (2,); a table (symbols of X, symbols of Y) is wanted"),
        ([[0.5, 0.2]], "joint sums to 0.7; probabilities that sum to 1 are wanted"),
    ],
)
def test_what_is_not_a_joint_table_is_refused_with_what_came_and_what_was_wanted(joint, message):
    with pytest.raises(ValueError) as caught:
        mutual_information(joint)
    assert str(caught.value) == message


@pytest.mark.parametrize("groups", [[[0], [1, 2]], [[0, 1], [1, 2, 3]], [[0, 1, 2, 3, 4]], [[-4], [1], [2], [3]], []])
def test_groups_that_miss_or_repeat_a_symbol_are_refused_with_what_came_and_what_was_wanted(groups):
    with pytest.raises(ValueError) as caught:
        merge(JOINT, groups)
    assert str(caught.value) == f"groups is {groups}; every symbol from 0 to 3 exactly once is wanted"
