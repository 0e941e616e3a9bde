"""How often central predictive intervals hold what was observed, against what they promise."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis.figures.scatter import TITLES
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

STYLES = {"study": (PUBLISHED, 1.6), "smooth": (OURS, 1.8)}
PANELS = {"pair": "pairs (model, language)", "language": "language means"}


def draw(calibration: pd.DataFrame, note: str) -> Figure:
    """From ``loo/calibration.csv``; predictors other than the study's and ours in grey."""
    with matplotlib.rc_context(RC):
        figure = new_figure(7.2, 3.95)
        for axes, (level, title) in zip(figure.subplots(1, 2), PANELS.items(), strict=True):
            axes.plot([0, 100], [0, 100], color=MUTED, linewidth=0.8, linestyle=":")
            rows = calibration[calibration["level"] == level]
            for name, group in rows.groupby("predictor", sort=False):
                colour, width = STYLES.get(name, ("#c4cbd2", 0.9))
                axes.plot(100 * group["nominal"], 100 * group["coverage"], color=colour,
                          linewidth=width, zorder=3 if name in STYLES else 2,
                          label=TITLES.get(name))  # fmt: skip
            axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal", title=title)
            axes.set_xlabel("size of the central interval (%)")
            axes.grid(color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
        figure.axes[0].set_ylabel("observations inside (%)")
        if calibration["predictor"].isin(TITLES).any():
            figure.axes[0].legend(fontsize=7.5, loc="lower right")
        add_note(figure, f"Languages held out in turn. Grey: the other predictors. {note}")
    return figure
