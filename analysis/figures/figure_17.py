"""Figure 17: fixed effects at every stage of a solution."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
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

LOOKS = (("o", OURS), ("s", PUBLISHED), ("D", INK), ("^", MUTED))


def draw(fixed: pd.DataFrame, note: str) -> Figure:
    """Estimates with 95% Wald intervals (log-odds per SD), the intercept left out."""
    table = fixed[fixed["term"] != "(Intercept)"]
    terms = list(dict.fromkeys(table["term"]))
    names = list(dict.fromkeys(table["stage"]))
    with matplotlib.rc_context(RC):
        figure = new_figure(6.4, 0.42 * len(terms) + 1.3)
        axes = figure.add_subplot()
        axes.axvline(0, color=MUTED, linewidth=0.8)
        for position, (name, (mark, colour)) in enumerate(zip(names, LOOKS, strict=False)):
            rows = table[table["stage"] == name].set_index("term").loc[terms]
            heights = -np.arange(len(terms)) - 0.2 * (position - (len(names) - 1) / 2)
            axes.hlines(heights, rows["conf_low"], rows["conf_high"], color=colour, linewidth=1.3)
            axes.plot(
                rows["estimate"], heights, mark, color=colour, markersize=4.5, label=plain(name)
            )
        axes.set_yticks(-np.arange(len(terms)), [plain(labels.term(name)) for name in terms])
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("log-odds per SD of the predictor (reasoning: on against off)")
        figure.legend(loc="outside upper left", ncols=len(names), fontsize=8)
        add_note(figure, note)
    return figure
