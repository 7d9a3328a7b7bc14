"""Bits under every merge of four symbols, with ffn_core: run from the folder that holds ffn_core."""

from ffn_core import information
from ffn_core.activations import ACTIVATIONS

joint = [[0.225, 0.025], [0.175, 0.075], [0.075, 0.175], [0.025, 0.225]]
groups = [[1], [2, 3], [4]]
sigma = "GELU"
pre = [-2.0, -1.0, 1.0, 2.0]
step = 0.0

chosen = [[symbol - 1 for symbol in group] for group in groups]
print("I(Y; X):", information.mutual_information(joint), "bits")
print("the least of all injective maps:", information.injective_bits(joint).min(), "bits")
merged = information.merge(joint, chosen)
print(f"after {information.merge_name(chosen)}:", information.mutual_information(merged), "bits, of this table:")
print(merged)

print("every merge:")
for merge, bits in information.every_merge(joint):
    print(f"  {bits:.6f}  {information.merge_name(merge)}")

left, bits = information.through_activation(joint, ACTIVATIONS[sigma], pre, step)
print(f"{sigma} leaves {information.merge_name(left)}: {bits:.6f} bits")
