"""Who notices the order of the tokens, with ffn_core: run from the folder that holds ffn_core, `python position.py`."""

import numpy as np

from ffn_core.activations import ACTIVATIONS
from ffn_core.attention import diagonal_spread, offset_scores, repeated_scores, rope, rope_wavelengths
from ffn_core.equivariance import LAYERS, draw_attention_example, ffn_moved, rows_moved, shuffle_miss
from ffn_core.rng import LessonStream

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
order = [3, 1, 2, 5, 4]
heads = 2
added = 1.0
d = 128
base = 10000
trained = 4096
p = 3
later = 3

example = draw_attention_example(seed, T, d_model, d_ff, heads)
activation = ACTIVATIONS[sigma]
for name in LAYERS:
    miss = shuffle_miss(name, example, activation, [i - 1 for i in order])
    moved = rows_moved(name, example, activation, token - 1, added)
    print(f"{name}: misses the shuffle by {miss:.2g}; one token changes, rows move by {moved.round(4)}")

scores = offset_scores(LessonStream(seed), d, range(-64, 65), base)
same = repeated_scores(scores.query, scores.key, T, base)
print("length of a query, and rotated:", np.linalg.norm(scores.query), np.linalg.norm(rope(scores.query, p, base)))
print("scores of one q and k, largest difference on a diagonal:", diagonal_spread(same))
waves = rope_wavelengths(d, base)
print("wavelengths from", waves[0], "to", waves[-1], "positions")
print("pairs that never turn once in training:", np.sum(waves > trained), "of", len(waves))

for attention in (True, False) if token + later <= T else ():  # the last token has none after it
    moved = ffn_moved(example, activation, token - 1, added, attention)
    state = "on" if attention else "off"
    print(f"FFN output at token {token + later}, attention {state}: moves by {moved[token - 1 + later]:.4g}")
