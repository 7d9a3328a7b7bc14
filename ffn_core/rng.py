"""The lesson's own random numbers: `seed(n)` and `randn(m, n)`, replayed draw for draw.

Three public algorithms in a chain: a PCG32 generator stretches the seed to a 256-bit key (the `seed_from_u64` of the
Rust `rand_core` crate), ChaCha with 12 rounds turns the key into uniform bits, and a 256-layer ziggurat turns bits
into standard normal numbers. Nothing here depends on numpy's generators, so a link shows the same numbers on every
machine and with every numpy version.
"""

import math

import numpy as np

# Seed expansion: PCG-XSH-RR 64/32 (O'Neill 2014), constants of rand_core's `seed_from_u64`.
PCG_MULTIPLIER = 6364136223846793005
PCG_INCREMENT = 11634580027462260723
SEED_LIMIT = 2**64

# ChaCha (Bernstein 2008), 12 rounds.
CHACHA_CONSTANT = np.frombuffer(b"expand 32-byte k", dtype="<u4")
DOUBLE_ROUNDS = 6
DRAWS_PER_BLOCK = 8  # sixteen 32-bit words make eight 64-bit draws
BLOCKS_AT_A_TIME = 2048  # 128 kB of state: stays in the processor's cache
FEWEST_BLOCKS = 64  # drawn in one go, for later calls as well

# Ziggurat (Marsaglia & Tsang 2000) with 256 layers. LAYER_AREA is the published 12-digit constant itself:
# recomputing it from TAIL_START would change draws in their 12th digit.
LAYERS = 256
TAIL_START = 3.654152885361008796
LAYER_AREA = 0.00492867323399


def density(x):
    """The unnormalised standard normal density exp(-x^2 / 2)."""
    return math.exp(-0.5 * x * x)


def ziggurat_edges():
    """Right edges x_0 > x_1 > ... > x_256 = 0 of the layers.

    Returns
    -------
    ndarray of shape (257,)
    """
    edges = [LAYER_AREA / density(TAIL_START), TAIL_START]
    while len(edges) < LAYERS:
        height = LAYER_AREA / edges[-1] + density(edges[-1])
        edges.append(math.sqrt(-2.0 * math.log(height)))
    return np.array([*edges, 0.0])


EDGES = ziggurat_edges()
HEIGHTS = np.array([density(x) for x in EDGES])


def expand_seed(seed):
    """Stretch a 64-bit seed to the eight 32-bit words of a ChaCha key.

    Returns
    -------
    ndarray of shape (8,), dtype uint32
    """
    state, words = seed, []
    for _ in range(8):
        state = (state * PCG_MULTIPLIER + PCG_INCREMENT) % SEED_LIMIT
        xorshifted = (((state >> 18) ^ state) >> 27) & 0xFFFFFFFF
        rotation = state >> 59
        words.append((xorshifted >> rotation | xorshifted << (-rotation & 31)) & 0xFFFFFFFF)
    return np.array(words, dtype=np.uint32)


def _rotate_left(words, bits):
    """Rotate 32-bit words to the left, in place."""
    carried = words >> np.uint32(32 - bits)
    words <<= np.uint32(bits)
    words |= carried


def _quarter_rounds(a, b, c, d):
    """Four ChaCha quarter rounds side by side, in place; each argument is one row of the state, shape (4, blocks)."""
    for x, y, z, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x += y
        z ^= x
        _rotate_left(z, bits)


def chacha_draws(key, first_block, n_blocks):
    """64-bit draws of the ChaCha12 stream, blocks `first_block` and following.

    Parameters
    ----------
    key : ndarray of shape (8,), dtype uint32
    first_block, n_blocks : int

    Returns
    -------
    ndarray of shape (8 * n_blocks,), dtype uint64
    """
    counter = np.arange(first_block, first_block + n_blocks, dtype=np.uint64)
    start = np.zeros((16, n_blocks), dtype=np.uint32)
    start[0:4] = CHACHA_CONSTANT[:, None]
    start[4:12] = key[:, None]
    start[12] = counter & np.uint64(0xFFFFFFFF)
    start[13] = counter >> np.uint64(32)
    a, b, c, d = start.reshape(4, 4, n_blocks).copy()
    for _ in range(DOUBLE_ROUNDS):
        _quarter_rounds(a, b, c, d)  # columns of the 4 x 4 state
        b[:], c[:], d[:] = b[[1, 2, 3, 0]], c[[2, 3, 0, 1]], d[[3, 0, 1, 2]]
        _quarter_rounds(a, b, c, d)  # its diagonals
        b[:], c[:], d[:] = b[[3, 0, 1, 2]], c[[2, 3, 0, 1]], d[[1, 2, 3, 0]]
    words = np.concatenate([a, b, c, d])
    words += start
    low_then_high = np.ascontiguousarray(words.T).astype("<u4", copy=False)
    return low_then_high.view("<u8").ravel()


