"""Ours: the English gap of every run by family (Limitations, in words there)."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from capability_transfer.analysis.presentation.plots import (
    GRID,
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.figure import Figure


def draw(families: pd.DataFrame, runs: pd.DataFrame, note: str) -> Figure:
    """From ``overview/families.csv`` and ``runs.csv`` (with ``family``): a small dot a run."""
    positions = -np.arange(len(families), dtype=float)
    with matplotlib.rc_context(RC):
        figure = new_figure(5.6, 0.3 * len(families) + 1.4)
        axes = figure.add_subplot()
        axes.axvline(0, color=MUTED, linewidth=0.8)
        for position, name in zip(positions, families["family"], strict=True):
            gaps = runs.loc[runs["family"] == name, "gap"]
            axes.plot(
                gaps, np.full(len(gaps), position), "o", color=MUTED, alpha=0.6, markersize=3,
                markeredgewidth=0, label="one run" if position == 0 else None,
            )  # fmt: skip
        axes.plot(families["gap"], positions, "o", color=OURS, markersize=6, label="mean of runs")
        known = families["published"].notna()
        axes.plot(
            families.loc[known, "published"], positions[known] - 0.28, "D", markersize=4.5,
            markerfacecolor="none", markeredgecolor=PUBLISHED, markeredgewidth=1.1,
            label="published",
        )  # fmt: skip
        names = [f"{plain(row.family)} (n = {row.runs})" for row in families.itertuples()]
        axes.set_yticks(positions, names)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("English − mean of the other languages, points")
        figure.legend(loc="outside upper left", ncols=3, fontsize=8)
        add_note(figure, note)
    return figure
