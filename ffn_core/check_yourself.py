"""One graded question for each section, at the foot of its page, with numbers of the student's own seed.

Each is about the section's main point and can be answered from its page. Answers and the values of slips are computed,
by the functions that the pages use; a slip that happens to do no harm with today's numbers is left out.
"""

from decimal import Decimal
from itertools import permutations, product

import numpy as np

from .activations import ACTIVATIONS, normal_cdf
from .counts import BlockSize, equal_budget_width, hidden_width
from .exercises import GOLDEN, shown
from .ffn import Weights, collapse, forward, slot_terms
from .information import merge, mutual_information
from .lesson import SIGMA
from .questions import Choice, Question
from .reference import half_unit


def picks(seed, *options):
    """One of each, decided by the seed; seeds next to each other never get the same one of the first.

    Parameters
    ----------
    seed : int
    *options : sequence
        The first has at least three entries.

    Returns
    -------
    list

    Examples
    --------
    >>> picks(11, "abc", "xy"), picks(12, "abc", "xy")
    (['c', 'x'], ['b', 'x'])
    """
    place, found = seed * GOLDEN % 2**32, []
    for some in options:
        index, place = divmod(place * len(some), 2**32)
        found.append(some[index])
    return found


def row(values):
    """Numbers as a row in plain text: (0.5, −1)."""
    return "(" + ", ".join(f"{v:g}".replace("-", "−") for v in values) + ")"


def telling(answer, tolerance, slips):
    """The slips that lead to a wrong answer, each value once.

    Parameters
    ----------
    answer : float or tuple of float
    tolerance : float
    slips : iterable of (float or sequence of float, str)

    Returns
    -------
    tuple of (float or tuple of float, str)
    """
    found = []
    for value, said in slips:
        value = tuple(map(float, value)) if np.ndim(value) else float(value)
        near = [v for v, limit in ((answer, tolerance), *((v, 0.0) for v, _ in found)) if _close(v, value, limit)]
        found += [] if near else [(value, said)]
    return tuple(found)


def _close(a, b, limit):
    """Whether numbers are within a limit of each other, up to rounding."""
    return float(np.max(np.abs(np.subtract(a, b)))) <= limit * (1.0 + 1e-9) + 1e-9


def overview(seed):
    """What happens to a token, in which order, and how wide it is after each step."""
    d_ff, d_model = picks(seed, range(12, 33, 2), range(3, 9))
    right = f"W₁: {d_ff}, σ: {d_ff}, W₂: {d_model}"
    slips = (
        (f"σ: {d_model}, W₁: {d_ff}, W₂: {d_model}",
         "Then nothing stands between the two matrices, and they are one: no need to be wide at all."),
        (f"W₁: {d_ff}, W₂: {d_model}, σ: {d_model}",
         "Then nothing stands between the two matrices, and they are one. And with ReLU at the end, a channel could "
         "only be pushed up."),
        (f"W₁: {d_ff}, σ: {d_model}, W₂: {d_model}",
         "σ takes one number at a time and gives one back, so it does not change how many there are. W₂ does."),
    )  # fmt: skip
    options = [right, *(option for option, _ in slips)]
    (turn,) = picks(seed, range(len(options)))
    return Choice(
        key="overview",
        prompt=f"A token has d_model = {d_model} numbers, and d_ff is {d_ff}. In which order do W₁, W₂ and σ work on "
        "it, and how many numbers are there after each?",
        options=(*options[turn:], *options[:turn]),
        answer=right,
        slips=slips,
        hint="Follow the picture at the top from $H$ down to out. What would two matrices be with nothing between "
        "them?",
        solution=f"$W_1$ is {d_model} × {d_ff} and makes the row wide; $\\sigma$ bends each of the {d_ff} numbers by "
        f"itself; $W_2$ is {d_ff} × {d_model} and makes the row as narrow as before. The biases are added on the way "
        "and change no count.",
    )


