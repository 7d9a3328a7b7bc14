"""The gated feed-forward block: FFN(x) = (sigma(x W_gate) * (x W_value)) W_out.

Shazeer 2020, "GLU Variants Improve Transformer", eq. 6; without biases, as published models have it. The name says the
activation: SwiGLU takes SiLU, GEGLU takes GELU, ReGLU takes ReLU, and the identity makes the bilinear block.
"""

import math
from dataclasses import dataclass

import numpy as np

from .checks import finite_array, last_axis

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
