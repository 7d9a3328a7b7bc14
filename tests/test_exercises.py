"""The five exercises: right answers against oracles of their own, typical slips named, and grading that is fair."""

import math
import runpy
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from ffn_core import closed_gates, dead_units, exercises, lesson
from ffn_core.activations import ACTIVATIONS
from ffn_core.exercises import BUILDERS, exercise
from ffn_core.ffn import forward
from ffn_core.gain import most_negative_units
from ffn_core.questions import Choice, Question, Selection, grade
from ffn_core.rng import LessonStream

SEEDS = range(24)
SOLUTIONS = Path(__file__).resolve().parents[1] / "ffn_ui" / "solutions"


def question(key, seed=11):
    return next(q for n in range(1, 6) for q in exercise(n, seed).questions if q.key == key)


def typed(answer):
    """An answer as a student would type it, in full precision."""
    return " ".join(map(repr, answer)) if isinstance(answer, tuple) else repr(answer)


def every_question(seeds=SEEDS):
    return [q for seed in seeds for n in range(1, 6) for q in exercise(n, seed).questions]


# The records


def test_every_exercise_has_questions_with_distinct_keys_a_hint_and_a_solution():
    for seed in (0, 11):
        found = [exercise(n, seed) for n in range(1, 6)]
        assert [e.number for e in found] == [1, 2, 3, 4, 5]
        keys = [q.key for e in found for q in e.questions]
        assert len(set(keys)) == len(keys)
        assert all(
            q.hint and q.solution and q.prompt and q.wanted and q.answer_text for e in found for q in e.questions
        )


def test_the_right_answer_is_right_for_every_seed():
    for q in every_question():
        given = q.answer if not isinstance(q, Question) else typed(q.answer)
        assert grade(q, given).ok, q
        assert grade(q, q.answer_text if isinstance(q, Question) else given).ok, q


def test_no_slip_is_marked_right_but_for_a_chance_meeting_of_two_entries():
    for q in every_question():
        if isinstance(q, Question):
            harmless = [message for value, message in q.slips if grade(q, typed(value)).ok]
            assert not harmless or q.key == "collapse_entry", (q.key, harmless)


def test_every_slip_of_a_number_is_named_when_it_is_typed():
    for q in every_question():
        if isinstance(q, Question):
            for value, message in q.slips:
                verdict = grade(q, typed(value))
                nearby = [m for v, m in q.slips if np.max(np.abs(np.subtract(v, value))) <= q.tolerance]
                assert verdict.ok or verdict.message in nearby
                assert message in nearby


def test_every_wrong_option_has_its_own_reason():
    for q in every_question((11,)):
        if isinstance(q, Choice):
            assert {o for o, _ in q.slips} == set(q.options) - {q.answer}
            assert all(grade(q, o).message == reason and not grade(q, o).ok for o, reason in q.slips)
        if isinstance(q, Selection):
            assert {o for o, _ in q.slips} == set(q.options)


def test_neighbours_with_other_seeds_get_other_numbers():
    for key in ("collapse_bias", "collapse_entry", "dead_share", "dead_half", "silu_point", "silu_scaled"):
        for seed in range(30):
            assert question(key, seed).answer != question(key, seed + 1).answer
        assert len({question(key, seed).answer for seed in range(30)}) >= 10
    prompts = {tuple(q.prompt for q in exercise(3, seed).questions) for seed in range(30)}
    assert len(prompts) >= 20


def test_a_number_that_is_no_exercise_is_refused():
    for number in (0, 6, -1):
        with pytest.raises(ValueError, match="one of 1 to 5 is wanted"):
            exercise(number, 11)


# Grading


def test_right_up_to_the_tolerance_and_close_just_beyond():
    q = question("dead_share")
    assert grade(q, repr(q.answer + 0.01)).ok
    assert grade(q, repr(q.answer - 0.01)).ok
    nearly = grade(q, repr(q.answer + 0.02))
    assert not nearly.ok
    assert "Close" in nearly.message