def forward_pass(seed):
    """How many entries can change when one entry of H does."""
    d_ff, T, d_model, back = picks(seed, range(12, 33, 2), range(5, 13), range(3, 9), range(1, 4))
    token = T - back
    one_row = d_ff + d_ff + d_model  # of pre, of post, of out
    slips = (
        (T * one_row, f"That is every row. The block never mixes rows: only row {token} moves."),
        ((T - token + 1) * one_row, "That has the later rows move too, as in causal attention. In the block a row is "
         "read by nobody but itself."),
        (d_ff + d_model, f"One of the two wide ones is missing: pre and post have {d_ff} entries a row, each."),
        (3, f"One entry each? Every slot reads the whole row, so a changed entry reaches all {d_ff} of them, and "
         "through them all of out."),
        (one_row + 1, "The entry of H itself was counted. Asked is what follows from it, in pre, post and out."),
    )  # fmt: skip
    return Question(
        key="forward_pass",
        prompt=f"H holds T = {T} tokens, with d_model = {d_model} and d_ff = {d_ff}. You change one entry of H, in row "
        f"{token}. How many entries of pre, post and out can change, all three together?",
        unit="entries",
        tolerance=0.0,
        answer=float(one_row),
        slips=telling(one_row, 0.0, slips),
        hint="Which rows move? *Change one entry* shows it. And how wide is such a row in pre, in post, in out?",
        solution=f"Each pre-activation is a sum over the whole row, so the change reaches all {d_ff} slots: {d_ff} "
        f"entries of pre and {d_ff} of post. Each entry of out is a sum over the slots: {d_model} more, together "
        f"{one_row}. All of them are in row {token}; with another T the answer is the same.",
    )


def why_nonlinear(seed):
    """How many numbers are left of a stack without an activation."""
    d_model, n_blocks, ratio = picks(seed, range(3, 11), range(3, 13), (2, 3, 4))
    d_ff = ratio * d_model
    weights = Weights(np.zeros((d_model, d_ff)), np.zeros(d_ff), np.zeros((d_ff, d_model)), np.zeros(d_model))
    W, b = collapse(weights)
    left, two_layers = W.size + b.size, sum(a.size for a in vars(weights).values())
    slips = (
        (W.size, "That is W alone. The biases do not vanish: b₁W₂ + b₂ is left of them, one number a channel."),
        (n_blocks * two_layers, f"That is what all {n_blocks} blocks hold as they are, before anything collapses."),
        (n_blocks * left, f"Each block becomes one layer, yes. But then {n_blocks} layers stand in a row, and they are "
         "one as well."),
        (two_layers, "That is one block with its two layers. They are one layer, too."),
        (W.size + weights.b1.size, "The bias is added to what comes out, and that has d_model entries, not d_ff."),
        (weights.W1.size + weights.b1.size, "That is W₁ and b₁. The product W₁W₂ leads from d_model to d_model."),
    )  # fmt: skip
    return Question(
        key="why_nonlinear",
        prompt=f"A stack of {n_blocks} blocks with biases, d_model = {d_model}, d_ff = {d_ff}, and the identity for σ. "
        "One single layer does the same. How many numbers does that layer hold, its W and its b together?",
        unit="",
        tolerance=0.0,
        answer=float(left),
        slips=telling(left, 0.0, slips),
        hint="What goes in and what comes out have $d_\\text{model}$ entries. How large is a matrix between the two, "
        "and how long its bias?",
        solution=f"A matrix after a matrix is a matrix, so the whole stack is $x\\,W + b$. Its $W$ is {d_model} × "
        f"{d_model} and its $b$ has {d_model} entries: {W.size} + {b.size} = {left}. The stack holds "
        f"{n_blocks * two_layers:,} numbers; neither its depth nor $d_\\text{{ff}}$ buys anything without $\\sigma$.",
    )


GELU_X = tuple(k / 10.0 for k in (*range(-20, -2), *range(8, 17)))


