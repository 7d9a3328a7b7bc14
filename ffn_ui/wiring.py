"""The controls of the block page: a stack and its wires, with ready-made settings as buttons; a row; dropout."""

import streamlit as st

from ffn_core import stack
from ffn_core.block import KINDS, WIRINGS, Wiring
from ffn_core.norms import NORMS, Edit
from ffn_core.stack import Setting

from . import controls

KIND_SAID = (
    "*block*: attention, then the FFN. *ffn*: the FFN alone. *stage*: one matrix and σ, what the lesson's 'one half a "
    "layer' is about."
)
SCALE_HELP = (
    "Variance of the weights in the stage or the FFN, times their number of inputs; 2 is He. An FFN has two such "
    "matrices. Attention stays at 1."
)


def stack_controls(key):
    """Draw the controls of a stack; each has its place in the link.

    Parameters
    ----------
    key : str
        Prefix of their names in the link.

    Returns
    -------
    setting : Setting
    place : DeltaGenerator
        A column beside the controls.
    """
    start = Setting()
    ready = {
        name: {f"{key}_{field}": value for field, value in _values(r.setting).items()}
        for name, r in stack.READY.items()
    }
    controls.presets("ready-made", f"{key}_ready", ready)
    left, middle, place = st.columns([3, 3, 4])
    with left:
        kind = controls.choice("what a block is", f"{key}_kind", KINDS, start.kind)
        st.caption(KIND_SAID)
        placement = controls.choice("wiring", f"{key}_wiring", WIRINGS, start.wiring.placement)
        bare = placement == "bare"
        norm = controls.choice("norm", f"{key}_norm", NORMS, start.wiring.norm, disabled=bare)
        residual = controls.toggle("residual path", f"{key}_residual", start.wiring.residual)
    with middle:
        step = controls.slider("step size", f"{key}_step", 0.05, 2.0, 1.0, 0.05, disabled=not residual)
        depth = controls.slider("depth (blocks)", f"{key}_depth", 1, stack.MOST_BLOCKS, start.depth, 1)
        scale = controls.slider("weight scale, in 1/d", f"{key}_scale", 0.5, 2.0, start.scale, 0.05, help=SCALE_HELP)
        width = controls.number("channels of the stack", f"{key}_width", 2, stack.WIDEST[kind], stack.USUAL_WIDTH)
    wiring = Wiring(placement, "none" if bare else norm, residual, step if residual else 1.0)
    return Setting(kind, wiring, scale, depth, width), place


def _values(setting):
    """What each control must hold to give this setting."""
    wiring = setting.wiring
    return {
        "kind": setting.kind,
        "width": setting.width,
        "wiring": wiring.placement,
        "norm": Setting().wiring.norm if wiring.placement == "bare" else wiring.norm,
        "residual": wiring.residual,
        "step": wiring.step,
        "depth": setting.depth,
        "scale": setting.scale,
    }


def warn_when_blown_up(found):
    """One visible line when a stream outgrows the numbers that models are trained in.

    Parameters
    ----------
    found : Depth
    """
    end = found.beyond(stack.FLOAT16_LARGEST)
    if end:
        st.warning(
            f"Blown up: after block {end} an entry of the stream is beyond {stack.FLOAT16_LARGEST:,.0f}, where float16 "
            "ends.",
            icon="💥",
        )


def row_controls(key):
    """Draw the controls of a row on its way into a norm.

    Returns
    -------
    edit : Edit
    eps : float
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        centred = controls.toggle("take the mean out of the row first", f"{key}_centre")
        shift = controls.slider("then add to every entry", f"{key}_shift", -5.0, 5.0, 0.0, 0.5)
        eps = controls.choice("epsilon", f"{key}_eps", ("1e-12", "1e-8", "1e-5", "1e-3"), "1e-5")
        power = controls.slider("and multiply by 10 to the power of", f"{key}_power", -8, 4, 0, 1)
    return Edit(centred, shift, 10.0**power), float(eps)


def dropout_controls(key):
    """Draw the controls of dropout.

    Returns
    -------
    rate : float
        0 in evaluation mode.
    n_passes : int
    """
    with st.container(horizontal=True):
        mode = controls.choice("mode", f"{key}_mode", ("training", "evaluation"), "training")
        rate = controls.slider("dropout rate", f"{key}_rate", 0.0, 0.9, 0.1, 0.05)
        n_passes = controls.number("passes", f"{key}_passes", 2, 16, 12)
    return (rate if mode == "training" else 0.0), n_passes
