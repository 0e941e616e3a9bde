"""Figure 3: success at the depths of a solution, by language."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.plots import (
    GRID,
    INK,
    MUTED,
    OURS,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.figure import Figure

STAGES = {"operands": "Operands read", "intermediates": "Intermediate values", "final": "Answer"}


def draw(rates: pd.DataFrame, note: str) -> Figure:
    """Rates (``stages.Stages.rates``) as a line a language over the stages, in percent.

    The languages with the highest and the lowest final rate are named and drawn in colour.
    """
    table = rates.pivot(index="language", columns="stage", values="rate")[list(STAGES)] * 100
    table = table.sort_values("final", ascending=False, kind="stable")
    with matplotlib.rc_context(RC):
        figure = new_figure(5.2, 3.6)
        axes = figure.add_subplot()
        for position, (language, row) in enumerate(table.iterrows()):
            edge = position in (0, len(table) - 1)
            axes.plot(range(len(STAGES)), row, color=OURS if edge else MUTED, marker="o",
                      markersize=4, linewidth=1.8 if edge else 0.8)  # fmt: skip
            if edge or len(table) <= 6:
                axes.annotate(plain(labels.language(language)), (len(STAGES) - 1, row.iloc[-1]),
                              xytext=(6, 0), textcoords="offset points", va="center",
                              fontsize=8, color=INK)  # fmt: skip
        axes.set_xticks(range(len(STAGES)), STAGES.values())
        axes.set_xlim(-0.2, len(STAGES) - 0.4)
        axes.set_ylabel("reached, % of gold values")
        axes.grid(axis="y", color=GRID, linewidth=0.6)
        add_note(figure, note)
    return figure