def relu_vs_gelu(seed):
    """What a GELU unit lets through of a training signal."""
    x, signal = picks(seed, GELU_X, (2, 3, 4))
    gain = float(SIGMA.gain(x))
    answer = signal * gain
    slips = (
        (signal * float(SIGMA.f(x)), "That is the signal times GELU itself. On the way back counts its slope, the "
         "gain σ′(x)."),
        (signal * float(ACTIVATIONS["ReLU"].gain(x)), "That is ReLU: an open switch left of 0, a wire right of it. "
         "GELU's gain is neither."),
        (signal * float(SIGMA.gain(-x)), "The sign of x was lost. The gains at x and at −x add up to 1."),
        (signal * float(normal_cdf(x)), "Only one half of the product rule: Φ(x) is there, x φ(x) is missing."),
        (gain, "That is the gain. The signal is multiplied by it."),
    )  # fmt: skip
    if x > 0:
        reason = "More goes on than came: GELU's gain is above 1 here, and ReLU's never is."
    elif gain < 0:
        reason = "ReLU would pass nothing on here. GELU passes a little on, but turned round."
    else:
        reason = "ReLU would pass nothing on here."
    return Question(
        key="relu_vs_gelu",
        prompt=f"A training signal of {signal} arrives at the output of a GELU unit whose pre-activation is "
        f"{shown(x, 1)}. How much of it arrives at the pre-activation?",
        unit="",
        tolerance=0.02,
        answer=answer,
        slips=telling(answer, 0.02, slips),
        hint="The unit multiplies a signal by its gain, forwards and backwards. Set the operating point to "
        f"{shown(x, 1)} and read the gain of GELU.",
        solution=f"GELU's gain at {shown(x, 1)} is {shown(gain, 4)}, and {signal} times that is {shown(answer, 3)}. "
        f"{reason}",
    )


# Long lists are sorted by what the answer follows: neighbouring seeds land far apart in them.
KEYS_AND_BIASES = sorted(
    (
        (length, sign * k / 10.0)
        for length, k, sign in product((0.5, 0.6, 0.8, 1.4, 1.5, 1.6, 2.0, 2.5), range(2, 21), (1, -1))
        if 0.25 <= k / 10.0 / length <= 2.0
    ),
    key=lambda pair: pair[1] / pair[0],
)


def distributions(seed):
    """Which share of a unit's values ReLU sets to 0."""
    ((length, bias),) = picks(seed, KEYS_AND_BIASES)
    share = float(normal_cdf(-bias / length))
    slips = (
        (normal_cdf(0.0), "That is right for a bias of 0. A bias moves all values, and so the border among them."),
        (normal_cdf(bias / length), "That is the share that ReLU lets through. A positive bias leaves fewer values "
         "negative, a negative one more."),
        (normal_cdf(-bias), "The bias was not divided by the standard deviation, which is the length of the key."),
        (normal_cdf(-bias / length**2), "The bias was divided by the variance; divide it by the standard deviation."),
    )  # fmt: skip
    return Question(
        key="distributions",
        prompt=f"A unit's key has the length {length:g} and its bias is {shown(bias, 1)}; the entries of the tokens "
        "are independent standard normal numbers. Which share of the unit's values does ReLU set to exactly 0?",
        unit="",
        tolerance=0.01,
        answer=share,
        slips=telling(share, 0.01, slips),
        hint="The unit's values are normal with mean $b$ and standard deviation $\\lVert k \\rVert$. Which of them "
        "does ReLU set to 0? In Python, `statistics.NormalDist(mean, sd).cdf(x)` is the share of values below `x`.",
        solution="Those below 0. Counted from the mean, 0 lies at "
        f"$(0 - b)\\,/\\,\\lVert k \\rVert = {-bias / length:.3f}$ standard deviations, and "
        f"$\\Phi({-bias / length:.3f}) = {share:.3f}$ of all values lie below that.",
    )


FFN_KINDS = tuple(product((False, True), (1, 2, 4, 8)))


