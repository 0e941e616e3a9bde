"""Axes to draw on: the caller's, or new ones in the house style with the data named below."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib
from matplotlib.axes import Axes

from analysis.figures.style import RC, add_note


@contextmanager
def axes(ax: Axes | None, width: float, height: float, note: str) -> Iterator[Axes]:
    """``ax``, or axes of a new pyplot figure (inches), while the house style is in force.

    A new figure has ``note``, where its data come from, in small print.
    """
    with matplotlib.rc_context(RC):
        if ax is None:
            import matplotlib.pyplot as plt  # chooses a screen: only where one is drawn on

            figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
            add_note(figure, note)
        yield ax


def legend_above(ax: Axes, columns: int = 3) -> None:
    """The legend in a line above the axes, where it hides nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=columns, fontsize=8)
