"""Matrices as heat maps: signed values, a symmetric colour scale, the chosen row and column outlined.

Equal sizes are equally strong, so the colours of plus and minus are alike in grey: a cell below zero also carries a −.

A large matrix is shown through a window that follows the choice, so that a cell stays big enough to read and the page
stays light; the caption says which part it is.
"""

from dataclasses import dataclass

import altair as alt
import numpy as np
import pandas as pd

from .base import DIVERGING, GREY, data, outline

WINDOW_ROWS, WINDOW_COLUMNS = 16, 32
DARK = "luminance(scale('color', datum.value)) < 0.179"  # white is easier to read on such a cell than black


@dataclass(frozen=True)
class Window:
    """Which rows and columns of a matrix are on screen; indices count from 0, stops are exclusive."""

    rows: slice
    columns: slice
    shape: tuple[int, int]

    @property
    def whole(self):
        """Whether the window shows everything."""
        return (self.rows.stop - self.rows.start, self.columns.stop - self.columns.start) == self.shape

    def caption(self, row_name, column_name):
        """'tokens 1-16 of 64, slots 33-64 of 512', or an empty string when all is shown."""
        if self.whole:
            return ""
        parts = zip((row_name, column_name), (self.rows, self.columns), self.shape, strict=True)
        return ", ".join(f"{name}s {s.start + 1}–{s.stop} of {size}" for name, s, size in parts)


def _page_of(index, size, length):
    """The page of `length` entries that holds `index`."""
    start = (index or 0) // length * length
    return slice(start, min(start + length, size))


def window(shape, row=None, column=None, rows=WINDOW_ROWS, columns=WINDOW_COLUMNS):
    """The window of a matrix of this shape that shows the chosen row and column.

    Parameters
    ----------
    shape : tuple of int
    row, column : int or None
        Counted from 0; None shows the first window.
    rows, columns : int
        Size of the window.

    Returns
    -------
    Window
    """
    return Window(_page_of(row, shape[0], rows), _page_of(column, shape[1], columns), tuple(shape))


def matrix_frame(values, view=None):
    """The cells of a window, long form, rows and columns counted from 1.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
    view : Window, optional
        The window at row 0, column 0 unless said.

    Returns
    -------
    DataFrame with columns row, column, value
    """
    view = window(values.shape) if view is None else view
    part = values[view.rows, view.columns]
    row, column = np.indices(part.shape, dtype=np.int16)
    return pd.DataFrame(
        {
            "row": row.ravel() + np.int16(view.rows.start + 1),
            "column": column.ravel() + np.int16(view.columns.start + 1),
            "value": part.ravel(),
        }
    )


def span_frame(values):
    """Two rows, minus and plus the largest size: they pull the colour scale symmetric about zero."""
    size = float(np.max(np.abs(values), initial=0.0)) or 1.0
    return pd.DataFrame({"value": [-size, size]})


def chosen_frame(name, at, part):
    """The chosen rows or columns that are on screen, counted from 1, to be outlined.

    Parameters
    ----------
    name : str
        "row" or "column".
    at : int, sequence of int or None
        Counted from 0.
    part : slice
        What is on screen.

    Returns
    -------
    DataFrame with one column
    """
    chosen = np.atleast_1d([] if at is None else at).astype(np.int16)
    return pd.DataFrame({name: chosen[(chosen >= part.start) & (chosen < part.stop)] + np.int16(1)})


def matrix_frames(values, row=None, column=None, rows=WINDOW_ROWS, columns=WINDOW_COLUMNS):
    """The frames of `matrix_chart`, and the window they show.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
    row, column : int, sequence of int or None
        What to outline, counted from 0; the window follows the first of them.
    rows, columns : int
        Size of the window.

    Returns
    -------
    frames : dict of DataFrame
    view : Window
    """
    view = window(values.shape, _first(row), _first(column), rows, columns)
    frames = {
        "cells": matrix_frame(values, view),
        "span": span_frame(values),
        "rows": chosen_frame("row", row, view.rows),
        "columns": chosen_frame("column", column, view.columns),
    }
    return frames, view


def _first(at):
    return None if at is None else int(np.ravel(at)[0])


def matrix_chart(row_title, column_title, value_title="value", height=230):
    """A heat map over the datasets `cells`, `span`, `rows` and `columns`.

    Returns
    -------
    alt.LayerChart
    """
    x = alt.X("column:O", title=column_title, axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False))
    y = alt.Y("row:O", title=row_title, axis=alt.Axis(ticks=False, labelOverlap=True))
    legend = alt.Legend(
        orient="bottom", type="gradient", title=None, gradientLength=150, gradientThickness=7, format=".2~f", offset=4
    )
    colour = alt.Color("value:Q", scale=alt.Scale(range=DIVERGING, domainMid=0), legend=legend)
    tooltip = [
        alt.Tooltip("row:O", title=row_title),
        alt.Tooltip("column:O", title=column_title),
        alt.Tooltip("value:Q", title=value_title, format=".4f"),
    ]
    # Its edge shows round all cells: one near zero is almost white, and the page would swallow it.
    span = alt.Chart(data("span")).mark_rect(fillOpacity=0, stroke=GREY, strokeWidth=2).encode(color=colour)
    cells = alt.Chart(data("cells")).mark_rect().encode(x=x, y=y, color=colour, tooltip=tooltip)
    below = alt.Chart(data("cells")).transform_filter("datum.value < 0").mark_text(text="−", fontSize=10)
    minus = below.encode(x=x, y=y, color=alt.condition(DARK, alt.value("white"), alt.value("black")))
    rows, columns = outline(alt.Chart(data("rows")), y=y), outline(alt.Chart(data("columns")), x=x)
    return alt.layer(span, cells, minus, rows, columns).properties(height=height)
