"""HAT by model with its interval, the plain estimate beside the noise-corrected one."""

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


def draw(metrics: pd.DataFrame, note: str) -> Figure:
    """From ``metrics.csv``: corrected HAT and 95% interval, highest on top; τ and plain HAT too."""
    table = metrics.sort_values("hat_corrected", kind="stable").reset_index(drop=True)
    positions = table.index.to_numpy(dtype=float)
    with matplotlib.rc_context(RC):
        figure = new_figure(6.6, 0.19 * len(table) + 1.4)
        axes = figure.add_subplot()
        axes.axvline(1, color=MUTED, linewidth=0.8)
        axes.hlines(
            positions, table["hat_corrected_low"], table["hat_corrected_high"], OURS, linewidth=1.6
        )
        axes.plot(
            table["hat_corrected"],
            positions,
            "o",
            color=OURS,
            markersize=4.5,
            label="HAT, noise-corrected, 95% interval",
        )
        axes.plot(
            table["hat"],
            positions,
            "|",
            color=OURS,
            markersize=8,
            label="HAT as defined",
            alpha=0.7,
        )
        axes.plot(
            table["transfer_score"],
            positions,
            "D",
            markerfacecolor="none",
            markeredgecolor=PUBLISHED,
            markersize=3.5,
            label="transfer score τ",
        )
        axes.set_yticks(positions, table["variant"].map(plain), fontsize=7.5)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-1, len(table))
        axes.set_xlim(left=0)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("slope of target on source pass rate (1 = perfect transfer)")
        figure.legend(loc="outside upper left", ncols=3, fontsize=8)
        add_note(figure, note)
    return figure
