"""What a student types: every usual notation is read as the same number, and what is no number says so kindly."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ffn_core.answers import MOST_CHARACTERS, read_number, read_numbers

HALF = (
    "0.5", ".5", "0,5", ",5", "0.50", "+0.5", "0.5.", "０.５", "$0.5$", " 0.5 ", "1/2", "1 / 2", "2/4", "0,1/0,2", "½",
    "5e-1", "5E-1", "5 e -1", "0.05e1", "5·10⁻¹", "5×10^-1", "5 × 10 ^ -1", "5*10**-1", "2^-1", "2⁻¹", "50%", "50 %",
    "50 percent", "x=0.5", "b′ = 0,5", "≈0.5", "=1/2",
)  # fmt: skip


@pytest.mark.parametrize("text", HALF)
def test_one_half_is_read_in_every_notation(text):
    assert read_number(text) == (0.5,)


@pytest.mark.parametrize(
    "text", ["-0.5", "−0.5", "–0,5", "- 0.5", "− 1/2", "-50 %", "1/-2", "x = −½", "-5e-1", "−5·10⁻¹", " -  .5 "]
)
def test_a_minus_of_any_kind_is_a_minus(text):
    assert read_number(text) == (-0.5,)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 1/2", 1.5), ("-1 1/2", -1.5), ("1½", 1.5), ("1 000", 1000.0), ("1'000", 1000.0), ("1.234,5", 1234.5),
     ("1,234.5", 1234.5), ("1,234,567", 1234567.0), ("1.234.567", 1234567.0), ("5", 5.0), ("5.", 5.0), ("5²", 25.0),
     ("10^-3", 1e-3), ("2^-1000", 2.0**-1000), ("0", 0.0), ("-0", 0.0), ("0,000", 0.0), ("1e-300", 1e-300)],
)  # fmt: skip
def test_fractions_groups_and_powers_are_read(text, value):
    assert read_number(text) == (value,)


def test_a_comma_before_three_digits_can_be_read_both_ways_and_a_leading_zero_decides():
    assert read_number("1,250") == (1.25, 1250.0)
    assert read_number("0,250") == (0.25,)
    assert read_number("1.250") == (1.25,)


def test_the_unit_may_stand_behind_and_per_cent_is_a_hundredth_unless_it_is_the_unit():
    assert read_number("13 units", "units") == read_number("13 unit", "units") == read_number("13", "units") == (13.0,)
    assert read_number("-3.2 sd", "sd") == (-3.2,)
    assert read_number("50 %") == (0.5,)
    assert read_number("50 %", "%") == read_number("50", "%") == (50.0,)


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "nan", "inf", "-inf", "∞", "--1", "1-", "1 2", "1,2,3", "0.1.2", "1,25,3", "1/2/3", "1/0", "0/0",
     "0^-1", "1e400", "-1e400", "1e99999999999", "2^5000", "9^9^9", "1_000", "0x10", "0b1", "٣", "e5", ".", "-", ",",
     "%", "sqrt(2)", "1;2", "__import__('os')", "<b>1</b>", "1\x00", "=", "1e5e5", "²", "50 %%"],
)  # fmt: skip
def test_what_is_no_number_is_refused_with_a_sentence(text):
    with pytest.raises(ValueError, match=r"number|fraction bar"):
        read_number(text)


def test_a_very_long_text_is_refused_before_it_is_read():
    with pytest.raises(ValueError, match="300 characters"):
        read_number("9" * 300)
    with pytest.raises(ValueError, match="300 characters"):
        read_numbers("1 " * 150, 4)
    assert math.isfinite(read_number("9" * MOST_CHARACTERS)[0])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_python_s_own_text_of_a_number_is_read_back_exactly(value):
    assert read_number(repr(value)) == (value,)
    assert read_number(repr(value).replace("-", "−")) == (value,)


@given(st.decimals(-9999, 9999, places=2))
def test_a_decimal_comma_reads_like_a_decimal_point(value):
    assert read_number(str(value).replace(".", ",")) == (float(value),)


@given(st.text(max_size=40))
def test_any_text_is_a_finite_number_or_a_value_error(text):
    with contextlib.suppress(ValueError):
        assert all(map(math.isfinite, read_number(text, "units")))


@pytest.mark.parametrize(
    "text",
    ["0.1 0.2 -0.3 0.4", "[0.1, 0.2, −0.3, .4]", "0,1 0,2 -0,3 0,4", "0,1; 0,2; -0,3; 0,4", "0,1, 0,2, -0,3, 0,4",
     "0.1,0.2,-0.3,0.4", "array([ 0.1,  0.2, -0.3,  0.4])", "[[0.1 0.2 -0.3 0.4]]", "0.1\n0.2\n-0.3\n0.4",
     "b' = 0.1 0.2 -0.3 0.4", "0.1 | 0.2 | -0.3 | 0.4", "(1/10, 2/10, −3/10, 4/10)", "10 %, 20 %, -30 %, 40 %",
     "0.1, 0.2, - 0.3, 0.4"],
)  # fmt: skip
def test_four_numbers_in_a_row_are_read_with_any_separator(text):
    assert read_numbers(text, 4) == ((0.1,), (0.2,), (-0.3,), (0.4,))


def test_whole_numbers_between_commas_are_told_from_decimal_commas_by_their_count():
    assert read_numbers("1,2,3,4", 4) == ((1.0,), (2.0,), (3.0,), (4.0,))
    assert read_numbers("1,2 3,4", 2) == ((1.2,), (3.4,))


@pytest.mark.parametrize("text", ["", "1 2 3", "1 2 3 4 5", "a b c d", "1 2 x 4", "nan nan nan nan", "1 2 3 1/0"])
def test_too_few_too_many_or_no_numbers_are_refused(text):
    with pytest.raises(ValueError, match=r"number|fraction bar"):
        read_numbers(text, 4)
