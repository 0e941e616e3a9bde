"""Figure 10: the symbolic penalty of every language with its 95% interval."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
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


def draw(by_language: pd.DataFrame, overall: pd.DataFrame, note: str) -> Figure:
    """From ``penalty/by_language.csv`` and ``overall.csv``; published figures are hollow."""
    table = by_language.reset_index(drop=True)
    positions = -table.index.to_numpy(dtype=float)
    mean = overall.iloc[0]
    with matplotlib.rc_context(RC):
        figure = new_figure(5.6, 0.23 * len(table) + 1.5)
        axes = figure.add_subplot()
        axes.axvspan(
            mean["conf_low"], mean["conf_high"], color=OURS, alpha=0.12, linewidth=0,
            label=f"mean of languages, {mean['gap']:.1f} points",
        )  # fmt: skip
        axes.axvline(0, color=MUTED, linewidth=0.8)
        axes.hlines(positions, table["conf_low"], table["conf_high"], color=OURS, linewidth=1.6)
        axes.plot(
            table["gap"], positions, "o", color=OURS, markersize=5, label="mean over runs, 95% CI"
        )
        known = table["published"].notna()
        if known.any():
            axes.plot(
                table.loc[known, "published"], positions[known] - 0.3, "D", markersize=4.5,
                markerfacecolor="none", markeredgecolor=PUBLISHED, markeredgewidth=1.1,
                label="published",
            )  # fmt: skip
        counts = table["runs"].unique()
        names = [plain(labels.language(code)) for code in table["language"]]
        if len(counts) > 1:
            names = [f"{name} (n = {n})" for name, n in zip(names, table["runs"], strict=True)]
        axes.set_yticks(positions, names)
        axes.set_ylim(positions.min() - 0.7, 0.7)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        runs = f" (n = {counts[0]} runs each)" if len(counts) == 1 else ""
        axes.set_xlabel(f"original − symbolic accuracy, points{runs}")
        figure.legend(loc="outside upper left", ncols=3, fontsize=8)
        add_note(figure, note)
    return figure
