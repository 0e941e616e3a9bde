"""Scatter matrix of the metrics over models, with Spearman's ρ above the diagonal."""

from __future__ import annotations

import matplotlib
import numpy as np
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
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.analysis.transfer_metrics.comparison import LABELS, compared
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = {0: OURS, 1: PUBLISHED}
MODES = {0: "reasoning off", 1: "reasoning on"}
LEFT_OUT = ("hat",)
"""Metrics that another one shows already."""


def draw(comparison: pd.DataFrame, correlations: pd.DataFrame, note: str) -> Figure:
    """From ``comparison.csv`` and ``rank_correlations.csv``; reasoning on is orange."""
    names = [name for name in compared(comparison) if name not in LEFT_OUT]
    rho = correlations.set_index(["first", "second"])["spearman"]
    size = len(names)
    with matplotlib.rc_context(RC | {"font.size": 7.5}):
        figure = new_figure(1.05 * size + 0.8, 1.05 * size + 0.9)
        panels = figure.subplots(size, size, sharex="col", squeeze=False)
        for row, second in enumerate(names):
            for column, first in enumerate(names):
                axes = panels[row, column]
                if row > column:
                    points(axes, comparison, first, second, 7)
                elif row == column:
                    axes.hist(comparison[first].dropna(), bins=12, color=GRID, edgecolor="white")
                else:
                    value = rho.loc[(second, first)]
                    axes.text(
                        0.5,
                        0.5,
                        number(value, 2),
                        transform=axes.transAxes,
                        ha="center",
                        va="center",
                        fontsize=8 + 4 * np.nan_to_num(abs(value)),
                        color=INK if abs(value) >= 0.3 else MUTED,
                    )
                    axes.axis("off")
                axes.tick_params(labelsize=6, length=2)
                axes.locator_params(nbins=3)
                if column or row == column:
                    axes.set_yticks([])
                if row == size - 1:
                    axes.set_xlabel(_wrapped(first), fontsize=7)
                if column == 0:
                    axes.set_ylabel(_wrapped(second), fontsize=7)
        figure.suptitle(
            "One point a model, reasoning off (blue) and on (orange); Spearman's ρ above",
            x=0.01,
            ha="left",
            fontsize=8.5,
        )
        add_note(figure, note)
    return figure


def points(axes: Axes, comparison: pd.DataFrame, first: str, second: str, size: float) -> None:
    """One metric against another, a point a model; reasoning on is orange."""
    colours = comparison["reasoning"].map(COLOURS).fillna(MUTED)
    axes.scatter(comparison[first], comparison[second], s=size, c=colours, alpha=0.75, linewidth=0)
    for mode in sorted(set(comparison["reasoning"]) & set(COLOURS)):
        axes.scatter([], [], s=size, color=COLOURS[mode], label=MODES[mode])  # for a legend


def _wrapped(name: str) -> str:
    words = LABELS[name].split(" ")
    half = -(-len(words) // 2)
    return " ".join(words[:half]) + ("\n" + " ".join(words[half:]) if words[half:] else "")