def _open_uniform(bits):
    """A uniform number of the open interval (0, 1) from one 64-bit draw."""
    return ((bits >> 12) * 2.0**-52 + 1.0) - (1.0 - 2.0**-53)


def _tail(u, draws, position):
    """Marsaglia's method beyond TAIL_START: `(value, next position)`, or None when the draws run out."""
    while position + 2 <= len(draws):
        x = math.log(_open_uniform(int(draws[position]))) / TAIL_START
        y = math.log(_open_uniform(int(draws[position + 1])))
        position += 2
        if -2.0 * y >= x * x:
            return (x - TAIL_START if u < 0 else TAIL_START - x), position
    return None


def normals_from_draws(draws, count):
    """Turn 64-bit draws into standard normal numbers.

    About 98.5 % of the draws fall inside the core of their layer and become a number by themselves; numpy does all
    of those at once. Only the others, which need further draws, are walked one by one.

    Parameters
    ----------
    draws : ndarray of shape (n,), dtype uint64
    count : int
        How many numbers are wanted.

    Returns
    -------
    values : ndarray of shape (m,), m <= count; fewer when the draws run out
    used : int
        How many draws those values took.
    """
    layer = (draws & np.uint64(0xFF)).astype(np.intp)
    u = ((draws >> np.uint64(12)) | np.uint64(0x4000000000000000)).view(np.float64) - 3.0
    x = u * EDGES[layer]
    slow = np.flatnonzero(np.abs(x) >= EDGES[layer + 1])

    # What each slow draw would become if a number starts there: the wedge test reads the draw after it.
    lower, upper = HEIGHTS[layer[slow]], HEIGHTS[layer[slow] + 1]
    test_draw = draws[np.minimum(slow + 1, len(draws) - 1)]
    height = upper + (lower - upper) * ((test_draw >> np.uint64(11)) * 2.0**-53)
    in_wedge = height < np.exp(-0.5 * x[slow] ** 2)

    keep = np.ones(len(draws), dtype=bool)  # draws at which a finished number stands
    end = len(draws)
    position = 0  # the next draw that starts a number
    for at, is_tail, accepted in zip(slow.tolist(), (layer[slow] == 0).tolist(), in_wedge.tolist(), strict=True):
        if at < position:
            continue  # already used up by an earlier number
        if is_tail:
            found = _tail(u[at], draws, at + 1)
            if found is None:
                end = at
                break
            x[at], position = found
        else:
            if at + 1 >= len(draws):
                end = at
                break
            keep[at] = accepted
            position = at + 2
        keep[at + 1 : position] = False

    starts = np.flatnonzero(keep[:end])
    if len(starts) <= count:
        return x[starts], end
    return x[starts[:count]], int(starts[count])


class LessonStream:
    """The lesson's random numbers: `seed(n)`, then `randn(m, n)` call after call.

    Parameters
    ----------
    seed : int
        From 0 to 2**64 - 1.

    Examples
    --------
    >>> LessonStream(11).randn(1, 2).round(4)
    array([[-0.6789,  1.2389]])
    """

    def __init__(self, seed):
        if seed != seed // 1 or not 0 <= seed < SEED_LIMIT:
            raise ValueError(f"seed is {seed}; a whole number from 0 to 2**64 - 1 is wanted")
        self._key = expand_seed(int(seed))
        self._next_block = 0
        self._unused = np.empty(0, dtype=np.uint64)

    def _more_draws(self, n_draws):
        """Append at least `n_draws` further draws to the unused ones; a few blocks cost no more than one."""
        n_blocks = max(FEWEST_BLOCKS, -(-n_draws // DRAWS_PER_BLOCK))
        parts = [self._unused]
        for offset in range(0, n_blocks, BLOCKS_AT_A_TIME):
            size = min(BLOCKS_AT_A_TIME, n_blocks - offset)
            parts.append(chacha_draws(self._key, self._next_block + offset, size))
        self._next_block += n_blocks
        self._unused = np.concatenate(parts)

    def randn(self, *shape):
        """Independent standard normal numbers, filled row by row; each call continues the stream.

        Parameters
        ----------
        *shape : int
            Any number of axes; none gives an array of shape ().

        Returns
        -------
        ndarray of that shape
        """
        if any(n < 0 for n in shape):
            raise ValueError(f"shape is {shape}; sizes of 0 or more are wanted")
        count = math.prod(shape)
        parts, missing = [], count
        while missing:
            if len(self._unused) < missing:
                self._more_draws(missing - len(self._unused) + missing // 40 + DRAWS_PER_BLOCK)
            values, used = normals_from_draws(self._unused, missing)
            self._unused = self._unused[used:]
            parts.append(values)
            missing -= len(values)
            if missing and used == 0:
                self._more_draws(DRAWS_PER_BLOCK)
        return np.concatenate(parts).reshape(shape) if parts else np.empty(shape)
