"""Transfer profiles: target against source pass rate, binned, with the line that HAT fits."""

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

COLUMNS = 3


def draw(profiles: pd.DataFrame, metrics: pd.DataFrame, note: str) -> Figure:
    """One panel a model, in the order of ``profiles``.

    Args:
        profiles: ``profile.csv``: variant and the columns of ``profile.profile``.
        metrics: ``metrics.csv``, for the slopes.
    """
    names = list(profiles["variant"].unique())
    slopes = metrics.set_index("variant")[["hat", "hat_corrected"]]
    rows = -(-len(names) // COLUMNS)
    with matplotlib.rc_context(RC):
        figure = new_figure(7.2, 2.35 * rows + 0.7)
        panels = figure.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False)
        top = max(1.0, float(slopes.loc[names, "hat_corrected"].max()))
        for axes, name in zip(panels.flat, names, strict=False):
            table = profiles[profiles["variant"] == name]
            defined, corrected = slopes.loc[name]
            axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle="--")
            axes.plot(
                [0, 1],
                [0, corrected],
                color=OURS,
                linewidth=1.4,
                label="line through the origin (HAT, corrected)",
            )
            axes.errorbar(
                table["source_rate"],
                table["target_rate"],
                yerr=table["std_error"],
                fmt="none",
                ecolor=PUBLISHED,
                elinewidth=1,
            )
            axes.scatter(
                table["source_rate"],
                table["target_rate"],
                s=8 + 90 * np.sqrt(table["items"] / table["items"].sum()),
                color=PUBLISHED,
                alpha=0.75,
                linewidth=0,
                label="mean of a bin ± SE; size: number of items",
            )
            axes.set_title(plain(name, 36), fontsize=8)
            axes.text(
                0.04,
                0.95,
                f"HAT {defined:.2f}, corrected {corrected:.2f}",
                transform=axes.transAxes,
                va="top",
                fontsize=7.5,
            )
            axes.set_xlim(0, 1.03)
            axes.set_ylim(0, 1.08 * top)
            axes.grid(color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
        for axes in panels.flat[len(names) :]:
            axes.set_visible(False)
        for axes in panels[:, 0]:
            axes.set_ylabel("target pass rate")
        for axes in panels[-1]:
            axes.set_xlabel("source pass rate")
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, note)
    return figure
