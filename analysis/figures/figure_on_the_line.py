"""Accuracy on the line: target against source accuracy, one point a model."""

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
    plain,
)
from matplotlib.figure import Figure

NAMED = 5
"""Points labelled: those farthest from the line."""


def draw(metrics: pd.DataFrame, line: pd.DataFrame, note: str) -> Figure:
    """From ``metrics.csv`` and ``line.csv`` (its first row)."""
    fit = line.iloc[0]
    x, y = metrics["source_accuracy"], metrics["target_accuracy"]
    residual = y - fit["intercept"] - fit["slope"] * x
    with matplotlib.rc_context(RC):
        figure = new_figure(5.4, 4.8)
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.9, linestyle="--", label="parity")
        ends = np.array([x.min(), x.max()])
        axes.plot(
            ends,
            fit["intercept"] + fit["slope"] * ends,
            color=PUBLISHED,
            linewidth=1.4,
            label=f"least squares, slope {fit['slope']:.2f}, R² {fit['r_squared']:.2f}",
        )
        axes.plot(x, y, "o", color=OURS, markersize=4.5, alpha=0.8, label="model")
        for index in residual.abs().nlargest(NAMED).index:
            axes.annotate(
                plain(metrics.loc[index, "variant"]),
                (x[index], y[index]),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=INK,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
                zorder=1.5,
            )
        axes.set_xlim(0, 1.02)
        axes.set_ylim(0, 1.02)
        axes.set_aspect("equal")
        axes.grid(color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("accuracy in the source language")
        axes.set_ylabel("mean accuracy in the target languages")
        figure.legend(loc="outside upper left", ncols=3, fontsize=8)
        add_note(figure, note)
    return figure
