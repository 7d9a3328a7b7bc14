"""Two activations that do not ship, added the way the registry says: two functions and one line each.

As a pytest plugin (`-p newcomers`) it puts them into the registry before any test is collected.
"""

import numpy as np

from ffn_core.activations import ACTIVATIONS, Activation, sigmoid
from ffn_core.checks import floats


def mish(x):
    """x tanh(ln(1 + e^x))."""
    x = floats(x)
    return x * np.tanh(np.logaddexp(np.zeros_like(x), x))


def mish_gain(x):
    """t + x sigmoid(x) (1 - t^2) with t = tanh(ln(1 + e^x))."""
    x = floats(x)
    t = np.tanh(np.logaddexp(np.zeros_like(x), x))
    return t + x * sigmoid(x) * (1.0 - t * t)


def tanh(x):
    """The activation of the networks of the 1990s."""
    return np.tanh(floats(x))


def tanh_gain(x):
    """1 - tanh^2 x."""
    return 1.0 - np.square(np.tanh(floats(x)))


NEWCOMERS = {
    a.name: a
    for a in (
        Activation("Mish", mish, mish_gain, r"x\tanh(\ln(1+e^x))"),
        Activation("tanh", tanh, tanh_gain, r"\tanh x"),
    )
}


def pytest_configure(config):
    """Called by pytest when this file is its plugin."""
    ACTIVATIONS.update(NEWCOMERS)