@pytest.mark.parametrize(
    "notation", ["{p:.3f}", "{p:.3f} ", "{c}", "{e:.3e}", "{h:.1f} %", "{h:.1f}%", "{n}/1000", "= {p:.3f}"]
)
def test_the_same_answer_is_right_in_other_notations(notation):
    q = question("dead_share")
    p = q.answer
    text = notation.format(p=p, c=f"{p:.3f}".replace(".", ","), e=p, h=100 * p, n=round(1000 * p))
    assert grade(q, text).ok, text


def test_a_real_minus_sign_is_a_minus():
    q = question("silu_sign")
    assert grade(q, "−1,28").ok
    assert "sign" in grade(q, "1.28").message


@pytest.mark.parametrize("text", ["", "   ", "\t"])
def test_an_empty_answer_is_no_try(text):
    for q in every_question((11,)):
        if isinstance(q, Question):
            verdict = grade(q, text)
            assert not verdict.ok
            assert not verdict.read
            assert "No answer yet" in verdict.message


def test_nothing_chosen_is_no_try():
    for q in every_question((11,)):
        if not isinstance(q, Question):
            assert grade(q, () if isinstance(q, Selection) else None) == grade(
                q, () if isinstance(q, Selection) else ""
            )
            assert not grade(q, ()).read


@pytest.mark.parametrize("text", ["banana", "nan", "inf", "1e999", "<script>", "1/0", "=1+1", "9" * 400, "٣", "[]"])
def test_absurd_text_is_no_try_and_is_never_repeated(text):
    for q in every_question((11,)):
        if isinstance(q, Question):
            verdict = grade(q, text)
            assert not verdict.ok
            assert not verdict.read
            assert text not in verdict.message


@pytest.mark.parametrize("text", ["1e300", "-1e300", "123456", "2^1000"])
def test_absurd_numbers_are_wrong_and_say_on_which_side(text):
    verdict = grade(question("dead_share"), text)
    assert verdict.read
    assert ("too small" if text.startswith("-") else "too large") in verdict.message


def test_a_sign_a_factor_of_a_hundred_and_a_shifted_point_are_named_for_any_number():
    q = question("silu_peak")
    assert "sign" in grade(q, f"{-q.answer}").message
    assert "hundred times" in grade(q, "110").message
    assert "hundredth" in grade(q, "0.011").message
    assert "ten times" in grade(q, "11").message
    assert "tenth" in grade(q, "0.11").message


def test_a_fraction_is_no_answer_to_how_many():
    verdict = grade(question("rank_most"), "12.5")
    assert not verdict.read
    assert "whole number" in verdict.message


def test_several_numbers_say_which_of_them_fit():
    q = question("collapse_bias")
    first, second, third, fourth = q.answer
    assert "place 1, 3, not in place 2, 4" in grade(q, typed((first, second + 1.0, third, fourth - 2.0))).message
    assert "4 numbers" in grade(q, typed((first, second, third))).message
    assert "None of them" in grade(q, "91 92 93 94").message


def test_a_selection_names_one_option_on_the_wrong_side():
    q = question("symmetry_commutes")
    assert grade(q, ["attention", "FFN"]).ok
    missing = grade(q, ["FFN"])
    assert "4 of 5" in missing.message
    assert "by what they hold" in missing.message
    assert "the mask looks at places" in grade(q, [*q.answer, "attention, causal mask"]).message
    assert not grade(q, q.options).ok


# 1. Collapse


@pytest.mark.parametrize("seed", [0, 3, 11])
def test_the_biased_example_keeps_the_lesson_s_tokens_and_matrices_and_draws_the_biases_after_them(seed):
    ours, plain = exercises.biased_example(seed), lesson.draw_example(seed, 5, 4, 16)
    assert np.array_equal(ours.H, plain.H)
    assert np.array_equal(ours.weights.W1, plain.weights.W1)
    assert np.array_equal(ours.weights.W2, plain.weights.W2)
    everything = LessonStream(seed).randn(20 + 64 + 64 + 16 + 4)
    assert np.array_equal(ours.weights.b1, everything[148:164])
    assert np.array_equal(ours.weights.b2, everything[164:])


