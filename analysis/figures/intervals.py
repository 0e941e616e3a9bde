"""Predicted accuracies with their 50, 80 and 95% intervals, a line a language."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.plots import OURS, name_rows
from matplotlib.axes import Axes

WIDTHS = {95: 1.2, 80: 3.2, 50: 6.0}


def height(predictions: pd.DataFrame) -> float:
    """Inches that these predictions take."""
    return 0.3 * len(predictions) + 1.0


def intervals(axes: Axes, predictions: pd.DataFrame) -> None:
    """From ``unseen.anywhere.predict``, the first row on top; the point is the plug-in one."""
    positions = -predictions.reset_index(drop=True).index.to_numpy(dtype=float)
    for level, width in WIDTHS.items():
        axes.hlines(
            positions,
            100 * predictions[f"low_{level}"],
            100 * predictions[f"high_{level}"],
            color=OURS,
            alpha=0.35,
            linewidth=width,
            label=f"{level}%",
        )
    axes.plot(100 * predictions["plug_in"], positions, "o", color=OURS, markersize=5,
              markeredgecolor="white", label="plug-in prediction")  # fmt: skip
    names = predictions["name"] + " (" + predictions["language"] + ")"
    values = [f"{100 * value:.0f}" for value in predictions["plug_in"]]
    name_rows(axes, positions, names, values)
    axes.set_ylim(positions.min() - 0.6, 0.6)
    axes.set_xlim(0, 100)
    axes.set_xlabel("predicted accuracy (%)")
