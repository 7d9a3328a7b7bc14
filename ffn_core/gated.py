"""The gated feed-forward block: FFN(x) = (sigma(x W_gate) * (x W_value)) W_out.

Shazeer 2020, "GLU Variants Improve Transformer", eq. 6; without biases, as published models have it. The name says the
activation: SwiGLU takes SiLU, GEGLU takes GELU, ReGLU takes ReLU, and the identity makes the bilinear block.
"""

import csv
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from .activations import ACTIVATIONS
from .checks import finite_array, last_axis
from .ffn import Weights, forward
from .rng import LessonStream

# Names of the variants, by the registry's name of the activation at the gate.
VARIANTS = {"SiLU": "SwiGLU", "GELU": "GEGLU", "GELU-exact": "GEGLU (exact)", "ReLU": "ReGLU", "Identity": "bilinear"}


def variant(sigma):
    """The usual name of the gated block with this activation, for one without a usual name 'GLU with ...'."""
    return VARIANTS.get(sigma.name, f"GLU with {sigma.name}")


@dataclass(frozen=True)
class GatedWeights:
    """The three matrices of a gated block, checked and read-only.

    Attributes
    ----------
    W_gate, W_value : ndarray of shape (d_model, d_ff)
        W_g and W_u of many texts ("up projection").
    W_out : ndarray of shape (d_ff, d_model)

    Raises
    ------
    ValueError
        When a shape does not fit W_gate, or a number is not finite.
    """

    W_gate: np.ndarray
    W_value: np.ndarray
    W_out: np.ndarray

    def __post_init__(self):
        for name in ("W_gate", "W_value", "W_out"):
            view = finite_array(name, getattr(self, name)).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        if self.W_gate.ndim != 2 or 0 in self.W_gate.shape:
            raise ValueError(f"W_gate has shape {self.W_gate.shape}; (d_model, d_ff) with both at least 1 is wanted")
        for name, wanted in (("W_value", self.W_gate.shape), ("W_out", self.W_gate.shape[::-1])):
            shape = getattr(self, name).shape
            if shape != wanted:
                raise ValueError(f"{name} has shape {shape}; W_gate {self.W_gate.shape} calls for {wanted}")

    @property
    def d_model(self):
        """Width of a token, in channels."""
        return self.W_gate.shape[0]

    @property
    def d_ff(self):
        """Width of the hidden layer, in units."""
        return self.W_gate.shape[1]


@dataclass(frozen=True)
class GatedTrace:
    """All that a gated forward pass computed.

    Attributes
    ----------
    H : ndarray of shape (..., d_model)
    gate : ndarray of shape (..., d_ff)
        sigma(H W_gate): what each unit lets through.
    value : ndarray of shape (..., d_ff)
        H W_value: what there is to let through.
    hidden : ndarray of shape (..., d_ff)
        gate * value.
    out : ndarray of shape (..., d_model)
    """

    H: np.ndarray
    gate: np.ndarray
    value: np.ndarray
    hidden: np.ndarray
    out: np.ndarray


def gated_forward(H, weights, sigma):
    """Apply the gated block to every row of H.

    Parameters
    ----------
    H : array_like of shape (..., d_model)
    weights : GatedWeights
    sigma : Activation

    Returns
    -------
    GatedTrace

    Raises
    ------
    ValueError
        When the last axis of H is not d_model, or a number is not finite.
    """
    H = finite_array("H", H)
    last_axis("H", H, weights.d_model, f"W_gate {weights.W_gate.shape}")
    gate = sigma.f(H @ weights.W_gate)
    value = H @ weights.W_value
    hidden = gate * value
    return GatedTrace(H, gate, value, hidden, hidden @ weights.W_out)


def random_gated_weights(stream, d_model, d_ff, scale=1.0):
    """Weights with variance `scale` over the number of inputs, drawn in the order gate, value, out.

    Returns
    -------
    GatedWeights
    """
    W_gate = stream.randn(d_model, d_ff) * math.sqrt(scale / d_model)
    W_value = stream.randn(d_model, d_ff) * math.sqrt(scale / d_model)
    W_out = stream.randn(d_ff, d_model) * math.sqrt(scale / d_ff)
    return GatedWeights(W_gate, W_value, W_out)


@dataclass(frozen=True)
class GatedExample:
    """A batch of sequences and a gated block drawn from one seed.

    Attributes
    ----------
    H : ndarray of shape (B, T, d_model)
        H[0] holds the tokens of `lesson.draw_example`.
    weights : GatedWeights
        W_gate is the W1 of `lesson.draw_example`, so a unit's gate is that block's slot.
    """

    H: np.ndarray
    weights: GatedWeights


def draw_gated_example(seed, T, d_model, d_ff, B=1):
    """One sequence, then the three matrices at scale 2, then the other B - 1 sequences, from one stream.

    Parameters
    ----------
    seed, T, d_model, d_ff, B : int

    Returns
    -------
    GatedExample
    """
    stream = LessonStream(seed)
    first = stream.randn(1, T, d_model)
    weights = random_gated_weights(stream, d_model, d_ff, scale=2.0)
    H = np.concatenate([first, stream.randn(B - 1, T, d_model)])
    H.flags.writeable = False
    return GatedExample(H, weights)


# A gate is what the value is multiplied by. CLOSED is the level above which the lesson says that a slot "fires".
CLOSED, OPEN = 0.1, 0.9
STATES = ("turns the sign", "closed", "part open", "open")