@pytest.mark.parametrize("seed", [0, 3, 11])
def test_the_collapsed_map_is_the_block_without_its_activation(seed):
    drawn = exercises.biased_example(seed)
    bias, entry = question("collapse_bias", seed), question("collapse_entry", seed)
    zero, unit = np.zeros((1, 4)), np.eye(4)
    at_zero = forward(zero, drawn.weights, ACTIVATIONS["Identity"]).out[0]
    i, j = exercises.asked_entry(forward(unit, drawn.weights, ACTIVATIONS["Identity"]).out - at_zero)
    assert f"row {i + 1}, column {j + 1}" in entry.prompt
    assert np.allclose(bias.answer, at_zero, atol=1e-12)
    assert math.isclose(entry.answer, forward(unit, drawn.weights, ACTIVATIONS["Identity"]).out[i, j] - at_zero[j])


def test_the_usual_slips_of_the_collapse_are_named():
    w = exercises.biased_example(11).weights
    bias, entry = question("collapse_bias"), question("collapse_entry")
    said = {
        "b₁W₂ is missing": w.b2,
        "b₁W₂ alone": w.b1 @ w.W2,
        "went through W₁": w.W1 @ w.b1 + w.b2,
        "was subtracted": w.b1 @ w.W2 - w.b2,
    }
    for words, value in said.items():
        assert words in grade(bias, typed(tuple(value.round(3).tolist()))).message
    W = w.W1 @ w.W2
    i, j = exercises.asked_entry(W)
    assert "the matrix is the transpose" in grade(entry, f"{W[j, i]:.3f}").message
    assert "The bias was added" in grade(entry, f"{W[i, j] + (w.b1 @ w.W2 + w.b2)[j]:.3f}").message
    assert "W₂W₁" in grade(entry, f"{(w.W2 @ w.W1)[i, j]:.4f}").message


# 2. Dead units


def test_half_the_relu_units_are_silent_on_a_thousand_inputs_at_a_bias_of_minus_3_1976():
    assert round(dead_units.half_silent_bias(1000), 4) == -3.1976
    assert math.isclose(dead_units.silent_share(-3.1975894953840083), 0.5, rel_tol=1e-9)
    assert dead_units.silent_share(0.0) == 0.5**1000


def test_the_asked_share_and_bias_agree_with_the_normal_distribution_of_the_standard_library():
    normal = NormalDist()
    for seed in SEEDS:
        share, half = question("dead_share", seed), question("dead_half", seed)
        bias = float(share.prompt.split("bias of ")[1].split(" ")[0].replace("−", "-"))
        n = int(half.prompt.split("With ")[1].split(" ")[0].replace(",", ""))
        assert math.isclose(share.answer, normal.cdf(-bias) ** 1000, rel_tol=1e-9)
        assert math.isclose(normal.cdf(-half.answer) ** n, 0.5, rel_tol=1e-6)


def test_the_usual_slips_of_dead_units_are_named():
    share, half = question("dead_share"), question("dead_half")
    bias = float(share.prompt.split("bias of ")[1].split(" ")[0].replace("−", "-"))
    one = NormalDist().cdf(-bias)
    assert "chance for one input" in grade(share, f"{one:.5f}").message
    assert "still alive" in grade(share, f"{1 - share.answer:.4f}").message
    assert "Chances were added" in grade(share, f"{1 - 1000 * (1 - one):.4f}").message
    assert "sign of the bias was lost" in grade(share, "0").message
    assert "the sign is not" in grade(half, f"{-half.answer:.3f}").message
    assert "bias for 1,000 inputs" in grade(half, "-3.1976").message
    assert "single input" in grade(half, "0").message
    assert "Half of the" in grade(question("dead_zero"), "200").message
    assert grade(question("dead_zero"), "0 units").ok


