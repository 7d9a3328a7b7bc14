"""What all charts share: colours, data names, and the marks for the learner's own token, slot and point."""

import altair as alt

from ..activations import ACTIVATIONS

# Colours that read at 3:1 or better on white and on the dark theme alike, and stay apart in the common kinds of colour
# blindness (after Okabe & Ito 2008, darkened or lightened to hold on both grounds).
BLUE, ORANGE, GREEN, PURPLE, RED, OCHRE, GREY = (
    "#2f7fd1",
    "#d9620d",
    "#1f9467",
    "#a262c9",
    "#d6455d",
    "#a8770a",
    "#808080",
)
PALETTE = (GREY, BLUE, ORANGE, GREEN, PURPLE, OCHRE, RED)
DASHES = ([1, 0], [7, 2], [1, 0], [2, 2], [9, 2, 2, 2], [5, 5], [3, 1])
MARK = "#e0368c"  # the learner's own choice: token, slot, operating point
DIVERGING = ["#2166ac", "#6ba4d6", "#f4f4f4", "#f09a57", "#b3400b"]  # minus, zero, plus


def cycle(options, count):
    """The first `count` of the options, starting over when they run out."""
    return [options[k % len(options)] for k in range(count)]


def activation_colour(field="activation", legend=True):
    """Colour encoding: one fixed colour per activation of the registry, on every page."""
    names = list(ACTIVATIONS)
    return alt.Color(
        f"{field}:N",
        scale=alt.Scale(domain=names, range=cycle(PALETTE, len(names))),
        legend=alt.Legend(orient="bottom", title=None) if legend else None,
    )


def activation_dash(field="activation"):
    """Dash encoding beside the colour, so that colour is never the only sign."""
    names = list(ACTIVATIONS)
    return alt.StrokeDash(f"{field}:N", scale=alt.Scale(domain=names, range=cycle(DASHES, len(names))), legend=None)


def data(name):
    """A dataset that the page will send under this name."""
    return alt.NamedData(name=name)


def dashed_rule(name, **encodings):
    """A dashed line in the learner's colour, at the places in dataset `name`."""
    return alt.Chart(data(name)).mark_rule(color=MARK, strokeDash=[5, 3], strokeWidth=1.5).encode(**encodings)


def grey_rule(name, **encodings):
    """A thin neutral line for axes and levels."""
    return alt.Chart(data(name)).mark_rule(color=GREY, strokeDash=[2, 3]).encode(**encodings)
