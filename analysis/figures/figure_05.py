"""Figure 5: language means predicted with each language held out."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from capability_transfer.analysis.figures.scatter import COLOURS, TITLES, errors, identity
from capability_transfer.analysis.presentation.plots import (
    INK,
    MUTED,
    OURS,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure

TICKS = [40, 60, 80, 100]
PREDICTED = "predicted accuracy (%), language held out"
CLOSEST = 2.4  # percent between two names on one side


def draw(predictions: pd.DataFrame, published: pd.DataFrame, note: str) -> Figure:
    """From held-out predictions (``loo.LeaveOut.one``) and the study's figures, if any.

    One panel for the study's predictor and one for ours, with 80% intervals.
    """
    names = [name for name in TITLES if name in set(predictions["predictor"])]
    with matplotlib.rc_context(RC):
        figure = new_figure(3.6 * len(names) + 0.2, 4.2)
        panels = figure.subplots(1, len(names), squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            known = published.query("level == 'language' and predictor == @name and k == 0")
            more = "".join(f"\npublished MAE {value:.2f}" for value in known["value"])
            rows = predictions[predictions["predictor"] == name]
            means(axes, rows, COLOURS[name], more)
            axes.set_title(TITLES[name])
        panels[0].set_ylabel(PREDICTED)
        add_note(figure, f"{note} Bars: 80% predictive intervals.")
    return figure


def means(axes: Axes, predictions: pd.DataFrame, colour: str = OURS, more: str = "") -> None:
    """One predictor's language means against the observed ones, with 80% intervals where known."""
    rows = predictions[predictions["level"] == "language"]
    identity(axes)
    observed, predicted = rows["observed"].to_numpy(), rows["plug_in"].to_numpy()
    axes.vlines(100 * observed, 100 * rows["low_80"], 100 * rows["high_80"],
                color=colour, linewidth=0.9, alpha=0.5)  # fmt: skip
    axes.plot(100 * observed, 100 * predicted, "o", color=colour, markersize=4.5)
    _name(axes, rows)
    errors(axes, observed, predicted, more)
    low = 100 * min(np.nanmin([*rows["low_80"], *predicted]), observed.min()) - 4
    axes.set(xlim=(low, 102), ylim=(low, 102), xticks=TICKS, yticks=TICKS)
    axes.set_xlabel("observed accuracy (%), mean over models")


def _name(axes: Axes, rows: pd.DataFrame) -> None:
    """Languages beside their points, above the line to the left of them, below it to the right.

    Names on one side are moved apart where they would stand on each other.
    """
    for side in (-1, 1):
        own = rows[np.sign(rows["observed"] - rows["plug_in"]) == side].sort_values(
            "plug_in", kind="stable"
        )
        height = -np.inf
        for row in own.itertuples():
            height = max(100 * row.plug_in + 1.5 * -side, height + CLOSEST)
            axes.annotate(
                plain(row.language),
                (100 * row.observed, 100 * row.plug_in),
                xytext=(100 * row.observed + 2.6 * side, height),
                ha="left" if side > 0 else "right",
                va="center",
                fontsize=6.5,
                color=INK,
                arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.4, "shrinkA": 0,
                            "shrinkB": 2},
            )  # fmt: skip
