"""The question at the foot of each page: right answers against oracles of their own, slips by name, and the pages."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from opened import assert_no_error, open_section
from oracles import mp_mutual_information, mp_tanh_gelu

from ffn_core.check_yourself import CHECKS, check, picks, telling
from ffn_core.exercises import pick
from ffn_core.questions import Choice, grade
from ffn_ui.site import CONTENTS, section

SEEDS = (*range(201), 2**32 - 1)
WITHOUT = {"exercises", "real_model"}  # sections that may be without one
every = pytest.mark.parametrize("slug", CHECKS)
few_seeds = pytest.mark.parametrize("seed", [*range(40), 2**32 - 1])


def typed(value):
    """A value as a student would type it, in full precision."""
    return " ".join(map(repr, value)) if isinstance(value, tuple) else value if isinstance(value, str) else repr(value)


def numbers(text):
    """All numbers of a prompt, in order."""
    return [float(n.replace(",", "").replace("−", "-")) for n in re.findall(r"−?\d[\d,]*(?:\.\d+)?", text)]


# The records


def test_every_section_has_its_question_but_the_exercises():
    slugs = {s.slug for s in CONTENTS}
    assert set(CHECKS) <= slugs
    assert slugs - set(CHECKS) <= WITHOUT
    assert check("exercises", 11) is None


@every
def test_for_every_seed_the_right_answer_is_right_and_each_slip_is_wrong_with_its_own_message(slug):
    for seed in SEEDS:
        q = check(slug, seed)
        assert q.key == slug
        assert q.hint
        assert q.solution
        assert grade(q, typed(q.answer)).ok
        assert grade(q, q.answer_text).ok
        assert len({said for _, said in q.slips}) >= 2
        for value, said in q.slips:
            verdict = grade(q, typed(value))
            assert (verdict.ok, verdict.read, verdict.message) == (False, True, said), (seed, value)


@every
def test_no_slip_is_the_answer_within_the_tolerance(slug):
    for seed in SEEDS:
        q = check(slug, seed)
        if isinstance(q, Choice):
            assert {o for o, _ in q.slips} == set(q.options) - {q.answer}
            assert len(set(q.options)) == len(q.slips) + 1
        else:
            assert all(np.max(np.abs(np.subtract(value, q.answer))) > q.tolerance for value, _ in q.slips)


@every
def test_neighbours_with_other_seeds_get_other_numbers(slug):
    asked = [check(slug, seed) for seed in range(202)]
    for ours, theirs in pairwise(asked):
        assert ours.prompt != theirs.prompt
        assert not grade(ours, typed(theirs.answer)).ok
    assert len({q.prompt for q in asked}) > 50
    assert asked[7] == check(slug, 7)


@every
def test_prompts_and_options_are_plain_text_also_where_markdown_is_read(slug):
    for seed in SEEDS:
        q = check(slug, seed)
        for text in (q.prompt, *getattr(q, "options", ())):
            assert not re.search(r"[*`$<>\[\]~\\#|]|https?:|:\w+:|(?<!\w)_|_(?!\w)|  |^\d+[.)] |^[-+] |-\d|--", text), (
                text
            )
            assert text.isprintable()


@every
def test_hints_messages_and_solutions_have_no_number_that_went_wrong(slug):
    for seed in SEEDS:
        q = check(slug, seed)
        for text in (q.hint, q.solution, *(said for _, said in q.slips)):
            assert not re.search(r"\bnan\b|\binf\b|None|\de[-+]\d|\d\.\d{8}|np\.|−0(?![.\d])", text), text
            assert text.count("$") % 2 == 0


def test_a_slip_that_does_no_harm_or_stands_there_already_is_left_out():
    slips = ((1.0, "a"), (1.02, "b"), (1.5, "c"), (1.5 + 1e-12, "d"), (-1, "e"))
    assert telling(1.01, 0.01, slips) == ((1.5, "c"), (-1.0, "e"))
    assert telling((1.0, 2.0), 0.01, (((1.0, 2.005), "a"), ((1.0, 2.5), "b"), (np.array([1.0, 2.5]), "c"))) == (
        ((1.0, 2.5), "b"),
    )


def test_the_first_pick_never_repeats_between_neighbours_and_all_options_are_met():
    some = tuple(range(7))
    found = [picks(seed, some, "abcd") for seed in range(400)]
    assert all(a[0] != b[0] for a, b in pairwise(found))
    assert [f[0] for f in found] == [pick(seed, some) for seed in range(400)]
    assert len({tuple(f) for f in found}) == 28


# Oracles: each reads the numbers of the prompt and works them in its own way


def overview_oracle(q):
    d_model, d_ff = map(int, numbers(q.prompt))
    wide = np.ones(d_model) @ np.ones((d_model, d_ff))
    bent = np.tanh(wide)
    out = bent @ np.ones((d_ff, d_model))
    return f"W₁: {wide.size}, σ: {bent.size}, W₂: {out.size}"


def forward_pass_oracle(q):
    T, d_model, d_ff, row = map(int, numbers(q.prompt))
    rng = np.random.default_rng(1)
    H, W1, W2 = (rng.standard_normal(shape) for shape in ((T, d_model), (d_model, d_ff), (d_ff, d_model)))
    changed = H.copy()
    changed[row - 1, 0] += 0.5
    pre, pre_changed = H @ W1, changed @ W1
    stages = (
        (pre, pre_changed),
        (np.arctan(pre), np.arctan(pre_changed)),
        (np.arctan(pre) @ W2, np.arctan(pre_changed) @ W2),
    )
    return sum(np.sum(np.abs(a - b) > 1e-9) for a, b in stages)


def why_nonlinear_oracle(q):
    """What must be known of the map: what it makes of zeros, and of each unit row on top of that."""
    n_blocks, d_model, d_ff = map(int, numbers(q.prompt)[:3])
    rng = np.random.default_rng(2)
    blocks = [
        [rng.standard_normal(shape) / 9 for shape in ((d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,))]
        for _ in range(n_blocks)
    ]

    def stack(x):
        for W1, b1, W2, b2 in blocks:
            x = (x @ W1 + b1) @ W2 + b2
        return x

    known = [stack(np.zeros(d_model)), *(stack(unit) for unit in np.eye(d_model))]
    x = rng.standard_normal(d_model)
    assert np.allclose(stack(x), known[0] + sum(v * (k - known[0]) for v, k in zip(x, known[1:], strict=True)))
    return sum(k.size for k in known)


def relu_vs_gelu_oracle(q):
    signal, x = numbers(q.prompt)
    return float(signal * mpmath.diff(mp_tanh_gelu, mpmath.mpf(x)))


def distributions_oracle(q):
    length, bias = numbers(q.prompt)[:2]
    return NormalDist(bias, length).cdf(0.0)


def width_oracle(q):
    ratio, group = Fraction(numbers(q.prompt)[0]), int([*numbers(q.prompt), 1][1])
    d = 64
    ffn = (3 if "three matrices" in q.prompt else 2) * d * (ratio * d)
    attention = d * d + d * d + 2 * d * Fraction(d, group)  # Q and output, then K and V
    return float(100 * ffn / (ffn + attention))


def keyed_memory_oracle(q):
    x1, x2, k1, k2, bias, v1, v2, channel = numbers(q.prompt)
    return float(mp_tanh_gelu(mpmath.mpf(x1 * k1 + x2 * k2 + bias)) * (v1, v2)[int(channel) - 1])


def local_gain_oracle(q):
    a, b, c, d, one, two = numbers(q.prompt)
    return (one * a + two * c, one * b + two * d)


def information_oracle(q):
    shares = {int(x): float(p) for p, x in re.findall(r"(0\.\d) for x(\d)", q.prompt)}
    merged = [int(x) for x in re.search(r"merges x(\d) and x(\d)", q.prompt).groups()]
    rows = [[shares[x] / 4, (1 - shares[x]) / 4] for x in shares if x not in merged]
    rows.append([sum(shares[x] / 4 for x in merged), sum((1 - shares[x]) / 4 for x in merged)])
    return mp_mutual_information(rows)


def residual_and_norm_oracle(q):
    depth, gain = numbers(q.prompt)
    dx = Fraction(1)
    for _ in range(int(depth)):
        dx = dx + Fraction(str(gain)) * dx
    return float(dx)


def gated_oracle(q):
    D, M, multiple = map(int, numbers(q.prompt))
    return next(m for m in range(multiple, M, multiple) if 3 * D * m >= 2 * D * M)


def position_oracle(q):
    """The only position at which three pairs, turned as complex numbers, give the score they had."""
    query, key, moved = numbers(q.prompt)
    speeds, a, b = np.array([1.0, 0.1, 0.01]), np.array([1 + 2j, 0.5 - 1j, 2j]), np.array([1 - 1j, 2 + 1j, 1 + 1j])

    def score(at, other):
        return np.sum((a * np.exp(1j * speeds * at) * np.conj(b * np.exp(1j * speeds * other))).real)

    (found,) = [m for m in range(100) if math.isclose(score(m, moved), score(query, key), abs_tol=1e-9)]
    return found


def reference_oracle(q):
    printed, ours = (Fraction(text) for text in re.findall(r"0\.\d+", q.prompt))
    digits = len(re.search(r"prints 0\.(\d+)", q.prompt).group(1))
    return float(abs(ours - printed) / (Fraction(1, 2) / 10**digits))


@few_seeds
@every
def test_the_answer_is_what_a_computation_of_its_own_finds_from_the_prompt(slug, seed):
    q = check(slug, seed)
    found = globals()[f"{slug}_oracle"](q)
    if isinstance(q, Choice):
        assert found == q.answer
    else:
        assert np.allclose(found, q.answer, rtol=1e-9, atol=1e-12)


# What a student would type for seed 11, worked out beside the code, and a word of what is said to it

SAID = {
    "forward_pass": {"660": "every row", "180": "causal attention", "32": "One of the two wide", "3": "One entry each"},
    "why_nonlinear": {"81": "W alone", "4,158": "before anything collapses", "540": "in a row", "693": "two layers"},
    "relu_vs_gelu": {"2,85": "GELU itself", "3": "That is ReLU", "−0.31": "sign of x", "1.10": "That is the gain"},
    "distributions": {"50 %": "bias of 0", "0.81": "lets through", "0,08": "not divided", "0.292": "variance"},
    "width": {"75": "two matrices", "73.8": "own for each", "4.5": "over attention", "18.2 %": "attention's share"},
    "local_gain": {"0.15 −0.61": "J times a column", "0.39; -0.28": "diagonal", "0,91 −0,12": "residual path"},
    "information": {"0.301": "before the merge", "0.107": "loses", "0.134": "nats", "0.153": "the other two"},
    "residual_and_norm": {"0.004": "without the residual", "3.4": "summed up", "8.4": "times the number of blocks"},
    "gated": {"17750": "before it is rounded", "17,664": "rounded down", "71168": "8/3", "26624": "half as much"},
    "position": {"25": "wrong way round", "18": "cannot stay", "−1": "the query down", "6": "how far apart"},
}  # fmt: skip


@pytest.mark.parametrize("slug", SAID)
def test_the_usual_slips_are_named(slug):
    for text, words in SAID[slug].items():
        verdict = grade(check(slug, 11), text)
        assert not verdict.ok
        assert words in verdict.message, (text, verdict.message)


def test_a_dropped_zero_and_a_whole_unit_are_named():
    q = next(q for seed in SEEDS if re.search(r"prints 0\.\d+0,", (q := check("reference", seed)).prompt))
    printed, ours = map(Decimal, re.findall(r"0\.\d+", q.prompt))
    units = abs(ours - printed) / Decimal((0, (1,), printed.as_tuple().exponent))
    assert "whole unit" in grade(q, f"{units}").message
    assert "0 at the end" in grade(q, f"{units / 5}").message
    assert grade(q, f"{units * 2}").ok


def test_a_match_that_was_not_gated_is_named():
    for seed in range(20):
        x1, x2, k1, k2, _, v1, v2, channel = numbers(check("keyed_memory", seed).prompt)
        ungated = (x1 * k1 + x2 * k2) * (v1, v2)[int(channel) - 1]
        assert "σ gates it first" in grade(check("keyed_memory", seed), f"{ungated:.4f}").message


# On the pages


def open_page(slug, **asked):
    return open_section(section(slug).file, **asked)


def give(at, question, given, seed=11):
    widget = at.radio if isinstance(question, Choice) else at.text_input
    widget(key=f"check_{question.key}_{seed}").set_value(given).run()
    assert_no_error(at)
    return [e.value for e in at.success], [e.value for e in at.warning]


@every
def test_a_page_asks_its_question_and_says_why_an_answer_is_wrong_or_that_it_is_right(slug):
    at, q = open_page(slug), check(slug, 11)
    assert sum(m.value.startswith("## Check yourself\n") for m in at.markdown) == 1
    widget = (at.radio if isinstance(q, Choice) else at.text_input)(key=f"check_{slug}_11")
    assert q.prompt in widget.label
    assert q.wanted in widget.label
    assert not widget.value
    labels = [e.label for e in at.expander]
    assert labels[-3:-1] == ["Hint", "Show the answer"]
    assert any(m.value.startswith("**And one to think about.**") for m in at.markdown)
    value, said = q.slips[0]
    assert give(at, q, typed(value)) == ([], [said])
    assert "The answer, and why" in [e.label for e in at.expander]
    right, warned = give(at, q, typed(q.answer))
    assert right[0].startswith("Right")
    assert not warned
    assert not [name for name in at.query_params if name.startswith("check")]


@pytest.mark.parametrize(
    "text", ["−0.11", "-0.11", "–0,11", "  - 0.11 ", "−11/100", "-1.1e-1", "−1,1 × 10⁻¹", "−11 %", "= −.11"]
)
def test_the_same_number_is_right_in_other_notations(text):
    at, q = open_page("relu_vs_gelu", seed=12), check("relu_vs_gelu", 12)
    assert round(q.answer, 2) == -0.11
    right, _ = give(at, q, text, 12)
    assert len(right) == 1


def test_one_half_is_right_in_every_notation():
    seed = next(s for s in range(1000) if abs(check("width", s).answer - 50.0) < 0.3)
    q = check("width", seed)
    assert all(grade(q, text).ok for text in ("50", "50 %", "50,0", "5e1", "100/2", " 50.0% ", "50 percent"))
    assert "fraction" in grade(q, "1/2").message
    seed = next(s for s in range(1000) if abs(check("distributions", s).answer - 0.4) < 0.01)
    assert all(grade(check("distributions", seed), t).ok for t in ("0.4", "0,4", "2/5", "4e-1", "40 %", "4 × 10⁻¹"))


def test_what_cannot_be_read_is_said_as_text_and_is_no_try():
    at = open_page("width")
    give(at, check("width", 11), "about **half** <b>x</b>")
    assert "`about **half** <b>x</b>`: That is not a number" in at.info[0].value
    assert not at.warning
    assert "The answer, and why" not in [e.label for e in at.expander]
    give(at, check("width", 11), "3")
    assert "The answer, and why" in [e.label for e in at.expander]


@every
def test_another_seed_on_the_bench_asks_anew(slug):
    at = open_page(slug)
    assert not at.number_input(key="seed").disabled
    give(at, check(slug, 11), typed(check(slug, 11).answer))
    at.number_input(key="seed").set_value(12).run()
    assert_no_error(at)
    assert not at.success
    right, _ = give(at, check(slug, 12), typed(check(slug, 12).answer), 12)
    assert len(right) == 1


def test_an_answer_stays_when_another_page_is_opened_and_stands_in_the_record():
    at, q = open_page("gated", seed=5), check("gated", 5)
    give(at, q, typed(q.slips[0][0]), 5)
    give(at, q, typed(q.answer), 5)
    at.switch_page("pages/13_exercises.py").run()
    assert_no_error(at)
    record = at.dataframe[0].value
    assert record[["section", "question", "seed", "tries", "help"]].to_numpy().tolist() == [
        ["Gated FFN", q.prompt, 5, 2, "none"]
    ]
    at.switch_page("pages/10_gated.py").run()
    assert at.text_input(key="check_gated_5").value == typed(q.answer)
    assert len(at.success) == 1


def test_a_view_prepared_for_a_class_still_asks():
    at = open_page("forward_pass", lock="seed,T,fwd_added", hide="d_ff,token", ask="Which rows move?", seed=7)
    assert at.number_input(key="seed").disabled
    assert not at.text_input(key="check_forward_pass_7").disabled
    right, warned = give(at, check("forward_pass", 7), typed(check("forward_pass", 7).answer), 7)
    assert len(right) == 1
    assert not warned


def test_the_exercises_only_have_the_open_question():
    at = open_page("exercises")
    assert not any("Check yourself" in m.value for m in at.markdown)
    assert any(m.value.startswith("**One to think about.**") for m in at.markdown)