def test_the_closed_sets_are_where_the_gain_of_gelu_is_below_a_hundredth():
    relu, size, signed = dead_units.closed_sets().values()
    x = np.linspace(-9.0, 9.0, 180_001)
    gain = ACTIVATIONS["GELU"].gain(x)

    def inside(intervals):
        return np.any([(low < x) & (x < high) for low, high in intervals], axis=0)

    assert np.array_equal(inside(size), np.abs(gain) < 0.01)
    assert np.array_equal(inside(signed), gain < 0.01)
    assert relu == ((-math.inf, 0.0),)


def test_counted_dead_units_are_those_of_a_plain_count():
    found, gelu, stream = dead_units.dead_units(5), ACTIVATIONS["GELU"].gain, LessonStream(5)
    X, W1 = stream.randn(25 * 1000 * 4).reshape(25, 1000, 4), stream.randn(25 * 64).reshape(25, 4, 16) * math.sqrt(0.5)
    for bias in (-6.0, -4.0, -3.0):
        dead = np.zeros(3)
        for block in range(25):
            pre = X[block] @ W1[block] + bias * np.sqrt((W1[block] ** 2).sum(axis=0))
            dead += [closed.all(axis=0).sum() for closed in (pre < 0, np.abs(gelu(pre)) < 0.01, gelu(pre) < 0.01)]
        assert [counted for _, counted in found.at(bias).values()] == (dead / 400).tolist()


@pytest.mark.parametrize("seed", [0, 11])
def test_counted_and_expected_dead_units_agree_within_the_scatter_of_25_blocks(seed):
    found = dead_units.dead_units(seed)
    assert found.n_units == 400
    # Worst case: the 16 units of a block live or die together, so a share scatters like that of 25 coins.
    scatter = 4.0 * np.sqrt(found.expected * (1.0 - found.expected) / 25) + 1.0 / 400
    assert (np.abs(found.counted - found.expected) <= scatter).all()
    assert (found.counted[:, -1] == 0.0).all()
    assert (np.diff(found.counted[0]) <= 0.0).all()


def test_the_two_readings_of_gelu_are_far_apart_where_relu_units_die():
    shares = {name: e for name, (e, _) in dead_units.dead_units(11).at(-4.0).items()}
    assert shares["ReLU"] > 0.9
    assert shares["GELU, gain with its sign"] > 0.5
    assert shares["GELU, size of the gain"] < 0.01


# 3. Symmetry


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_symmetry_questions_call_right_is_what_the_layers_do(seed):
    from ffn_core.equivariance import LAYERS, ROUNDING, draw_attention_example, rows_moved, shuffle_miss

    example = draw_attention_example(seed, 5, 4, 16, exercises.N_HEADS)
    order, token, sigma = exercises.shuffle(seed), exercises.changed_token(seed), lesson.SIGMA
    commutes = [name for name in LAYERS if shuffle_miss(name, example, sigma, order) < ROUNDING]
    assert grade(question("symmetry_commutes", seed), commutes).ok
    for key, layer in (("symmetry_ffn", LAYERS[0]), ("symmetry_plain", LAYERS[1]), ("symmetry_causal", LAYERS[2])):
        moved = rows_moved(layer, example, sigma, token, 1.0)
        rows = [k + 1 for k, by in enumerate(moved) if by > ROUNDING]
        ends = {1: f"only row {token + 1}", 5: "all 5 rows"}.get(len(rows), f"rows {rows[0]} to {rows[-1]}")
        assert question(key, seed).answer == ends


def test_the_shuffle_always_moves_a_token_and_the_changed_token_is_in_the_middle():
    for seed in range(300):
        assert exercises.shuffle(seed) != [0, 1, 2, 3, 4]
        assert sorted(exercises.shuffle(seed)) == [0, 1, 2, 3, 4]
        assert exercises.changed_token(seed) in (1, 2, 3)


# 4. Rank


