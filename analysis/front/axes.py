"""Axes to draw on: the caller's, or new ones in the house style with the data named below."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib
from capability_transfer.analysis.figures.style import RC, add_note
from matplotlib.axes import Axes
from matplotlib.figure import Figure


@contextmanager
def axes(ax: Axes | None, width: float, height: float, note: str) -> Iterator[Axes]:
    """``ax``, or axes of a new pyplot figure (inches), while the house style is in force.

    A new figure has ``note``, where its data come from, in small print.
    """
    figure = None if ax is not None else _figure(width, height)
    with matplotlib.rc_context(RC):
        if figure is not None:
            ax = figure.add_subplot()
            add_note(figure, note)
        yield ax


def _figure(width: float, height: float) -> Figure:
    """A figure that pyplot shows: made outside the style, for the first one sets up the screen."""
    import matplotlib.pyplot as plt  # here, where a figure is asked for

    return plt.figure(figsize=(width, height), layout="constrained")


def legend_above(ax: Axes, columns: int = 3) -> None:
    """The legend in a line above the axes, where it hides nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, fontsize=8)