def width(seed):
    """The FFN's share of a block's weights."""
    (gated, group), quarters = picks(seed, FFN_KINDS, range(6, 31))
    d_model, ratio = 1024, quarters / 4.0
    d_ff = hidden_width(d_model, ratio)
    block = BlockSize(d_model, d_ff, gated, group)
    share, over = 100.0 * block.share, block.ffn / block.attention
    two, three = "two", "three"
    slips = (
        (100.0 * BlockSize(d_model, d_ff, not gated, group).share,
         f"That is for {two if gated else three} matrices in the FFN. Here it has {three if gated else two}."),
        (100.0 * BlockSize(d_model, d_ff, gated).share,
         "That is for a KV head of its own for each query head. Shared KV heads make attention lighter."),
        (100.0 * over, "That is the FFN over attention. Its share is the FFN over both together."),
        (over, "That is the FFN over attention. Its share is the FFN over both together, in per cent."),
        (100.0 - share, "That is attention's share."),
        (block.share, "That is the share as a fraction; it is wanted in per cent."),
    )  # fmt: skip
    matrices = "three matrices (it is gated)" if gated else "two matrices"
    heads = f"{group} query heads share a KV head" if group > 1 else "each query head has a KV head of its own"
    n = 3 if gated else 2
    return Question(
        key="width",
        prompt=f"The FFN of a block has {matrices} and d_ff = {ratio:g} d_model; in attention {heads}. What is the "
        "FFN's share of the block's weights?",
        unit="%",
        tolerance=0.5,
        answer=share,
        slips=telling(share, 0.5, slips),
        hint="Put $n$, $r$ and $g$ into the formula at the top, or set the controls of *Count one block* and read "
        "*FFN's share*.",
        solution=f"$n = {n}$, $r = {ratio:g}$, $g = {group}$: the FFN has $n\\,r = {n * ratio:g}$ weights for every "
        f"{2 * (1 + 1 / group):g} of attention (both in units of $d_\\text{{model}}^2$), so its share is {n * ratio:g} "
        f"/ {n * ratio + 2 * (1 + 1 / group):g} = {share:.1f} %.",
    )


TOKENS_AND_KEYS = tuple(
    ((x1, x2), (k1, k2))
    for x1, x2, k1, k2 in product((0.5, 1.0, 2.0), (-1.5, -0.5, 1.0), (-0.8, 0.3, 0.7, 1.2), (-0.4, 0.9, 1.5))
    if 0.35 <= x1 * k1 + x2 * k2 <= 1.6 or 0.35 <= -(x1 * k1 + x2 * k2) <= 1.3
)
VALUES = ((1.5, -2.0), (-1.2, 2.8), (2.6, 1.6), (-1.7, -3.0), (2.9, -1.4), (1.9, -1.1))
ADDED = np.multiply.outer(SIGMA.f([np.dot(*pair) for pair in TOKENS_AND_KEYS]), VALUES)  # by pair, value and channel
BY_ADDED = np.argsort(ADDED, axis=None)


def keyed_memory(seed):
    """What one slot adds to one channel."""
    pair, kind, channel = np.unravel_index(picks(seed, BY_ADDED)[0], ADDED.shape)
    (x, key), value = TOKENS_AND_KEYS[pair], VALUES[kind]
    weights = Weights(np.array(key)[:, None], np.zeros(1), np.array(value)[None, :], np.zeros(2))
    trace = forward(np.array([x]), weights, SIGMA)
    pre, post = trace.pre[0, 0], trace.post[0, 0]
    answer, entry = float(slot_terms(trace, weights, 0)[0, channel]), value[channel]
    slips = (
        (pre * entry, "The match itself was multiplied with the value. σ gates it first: GELU of the match."),
        (ACTIVATIONS["ReLU"].f(pre) * entry, "That is with ReLU. GELU lets a little of a negative match through, and "
         "takes a little off a positive one."),
        (SIGMA.gain(pre) * entry, "σ′ was taken. The gain tells how a change passes; what is added is σ times the "
         "value."),
        (post * key[channel], "That is times the key. The key is for the match; what is added is the value."),
        (post * value[1 - channel], f"That is channel {2 - channel}."),
        (post, "That is how far the slot is open. It is multiplied with an entry of the value."),
    )  # fmt: skip
    return Question(
        key="keyed_memory",
        prompt=f"A token {row(x)} meets a slot with the key {row(key)}, bias 0 and the value {row(value)}; σ is GELU. "
        f"What does the slot add to channel {channel + 1} of out?",
        unit="",
        tolerance=0.01,
        answer=answer,
        slips=telling(answer, 0.01, slips),
        hint="First the match, a dot product. Then GELU of it; *ReLU vs GELU* has the curve, and 0.5 x (1 + erf(x / "
        "√2)) is near enough. Then times one entry of the value.",
        solution=f"The match is {shown(pre)}, GELU makes {shown(post, 4)} of it, and that times {shown(entry, 1)} is "
        f"{shown(answer, 3)}.",
    )


