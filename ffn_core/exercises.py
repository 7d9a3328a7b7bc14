"""The lesson's five exercises, with numbers of the student's own seed, the slips that are usual there, and solutions.

All sizes are the lesson's (T = 5, d_model = 4, d_ff = 16). An exercise first says what is so where the lesson's wording
needs care, then asks. Answers and the values of slips are computed, by the functions that the other pages use.
"""

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from . import lesson
from .activations import normal_cdf, sigmoid, silu, silu_gain
from .closed_gates import closed_row
from .curves import landmarks
from .dead_units import N_BLOCKS, N_INPUTS, READINGS, SMALL_GAIN, closed_sets, crossing, half_silent_bias, silent_share
from .equivariance import ADDED, CAUSAL, LAYERS, NO_ORDER, ROTATED
from .ffn import Weights, collapse, random_weights
from .lesson import D_FF, D_MODEL, SIGMA, Example, T, read_only
from .order import token_order
from .questions import Choice, Question, Selection
from .rng import LessonStream


@dataclass(frozen=True)
class Exercise:
    """One exercise, drawn from a seed.

    Attributes
    ----------
    number : int
        As in the lesson, from 1.
    key, title : str
    intro : str
        Markdown: what is so, and what is asked.
    questions : tuple of Question, Choice and Selection
    """

    number: int
    key: str
    title: str
    intro: str
    questions: tuple


GOLDEN = 2654435769  # 2^32 over the golden ratio: steps that never come close to where the last one ended


def pick(seed, options):
    """One of three or more options, decided by the seed; seeds next to each other never get the same one.

    Parameters
    ----------
    seed : int
    options : sequence
    """
    return options[seed * GOLDEN % 2**32 * len(options) >> 32]


def shown(value, digits=2):
    """A number as text, with a real minus sign."""
    return f"{value:.{digits}f}".replace("-", "−")


def leading_elsewhere(answer, slips):
    """The slips whose value is not the answer itself, as it can happen that a slip does no harm.

    Parameters
    ----------
    answer : float
    slips : iterable of (float, str)

    Returns
    -------
    tuple of (float, str)
    """
    return tuple((float(value), message) for value, message in slips if float(value) != answer)


# 1. Collapse ----------------------------------------------------------------------------------------------------------


def biased_example(seed):
    """The lesson's example with biases: H, W1, W2 as in the lesson, then b1 and b2 from the same stream.

    Returns
    -------
    Example
    """
    stream = LessonStream(seed)
    H = read_only(stream.randn(T, D_MODEL))
    weights = random_weights(stream, D_MODEL, D_FF)
    return Example(H, Weights(weights.W1, stream.randn(D_FF), weights.W2, stream.randn(D_MODEL)))


def asked_entry(W):
    """The entry that differs most from its mirror image, so that rows and columns are not confused unnoticed.

    Returns
    -------
    row, column : int
        Counted from 0.
    """
    row, column = np.unravel_index(np.argmax(np.abs(W - W.T)), W.shape)
    return int(row), int(column)


def _collapse_bias(w):
    """The combined bias b1 W2 + b2."""
    W, bias = collapse(w)
    through, back = w.b1 @ w.W2, w.W1 @ w.b1
    slips = (
        (w.b2, "That is b₂ alone: the term b₁W₂ is missing. b₁ is added before W₂, so it goes through W₂ too."),
        (through, "That is b₁W₂ alone. b₂ is added after it."),
        (back + w.b2, "b₁ went through W₁. It is added after W₁, and what comes next is W₂."),
        (back, "b₁ went through W₁, and b₂ is missing. b₁ is added after W₁; what comes next is W₂."),
        (w.b1[:D_MODEL] + w.b2, "b₁ was cut to four entries and added. All 16 of them go through W₂."),
        (through - w.b2, "b₂ was subtracted; it is added."),
        (W.sum(axis=0), "Those are the column sums of W₁W₂. A bias is what comes out for a row of zeros."),
    )
    return Question(
        key="collapse_bias",
        prompt="The combined bias b′: its four entries, in a row.",
        unit="",
        tolerance=0.01,
        answer=tuple(bias.tolist()),
        slips=tuple((tuple(value.tolist()), message) for value, message in slips),
        hint="Send a row of zeros through the block: what comes out is the bias. Zeros become $b_1$ after the first "
        "layer; follow $b_1$ through the rest.",
        solution="With the identity, out $= (xW_1 + b_1)W_2 + b_2 = x\\,(W_1W_2) + (b_1W_2 + b_2)$. "
        "So $b' = b_1W_2 + b_2$, in numpy `b1 @ W2 + b2`.",
    )


