"""The lesson's random numbers: draw for draw against a plain sequential version, and against published test vectors."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from oracles import bits_of, chacha12_block, lesson_stream, seed_to_key, ziggurat

from ffn_core.rng import EDGES, HEIGHTS, LessonStream, chacha_draws, expand_seed, normals_from_draws

SEEDS = (0, 1, 11, 2**64 - 1)
DRAWS = 20_000  # of each seed
ODD_SIZES = (1, 7, 0, 255, 3, 8, 1023, 2, 4097, 13)

# First keystream block of ChaCha with 12 rounds, a 256-bit key and an IV of zeros: TC1 of
# draft-strombergson-chacha-test-vectors-01.
ZERO_KEY_BLOCK = bytes.fromhex(
    "9bf49a6a0755f953811fce125f2683d50429c3bb49e074147e0089a52eae155f"
    "0564f879d27ae3c02ce82834acfa8c793a629f2ca0de6919610be82f411326be"
)


# --- The whole chain


@pytest.mark.parametrize("seed", SEEDS)
def test_every_draw_is_the_plain_sequential_one_whatever_the_sizes_of_the_calls(seed):
    wanted, _ = lesson_stream(seed, DRAWS)
    stream, found, call = LessonStream(seed), [], 0
    while len(found) < DRAWS:
        size = min(ODD_SIZES[call % len(ODD_SIZES)], DRAWS - len(found))
        found.extend(stream.randn(size).tolist())
        call += 1
    np.testing.assert_array_max_ulp(np.array(found), np.array(wanted), maxulp=1)  # log and exp may round their own way
    np.testing.assert_array_equal(LessonStream(seed).randn(DRAWS), found)


def test_the_compared_draws_took_every_way_through_the_ziggurat():
    ways = {}
    for seed in SEEDS:
        for way, count in lesson_stream(seed, DRAWS)[1].items():
            ways[way] = ways.get(way, 0) + count
    assert sum(ways[w] for w in ("core", "wedge", "tail")) == len(SEEDS) * DRAWS >= 60_000
    assert ways["tail"] >= 10
    assert ways["wedge"] >= 100
    assert ways["wedge refused"] >= 100
    assert ways["core"] > 0.98 * len(SEEDS) * DRAWS


@given(seed=st.integers(0, 2**64 - 1), sizes=st.lists(st.integers(0, 40), max_size=30))
def test_calls_of_any_size_continue_the_stream(seed, sizes):
    stream = LessonStream(seed)
    parts = [stream.randn(size) for size in sizes]
    np.testing.assert_array_equal(np.concatenate([*parts, []]), LessonStream(seed).randn(sum(sizes)))


def test_matrices_fill_row_by_row():
    numbers = LessonStream(11).randn(24)
    stream = LessonStream(11)
    np.testing.assert_array_equal(stream.randn(2, 3, 4), numbers.reshape(2, 3, 4))
    assert LessonStream(11).randn().shape == ()
    assert LessonStream(11).randn() == numbers[0]
    assert LessonStream(11).randn(3, 0).shape == (3, 0)


def test_two_streams_of_one_seed_do_not_disturb_each_other():
    one, other = LessonStream(5), LessonStream(5)
    np.testing.assert_array_equal(one.randn(100), other.randn(100))
    one.randn(17)
    np.testing.assert_array_equal(other.randn(17), LessonStream(5).randn(117)[100:])


def test_what_is_handed_out_may_be_changed_without_changing_the_stream():
    stream = LessonStream(5)
    first = stream.randn(10)
    first[:] = 0.0
    np.testing.assert_array_equal(stream.randn(10), LessonStream(5).randn(20)[10:])


def test_the_numbers_are_standard_normal():
    numbers = LessonStream(2024).randn(200_000)
    assert scipy.stats.kstest(numbers, "norm").pvalue > 0.001
    assert numbers.mean() == pytest.approx(0.0, abs=4 / np.sqrt(200_000))
    assert numbers.var() == pytest.approx(1.0, abs=4 * np.sqrt(2 / 200_000))
    assert np.sum(np.abs(numbers) > EDGES[1]) == pytest.approx(200_000 * 2 * scipy.stats.norm.sf(EDGES[1]), abs=30)


# --- Its three links


@given(seed=st.integers(0, 2**64 - 1))
def test_the_key_of_a_seed_is_eight_outputs_of_pcg32(seed):
    assert expand_seed(seed).tolist() == seed_to_key(seed)


def test_chacha_gives_the_published_test_vector():
    assert chacha_draws(np.zeros(8, dtype=np.uint32), 0, 1).astype("<u8").tobytes() == ZERO_KEY_BLOCK
    assert b"".join(w.to_bytes(4, "little") for w in chacha12_block([0] * 8, 0)) == ZERO_KEY_BLOCK


@pytest.mark.parametrize("first_block", [0, 1, 2**32 - 2, 2**53 + 1, 2**64 - 3])
def test_chacha_counts_its_blocks_with_64_bits(first_block):
    key = expand_seed(11)
    words = [w for block in range(first_block, first_block + 3) for w in chacha12_block(key.tolist(), block)]
    wanted = [low + (high << 32) for low, high in zip(words[0::2], words[1::2], strict=True)]
    assert chacha_draws(key, first_block, 3).tolist() == wanted


def test_the_layers_of_the_ziggurat_have_equal_area():
    edges, heights = ziggurat()
    np.testing.assert_allclose(EDGES, edges, rtol=1e-14)
    np.testing.assert_allclose(HEIGHTS, heights, rtol=1e-13)
    np.testing.assert_allclose(EDGES[1:256] * np.diff(HEIGHTS[1:]), 0.00492867323399, rtol=1e-9)
    assert (np.diff(EDGES) < 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_cut_off_anywhere_give_the_numbers_they_are_enough_for(seed):
    bits = bits_of(seed)
    draws = np.array([next(bits) for _ in range(3000)], dtype=np.uint64)
    everything, used = normals_from_draws(draws, 3000)
    assert used <= 3000
    for cut in (*range(1, 200), 1500, 2999):
        values, used = normals_from_draws(draws[:cut], cut)
        np.testing.assert_array_equal(values, everything[: len(values)])
        assert used <= cut
        rest, _ = normals_from_draws(draws[used:], 3000)
        np.testing.assert_array_equal(np.concatenate([values, rest])[: len(everything)], everything)


# --- What is refused, and in what words


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, float("nan"), float("inf")])
def test_a_seed_that_is_not_a_64_bit_number_is_refused_with_what_came_and_what_was_wanted(seed):
    with pytest.raises(ValueError) as caught:
        LessonStream(seed)
    assert str(caught.value) == f"seed is {seed}; a whole number from 0 to 2**64 - 1 is wanted"


@pytest.mark.parametrize("seed", [7.0, np.int64(7), np.uint64(7), np.float32(7)])
def test_a_whole_number_of_any_type_is_the_same_seed(seed):
    np.testing.assert_array_equal(LessonStream(seed).randn(3), LessonStream(7).randn(3))


def test_a_negative_size_is_refused_with_what_came_and_what_was_wanted():
    with pytest.raises(ValueError) as caught:
        LessonStream(1).randn(2, -3)
    assert str(caught.value) == "shape is (2, -3); sizes of 0 or more are wanted"
