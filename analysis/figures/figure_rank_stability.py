"""How the agreement of a ranking grows with the number of instances."""

from __future__ import annotations

import matplotlib
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

COLOURS = (OURS, PUBLISHED, "#4d8b57", "#7a5ea8")


def draw(stability: pd.DataFrame, threshold: float, note: str) -> Figure:
    """From ``stability.csv``: reading, instances, kendall, mean_change."""
    with matplotlib.rc_context(RC):
        figure = new_figure(7.0, 3.4)
        left, right = figure.subplots(1, 2)
        left.axhline(threshold, color=MUTED, linewidth=0.9, linestyle="--")
        for colour, (reading, table) in zip(
            COLOURS, stability.groupby("reading", sort=False), strict=False
        ):
            left.plot(
                table["instances"],
                table["kendall"],
                "o-",
                color=colour,
                markersize=4,
                label=plain(reading),
            )
            right.plot(table["instances"], table["mean_change"], "o-", color=colour, markersize=4)
        for axes in (left, right):
            axes.set_xlabel("instances per question")
            axes.grid(axis="y", color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
        left.set_title("Kendall's τ with the reference ranking", fontsize=9)
        right.set_title("mean shift of a model (places)", fontsize=9)
        right.set_ylim(bottom=0)
        figure.legend(loc="outside upper left", ncols=1, fontsize=8)
        add_note(figure, note)
    return figure