def _collapse_entry(w):
    """One entry of W1 W2."""
    W, bias = collapse(w)
    i, j = asked_entry(W)
    slips = [
        (W[j, i], f"That is row {j + 1}, column {i + 1}: in the column convention the matrix is the transpose."),
        ((w.W2 @ w.W1)[i, j], "That is an entry of W₂W₁, which is 16 × 16. A row meets W₁ first: W₁W₂."),
        (W[i, j] + bias[j], "The bias was added. It is no part of the matrix."),
    ]
    if max(i, j) + 1 < D_MODEL:
        counted = "Here rows and columns count from 1, in numpy from 0."
        slips.append((W[i + 1, j + 1], f"That is row {i + 2}, column {j + 2}. {counted}"))
    slips += [(W[r, c], f"That is row {r + 1}, column {c + 1}.") for r, c in np.ndindex(W.shape)]
    return Question(
        key="collapse_entry",
        prompt=f"The entry of the collapsed matrix in row {i + 1}, column {j + 1}, counted from 1.",
        unit="",
        tolerance=0.01,
        answer=float(W[i, j]),
        slips=leading_elsewhere(float(W[i, j]), slips),
        hint=f"Row {i + 1} of $W_1$ times column {j + 1} of $W_2$: sixteen products, one a hidden unit, added up. Both "
        "are outlined above.",
        solution=f"$W = W_1W_2$, and its entry is row {i + 1} of $W_1$ times column {j + 1} of $W_2$. numpy counts "
        f"from 0: `(W1 @ W2)[{i}, {j}]`.",
    )


def _collapse_depth():
    """What a stack without activations can compute."""
    one, products, more = (
        "the same as one block: a single linear map",
        "products of up to twelve entries",
        "twelve times as many functions, since there are twelve times as many weights",
    )
    return Choice(
        key="collapse_depth",
        prompt="Twelve such blocks in a row, none with an activation: what can they compute?",
        options=(one, products, more),
        answer=one,
        slips=(
            (products, "Entries of a token are never multiplied with each other, only with weights; then they are "
             "added."),
            (more, "The weights are more, the functions are not: a product of 4 × 4 matrices is a 4 × 4 matrix."),
        ),
        hint="What the first block gives is what the second takes. Collapse the two again.",
        solution="Two linear maps in a row are one: $(xA + a)B + b = x\\,(AB) + (aB + b)$. So along this path N layers "
        "do no more than one does, and a residual does not help: $x + f(x)$ is linear too.",
    )  # fmt: skip


def collapse_exercise(seed):
    """Exercise 1: the single linear map that is left without the activation."""
    w = biased_example(seed).weights
    return Exercise(
        number=1,
        key="collapse",
        title="Collapse without activation",
        intro="Put the identity in place of $\\sigma$, and two layers become one: $\\mathrm{FFN}(H) = H\\,W + b'$ with "
        "one matrix $W$ and one combined bias $b'$. The lesson's biases are zero, which would hide half of the answer. "
        "So here $b_1$ and $b_2$ are drawn too, after $W_2$ and from the same random numbers.",
        questions=(_collapse_bias(w), _collapse_entry(w), _collapse_depth()),
    )


# 2. Dead units --------------------------------------------------------------------------------------------------------

ASKED_BIASES = tuple(k / 100.0 for k in range(-340, -299))  # a tenth to nine tenths of the units are silent there
ASKED_INPUTS = (*range(200, 901, 50), *range(1500, 5001, 250))


