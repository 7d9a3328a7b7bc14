"""LayerNorm and RMSNorm over the channels of each token, and how each passes on a small change.

Both act on the last axis; leading axes pass through. A `*_push` function takes a change dH of H, with any further
leading axes, and returns the change of the output: the directional derivative, exact, without building a Jacobian.
"""

import numpy as np

from .checks import finite_array, last_axis

EPS = 1e-5  # PyTorch's default for LayerNorm; keeps a row of zeros from dividing by zero
NORMS = ("LayerNorm", "RMSNorm", "none")


def _checked(H, **scales):
    """H as a checked array, and the scales given, each of shape (d_model,)."""
    H = finite_array("H", H)
    if H.ndim == 0 or H.shape[-1] == 0:
        raise ValueError(f"H has shape {H.shape}; (..., d_model) with d_model at least 1 is wanted")
    found = [None if s is None else finite_array(name, s) for name, s in scales.items()]
    for name, scale in zip(scales, found, strict=True):
        if scale is not None:
            if scale.ndim != 1:
                raise ValueError(f"{name} has shape {scale.shape}; H {H.shape} calls for {H.shape[-1:]}")
            last_axis(name, scale, H.shape[-1], f"H {H.shape}")
    return H, *found


def layer_norm(H, gamma=None, beta=None, eps=EPS):
    """Centre each row and divide by its standard deviation: gamma (x - mean) / sqrt(var + eps) + beta.

    Ba, Kiros & Hinton 2016, eq. 4; the variance is the mean square deviation, as PyTorch has it.

    Parameters
    ----------
    H : array_like of shape (..., d_model)
    gamma, beta : array_like of shape (d_model,), optional
        Learned scale and shift; 1 and 0 unless said.
    eps : float

    Returns
    -------
    ndarray of the shape of H

    Raises
    ------
    ValueError
        When a shape does not fit, or a number is not finite.
    """
    H, gamma, beta = _checked(H, gamma=gamma, beta=beta)
    centred = H - H.mean(axis=-1, keepdims=True)
    out = centred / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + eps)
    out = out if gamma is None else out * gamma
    return out if beta is None else out + beta


def rms_norm(H, gamma=None, eps=EPS):
    """Divide each row by its root mean square, without centring: gamma x / sqrt(mean(x^2) + eps).

    Zhang & Sennrich 2019, eq. 4.

    Parameters
    ----------
    H : array_like of shape (..., d_model)
    gamma : array_like of shape (d_model,), optional
    eps : float

    Returns
    -------
    ndarray of the shape of H
    """
    H, gamma = _checked(H, gamma=gamma)
    out = H / np.sqrt(np.mean(H * H, axis=-1, keepdims=True) + eps)
    return out if gamma is None else out * gamma


def layer_norm_push(H, dH, eps=EPS):
    """The change of `layer_norm(H)` when H changes by a small dH: centre it, then as RMSNorm does."""
    return rms_norm_push(H - H.mean(axis=-1, keepdims=True), dH - dH.mean(axis=-1, keepdims=True), eps)


def rms_norm_push(H, dH, eps=EPS):
    """The change of `rms_norm(H)` when H changes by a small dH: the part of dH along the row is taken out."""
    scale = np.sqrt(np.mean(H * H, axis=-1, keepdims=True) + eps)
    out = H / scale
    return (dH - out * np.mean(out * dH, axis=-1, keepdims=True)) / scale


def normalise(H, norm):
    """Apply one of NORMS by name."""
    match norm:
        case "LayerNorm":
            return layer_norm(H)
        case "RMSNorm":
            return rms_norm(H)
        case "none":
            return H
    raise ValueError(f"norm is {norm!r}; one of {', '.join(NORMS)} is wanted")


def normalise_push(H, dH, norm):
    """The change of `normalise(H, norm)` when H changes by a small dH."""
    match norm:
        case "LayerNorm":
            return layer_norm_push(H, dH)
        case "RMSNorm":
            return rms_norm_push(H, dH)
        case "none":
            return dH
    raise ValueError(f"norm is {norm!r}; one of {', '.join(NORMS)} is wanted")
