"""Parameters and multiply-adds of one transformer block: attention with KV heads, plain and gated FFN.

Biases and norms are left out, as in the lesson: they are well under one per cent at real widths.
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


def attention_params(d_model, n_heads=None, n_kv_heads=None, head_dim=None):
    """Weights of W_Q, W_K, W_V and W_O (counts).

    Parameters
    ----------
    d_model : int
    n_heads, n_kv_heads : int, optional
        Without them attention is ungrouped, one K and V head a query head, and the count is 4 d_model^2.
    head_dim : int, optional
        d_model / n_heads unless said.

    Returns
    -------
    int
    """
    if n_heads is None:
        return 4 * d_model * d_model
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    if n_heads < 1 or n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"n_kv_heads is {n_kv_heads}; a divisor of n_heads = {n_heads} is wanted")
    if head_dim is None:
        if d_model % n_heads:
            raise ValueError(f"n_heads is {n_heads}; a divisor of d_model = {d_model} is wanted, or give head_dim")
        head_dim = d_model // n_heads
    return 2 * d_model * head_dim * (n_heads + n_kv_heads)


def ffn_params(d_model, d_ff, gated=False):
    """Weights of the FFN (counts): W1 and W2, and a third matrix of the same size when gated."""
    return (3 if gated else 2) * d_model * d_ff


def ffn_share(d_model, d_ff, gated=False, attention=None):
    """The FFN's share of a block's weights, from 0 to 1.

    `attention` is the attention's count; 4 d_model^2 unless said.
    """
    ffn = ffn_params(d_model, d_ff, gated)
    attention = attention_params(d_model) if attention is None else attention
    return ffn / (ffn + attention)


def attention_multiply_adds(d_model, T, n_heads=None, n_kv_heads=None, head_dim=None):
    """Multiply-adds of attention for one token that sees T tokens (counts): one a weight, then scores and mixing."""
    mixing_width = d_model if n_heads is None or head_dim is None else n_heads * head_dim
    return attention_params(d_model, n_heads, n_kv_heads, head_dim) + 2 * T * mixing_width


def ffn_multiply_adds(d_model, d_ff, gated=False):
    """Multiply-adds of the FFN for one token (counts): one a weight, whatever the length of the sequence."""
    return ffn_params(d_model, d_ff, gated)


def equal_budget_width(d_model, d_ff, multiple=1):
    """The d_ff at which a gated FFN has the weights of a plain one, rounded up to a multiple as real models do.

    2 d_model d_ff = 3 d_model M gives M = 2/3 d_ff; at d_ff = 4 d_model that is 8/3 d_model (Shazeer 2020, section 3).

    Returns
    -------
    int
    """
    return -(-2 * d_ff // (3 * multiple)) * multiple


@dataclass(frozen=True)
class ModelConfig:
    """One published model, a row of data/model_configs.csv."""

    model: str
    year: int
    d_model: int
    d_ff: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    gated: bool
    activation: str
    n_experts: int
    experts_per_token: int
    norm: str
    norm_placement: str
    source: str

    @property
    def ratio(self):
        """d_ff / d_model, of one expert where there are several."""
        return self.d_ff / self.d_model

    @property
    def attention_params(self):
        """Attention weights of one block (counts)."""
        return attention_params(self.d_model, self.n_heads, self.n_kv_heads, self.head_dim)

    @property
    def ffn_params(self):
        """FFN weights of one block (counts), all experts together."""
        return self.n_experts * ffn_params(self.d_model, self.d_ff, self.gated)

    @property
    def share(self):
        """The FFN's share of a block's weights, from 0 to 1."""
        return self.ffn_params / (self.ffn_params + self.attention_params)


@cache
def model_configs():
    """The published models that the package ships.

    Returns
    -------
    tuple of ModelConfig
    """
    whole = (
        "year",
        "d_model",
        "d_ff",
        "n_layers",
        "n_heads",
        "n_kv_heads",
        "head_dim",
        "n_experts",
        "experts_per_token",
    )
    text = ("model", "activation", "norm", "norm_placement", "source")
    with (files(__package__) / "data" / "model_configs.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            ModelConfig(gated=row["gated"] == "yes", **{k: int(row[k]) for k in whole}, **{k: row[k] for k in text})
            for row in csv.DictReader(file)
        )