def local_gain(seed):
    """The change of out that the Jacobian predicts."""
    up, down, first, second, one, two = picks(
        seed, (0.4, 0.6, 0.9, 1.2, 1.5), (-0.3, -0.5, -0.8, -1.1), (0.2, 0.7, 1.3), (-0.6, 0.5, 1.4), (0.1, 0.2, 0.3),
        (-0.2, -0.1, 0.2),
    )  # fmt: skip
    J, dx = np.array([[first, up], [down, second]]), np.array([one, two])
    change = (dx @ J).round(12) + 0.0  # no -0
    slips = (
        (J @ dx, "That is J times a column. Here a change is a row and stands on the left: dx J."),
        (dx * np.diag(J), "Only the diagonal of J was used. Each channel of out hears of both entries of dx."),
        (dx[0] * J[0], "That is what the first entry of dx does. The second adds its own row of J."),
        (dx + change, "dx itself was added, as a residual path would. Asked is the change of the block's own out."),
    )
    answer = tuple(change.tolist())
    return Question(
        key="local_gain",
        prompt=f"At some token J has the rows {row(J[0])} and {row(J[1])}. The token changes by dx = {row(dx)}. By how "
        "much does out change, as J predicts it? Both channels, in a row.",
        unit="",
        tolerance=0.005,
        answer=answer,
        slips=telling(answer, 0.005, slips),
        hint="$dx\\,J$, with $dx$ as a row: the first entry of $dx$ times the first row of $J$, plus the second times "
        "the second.",
        solution=f"{shown(one, 1)} times {row(J[0])} plus {shown(two, 1)} times {row(J[1])} is {row(change.round(4))}. "
        "$J_{ij}$ says what entry $i$ of the token does to channel $j$ of out. The smaller $dx$, the better it fits.",
    )


# Shares of y = 1, in tenths: far apart within the first two and within the last two, so that a merge of either counts.
SHARES = sorted(
    (p for p in permutations(range(1, 10), 4) if abs(p[0] - p[1]) >= 4 and abs(p[2] - p[3]) >= 4),
    key=lambda p: (p[0] + p[1]) ** 2 / 2 + p[2] ** 2 + p[3] ** 2 - sum(p) ** 2 / 4,  # how far the bands are apart
)
PAIRS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2), (2, 3, 0, 1))


def information(seed):
    """How many bits about Y a merge leaves."""
    tenths, (a, b, c, d) = picks(seed, SHARES, PAIRS)
    share = dict(zip((a, b, c, d), (k / 10.0 for k in tenths), strict=True))
    joint = np.array([[share[x], 1.0 - share[x]] for x in range(4)]) / 4.0
    merged = merge(joint, ((a, b), (c,), (d,)))
    before, after = mutual_information(joint), mutual_information(merged)
    slips = (
        (before, "That is before the merge. Symbols with different shares of y = 1 cannot be merged for nothing."),
        (before - after, "That is what the merge loses. Asked is what is left."),
        (after * np.log(2.0), "That is in nats. For bits, take logarithms to base 2."),
        (mutual_information(merge(joint, ((a,), (b,), (c, d)))),
         f"That merges x{c + 1} and x{d + 1}, the other two."),
        (mutual_information(merged / merged.sum(axis=1, keepdims=True) / 3.0),
         "Three symbols of 1/3 each? The merged one has the probability of both together, 1/2."),
    )  # fmt: skip
    said = ", ".join(f"{share[x]:g} for x{x + 1}" for x in range(4))
    return Question(
        key="information",
        prompt=f"Four symbols have probability 1/4 each. The share of y = 1 is {said}. A map merges x{a + 1} and "
        f"x{b + 1}. How many bits about Y are left?",
        unit="bits",
        tolerance=0.005,
        answer=after,
        slips=telling(after, 0.005, slips),
        hint="Type the table into the page, each share times 1/4 and the rest of 1/4 beside it, and choose the merge. "
        "By hand: the merged symbol has probability 1/2 and the mean of the two shares.",
        solution=f"Merged, x{a + 1} and x{b + 1} have a share of {np.mean([share[a], share[b]]):g}, and "
        f"$I(Y; f(X)) = {after:.4f}$ bits are left of {before:.4f}. No map can have more than there were.",
    )


