"""The width of the hidden layer with ffn_core: run from the folder that holds ffn_core, `python width.py`."""

from ffn_core.counts import BlockSize, equal_budget_width, hidden_width, model_configs

d_model = 384
ratio = 4.0
gated = False
group = 1
length = 4096
multiple = 256

block = BlockSize(d_model, hidden_width(d_model, ratio), gated, group)
print("d_model:            ", block.d_model)
print("d_ff:               ", block.d_ff)
print("attention weights:  ", block.attention)
print("FFN weights:        ", block.ffn)
print("FFN / attention:    ", block.ffn / block.attention)
print("FFN's share:        ", block.share)
print("multiply-adds, FFN: ", block.ffn_multiply_adds)
print("attention:          ", block.attention_multiply_adds(length), "at T =", length)
print("it costs more from: ", block.overtaken_at)
print("gated, equal budget:", equal_budget_width(block.d_ff, multiple))
for config in model_configs():
    print(f"{config.model:18} {config.ratio:6.3f} {config.share:6.1%}  {config.reasons}")
