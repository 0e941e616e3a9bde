"""Compliance with the answer format by language, as named in section 4.4."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.plots import (
    GRID,
    OURS,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.figure import Figure


def draw(rates: pd.DataFrame, note: str) -> Figure:
    """Share of responses with a ``\\boxed{}`` (percent, 95% Wilson intervals), highest first."""
    table = rates.sort_values("rate", ascending=False, ignore_index=True, kind="stable")
    heights = -table.index.to_numpy(dtype=float)
    with matplotlib.rc_context(RC):
        figure = new_figure(5.2, 0.26 * len(table) + 1.1)
        axes = figure.add_subplot()
        ends = 100 * table["conf_low"], 100 * table["conf_high"]
        axes.hlines(heights, *ends, color=OURS, linewidth=1.6)
        axes.plot(100 * table["rate"], heights, "o", color=OURS, markersize=5)
        axes.set_yticks(heights, [plain(labels.language(code)) for code in table["language"]])
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_xlabel(r"responses with a \boxed{}, % (95% Wilson interval)")
        add_note(figure, note)
    return figure