GAINS_AND_DEPTHS = tuple((k / 20.0, n) for k, n in product(range(3, 11), range(6, 17)) if 1.5 <= k / 20.0 * n <= 4.0)


def residual_and_norm(seed):
    """What is left of a small change behind many blocks with a residual path."""
    ((gain, depth),) = picks(seed, GAINS_AND_DEPTHS)
    bare, wired = gain**depth, (1.0 + gain) ** depth
    digits, power = f"{bare:.1e}".split("e")
    slips = (
        (bare, "That is without the residual paths: hardly anything is left."),
        (1.0 + bare, f"That is one path around all {depth} blocks together. Here each block has its own."),
        (1.0 + depth * gain, "What the blocks add was summed up. But each block also works on what the earlier ones "
         "added, so the factors multiply."),
        (depth * (1.0 + gain), "The factor of one block was taken times the number of blocks. Factors in a row "
         "multiply."),
    )  # fmt: skip
    return Question(
        key="residual_and_norm",
        prompt=f"Each of {depth} blocks alone would turn a small change dx into {gain:g} dx. Now a residual path leads "
        "around each of them, and there are no norms. What has dx been multiplied by after the last one?",
        unit="",
        tolerance=0.05,
        answer=wired,
        slips=telling(wired, 0.05, slips),
        hint="What leaves a block is what came in, plus what the block makes of it. So what is $dx$ multiplied by in "
        "one block?",
        solution=f"In each block by $1 + {gain:g}$, so after {depth} by ${1 + gain:g}^{{{depth}}} = {wired:.2f}$. "
        f"Without the paths it would be ${gain:g}^{{{depth}}} = {digits} \\times 10^{{{int(power)}}}$. The paths save "
        "the change, and let it grow: hence norms, or small steps.",
    )


PLAIN_WIDTHS = tuple(D for D in range(512, 8193, 128) if equal_budget_width(4 * D) % 256)


