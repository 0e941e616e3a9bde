"""Predicted against observed accuracy: what Figures 5, 6 and 14 share."""

from __future__ import annotations

import numpy as np
from capability_transfer.analysis.presentation.plots import GRID, INK, MUTED, OURS, PUBLISHED
from matplotlib.axes import Axes

COLOURS = {"study": PUBLISHED, "smooth": OURS}
TITLES = {"study": "the study's model", "smooth": "smooth resource and relatives (ours)"}


def identity(axes: Axes, label: str = "") -> None:
    """Percent on both axes and the line of perfect prediction."""
    axes.plot([0, 100], [0, 100], color=MUTED, linewidth=0.8, zorder=1)
    axes.set(xlim=(-2, 102), ylim=(-2, 102), aspect="equal")
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    if label:
        axes.set_title(label)


def errors(axes: Axes, observed: np.ndarray, predicted: np.ndarray, more: str = "") -> None:
    """Mean absolute error (points) and r in the corner; ``observed`` and ``predicted`` are 0–1.

    Without r where one of them does not vary, as with one language.
    """
    mae = 100 * np.mean(np.abs(predicted - observed))
    vary = np.ptp(observed) > 0 and np.ptp(predicted) > 0
    r = f"\nr = {np.corrcoef(observed, predicted)[0, 1]:.3f}" if vary else ""
    text = f"MAE {mae:.2f} points{r}{more}"
    axes.text(0.04, 0.96, text, transform=axes.transAxes, va="top", fontsize=8, color=INK)