def _dead_zero():
    """The zero-bias case."""
    units = N_BLOCKS * D_FF
    chance, exponent = f"{float(silent_share(0.0)):.1e}".split("e")
    return Question(
        key="dead_zero",
        prompt=f"With zero bias, as the lesson's block begins: of {units} ReLU units, how many do you expect to be "
        f"negative for each of {N_INPUTS:,} random inputs?",
        unit="units",
        tolerance=0.0,
        answer=0.0,
        slips=(
            (units / 2.0, "Half of the *values* are negative. A dead unit is negative for every one of the inputs."),
            (D_FF / 2.0, "Half of the *values* are negative. A dead unit is negative for every one of the inputs."),
            (float(units), "Each would have to be negative a thousand times, as rare as a thousand heads in a row."),
            (0.5, "That is the chance of one negative value. It has to happen for all inputs."),
        ),
        hint=f"One value is negative with chance 1/2. And {N_INPUTS:,} of them?",
        solution=f"None: the chance is $(1/2)^{{{N_INPUTS}}} \\approx {chance} \\times 10^{{{int(exponent)}}}$ a unit, "
        "and for GELU, whose gain has to be near 0 all the time, it is smaller still. A unit dies only when its bias "
        "has drifted down; that is what the dial is for.",
    )


def _dead_share(seed):
    """The share of silent units at a bias of the seed."""
    bias = pick(seed, [b for b in ASKED_BIASES if abs(silent_share(b) - 0.5) > 0.05])
    one, share = float(normal_cdf(-bias)), float(silent_share(bias))
    return Question(
        key="dead_share",
        prompt=f"At a bias of {shown(bias)} standard deviations of the pre-activation: which share of the ReLU units "
        f"do you expect to be negative for all {N_INPUTS:,} inputs?",
        unit="",
        tolerance=0.01,
        answer=share,
        slips=(
            (one, f"That is Φ({-bias:.2f}), the chance for one input. It has to happen {N_INPUTS:,} times."),
            (1.0 - one, "That is the chance of one positive value. One minus it is for one input; take it n times."),
            (1.0 - share, "That is the share of units that are still alive."),
            (1.0 - N_INPUTS * (1.0 - one), "Chances were added: 1 − n(1 − p). A unit with two positive values is "
             "counted twice in that; multiply instead, p to the power n."),
            (float(silent_share(-bias)), "The sign of the bias was lost: a negative bias pushes the values down."),
        ),
        hint="For one input the chance is $\\Phi(-\\text{bias})$, with $\\Phi$ the standard normal distribution "
        "function, in Python `statistics.NormalDist().cdf`. The inputs are independent of each other.",
        solution=f"For one input $\\Phi({-bias:.2f}) = {one:.6f}$, for all of them ${one:.6f}^{{{N_INPUTS}}} = "
        f"{share:.3f}$.",
    )  # fmt: skip


def _dead_half(seed):
    """The bias at which half the units are silent, for a number of inputs of the seed."""
    n = pick(seed, ASKED_INPUTS)
    bias, quantile = half_silent_bias(n), NormalDist().inv_cdf
    return Question(
        key="dead_half",
        prompt=f"With {n:,} inputs instead: at which bias, in standard deviations (sd), is half of the ReLU units "
        "silent?",
        unit="sd",
        tolerance=0.02,
        answer=bias,
        slips=(
            (half_silent_bias(1), "0 is right for a single input. With more inputs there are more chances to be "
             "positive."),
            (quantile(0.5 / n), "One positive value in 2n was allowed: half a one a unit on average, but then more "
             "than half of the units have none. Solve pⁿ = 1/2."),
            (quantile(1.0 / n), "One positive value in n was allowed: one a unit on average, and then a share of 1/e "
             "has none. Solve pⁿ = 1/2."),
            (half_silent_bias(), f"That is the bias for {N_INPUTS:,} inputs."),
        ),
        hint="Solve $\\Phi(-\\text{bias})^n = 1/2$: take the n-th root of 1/2, then the inverse of $\\Phi$, in Python "
        "`statistics.NormalDist().inv_cdf`. And mind the sign.",
        solution=f"$\\Phi(-b) = (1/2)^{{1/{n}}} = {0.5 ** (1.0 / n):.7f}$, so $b = {bias:.4f}$. For {N_INPUTS:,} "
        f"inputs it is {shown(half_silent_bias(), 4)}: the number of inputs matters little.",
    )  # fmt: skip