def test_the_lesson_s_weights_allow_13_closed_gates_and_14_is_said_to_be_out_of_reach():
    q = question("rank_most")
    assert q.answer == 13.0
    assert grade(q, "13").ok
    assert "these weights do not allow it" in grade(q, "14").message
    assert "560 triples" in grade(q, "16").message
    assert "More is possible" in grade(q, "12").message
    assert "there is none" in exercise(4, 11).intro
    assert "Your seed allows it" in exercise(4, 3).intro


def test_the_offered_seeds_allow_14_and_15():
    for count in (14, 15):
        seed = closed_gates.seed_that_allows(count)
        assert question("rank_most", seed).answer == count
        assert all(question("rank_most", s).answer != count for s in range(seed))


@pytest.mark.parametrize("seed", [0, 3, 4, 11, 23])
def test_the_given_row_closes_as_many_gates_as_the_exact_search_says_and_no_random_row_more(seed):
    w = lesson.draw_example(seed, 5, 4, 16).weights
    found = closed_gates.closed_row(w)
    assert found.most == most_negative_units(w.W1)[0] == np.sum(found.row @ w.W1 < -3.0)
    assert np.array_equal(found.row, found.row.round(3))
    tried = np.random.default_rng(1).standard_normal((50_000, 4)) @ w.W1
    assert (tried < 0).sum(axis=1).max() <= found.most


def test_the_given_row_is_the_shortest_of_many_that_do_as_much():
    w = lesson.draw_example(3, 5, 4, 16).weights
    closed = closed_gates.closed_row(w).pre < 0
    keys = w.W1.T[closed]
    best = closed_gates.shortest_row(keys)
    assert (keys @ best <= -1.0 + 1e-9).all()
    for step in np.random.default_rng(2).standard_normal((5000, 4)):
        other = best + 0.05 * np.linalg.norm(best) * step
        reach = -(keys @ other).max()
        assert reach <= 0 or np.linalg.norm(other / reach) >= np.linalg.norm(best) * (1 - 1e-9)


def test_no_row_against_opposite_keys_is_said():
    with pytest.raises(ValueError, match="no row is negative against all"):
        closed_gates.shortest_row(np.array([[1.0, 0.0], [-1.0, 0.0]]))


@pytest.mark.parametrize("seed", SEEDS)
def test_relu_leaves_as_many_singular_values_as_gates_are_open_and_counting_hangs_on_no_rounding(seed):
    w = lesson.draw_example(seed, 5, 4, 16).weights
    found = closed_gates.closed_row(w)
    assert found.surviving("ReLU") == min(16 - found.most, 4) == question("rank_relu", seed).answer
    for name in ("ReLU", "GELU"):
        J = sum(
            float(ACTIVATIONS[name].gain(found.pre[m])) * np.outer(w.W1[:, m], w.W2[m]) for m in range(16)
        )  # fmt: skip
        s = np.linalg.svd(J)[1]
        assert np.allclose(s, found.values[name], atol=1e-12)
        assert (np.abs(s / 1e-3 - 1.0) > 0.05).all()
    assert found.surviving("GELU") >= found.surviving("ReLU")


def test_the_usual_slips_of_the_rank_are_named():
    relu, gelu = question("rank_relu", 3), question("rank_gelu", 3)
    assert (relu.answer, gelu.answer) == (1.0, 3.0)
    assert "closed gates" in grade(relu, "15").message
    assert "count for GELU" in grade(relu, "3").message
    assert "count for ReLU" in grade(gelu, "1").message
    assert "not all are above" in grade(gelu, "4").message
    assert "four singular values" in grade(gelu, "16").message


# 5. SiLU


def test_silu_s_landmarks_are_those_of_a_fine_grid_and_of_the_table_of_constants():
    at = exercises.silu_landmarks()
    x = np.linspace(-6, 6, 1_200_001)
    s = 1.0 / (1.0 + np.exp(-x))
    gain = s + x * s * (1.0 - s)
    assert math.isclose(at.peak, gain.max(), abs_tol=1e-10)
    assert math.isclose(at.peak_x, x[gain.argmax()], abs_tol=1e-4)
    assert math.isclose(at.zero_x, x[(x * s).argmin()], abs_tol=2e-5)
    assert (round(at.peak, 4), round(at.peak_x, 4), round(at.zero_x, 4)) == (1.0998, 2.3994, -1.2785)


