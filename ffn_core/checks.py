"""Checks at the door: arrays that enter the mathematics are numeric, finite and of the shape they must have."""

import numpy as np


def floats(value):
    """`value` as an array of floating-point numbers: float32 stays float32, whole numbers become float64."""
    array = np.asarray(value)
    if np.issubdtype(array.dtype, np.floating):
        return array
    return array.astype(np.float64, casting="same_kind")  # refuses text, objects and complex numbers


def finite_array(name, value):
    """`value` as a floating-point array without NaN or infinity.

    Raises
    ------
    ValueError
        When a value is not a number, or not finite.
    """
    try:
        array = floats(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds {value!r:.60}; an array of numbers is wanted") from None
    if not np.isfinite(array).all():
        bad = np.flatnonzero(~np.isfinite(array.ravel()))
        raise ValueError(
            f"{name} has {array.ravel()[bad[0]]} at flat position {bad[0]} ({bad.size} of {array.size} values are not "
            "finite); finite numbers are wanted"
        )
    return array


def last_axis(name, array, size, because):
    """Raise ValueError unless the last axis of `array` has `size` entries; `because` names what calls for it."""
    if array.ndim == 0 or array.shape[-1] != size:
        raise ValueError(f"{name} has shape {array.shape}; {because} calls for (..., {size})")