def _dead_readings():
    """What 'gain below 0.01' should mean for GELU."""
    turned, none, small = (
        "yes, turned round: its gain is about −0.1",
        "no: its gain is below 0.01",
        "yes: its gain is small, but positive",
    )
    border = closed_sets()[READINGS[2]][-1][1]
    return Choice(
        key="dead_readings",
        prompt="A GELU unit lies between −2 and −1 for all inputs, and “gain below 0.01 everywhere” counts it as dead. "
        "Does it pass a training signal?",
        options=(turned, none, small),
        answer=turned,
        slips=(
            (none, "Below 0.01, yes, but not near 0: its gain is negative there, and in size ten times the limit."),
            (small, "Left of −0.75 GELU falls as x grows, so its gain is negative there."),
        ),
        hint="Look at GELU's gain between −2 and −1, in the picture of exercise 5.",
        solution=f"GELU's gain is {shown(SIGMA.gain(-2.0), 3)} at −2 and {shown(SIGMA.gain(-1.0), 3)} at −1. “Below "
        f"{SMALL_GAIN}” has to mean its size. Taken with the sign, every unit that stays left of {shown(border)} "
        "would count, and it would seem that GELU units die almost as easily as ReLU's.",
    )  # fmt: skip


def dead_units_exercise(seed):
    """Exercise 2: units that are silent on all of many inputs."""
    return Exercise(
        number=2,
        key="dead_units",
        title="Dead units",
        intro="A ReLU unit that is negative for every input is dead: it passes nothing on, and no training signal "
        f"back. With zero bias, the lesson's count over {N_INPUTS:,} inputs is 0, for ReLU and for GELU alike. So the "
        "dial shifts every unit, in standard deviations (sd) of its own pre-activation. Counted are the units of "
        f"{N_BLOCKS} blocks of the lesson's size, {N_BLOCKS * D_FF} together, each block with {N_INPUTS:,} inputs of "
        f"its own. For GELU, “gain below {SMALL_GAIN}” can be read in two ways: the size of the gain, or the gain with "
        "its sign.",
        questions=(_dead_zero(), _dead_share(seed), _dead_half(seed), _dead_readings()),
    )  # fmt: skip


# 3. Symmetry ----------------------------------------------------------------------------------------------------------

FFN = LAYERS[0]
N_HEADS = 2


def shuffle(seed):
    """The order of the five tokens in exercise 3, counted from 0; never the order they stand in."""
    order = token_order("random", T, seed)
    return order if order != sorted(order) else order[::-1]


def changed_token(seed):
    """The token that changes in exercise 3, counted from 0; neither the first nor the last."""
    return pick(seed, range(1, T - 1))


def _symmetry_commutes(seed):
    """Which layers commute with a shuffle."""
    order = " ".join(str(i + 1) for i in shuffle(seed))
    return Selection(
        key="symmetry_commutes",
        prompt=f"Shuffle the five tokens into the order {order} and then apply the layer, or apply the layer and then "
        "shuffle. For which layers is it the same?",
        options=LAYERS,
        answer=(FFN, NO_ORDER),
        slips=(
            (FFN, "it treats each row by itself and all alike, so it cannot matter where a row stands."),
            (NO_ORDER, "it mixes rows, but by what they hold, not by where they stand. The same scores come out, in "
             "the shuffled order."),
            (CAUSAL, "the mask looks at places, and after a shuffle other tokens are earlier."),
            (ADDED, "the vector that is added belongs to the place, and the token has moved."),
            (ROTATED, "queries and keys are turned by their place, so it matters how far apart two tokens stand."),
        ),
        hint="Ask of each layer: is there anything in it, besides the tokens, that knows the number of a row?",
        solution="FFN and attention without positions. So “not true for attention” needs a mask or positions; plain "
        "attention commutes with every shuffle. What tells it from the FFN is in the next questions.",
    )  # fmt: skip


def _symmetry_moves(seed, key, layer, answer, reasons, solution):
    """Which rows of a layer's output move; `reasons` for the four options, in their order."""
    token = changed_token(seed) + 1
    options = (f"only row {token}", f"rows {token} to {T}", f"rows 1 to {token}", f"all {T} rows")
    return Choice(
        key=key,
        prompt=f"Change token {token} and no other. Which rows of the output of {layer} can move?",
        options=options,
        answer=options[answer],
        slips=tuple(pair for k, pair in enumerate(zip(options, reasons, strict=True)) if k != answer),
        hint=f"Which rows of the output read token {token}?",
        solution=solution,
    )