def test_the_wrong_curve_and_other_slips_of_reading_are_named():
    said = {
        "silu_zero": {"0": "SiLU itself", "1": "far out", "0.25": "slope of the sigmoid"},
        "silu_peak": {"1.129": "wrong curve", "2.4": "where the peak is", "-0.0998": "valley", "1.42": "wrong curve"},
        "silu_peak_x": {"1.42": "wrong curve", "1.1": "how high", "-2.4": "valley"},
        "silu_sign": {
            "-0.7525": "wrong curve",
            "0": "changes its sign",
            "1.28": "sign is not",
            "-0.278": "least value",
        },
        "silu_scaled": {"-1.2785": "squeezes the curve"},
        "silu_derivative": {"s (1 − s)": "product rule", "s + x s": "not s", "x s (1 − s)": "missing"},
    }
    for key, slips in said.items():
        for text, words in slips.items():
            verdict = grade(question(key), text)
            assert not verdict.ok
            assert words in verdict.message, (key, text, verdict.message)


def test_readings_from_the_plot_are_right():
    for key, text in (("silu_zero", "1/2"), ("silu_peak", "1,10"), ("silu_peak_x", "2.4"), ("silu_sign", "−1.3")):
        assert grade(question(key), text).ok


def test_a_scaled_silu_has_its_minimum_where_the_question_says():
    for seed in SEEDS:
        q = question("silu_scaled", seed)
        beta = float(q.prompt.split("With β = ")[1].split(":")[0])
        x = np.linspace(-5, 0, 500_001)
        assert math.isclose(q.answer, x[(x / (1.0 + np.exp(-beta * x))).argmin()], abs_tol=2e-5)


# Worked solutions


@pytest.mark.parametrize(("number", "seed"), list(product(range(1, 6), (11, 3))))
def test_a_worked_solution_prints_the_answers_of_its_seed(number, seed, capsys, tmp_path):
    found = exercise(number, seed)
    text = (SOLUTIONS / f"{found.key}.py").read_text(encoding="utf-8")
    program = tmp_path / "solution.py"
    program.write_text(text.replace("\nseed = 11\n", f"\nseed = {seed}\n"), encoding="utf-8")
    runpy.run_path(str(program), run_name="__main__")
    out = capsys.readouterr().out
    if found.key == "collapse":
        wanted = [f"{question('collapse_entry', seed).answer:.4f}", f"{question('collapse_bias', seed).answer[0]:.4f}"]
    elif found.key == "dead_units":
        wanted = ["9.33", "-3.1975", "counted, of 400 units"]
    elif found.key == "symmetry":
        wanted = [f"[{exercises.changed_token(seed) + 1}]", "[1, 2, 3, 4, 5]"]
    elif found.key == "rank":
        most, relu, gelu = (question(k, seed).answer for k in ("rank_most", "rank_relu", "rank_gelu"))
        wanted = [f"triples of keys: {most:.0f}", f"ReLU: {relu:.0f} sing", f"GELU: {gelu:.0f} sing"]
    else:
        wanted = ["gain at 0: 0.5", "1.0998", "-1.278", f"{question('silu_scaled', seed).answer:.6f}"[:8]]
    assert [words for words in wanted if words not in out] == []


def test_every_exercise_has_its_worked_solution_and_no_other_is_there():
    assert sorted(p.stem for p in SOLUTIONS.glob("*.py")) == sorted(b(11).key for b in BUILDERS)


def test_the_numbers_to_copy_are_python_that_gives_the_same_numbers():
    w = exercises.biased_example(11).weights
    scope = {}
    exec(exercises.listing(W1=w.W1, b1=w.b1, W2=w.W2, b2=w.b2), scope)
    for name in ("W1", "b1", "W2", "b2"):
        assert np.allclose(scope[name], getattr(w, name), atol=5e-7)
        assert scope[name].shape == getattr(w, name).shape
