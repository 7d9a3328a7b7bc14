"""Why nonlinear with ffn_core: run from the folder that holds ffn_core, `python why_nonlinear.py`."""

from ffn_core.activations import ACTIVATIONS
from ffn_core.fitting import best_line_loss, fit_curve
from ffn_core.lesson import draw_example
from ffn_core.linear import blocks, collapse_block, study_depth

seed = 11
T = 5
d_model = 4
d_ff = 16
sigma = "GELU"
biased = False
n_blocks = 6
scale = 2.0
target = "sine"
fit_sigma = "GELU"
width = 16

H = draw_example(seed, T, d_model, d_ff).H
one = collapse_block(H, next(blocks(seed, T, d_model, d_ff, 1, biased=biased)))
print("max |two layers - (H W1 W2 + b')|:", one.error)
print("the same with b1 W2 forgotten:", one.error_without_b1)
print("numbers before and after:", one.before, one.after)

deep = study_depth(seed, T, d_model, d_ff, n_blocks, ACTIVATIONS[sigma], scale, biased)
print("stack against one matrix, relative, by depth:", deep.errors)
print("singular values of the whole stack:", deep.singular_values[-1], "rank in float64:", deep.rank)
print(f"share of the output with {sigma} that no matrix and bias explain, by depth:", deep.left_over)

for name in (fit_sigma, "Identity"):
    print(f"loss of {width} units with {name} on the {target}:", fit_curve(target, ACTIVATIONS[name], width, seed).loss)
print("loss of the best straight line:", best_line_loss(target))