def symmetry_exercise(seed):
    """Exercise 3: what commutes with a shuffle, and which rows move."""
    ffn = _symmetry_moves(
        seed, "symmetry_ffn", "the FFN", 0,
        (
            "",
            "That is causal attention. In the FFN a row is read by nobody but itself.",
            "Nothing runs along the tokens in an FFN, in either direction.",
            "That is attention. In the FFN a row is read by nobody but itself.",
        ),
        "A row of the output is a function of the same row of the input, and of nothing else.",
    )  # fmt: skip
    causal = _symmetry_moves(
        seed, "symmetry_causal", "causal attention", 1,
        (
            "Later rows attend to this token, so they move as well.",
            "",
            "The other way round: a row attends to itself and to earlier tokens.",
            "Earlier rows may not look at this token: that is what the mask forbids.",
        ),
        "The token itself and later rows attend to it. Earlier rows may not, and stay as they are.",
    )  # fmt: skip
    plain = _symmetry_moves(
        seed, "symmetry_plain", "attention without mask and positions", 3,
        (
            "To commute with a shuffle is not to keep rows apart: here every row attends to every token.",
            "There is no mask here: earlier rows attend to this token too.",
            "There is no mask here: later rows attend to this token too.",
            "",
        ),
        "Every row attends to every token. So this layer commutes with a shuffle *and* mixes rows: two properties, and "
        "only the FFN has both that of commuting and that of keeping rows apart.",
    )  # fmt: skip
    return Exercise(
        number=3,
        key="symmetry",
        title="Per-position symmetry",
        intro="The lesson asks why $\\mathrm{FFN}(PH) = P\\,\\mathrm{FFN}(H)$ for every shuffle $P$, and why this is "
        "not true for attention. There are two properties in it: a layer may *commute with a shuffle*, and it may "
        "*keep rows apart*. Predict both, for five layers with weights of your seed; then run them.",
        questions=(_symmetry_commutes(seed), ffn, causal, plain),
    )  # fmt: skip


# 4. Rank of the local gain --------------------------------------------------------------------------------------------

AS_PRINTED = 14  # "at least 14 of the 16"
TRIPLES = math.comb(D_FF, D_MODEL - 1)


def _rank_most(found):
    """How many pre-activations can be negative at once."""

    def said(n):
        if n > found.most:
            printed = " The exercise asks for 14, but these weights do not allow it." if n == AS_PRINTED else ""
            return f"No row can: all {TRIPLES} triples of keys were tried, with both signs.{printed}"
        if n <= D_FF // 2:
            return "Even a random row or its opposite does that much. There are better ones."
        return "More is possible. Try more random rows, or begin at the best one found and search near it."

    return Question(
        key="rank_most",
        prompt="How many of the 16 pre-activations can a single row drive negative at once, with W₁ of your seed and "
        "zero bias? (Made longer, the same row drives them below −3.)",
        unit="",
        tolerance=0.0,
        answer=float(found.most),
        slips=leading_elsewhere(float(found.most), ((n, said(n)) for n in range(D_FF + 1))),
        hint="Try many random rows: `(rows @ W1 < 0).sum(axis=1).max()`. The best ones fill narrow cones, so take a "
        "million; or search exactly: the best cone has an edge, a row at right angles to three keys.",
        solution="A pre-activation changes its sign where the row is at right angles to the key. So the "
        f"best cone has an edge at right angles to three keys, and trying all {TRIPLES} triples, with both signs, "
        "decides it: `gain.most_negative_units(W1)`. "
        + ("The exercise can be done as printed." if found.most >= AS_PRINTED else "So 14 is out of reach here."),
    )  # fmt: skip


def _rank_relu(found):
    """Singular values that ReLU leaves."""
    n_open, relu = D_FF - found.most, found.surviving("ReLU")
    slips = (
        (found.most, "That is the number of closed gates."),
        (n_open, f"That is the number of open gates, but J is 4 × 4: it has {D_MODEL} singular values."),
        (found.surviving(SIGMA.name), "That is the count for GELU. ReLU's closed gates pass nothing at all."),
        *((n, "J has one term a gate, and only an open gate's is not zero. Count the open ones.") for n in range(D_FF)),
    )
    return Question(
        key="rank_relu",
        prompt="At the given row, how many singular values of J are above 0.001 with ReLU?",
        unit="",
        tolerance=0.0,
        answer=float(relu),
        slips=leading_elsewhere(relu, slips),
        hint="J is a sum over the gates: gain × key × value, a matrix of rank 1 each. With ReLU, how many terms are "
        "left?",
        solution=f"{n_open} gates are open, so J is a sum of {n_open} matrices of rank 1, and its rank is at most "
        f"{min(n_open, D_MODEL)}. The other singular values are 0, up to rounding.",
    )  # fmt: skip


