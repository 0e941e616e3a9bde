"""From the study's model to ours, step by step: errors when a language is held out."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis.presentation.plots import (
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    add_note,
    name_rows,
    new_figure,
)
from matplotlib.figure import Figure

MARKS = {
    "mae": (OURS, "o", "pairs"),
    "language_mae": (PUBLISHED, "D", "language means"),
    "edges_mae": (MUTED, "s", "pairs, edges held out"),
}


def draw(ladder: pd.DataFrame, note: str) -> Figure:
    """From ``loo/ladder.csv``: one line a step, errors in accuracy points."""
    with matplotlib.rc_context(RC):
        figure = new_figure(7.0, 0.52 * len(ladder) + 1.5)
        axes = figure.add_subplot()
        positions = -ladder.index.to_numpy(dtype=float)
        for column, (colour, mark, label) in MARKS.items():
            if column in ladder.columns and ladder[column].notna().any():
                axes.plot(ladder[column], positions, mark, linestyle="-", color=colour,
                          linewidth=0.8, markersize=5, label=label)  # fmt: skip
        values = [
            f"r {row.pearson:.3f}   80% covers {100 * row.coverage_80:.0f}%"
            for row in ladder.itertuples()
        ]
        name_rows(axes, positions, ladder["label"], values, fontsize=7.5)
        axes.set_xlim(left=0)
        axes.set_ylim(positions.min() - 0.5, 0.5)
        axes.set_xlabel("mean absolute error, languages held out (accuracy points)")
        figure.legend(loc="outside upper left", ncols=3, fontsize=8)
        add_note(figure, note)
    return figure
