"""The bench: the controls that mean the same on every page and travel with the student from page to page."""

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from ffn_core import lesson
from ffn_core.activations import ACTIVATIONS, Activation

from . import cache, controls, view

LARGEST_SEED = 2**32 - 1
LARGEST_T, LARGEST_D_MODEL, LARGEST_D_FF = 64, 64, 512


@dataclass(frozen=True)
class Bench:
    """What the bench is set to, and what follows from it. Token and slot count from 0 here, from 1 on screen.

    Attributes
    ----------
    seed, T, d_model, d_ff, token, slot : int
    sigma : Activation
    """

    seed: int = lesson.SEED
    T: int = lesson.T
    d_model: int = lesson.D_MODEL
    d_ff: int = lesson.D_FF
    sigma: Activation = lesson.SIGMA
    token: int = lesson.TOKEN
    slot: int = 0

    @cached_property
    def example(self):
        """Tokens H and weights, drawn as the lesson draws them."""
        return cache.example(self.seed, self.T, self.d_model, self.d_ff)

    @cached_property
    def trace(self):
        """The forward pass of the example."""
        return cache.trace(self.seed, self.T, self.d_model, self.d_ff, self.sigma.name)

    @property
    def settings(self):
        """The bench as text and numbers, token and slot from 1, for captions and scripts."""
        return {
            "seed": self.seed, "T": self.T, "d_model": self.d_model, "d_ff": self.d_ff,
            "sigma": self.sigma.name, "token": self.token + 1, "slot": self.slot + 1,
        }  # fmt: skip


def current():
    """The bench of this view; the lesson's worked example when a page is run on its own."""
    return view.current().bench or Bench()


def draw(uses):
    """Draw the bench; the controls that a page does not use are shown disabled.

    Parameters
    ----------
    uses : frozenset of str
    """
    st.markdown("**The bench**", help="These settings stay with you from page to page, and in the link.")
    start = Bench()
    off = {name: {"disabled": name not in uses} for name in start.settings}
    drawn = "Draws H, W1 and W2; 11 is the lesson's."
    seed = controls.number("seed", "seed", 0, LARGEST_SEED, start.seed, help=drawn, **off["seed"])
    sigma = controls.choice("sigma (activation)", "sigma", ACTIVATIONS, start.sigma.name, menu=True, **off["sigma"])
    T = controls.slider("T (tokens)", "T", 1, LARGEST_T, start.T, 1, **off["T"])
    d_model = controls.slider("d_model (channels)", "d_model", 2, LARGEST_D_MODEL, start.d_model, 1, **off["d_model"])
    d_ff = controls.number("d_ff (hidden units, slots)", "d_ff", 1, LARGEST_D_FF, start.d_ff, **off["d_ff"])
    token = controls.number("token", "token", 1, T, start.token + 1, help="Marked in every picture.", **off["token"])
    slot = controls.number("slot", "slot", 1, d_ff, start.slot + 1, help="Marked in every picture.", **off["slot"])
    view.current().bench = Bench(seed, T, d_model, d_ff, ACTIVATIONS[sigma], token - 1, slot - 1)