def _rank_gelu(found):
    """Singular values that GELU leaves."""
    relu, gelu = found.surviving("ReLU"), found.surviving(SIGMA.name)
    values = ", ".join(f"{v:.2g}" for v in found.values[SIGMA.name])
    if relu == D_MODEL:
        reason = "Four gates are open, which is full rank already."
    elif gelu > relu:
        reason = "The leak of the closed gates shows."
    else:
        reason = "The closed gates leak, but less than 0.001."
    slips = (
        (relu, "That is the count for ReLU. GELU's closed gates leak: a gain of about −0.01 each at −3."),
        (D_MODEL, "All four are above 0, but not all are above 0.001."),
        *((n, "Put GELU's gains at the row into J = W₁ diag(gain) W₂, and count.") for n in range(D_MODEL)),
        *((n, "J is 4 × 4: it has four singular values.") for n in range(D_MODEL + 1, D_FF + 1)),
    )
    return Question(
        key="rank_gelu",
        prompt="And at the same row with GELU, how many are above 0.001?",
        unit="",
        tolerance=0.0,
        answer=float(gelu),
        slips=leading_elsewhere(gelu, slips),
        hint="`np.linalg.svd(W1 @ np.diag(gain(row @ W1)) @ W2)[1]`, with the gain of the tanh form of GELU.",
        solution=f"The four are {values}. {reason}",
    )


def _rank_why():
    """The difference in one sentence about the gain."""
    zero, larger, outputs = (
        "ReLU's gain is exactly 0 in a closed gate, GELU's is small but not 0",
        "GELU's gain is larger than ReLU's everywhere",
        "ReLU's output is 0 in a closed gate, GELU's is not",
    )
    return Choice(
        key="rank_why",
        prompt="Where does the difference between the two come from, in one sentence about σ′?",
        options=(zero, larger, outputs),
        answer=zero,
        slips=(
            (larger, f"It is not: at −1 it is {shown(SIGMA.gain(-1.0))}, and ReLU's is 0."),
            (outputs, "That is true, but J is made of gains, not of outputs."),
        ),
        hint="Which function of the pre-activations stands in J?",
        solution="ReLU's σ′ is exactly 0 left of zero, so a closed gate takes its term out of J. GELU's σ′ only comes "
        "near 0 there: every gate leaves a trace, so the rank stays full while the size falls.",
    )  # fmt: skip


def rank_exercise(seed):
    """Exercise 4: how many gates one token can close, and what is left of the local gain then."""
    found = closed_row(lesson.draw_example(seed, T, D_MODEL, D_FF).weights)
    if found.most >= AS_PRINTED:
        said = "Your seed allows it."
    else:
        whose = "the lesson's own weights" if seed == lesson.SEED else "the weights of your seed"
        said = f"With {whose} there is none; take the row that comes nearest, or a seed that allows more."
    return Exercise(
        number=4,
        key="rank",
        title="Rank of the local gain",
        intro="The local gain at a token is $J = W_1\\,\\mathrm{diag}(\\sigma'(xW_1))\\,W_2$, a 4 × 4 matrix. The "
        f"lesson looks for one row that pushes {AS_PRINTED} or more of the 16 pre-activations under −3. Whether such a "
        f"row exists depends on $W_1$. {said}",
        questions=(_rank_most(found), _rank_relu(found), _rank_gelu(found), _rank_why()),
    )  # fmt: skip


# 5. SiLU's gain -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SiluLandmarks:
    """What can be read off SiLU's gain curve, from closed forms.

    Attributes
    ----------
    peak_x, peak : float
        The gain is largest where x tanh(x / 2) = 2.
    zero_x : float
        It changes sign at -(1 + W(1/e)), with Lambert's function: w = W(1/e) solves w exp(w) = 1/e.
    """

    peak_x: float
    peak: float
    zero_x: float


