"""ReLU vs GELU with ffn_core: run from the folder that holds ffn_core, `python relu_vs_gelu.py`."""

from ffn_core.activations import ACTIVATIONS
from ffn_core.curves import best_step, dead_below, difference_error, differences, distance, landmarks, readings
from ffn_core.ffn import forward
from ffn_core.lesson import derivative_grid, draw_example

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
token = 2
slot = 1
curves = ["ReLU", "GELU", "GELU-exact"]
x = -0.5
h = 0.0001

chosen = ACTIVATIONS[sigma]
example = draw_example(seed, T, d_model, d_ff)
value = forward(example.H, example.weights, chosen).pre[token - 1, slot - 1]
print(f"token {token}, slot {slot}: x = {value}, gain {chosen.gain(value)}")
for name in curves:
    other = ACTIVATIONS[name]
    print(f"{name} at x = {x}: value {other.f(x)}, gain {other.gain(x)}")
    print("   ", landmarks(other))
    print("    from", sigma, distance(chosen, other))
    print("    value and gain exactly 0 from", {t: dead_below(other, t) for t in ("float16", "float32", "float64")})

for label, gain in {**readings(chosen), **differences(chosen, h)}.items():
    print(label, gain)
grid = derivative_grid()
print("farthest from the closed form on the grid:", difference_error(chosen, grid, h).max())
print(f"error of the difference at x = {x}:", difference_error(chosen, x, h), "best step:", best_step(chosen, x))