def gated(seed):
    """The width of a gated block within the budget of a plain one."""
    D, multiple = picks(seed, PLAIN_WIDTHS, (128, 256))
    d_ff = 4 * D
    answer, exact = equal_budget_width(d_ff, multiple), equal_budget_width(d_ff)
    slips = (
        (exact, f"That is M before it is rounded up to a multiple of {multiple}."),
        (2 * d_ff // 3, f"That is M before it is rounded up to a multiple of {multiple}."),
        (exact // multiple * multiple, "That is rounded down."),
        (equal_budget_width(4 * d_ff, multiple), "That is 8/3 of the plain block's M. 8/3 is for D, with a plain M of "
         "4 D; of that M it is 2/3."),
        (equal_budget_width(D, multiple), "That is 2/3 of D. The plain block's hidden units are what counts: 2/3 of "
         "those."),
        (d_ff, "That keeps M, and a third matrix of the same size then costs half as much again."),
    )  # fmt: skip
    return Question(
        key="gated",
        prompt=f"A plain block has D = {D:,} and M = {d_ff:,}. Its gated replacement has the same weight count, up to "
        f"rounding: M is rounded up to a multiple of {multiple}. How large is the new M?",
        unit="units",
        tolerance=0.0,
        answer=float(answer),
        slips=telling(answer, 0.0, slips),
        hint="Two matrices of $D \\times M$ before, three of $D \\times M'$ after. Then round up.",
        solution=f"$2\\,D\\,M = 3\\,D\\,M'$, so $M' = \\tfrac23 M$, {d_ff * 2 / 3:,.1f}, and rounded up {answer:,}. "
        "As a plain $M$ is often $4\\,D$, texts speak of $\\tfrac83 D$.",
    )


def position(seed):
    """Where a query must stand for RoPE to give the same score."""
    offset, key, further = picks(seed, range(2, 8), range(3, 15), range(9, 31))
    query, moved = key + offset, key + further
    answer = moved + offset
    slips = (
        (moved - offset, f"As far apart, but the wrong way round: the query stood {offset} after the key. RoPE knows "
         "the sign of the offset."),
        (query, "The query cannot stay: the key has moved, so they would be further apart."),
        (query - further, f"The key moved up by {further} and the query down. Both have to move the same way."),
        (offset, "That is how far apart they are. Asked is the position of the query."),
    )  # fmt: skip
    return Question(
        key="position",
        prompt=f"With RoPE, a query at position {query} and a key at position {key} have a certain score. The same key "
        f"is moved to position {moved}. To which position must the same query move to have that score again?",
        unit="",
        tolerance=0.0,
        answer=float(answer),
        slips=telling(answer, 0.0, slips),
        hint="What is it that the score knows of the two positions? See the equation at the top.",
        solution=f"Only the offset counts. Before it was {query} − {key} = {offset}, so the query must stand at "
        f"{moved} + {offset} = {answer}. In the picture where *every token had the same q and k* this is a step "
        "along a diagonal.",
    )


# Some of them end in 0.
PRINTED = tuple(f"0.{k}" for k in (*range(120, 1000, 35), *range(1206, 9999, 418), *range(10_230, 99_999, 9_112)))
TWENTIETHS = [sign * k for k in (*range(2, 10), *range(11, 19)) for sign in (1, -1)]  # of the last digit's unit


def reference(seed):
    """How much of its tolerance a number uses up."""
    twentieths, printed = picks(seed, TWENTIETHS, PRINTED)
    unit = Decimal((0, (1,), Decimal(printed).as_tuple().exponent))
    ours = f"{Decimal(printed) + unit * twentieths / 20:.{2 - unit.as_tuple().exponent}f}"
    difference = abs(float(Decimal(ours) - Decimal(printed)))
    answer = difference / half_unit(printed)
    slips = [
        (difference / (2.0 * half_unit(printed)), "That takes a whole unit of the last digit. The tolerance is half a "
         "unit: no further, or another digit would have been printed."),
        (difference / half_unit(ours), "The tolerance comes from the digits that the lesson prints, not from ours."),
        (difference, "That is the difference itself. Divide it by the tolerance."),
    ]  # fmt: skip
    if printed.endswith("0"):
        dropped = "The 0 at the end was dropped. It is printed, so it is a digit that counts."
        slips.insert(0, (difference / half_unit(printed.rstrip("0")), dropped))
    verdict = "above 1: it does not agree" if answer > 1.0 else "not above 1: it agrees"
    return Question(
        key="reference",
        prompt=f"The lesson prints {printed}, and a program finds {ours}. How large is the difference, divided by the "
        "tolerance?",
        unit="",
        tolerance=0.01,
        answer=answer,
        slips=telling(answer, 0.01, slips),
        hint="What is one unit of the last printed digit, and what is half of it?",
        solution=f"The last printed digit counts units of {unit:f}, so the tolerance is {unit / 2:f}. The difference "
        f"is {difference:.{len(ours) - 2}f}, and that is {answer:.2f} of it. That is {verdict}.",
    )


CHECKS = {
    ask.__name__: ask
    for ask in (
        overview, forward_pass, why_nonlinear, relu_vs_gelu, distributions, width, keyed_memory, local_gain,
        information, residual_and_norm, gated, position, reference,
    )
}  # fmt: skip


def check(section, seed):
    """The question at the foot of a section's page.

    Parameters
    ----------
    section : str
        The page's part of the address; also the key of the question.
    seed : int

    Returns
    -------
    Question, Choice or None
        None for a section without one.
    """
    return CHECKS[section](seed) if section in CHECKS else None