@cache
def silu_landmarks():
    """Peak and sign change of SiLU's gain.

    Returns
    -------
    SiluLandmarks
    """
    peak_x = crossing(lambda x: x * math.tanh(0.5 * x) - 2.0, 1.0, 4.0)
    w = crossing(lambda w: w * math.exp(w) - math.exp(-1.0), 0.0, 1.0)
    return SiluLandmarks(peak_x, float(silu_gain(peak_x)), -(1.0 + w))


ASKED_BETAS = tuple(
    k / 20.0 for k in (*range(8, 17), *range(24, 33), *range(37, 61))
)  # not near 1 (SiLU) and 1.7 (GELU)
ASKED_X = tuple(k / 10.0 for k in (*range(-39, -4, 2), *range(5, 20, 2)))


def _silu_derivative():
    """The closed form of the gain."""
    both, sigmoids, forgot, half = "s + x s (1 − s)", "s (1 − s)", "s + x s", "x s (1 − s)"
    return Choice(
        key="silu_derivative",
        prompt="SiLU(x) = x s with s = sigmoid(x). What is its derivative?",
        options=(sigmoids, forgot, both, half),
        answer=both,
        slips=(
            (sigmoids, "That is the derivative of the sigmoid alone. Use the product rule."),
            (forgot, "The derivative of the sigmoid is s (1 − s), not s."),
            (half, "Half of the product rule is missing: the derivative of x, times s."),
        ),
        hint="Product rule; the derivative of the sigmoid is $s\\,(1 - s)$.",
        solution="$(x\\,s)' = s + x\\,s\\,(1 - s)$, the same as $s\\,(1 + x\\,(1 - s))$.",
    )


def _silu_zero():
    """The gain at the origin."""
    return Question(
        key="silu_zero",
        prompt="SiLU's gain at x = 0.",
        unit="",
        tolerance=0.01,
        answer=float(silu_gain(0.0)),
        slips=(
            (float(silu(0.0)), "That is SiLU itself at 0. Its gain is its slope there."),
            (1.0, "That is the gain far out on the right."),
            (0.25, "That is the slope of the sigmoid at 0."),
        ),
        hint="Put x = 0 into the derivative, or read the curve above x = 0.",
        solution="$s = 1/2$ and $x = 0$, so the gain is $s = 1/2$, as it is for GELU.",
    )


def _silu_peak(at, gelu):
    """The largest gain."""
    return Question(
        key="silu_peak",
        prompt="The largest gain of SiLU.",
        unit="",
        tolerance=0.01,
        answer=at.peak,
        slips=(
            (gelu.peak, "That is GELU's peak: the wrong curve."),
            (at.peak_x, "That is where the peak is, not how high it is."),
            (gelu.peak_x, "That is where GELU has its peak: the wrong curve, and the place instead of the height."),
            (1.0, "The gain comes down to 1 far out on the right, from above."),
            (1.0 - at.peak, "That is the valley on the left. By g(x) + g(−x) = 1 it mirrors the peak."),
        ),
        hint="Follow the curve to the right of x = 2 with the pointer.",
        solution=f"The slope of the gain is 0 where $x \\tanh(x/2) = 2$, at $x = {at.peak_x:.4f}$; the gain there is "
        f"{at.peak:.4f}.",
    )


def _silu_peak_x(at, gelu):
    """Where the gain is largest."""
    return Question(
        key="silu_peak_x",
        prompt="The x at which SiLU's gain is largest.",
        unit="",
        tolerance=0.1,
        answer=at.peak_x,
        slips=(
            (gelu.peak_x, "That is where GELU has its peak: the wrong curve."),
            (at.peak, "That is how high the peak is, not where it is."),
            (-at.peak_x, "That is the valley, the mirror image of the peak."),
        ),
        hint="The curve is flat there, so ±0.1 is near enough.",
        solution=f"$x = {at.peak_x:.4f}$. GELU has its peak at {gelu.peak_x:.2f} already; SiLU is the gentler of the "
        "two.",
    )


