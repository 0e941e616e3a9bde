"""Figure 11: accuracy on original against symbolic questions, one dot a (model, language) pair."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis.presentation.plots import (
    GRID,
    INK,
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    add_note,
    new_figure,
)
from matplotlib.figure import Figure


def draw(pairs: pd.DataFrame, overall: pd.DataFrame, note: str) -> Figure:
    """From ``penalty/pairs.csv`` and ``overall.csv``; English is told apart."""
    mean = overall.iloc[0]
    with matplotlib.rc_context(RC):
        figure = new_figure(4.6, 4.8)
        axes = figure.add_subplot()
        axes.plot([0, 100], [0, 100], color=MUTED, linewidth=0.8, linestyle="--")
        for english, color, marker, label in (
            (False, OURS, "o", "other languages"),
            (True, PUBLISHED, "D", "English"),
        ):
            rows = pairs[(pairs["language"] == "eng") == english]
            axes.plot(
                100 * rows["original"], 100 * rows["symbolic"], marker, color=color,
                markersize=4 if english else 3.2, alpha=0.65, markeredgewidth=0, label=label,
            )  # fmt: skip
        axes.text(
            0.97, 0.03,
            f"{len(pairs)} pairs; in the model's {mean['pairs']:.0f}:\n"
            f"mean gap {mean['gap']:.2f} [{mean['conf_low']:.2f}, {mean['conf_high']:.2f}] "
            "points,\n"
            f"r with accuracy {mean['correlation']:.2f}".replace("-", "−"),
            transform=axes.transAxes, ha="right", va="bottom", fontsize=8, color=INK,
        )  # fmt: skip
        axes.set_aspect("equal")
        axes.set_xlim(-2, 102)
        axes.set_ylim(-2, 102)
        axes.grid(color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("accuracy on the original questions, %")
        axes.set_ylabel("accuracy on symbolic variants, %")
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, note)
    return figure
