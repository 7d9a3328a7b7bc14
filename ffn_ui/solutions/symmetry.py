"""Exercise 3, worked: which layers commute with a shuffle, and which rows move when one token changes."""

from ffn_core.activations import ACTIVATIONS
from ffn_core.equivariance import LAYERS, draw_attention_example, rows_moved, shuffle_miss
from ffn_core.exercises import N_HEADS, changed_token, shuffle

seed = 11

example = draw_attention_example(seed, T=5, d_model=4, d_ff=16, n_heads=N_HEADS)
gelu, order, token = ACTIVATIONS["GELU"], shuffle(seed), changed_token(seed)
print("order:", [i + 1 for i in order], " changed token:", token + 1)
for layer in LAYERS:
    miss = shuffle_miss(layer, example, gelu, order)
    moved = rows_moved(layer, example, gelu, token, added=1.0)
    rows = [row + 1 for row, by in enumerate(moved) if by > 0]
    print(f"{layer:27} |f(P H) - P f(H)| = {miss:.1e}   rows that move: {rows}")
