"""A figure for a slide or a handout: SVG or PNG on white, with its title and the settings it was made with."""

import json

import vl_convert

from .base import text_config

INK = "#31333f"
WIDTH = 640
LINE = 92  # characters of a subtitle line at that width


def _wrapped(text):
    """The text in lines that fit under the title."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _complete(spec, frames, title, caption):
    """The grammar together with its numbers, a title and a caption."""
    records = {name: json.loads(frame.to_json(orient="records")) for name, frame in frames.items()}
    heading = {"text": title, "subtitle": _wrapped(caption), "anchor": "start", "offset": 14}
    config = {**spec.get("config", {}), **text_config(INK), "font": "sans-serif"}
    return {
        **spec, "datasets": records, "title": heading, "width": WIDTH, "background": "white", "padding": 16,
        "config": config,
    }  # fmt: skip


def as_svg(spec, frames, title, caption):
    """The figure as SVG.

    Parameters
    ----------
    spec : dict
        A compiled chart over named datasets.
    frames : dict of str to DataFrame
    title, caption : str

    Returns
    -------
    bytes
    """
    return vl_convert.vegalite_to_svg(_complete(spec, frames, title, caption)).encode()


def as_png(spec, frames, title, caption):
    """The figure as PNG, two pixels a unit; parameters as in `as_svg`."""
    return vl_convert.vegalite_to_png(_complete(spec, frames, title, caption), scale=2)
