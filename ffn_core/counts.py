"""Parameters and multiply-adds of one transformer block: attention with KV heads, plain and gated FFN.

Biases and norms are left out, as in the lesson: they are well under one per cent at real widths.
"""

import csv
from collections import Counter
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


def equal_budget_width(d_ff, multiple=1):
    """The d_ff at which a gated FFN has the weights of a plain one, rounded up to a multiple as real models do.

    2 d_model d_ff = 3 d_model M gives M = 2/3 d_ff; at d_ff = 4 d_model that is 8/3 d_model (Shazeer 2020, section 3).

    Returns
    -------
    int
    """
    return -(-2 * d_ff // (3 * multiple)) * multiple


def hidden_width(d_model, ratio):
    """The whole d_ff nearest to ratio times d_model."""
    return max(1, round(ratio * d_model))


@dataclass(frozen=True)
class BlockSize:
    """One transformer block whose heads together are as wide as the model, and what it holds and costs.

    Attributes
    ----------
    d_model, d_ff : int
    gated : bool
        Three FFN matrices instead of two.
    group : int
        Query heads that share one KV head; 1 is the attention of 2017, 4 d_model^2 weights.
    """

    d_model: int
    d_ff: int
    gated: bool = False
    group: int = 1

    @property
    def ratio(self):
        """d_ff / d_model."""
        return self.d_ff / self.d_model

    @property
    def attention(self):
        """Attention weights (counts): 2 d_model^2 (1 + 1 / group)."""
        return attention_params(self.d_model, self.group, 1)

    @property
    def ffn(self):
        """FFN weights (counts)."""
        return ffn_params(self.d_model, self.d_ff, self.gated)

    @property
    def share(self):
        """The FFN's share of the weights, from 0 to 1."""
        return ffn_share(self.d_model, self.d_ff, self.gated, self.attention)

    def attention_multiply_adds(self, T):
        """Multiply-adds of attention for one token that sees T tokens (counts)."""
        return attention_multiply_adds(self.d_model, T, self.group, 1)

    @property
    def ffn_multiply_adds(self):
        """Multiply-adds of the FFN for one token (counts)."""
        return ffn_multiply_adds(self.d_model, self.d_ff, self.gated)

    @property
    def overtaken_at(self):
        """The shortest length T at which attention costs a token more than the FFN does (tokens)."""
        return max(1, (self.ffn_multiply_adds - self.attention) // (2 * self.d_model) + 1)


# As the registry of activations names them; GPT-3's is GPT-2's.
SIGMA_NAMES = {
    "relu": "ReLU",
    "gelu_tanh": "GELU",
    "gelu_tanh(as GPT-2)": "GELU",
    "gelu_exact": "GELU-exact",
    "silu": "SiLU",
}
TWO_THIRDS, POINT = 2.0 / 3.0, 0.01  # what counts as two thirds: within one percentage point
RECENT = 2023


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

    @property
    def group(self):
        """Query heads that share one KV head."""
        return self.n_heads // self.n_kv_heads

    @property
    def heads_width(self):
        """How wide all query heads together are, in units of d_model."""
        return self.n_heads * self.head_dim / self.d_model

    @property
    def sigma(self):
        """The activation, as the registry names it."""
        return SIGMA_NAMES[self.activation]

    @property
    def holds_two_thirds(self):
        """Whether the FFN has two thirds of the block's weights, to within one percentage point."""
        return abs(self.share - TWO_THIRDS) < POINT

    @property
    def reasons(self):
        """What sets the share of this block apart from two thirds, in words; empty when nothing does.

        The share is E n r / (E n r + 2 a (1 + 1/g)), with E experts of n matrices, r = d_ff / d_model, heads a d_model
        wide in all, and g query heads a KV head; n r = 8, a = 1, g = 1 and E = 1 make two thirds.
        """
        usual, usual_text = (8.0 / 3.0, "8/3") if self.gated else (4.0, "4")
        found = []
        if self.n_experts > 1:
            found.append(f"{self.n_experts} experts, {self.experts_per_token} for a token")
        if abs(self.ratio - usual) > 0.1:
            found.append(f"{'wider' if self.ratio > usual else 'narrower'} than {usual_text}")
        if self.group > 1:
            found.append(f"{self.group} query heads per KV head")
        if self.heads_width != 1.0:
            found.append(f"all heads together are {self.heads_width:.3g} d_model wide")
        return "; ".join(found)


def _rows(name):
    """The rows of a data file of the package."""
    with (files(__package__) / "data" / name).open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


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
    return tuple(
        ModelConfig(gated=row["gated"] == "yes", **{k: int(row[k]) for k in whole}, **{k: row[k] for k in text})
        for row in _rows("model_configs.csv")
    )


FFN_KINDS = ("all", "plain", "gated")
EXPERT_KINDS = ("all", "one", "several")


def select_models(configs, since=0, sigmas=None, ffn="all", experts="all"):
    """The models from a year on, with one of these activations, this kind of FFN and this number of experts.

    Parameters
    ----------
    configs : sequence of ModelConfig or T5Config
    since : int
        First year.
    sigmas : sequence of str, optional
        Names as in the registry; any unless given.
    ffn : str
        One of FFN_KINDS.
    experts : str
        One of EXPERT_KINDS.

    Returns
    -------
    tuple of the same
    """
    return tuple(
        c
        for c in configs
        if c.year >= since
        and (sigmas is None or c.sigma in sigmas)
        and ffn in ("all", "gated" if c.gated else "plain")
        and experts in ("all", "several" if c.n_experts > 1 else "one")
    )


def activation_counts(configs):
    """How many models use each activation, gated or plain, the most used first; both forms of GELU are one.

    Returns
    -------
    str
        "25 gated SiLU, 8 gated GELU, 5 plain GELU".
    """
    kinds = Counter(f"{'gated' if c.gated else 'plain'} {c.sigma.removesuffix('-exact')}" for c in configs)
    return ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())


def of_equal_budget(configs, multiple):
    """The gated models whose d_ff is that of a plain 4 d_model at equal budget, rounded up to this multiple."""
    return tuple(c for c in configs if c.gated and c.d_ff == equal_budget_width(4 * c.d_model, multiple))


def equal_budget_text(configs, multiple):
    """Which gated models have exactly this rounded width, and how far above 8/3 rounding takes the farthest of them.

    Returns
    -------
    str
    """
    same = of_equal_budget(configs, multiple)
    named = ", ".join(f"{c.d_model} → {c.d_ff} ({c.model})" for c in same)
    rounded = "" if multiple == 1 else f", after rounding up to a multiple of {multiple}"
    if not same:
        return f"At 4× this is 8/3. No real gated model here has exactly this width{rounded}."
    farthest = max(same, key=lambda c: c.ratio)
    above = farthest.ratio / (8.0 / 3.0) - 1.0
    most = f" (up to {above:.1%} above 8/3: {farthest.model})" if above >= 0.0005 else ""
    return f"At 4× this is 8/3. {len(same)} real gated models have exactly this width{rounded}{most}: {named}."


@dataclass(frozen=True)
class T5Config:
    """One T5 model, a row of data/t5_configs.csv: an encoder, and a decoder that also attends to the encoder."""

    model: str
    year: int
    d_model: int
    d_ff: int
    n_heads: int
    d_kv: int
    gated: bool
    sigma: str
    n_experts: int = 1

    @property
    def ratio(self):
        """d_ff / d_model."""
        return self.d_ff / self.d_model

    @property
    def heads_width(self):
        """How wide all heads together are, in units of d_model."""
        return self.n_heads * self.d_kv / self.d_model

    def _share(self, n_attentions):
        attention = n_attentions * attention_params(self.d_model, self.n_heads, self.n_heads, self.d_kv)
        return ffn_share(self.d_model, self.d_ff, self.gated, attention)

    @property
    def encoder_share(self):
        """The FFN's share of an encoder block's weights, from 0 to 1."""
        return self._share(1)

    @property
    def decoder_share(self):
        """The FFN's share of a decoder block's weights; it has two attentions, to itself and to the encoder."""
        return self._share(2)

    @property
    def reasons(self):
        """What sets the share of these blocks apart from two thirds, or would, in words."""
        found = ["the decoder attends to itself and to the encoder"]
        if self.heads_width != 1.0:
            found.append(f"all heads together are {self.heads_width:.3g} d_model wide")
        return "; ".join(found)


@cache
def t5_configs():
    """The T5 models that the package ships.

    Returns
    -------
    tuple of T5Config
    """
    whole = ("year", "d_model", "d_ff", "n_heads", "d_kv")
    return tuple(
        T5Config(
            row["model"],
            **{k: int(row[k]) for k in whole},
            gated=row["gated"] == "yes",
            sigma=SIGMA_NAMES[row["activation"]],
        )
        for row in _rows("t5_configs.csv")
    )