def gate_states(gate):
    """What each gate does to its value, as an index into STATES.

    Parameters
    ----------
    gate : ndarray

    Returns
    -------
    ndarray of int, of the shape of gate
        0 below -0.1, 1 up to 0.1, 2 below 0.9, 3 from there on.
    """
    return np.searchsorted([-CLOSED, CLOSED, OPEN], gate, side="right")


def growth(x, weights, sigma):
    """By how much the output grows when the token doubles: of a plain block, and of the gated one.

    The plain block is the gate branch alone: sigma(x W_gate) W_out. For ReLU and for no activation the answer is
    exactly 2 and 4, since a product of two branches is of second degree.

    Parameters
    ----------
    x : ndarray of shape (d_model,)
    weights : GatedWeights
    sigma : Activation

    Returns
    -------
    plain, gated : float
        Ratio of lengths; NaN where the output is zero.
    """
    alone = Weights(weights.W_gate, np.zeros(weights.d_ff), weights.W_out, np.zeros(weights.d_model))
    tokens = np.stack([x, 2.0 * x])
    found = []
    for out in (forward(tokens, alone, sigma).out, gated_forward(tokens, weights, sigma).out):
        before, after = np.linalg.norm(out, axis=1).tolist()
        found.append(after / before if before else math.nan)
    return tuple(found)


def column_forward(X, W_g, W_u, W_o, sigma):
    """The same block as texts with column vectors write it: W_o [sigma(W_g x) * (W_u x)].

    Parameters
    ----------
    X : ndarray of shape (..., d_model, T)
        One token a column.
    W_g, W_u : ndarray of shape (d_ff, d_model)
        The transposes of W_gate and W_value; PyTorch's Linear stores them so.
    W_o : ndarray of shape (d_model, d_ff)
        The transpose of W_out.
    sigma : Activation

    Returns
    -------
    ndarray of shape (..., d_model, T)
    """
    return W_o @ (sigma.f(W_g @ X) * (W_u @ X))


def convention_error(H, weights, sigma):
    """Largest difference between the row form and the column form of one block: rounding only.

    Parameters
    ----------
    H : ndarray of shape (..., T, d_model)
    weights : GatedWeights
    sigma : Activation

    Returns
    -------
    float
    """
    rows = gated_forward(H, weights, sigma).out
    columns = column_forward(np.swapaxes(H, -1, -2), weights.W_gate.T, weights.W_value.T, weights.W_out.T, sigma)
    return float(np.max(np.abs(np.swapaxes(columns, -1, -2) - rows)))


def untransposed_forward(H, W_g, W_u, W_o, sigma):
    """The mistake: weights of a column text used from the right, `H @ W`, without the transpose.

    Parameters
    ----------
    H : ndarray of shape (..., T, d_model)
    W_g, W_u : ndarray of shape (d_ff, d_model)
    W_o : ndarray of shape (d_model, d_ff)
    sigma : Activation

    Returns
    -------
    ndarray of shape (..., T, d_model)
        Wrong numbers, when the matrices happen to be square.

    Raises
    ------
    ValueError
        From numpy, when they are not.
    """
    return (sigma.f(H @ W_g) * (H @ W_u)) @ W_o


@dataclass(frozen=True)
class Mistake:
    """What the missing transpose does.

    Attributes
    ----------
    message : str
        Numpy's error, or an empty string where nothing is noticed.
    off_by : float
        Length of the difference over the length of the right output; NaN where there is a message.
    sizes : tuple of float
        Root mean square of the right and of the wrong output.
    """

    message: str
    off_by: float = math.nan
    sizes: tuple[float, float] = (math.nan, math.nan)


def missing_transpose(H, weights, sigma):
    """Run the mistake of `untransposed_forward` and say what became of it.

    Parameters
    ----------
    H : ndarray of shape (..., T, d_model)
    weights : GatedWeights
    sigma : Activation

    Returns
    -------
    Mistake
    """
    try:
        wrong = untransposed_forward(H, weights.W_gate.T, weights.W_value.T, weights.W_out.T, sigma)
    except ValueError as error:
        return Mistake(str(error))
    right = gated_forward(H, weights, sigma).out
    sizes = tuple(float(np.sqrt(np.mean(out * out))) for out in (right, wrong))
    off_by = float(np.linalg.norm(wrong - right) / np.linalg.norm(right)) if sizes[0] else math.nan
    return Mistake("", off_by, sizes)


@dataclass(frozen=True)
class AblationRow:
    """One FFN of a published comparison, a row of data/glu_ablation.csv.

    Attributes
    ----------
    variant : str
        As the paper names it.
    activation : str
        Registry name of the activation, or "sigmoid", which the registry does not hold.
    gated : bool
    short_run, short_run_sd : float
        Held-out log-perplexity after 65,536 steps, mean and standard deviation of four runs; lower is better.
    long_run : float
        After 524,288 steps, one run.
    """

    variant: str
    activation: str
    gated: bool
    short_run: float
    short_run_sd: float
    long_run: float

    def uses(self, sigma):
        """Whether this row's activation is `sigma`; both forms of GELU count as GELU."""
        return self.activation in ACTIVATIONS and sigma.name.removesuffix("-exact") == self.activation


@cache
def glu_ablation():
    """Eight FFNs of equal parameters and computation, trained alike (Shazeer 2020, table 1).

    Returns
    -------
    tuple of AblationRow
    """
    numbers = ("short_run", "short_run_sd", "long_run")
    with (files(__package__) / "data" / "glu_ablation.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            AblationRow(row["variant"], row["activation"], row["gated"] == "yes", *(float(row[k]) for k in numbers))
            for row in csv.DictReader(file)
        )
