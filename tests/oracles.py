"""Slow, plain oracles that share no code with ffn_core: each is written from a definition, one number at a time."""

import math
from fractions import Fraction
from functools import cache

import mpmath

mpmath.mp.dps = 40


# --- Activations: the five that ship, at 40 digits and from PyTorch

SHIPPED = ("Identity", "ReLU", "GELU", "GELU-exact", "SiLU")


def mp_tanh_gelu(x):
    return x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)))


MP_ACTIVATIONS = {
    "Identity": lambda x: x,
    "ReLU": lambda x: max(x, mpmath.mpf(0)),
    "GELU": mp_tanh_gelu,
    "GELU-exact": lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "SiLU": lambda x: x / (1 + mpmath.exp(-x)),
}

# Called with the module, which may be missing, and a tensor.
TORCH_ACTIVATIONS = {
    "Identity": lambda torch, x: x,
    "ReLU": lambda torch, x: torch.nn.functional.relu(x),
    "GELU": lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh"),
    "GELU-exact": lambda torch, x: torch.nn.functional.gelu(x, approximate="none"),
    "SiLU": lambda torch, x: torch.nn.functional.silu(x),
}


# --- The block, with loops instead of matrix products


def loop_forward(H, W1, b1, W2, b2, f):
    """Lists of rows in; pre, post and out as lists of rows, every scalar product summed without rounding.

    `f` takes one number.
    """
    pre, post, out = [], [], []
    for x in H:
        pre.append([math.fsum([x[i] * W1[i][m] for i in range(len(x))] + [b1[m]]) for m in range(len(b1))])
        post.append([float(f(value)) for value in pre[-1]])
        out.append([math.fsum([post[-1][m] * W2[m][j] for m in range(len(b1))] + [b2[j]]) for j in range(len(b2))])
    return pre, post, out


# --- Information: the definition as a sum over the table, at 40 digits


def mp_mutual_information(joint):
    """Sum of p(x, y) log2(p(x, y) / p(x) p(y)), in bits; entries are converted exactly."""
    table = [[mpmath.mpf(Fraction(float(p)).numerator) / Fraction(float(p)).denominator for p in row] for row in joint]
    px = [sum(row) for row in table]
    py = [sum(column) for column in zip(*table, strict=True)]
    return float(
        sum(p * mpmath.log(p / (px[i] * py[j]), 2) for i, row in enumerate(table) for j, p in enumerate(row) if p > 0)
    )


# --- The lesson's random numbers, one draw after the other, from the prose of the design


def seed_to_key(seed):
    """Eight times: a step of a 64-bit congruential generator, then one PCG-XSH-RR output word of the new state."""
    key, state = [], seed
    for _ in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) % 2**64
        word = (((state >> 18) ^ state) >> 27) % 2**32
        turn = state >> 59
        key.append(((word >> turn) | (word << (32 - turn))) % 2**32)
    return key


def chacha12_block(key, counter):
    """Sixteen 32-bit words: key, 64-bit block counter in words 12 and 13, zeros in 14 and 15; 12 rounds."""
    start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, counter % 2**32, counter >> 32, 0, 0]
    s = list(start)

    def quarter(a, b, c, d):
        for first, second, third, left in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[first] = (s[first] + s[second]) & 0xFFFFFFFF
            mixed = s[third] ^ s[first]
            s[third] = ((mixed << left) | (mixed >> (32 - left))) & 0xFFFFFFFF

    for _ in range(6):
        for column in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
            quarter(*column)
        for diagonal in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(*diagonal)
    return [(now + before) % 2**32 for now, before in zip(s, start, strict=True)]


def bits_of(seed):
    """The 64-bit draws of a seed: (low word, then high word), block after block."""
    key, counter = seed_to_key(seed), 0
    while True:
        words = chacha12_block(key, counter)
        for low, high in zip(words[0::2], words[1::2], strict=True):
            yield low + (high << 32)
        counter += 1


@cache
def ziggurat():
    """The layers' edges x_0 .. x_256 and the heights f(x_i)."""
    r, v = 3.654152885361008796, 0.00492867323399
    edges = [v / math.exp(-r * r / 2), r]
    for _ in range(2, 256):
        edges.append(math.sqrt(-2 * math.log(v / edges[-1] + math.exp(-(edges[-1] ** 2) / 2))))
    edges.append(0.0)
    return edges, [math.exp(-x * x / 2) for x in edges]


@cache
def lesson_stream(seed, count):
    """The first `count` normal numbers of a seed, and how often each way to make one was taken.

    Returns
    -------
    numbers : list of float
    ways : dict
        "core", "wedge", "tail" (numbers made that way), and "wedge refused", "tail refused" (tries thrown away).
    """
    edges, heights = ziggurat()
    r = edges[1]
    bits = bits_of(seed)
    numbers = []
    ways = dict.fromkeys(("core", "wedge", "tail", "wedge refused", "tail refused"), 0)

    def open_uniform():
        return ((next(bits) >> 12) * 2.0**-52 + 1) - (1 - 2.0**-53)

    while len(numbers) < count:
        draw = next(bits)
        i = draw % 256
        u = (2 + 2 * (draw >> 12) * 2.0**-52) - 3
        x = u * edges[i]
        if abs(x) < edges[i + 1]:
            ways["core"] += 1
            numbers.append(x)
        elif i == 0:
            while True:
                x, y = math.log(open_uniform()) / r, math.log(open_uniform())
                if not -2 * y < x * x:
                    break
                ways["tail refused"] += 1
            ways["tail"] += 1
            numbers.append(x - r if u < 0 else r - x)
        elif heights[i + 1] + (heights[i] - heights[i + 1]) * ((next(bits) >> 11) * 2.0**-53) < math.exp(-x * x / 2):
            ways["wedge"] += 1
            numbers.append(x)
        else:
            ways["wedge refused"] += 1
    return numbers, ways
