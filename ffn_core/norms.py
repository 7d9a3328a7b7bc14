"""LayerNorm and RMSNorm over the channels of each token, and how each passes on a small change.

Both act on the last axis; leading axes pass through. A `*_push` function takes a change dH of H, with any further
leading axes, and returns the change of the output: the directional derivative, exact, without building a Jacobian.
"""

from dataclasses import dataclass

import numpy as np

from .checks import finite_array, last_axis

EPS = 1e-5  # PyTorch's default for LayerNorm; keeps a row of zeros from dividing by zero
NORMS = ("LayerNorm", "RMSNorm", "none")


def _mean(values):
    """Mean along the last axis, which is kept; as `np.mean`, at half the cost for a short row."""
    return np.add.reduce(values, axis=-1, keepdims=True) / values.shape[-1]


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
    centred = H - _mean(H)
    out = centred / np.sqrt(_mean(centred * centred) + eps)
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
    out = H / np.sqrt(_mean(H * H) + eps)
    return out if gamma is None else out * gamma


def layer_norm_push(H, dH, eps=EPS):
    """The change of `layer_norm(H)` when H changes by a small dH: centre it, then as RMSNorm does."""
    return rms_norm_push(H - _mean(H), dH - _mean(dH), eps)


def rms_norm_push(H, dH, eps=EPS):
    """The change of `rms_norm(H)` when H changes by a small dH: the part of dH along the row is taken out."""
    scale = np.sqrt(_mean(H * H) + eps)
    out = H / scale
    return (dH - out * _mean(out * dH)) / scale


def normalise(H, norm, eps=EPS):
    """Apply one of NORMS by name."""
    match norm:
        case "LayerNorm":
            return layer_norm(H, eps=eps)
        case "RMSNorm":
            return rms_norm(H, eps=eps)
        case "none":
            return H
    raise ValueError(f"norm is {norm!r}; one of {', '.join(NORMS)} is wanted")


def normalise_push(H, dH, norm, eps=EPS):
    """The change of `normalise(H, norm, eps)` when H changes by a small dH."""
    match norm:
        case "LayerNorm":
            return layer_norm_push(H, dH, eps)
        case "RMSNorm":
            return rms_norm_push(H, dH, eps)
        case "none":
            return dH
    raise ValueError(f"norm is {norm!r}; one of {', '.join(NORMS)} is wanted")


def size_out(size_in, eps=EPS):
    """Root mean square that leaves a norm when `size_in` comes in: 1, unless eps is not small beside its square.

    Parameters
    ----------
    size_in : array_like
        Root mean square of the row for RMSNorm, standard deviation for LayerNorm.
    eps : float

    Returns
    -------
    ndarray of the shape of `size_in`
    """
    size_in = finite_array("size_in", size_in)
    return size_in / np.sqrt(size_in * size_in + eps)


@dataclass(frozen=True)
class Edit:
    """What is done to a row: its mean taken out or not, the same number added to every entry, then all scaled."""

    centred: bool = False
    shift: float = 0.0
    factor: float = 1.0

    def __call__(self, row):
        """The edited row; any axes before the last pass through."""
        mean = row.mean(axis=-1, keepdims=True) if self.centred else 0.0
        return self.factor * (row - mean + self.shift)


EDITS = {
    "times 3": Edit(factor=3.0),
    "times −1": Edit(factor=-1.0),
    "plus 2 on every entry": Edit(shift=2.0),
    "mean taken out": Edit(centred=True),
    "times 0.001": Edit(factor=1e-3),
}


def moved_by(row, edit, norm, eps=EPS):
    """How far an edit of the row moves what leaves the norm: the largest change of an entry.

    Parameters
    ----------
    row : ndarray of shape (d_model,)
    edit : Edit
    norm : str
        One of NORMS.

    Returns
    -------
    float
    """
    return float(np.max(np.abs(normalise(edit(row), norm, eps) - normalise(row, norm, eps))))
