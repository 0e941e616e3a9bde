"""Where plain and noise-corrected HAT part: simulated models with a known slope."""

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
)
from matplotlib.figure import Figure


def draw(bias: pd.DataFrame, coverage: pd.DataFrame, note: str) -> Figure:
    """From ``noise.csv`` and ``coverage.csv`` (``transfer_metrics.simulation``)."""
    truth = bias["slope"].iloc[0]
    shown = (("hat", "as defined", PUBLISHED), ("hat_corrected", "noise-corrected", OURS))
    with matplotlib.rc_context(RC):
        figure = new_figure(7.0, 3.2)
        left, right = figure.subplots(1, 2)
        left.axhline(truth, color=MUTED, linewidth=0.9)
        right.axhspan(0.92, 0.98, color=GRID, linewidth=0)
        right.axhline(0.95, color=MUTED, linewidth=0.9)
        for metric, label, colour in shown:
            means = bias[bias["metric"] == metric]
            left.fill_between(
                means["passes"],
                means["mean"] - means["sd"],
                means["mean"] + means["sd"],
                color=colour,
                alpha=0.15,
                linewidth=0,
            )
            left.plot(means["passes"], means["mean"], "o-", color=colour, markersize=4, label=label)
            covered = coverage[coverage["metric"] == metric]
            right.plot(covered["passes"], covered["coverage"], "o-", color=colour, markersize=4)
        for axes in (left, right):
            axes.set_xscale("log")
            ticks = sorted(bias["passes"].unique())
            axes.set_xticks(ticks, [str(tick) for tick in ticks])
            axes.minorticks_off()
            axes.set_xlabel("passes per item")
            axes.grid(axis="y", color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
        left.set_title(f"HAT, mean ± SD over models (truth {truth:g})", fontsize=9)
        right.set_title("coverage of the 95% interval", fontsize=9)
        right.set_ylim(-0.02, 1.02)
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, note)
    return figure
