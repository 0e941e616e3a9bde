"""Ranks of models on the original and on perturbed questions, as a slope chart."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis.presentation.plots import (
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.figure import Figure


def draw(ranks: pd.DataFrame, perturbation: str, note: str) -> Figure:
    """From ``rankings.rank_changes``; losers are orange, winners blue, the rest grey.

    ``perturbation``: its label for people.
    """
    # tied models share a rank but need a line of their own
    left = ranks["original"].rank(ascending=False, method="first")
    right = ranks["accuracy"].rank(ascending=False, method="first")
    with matplotlib.rc_context(RC):
        figure = new_figure(6.4, 0.23 * len(ranks) + 1.0)
        axes = figure.add_subplot()
        for row, start, end in zip(ranks.itertuples(), left, right, strict=True):
            colour = MUTED if row.change == 0 else (OURS if row.change > 0 else PUBLISHED)
            axes.plot([0, 1], [start, end], "o-", color=colour, markersize=4, linewidth=1.3)
            axes.text(
                -0.03, start, f"{plain(row.variant)}  {row.rank_original}", ha="right", va="center"
            )
            moved = f" ({row.change:+d})".replace("-", "−") if row.change else ""
            axes.text(1.03, end, f"{row.rank}  {plain(row.variant)}{moved}", ha="left", va="center")
        axes.set_xlim(-0.9, 1.95)
        axes.set_ylim(len(ranks) + 0.6, 0.2)
        for text in axes.texts:
            text.set_fontsize(8)
        axes.axis("off")
        axes.text(0, 0.1, "original", ha="center", fontsize=9, weight="bold")
        axes.text(1, 0.1, plain(perturbation), ha="center", fontsize=9, weight="bold")
        add_note(figure, note)
    return figure
