"""Contrast by the formula of WCAG 2.2, and signs beside colour: in the theme, the charts and a program."""

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from opened import open_section

from ffn_core.charts import base, export, flow, gated, histogram, matrix
from ffn_ui import browser
from ffn_ui.site import CONTENTS

ROOT = Path(__file__).resolve().parents[1]
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
# Streamlit's own, from `streamlit config show`; tests/test_accessible.py finds the page's in the browser.
GROUNDS = {
    "light": {"page": "#ffffff", "sidebar": "#f8f8f7", "code": "#fcfcfb"},
    "dark": {"page": "#171614", "sidebar": "#21201d", "code": "#22211e"},
}
INKS = {"light": THEME["light"]["textColor"], "dark": "#edebe8"}
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])
TEXT, MARKS = 4.5, 3.0  # WCAG 2.2, 1.4.3 and 1.4.11


def rgb(colour):
    """Red, green and blue from 0 to 1."""
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def mixed(colour, other, share):
    """`share` of one colour and the rest of another."""
    return share * rgb(colour) + (1 - share) * rgb(other)


def luminance(colour):
    """Relative luminance, as WCAG defines it."""
    c = rgb(colour) if isinstance(colour, str) else colour
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a, b):
    """Contrast ratio, as WCAG defines it: from 1 to 21."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_the_formula_gives_the_ratios_that_are_known():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#ffffff", "#ffffff") == 1.0
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)  # the lightest grey for text on white
    assert contrast("#ff0000", "#ffffff") == pytest.approx(3.998, abs=0.001)


@THEMES
def test_text_captions_and_the_number_above_a_slider_stand_out_on_page_and_sidebar(theme):
    for ground in ("page", "sidebar"):
        behind = GROUNDS[theme][ground]
        assert contrast(INKS[theme], behind) >= TEXT
        assert contrast(mixed(INKS[theme], behind, 0.6), rgb(behind)) >= TEXT
        assert contrast(THEME[theme]["primaryColor"], behind) >= TEXT


@THEMES
def test_the_words_of_a_program_stand_out(theme):
    shares = re.findall(r"color-mix\(in srgb, (#\w{6}) (\d+)%, currentColor\)", browser.TO_BE_SEEN)
    assert len(shares) == 3
    for colour, share in shares:
        assert contrast(mixed(colour, INKS[theme], int(share) / 100), GROUNDS[theme]["code"]) >= TEXT


@THEMES
def test_every_colour_of_a_mark_stands_out_on_the_page(theme):
    colours = {*base.PALETTE, base.MARK, *flow.KINDS.values(), *histogram.COLOURS.values(), *gated.STATE_COLOURS}
    assert {
        c: contrast(c, GROUNDS[theme]["page"]) for c in colours if contrast(c, GROUNDS[theme]["page"]) < MARKS
    } == {}


def test_charts_have_no_colours_but_those_of_base():
    """But for white, which lies on other colours, a scale for heat maps from light to dark, and ink on paper."""
    literals = {}
    for file in (ROOT / "ffn_core" / "charts").glob("*.py"):
        found = set(re.findall(r'"(#[0-9a-fA-F]{3,8})"', file.read_text(encoding="utf-8")))
        if file.name != "base.py" and found:
            literals[file.name] = found
    assert literals.pop("export.py") == {export.INK}
    assert literals.pop("position.py") == {"#fdebdc", "#f09a57", "#b3400b"}
    assert set().union(*literals.values()) <= {base.CASING}


def test_an_outline_shows_on_any_cell_by_its_casing():
    assert contrast(base.MARK, base.CASING) >= MARKS
    casing, frame = base.outline(matrix.alt.Chart(base.data("x")), x="x:O").to_dict()["layer"]
    assert casing["mark"]["stroke"] == base.CASING
    assert casing["mark"]["strokeWidth"] >= frame["mark"]["strokeWidth"] + 2


def test_white_lies_only_on_colours_that_it_stands_out_on_and_black_text_on_cells_too():
    for colour in (base.BLUE, base.ORANGE):  # the bands of the joint table
        assert contrast(base.CASING, colour) >= MARKS
    assert contrast("#000000", base.BLUE) >= TEXT  # the cells of exercise 3


def test_a_sign_in_a_cell_of_a_heat_map_is_black_or_white_and_stands_out_on_every_shade():
    limit = float(re.search(r"< ([\d.]+)", matrix.DARK)[1])
    for low, high in zip(base.DIVERGING, base.DIVERGING[1:], strict=False):
        for share in np.linspace(0.0, 1.0, 101):
            cell = mixed(high, low, share)
            assert contrast(np.ones(3) if luminance(cell) < limit else np.zeros(3), cell) >= TEXT


def test_a_cell_below_zero_carries_a_minus_for_plus_and_minus_are_equally_strong():
    minus = base.DIVERGING[:2], base.DIVERGING[:2:-1]
    assert all(contrast(a, b) < 1.3 for a, b in zip(*minus, strict=True))  # alike in grey
    signs = [layer for layer in matrix.matrix_chart("token", "slot").to_dict()["layer"] if "transform" in layer]
    assert [(s["transform"], s["mark"]["text"]) for s in signs] == [([{"filter": "datum.value < 0"}], "−")]


def test_no_two_dashes_are_alike():
    assert len({tuple(dash) for dash in base.DASHES}) == len(base.DASHES) >= len(base.ACTIVATION_DASHES)
    assert len({tuple(dash) for dash in base.ACTIVATION_DASHES}) == len(base.PALETTE)


# Where a colour stands for a word and no channel of its layer says the same: what does.
TOLD_ELSEWHERE = {
    ("overview", "kind"): "the words in the box",
    ("residual_and_norm", "kind"): "the words in the box",
    ("width", "activation"): "the letter above the dot",
    ("keyed_memory", "state"): "what is kept is filled, what is off is hollow",
    ("information", "outcome"): "y = 1 is always on the left",
    ("gated", "activation"): "there is one curve",
    ("gated", "state"): "the height of the bar",
    ("position", "verdict"): "whether the bar crosses the dotted line",
    ("position", "pair"): "the ring, which the legend names from the outside in",
}
SIGNS = {"strokeDash", "shape", "xOffset", "strokeWidth", "fillOpacity", "x", "y"}


def layers(spec, encoding=()):
    """All single layers of a chart, with what they take over from the layers around them."""
    own = {**dict(encoding), **spec.get("encoding", {})}
    if "layer" not in spec:
        yield {**spec, "encoding": own}
    for layer in spec.get("layer", ()):
        yield from layers(layer, own)


def looks(layer):
    """What a layer looks like without its colour."""
    return layer["mark"]["type"], tuple(layer["mark"].get("strokeDash", ()))


@pytest.mark.parametrize("section", CONTENTS, ids=lambda s: s.slug)
def test_colour_is_never_the_only_sign(section):
    told_elsewhere = set()
    for node in open_section(section.file).get("vega_lite_chart"):
        by_field, coloured = {}, set()
        for layer in layers(json.loads(node.proto.spec)):
            colour = layer["encoding"].get("color", {})
            if colour.get("type") == "nominal":
                by_field.setdefault(colour["field"], []).append(layer)
            if len(colour.get("scale", {}).get("range", ())) > 1:  # said once, for all layers that share it
                coloured.add(colour["field"])
            test = colour.get("condition", {}).get("test", matrix.DARK)
            assert test == matrix.DARK or node.proto.spec.count(test) > 1, node.proto.alt
        for field, drawn in by_field.items():
            if field not in coloured:
                continue
            said = any(layer["encoding"].get(sign, {}).get("field") == field for layer in drawn for sign in SIGNS)
            if not said and len({looks(layer) for layer in drawn}) < max(2, len(drawn)):
                told_elsewhere.add((section.slug, field))
    assert told_elsewhere == {key for key in TOLD_ELSEWHERE if key[0] == section.slug}