def _silu_sign(at, gelu):
    """Where the gain turns negative."""
    return Question(
        key="silu_sign",
        prompt="The x below which SiLU's gain is negative.",
        unit="",
        tolerance=0.03,
        answer=at.zero_x,
        slips=(
            (gelu.zero_x, "That is where GELU's gain changes its sign: the wrong curve."),
            (0.0, "At 0 SiLU itself changes its sign. Its gain is 1/2 there."),
            (float(silu(at.zero_x)), "That is SiLU's least value. It has it where the gain is 0; that x is asked."),
            (-at.peak_x, "That is where the gain is lowest, not where it is 0."),
        ),
        hint="Where does the curve cross the grey line at 0?",
        solution="The gain is 0 where $1 + x\\,(1 - s) = 0$. That is at $x = -(1 + W(1/e))$ with Lambert's $W$, "
        f"${at.zero_x:.4f}$, and SiLU has its minimum there.",
    )


def _silu_point(seed):
    """The gain at a point of the seed."""
    x = pick(seed, ASKED_X)
    return Question(
        key="silu_point",
        prompt=f"SiLU's gain at x = {shown(x, 1)}.",
        unit="",
        tolerance=0.01,
        answer=float(silu_gain(x)),
        slips=(
            (float(SIGMA.gain(x)), "That is GELU's gain: the wrong curve."),
            (float(silu(x)), "That is SiLU itself. Its gain is asked."),
            (float(silu_gain(-x)), "The sign of x was lost. The gains at x and −x add up to 1."),
            (float(sigmoid(x)), "That is s alone; x s (1 − s) is missing."),
        ),
        hint="Hold the pointer there, or put x into the derivative.",
        solution=f"$s = {float(sigmoid(x)):.4f}$, and $s\\,(1 + x\\,(1 - s)) = {float(silu_gain(x)):.4f}$.",
    )


def _silu_scaled(seed, at, gelu):
    """The sign change of x sigmoid(beta x), for a beta of the seed."""
    beta = pick(seed, ASKED_BETAS)
    return Question(
        key="silu_scaled",
        prompt=f"x sigmoid(βx) is SiLU when β = 1. With β = {beta:g}: the x below which its gain is negative.",
        unit="",
        tolerance=0.03,
        answer=at.zero_x / beta,
        slips=(
            (at.zero_x, "That is SiLU's own, for β = 1. A larger β squeezes the curve together."),
            (at.zero_x * beta, "The curve was stretched by β, but it is squeezed: divide by β."),
            (gelu.zero_x, "That is GELU's, which is close to β = 1.7."),
        ),
        hint="The gain of $x\\,\\mathrm{sigmoid}(\\beta x)$ at $x$ is SiLU's gain at $\\beta x$.",
        solution=f"SiLU's gain is 0 at {shown(at.zero_x, 4)}, so here $\\beta x = {at.zero_x:.4f}$ and "
        f"$x = {at.zero_x / beta:.4f}$.",
    )


def silu_exercise(seed):
    """Exercise 5: SiLU's gain curve, read off."""
    at, gelu = silu_landmarks(), landmarks(SIGMA)
    return Exercise(
        number=5,
        key="silu",
        title="SiLU's gain curve",
        intro="SiLU is $x\\,\\mathrm{sigmoid}(x)$, the activation inside SwiGLU. Derive its gain, then read the curve "
        "by numbers: hold the pointer over it. GELU's gain is drawn beside it, so there is a wrong curve to avoid.",
        questions=(
            _silu_derivative(),
            _silu_zero(),
            _silu_peak(at, gelu),
            _silu_peak_x(at, gelu),
            _silu_sign(at, gelu),
            _silu_point(seed),
            _silu_scaled(seed, at, gelu),
        ),
    )


BUILDERS = (collapse_exercise, dead_units_exercise, symmetry_exercise, rank_exercise, silu_exercise)
NAMES = ("Collapse", "Dead units", "Symmetry", "Rank of the gain", "SiLU's gain")


def exercise(number, seed):
    """One of the five exercises, with the numbers of a seed.

    Parameters
    ----------
    number : int
        From 1 to 5.
    seed : int

    Returns
    -------
    Exercise
    """
    if number not in range(1, len(BUILDERS) + 1):
        raise ValueError(f"number is {number}; one of 1 to {len(BUILDERS)} is wanted")
    return BUILDERS[number - 1](seed)


def listing(**arrays):
    """Arrays as Python text with six decimals, to be copied into any tool.

    Returns
    -------
    str
    """
    lines = ["import numpy as np", ""]
    for name, array in arrays.items():
        text = np.array2string(array, separator=", ", precision=6, max_line_width=76, floatmode="fixed")
        lines.append(f"{name} = np.array({text})")
    return "\n".join(lines)
