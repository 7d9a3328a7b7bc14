"""Every number the lesson prints is there, with its digits, and agrees with what is computed."""

import csv
import dataclasses
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from ffn_core import __main__ as command
from ffn_core import reference
from ffn_core.reference import REFERENCE, Printed, check, half_unit, results

ROOT = Path(__file__).resolve().parents[1]
with (Path(__file__).parent / "printed_numbers.csv").open(encoding="utf-8", newline="") as lines:
    PRINTED = list(csv.DictReader(lines))


def entry(printed="1.5", ours=1.5, **more):
    return Printed("section", "quantity", printed, lambda: ours, **more)


@pytest.fixture
def fresh_results():
    """Results are kept for the process; forget them before and after a test that changes what is computed."""
    results.cache_clear()
    yield
    results.cache_clear()


# --- The table


def test_the_table_holds_the_39_printed_numbers_with_their_digits_in_the_lessons_order():
    ours = [(e.section, e.quantity, e.printed) for e in REFERENCE]
    assert ours == [(row["section"], row["quantity"], row["printed"]) for row in PRINTED]
    assert len(ours) == 39


@pytest.mark.parametrize("result", results(), ids=lambda r: f"{r.printed.section}: {r.printed.quantity}")
def test_each_printed_number_is_reproduced(result):
    assert result.ok, f"lesson {result.printed.printed}, ours {result.ours}, differs by {result.difference}"


@pytest.mark.parametrize("result", results(), ids=lambda r: f"{r.printed.section}: {r.printed.quantity}")
def test_no_tolerance_is_wider_than_it_says(result):
    if result.printed.bound is not None:
        assert result.tolerance == result.printed.bound <= 1e-8
        assert "bound" in result.printed.why
    else:
        digits = result.printed.printed.split()
        last_digits = {Decimal(d).as_tuple().exponent for d in digits}
        assert len(last_digits) == 1, "one tolerance for a row: its numbers have the same decimals"
        assert result.printed.roundings <= 1e-11
        assert result.tolerance == 0.5 * 10.0 ** last_digits.pop() + result.printed.roundings


def test_only_rounding_noise_is_a_bound():
    assert [e.quantity for e in REFERENCE if e.bound is not None] == [
        "max |FFN(P*H) - P*FFN(H)|, perm [3 1 2 5 4] (1-based)",
        "max |analytic - finite difference| on -3:0.05:3",
        "max |slot sum - out(2,:)|, token 2",
    ]


# --- How a number is checked


@pytest.mark.parametrize(("digits", "half"), [("0.5", 0.05), ("40", 0.5), ("-1.250", 0.0005), ("0", 0.5)])
def test_half_a_unit_of_the_last_printed_digit(digits, half):
    assert half_unit(digits) == pytest.approx(half, rel=1e-15)


@pytest.mark.parametrize(
    ("printed", "ours", "ok"),
    [
        ("1.50", 1.504, True),
        ("1.50", 1.506, False),
        ("1.5 2.5", [1.5, 2.5], True),
        ("1.5 2.5", [1.5, 2.6], False),
        ("1.5", float("nan"), False),
        ("1.5 2.5", [1.5, float("nan")], False),
        ("1.5", float("inf"), False),
    ],
)
def test_a_number_is_right_within_half_a_unit_and_nan_never_is(printed, ours, ok):
    assert check(entry(printed, ours)).ok is ok


@pytest.mark.parametrize(
    ("ours", "ok"), [(1e-9, True), (-1e-9, True), (-3e-9, False), (float("nan"), False), ([0.0, float("nan")], False)]
)
def test_a_bound_is_kept_by_size_and_never_by_nan(ours, ok):
    printed = " ".join(["0"] * (len(ours) if isinstance(ours, list) else 1))
    assert check(entry(printed, ours, bound=2e-9)).ok is ok


def test_too_few_or_too_many_numbers_are_refused_with_what_came_and_what_was_wanted():
    with pytest.raises(ValueError) as caught:
        check(entry("1.5 2.5", 1.5))
    assert str(caught.value) == "quantity: 1 numbers came; '1.5 2.5' calls for 2"


# --- The command


def run(arguments, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_command_prints_every_number_and_exits_with_0():
    done = run(["-m", "ffn_core"], PYTHONIOENCODING="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "39 of 39 printed numbers reproduced"
    for row in PRINTED:
        assert f"ok   {row['section']}: {row['quantity']}" in done.stdout
    assert "FAIL" not in done.stdout
    assert not done.stderr


@pytest.mark.usefixtures("fresh_results")
def test_the_command_exits_with_1_when_one_number_is_off(monkeypatch, capsys):
    wrong = dataclasses.replace(REFERENCE[9], printed="-0.17104033623004985")
    monkeypatch.setattr(reference, "REFERENCE", (*REFERENCE[:9], wrong, *REFERENCE[10:]))
    assert command.main() == 1
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "38 of 39 printed numbers reproduced"
    assert [line for line in said.splitlines() if line.startswith("FAIL")] == ["FAIL distributions: min post"]
