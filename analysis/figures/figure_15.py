"""Figure 15: what it costs to be a language with little text, in model size."""

from __future__ import annotations

import matplotlib
import numpy as np
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
from capability_transfer.analysis.scale_cost import REFERENCE_B
from matplotlib.figure import Figure


def draw(cost: pd.DataFrame, rates: pd.Series, names: pd.Series, note: str) -> Figure:
    """From ``levers/scale_cost.csv``, the exchange rates and the languages' names by code."""
    cost = cost.sort_values("multiple", ignore_index=True, kind="stable")
    with matplotlib.rc_context(RC):
        figure = new_figure(6.4, 0.27 * len(cost) + 1.7)
        axes = figure.add_subplot()
        positions = np.arange(len(cost))
        axes.hlines(positions, 1, cost["multiple"], color=OURS, linewidth=3, alpha=0.85)
        axes.plot(cost["multiple"], positions, "o", color=OURS, markersize=5,
                  label="exchange rate: observed odds of error (the study's)")  # fmt: skip
        axes.plot(cost["implied_multiple"], positions, "D", markerfacecolor="none",
                  markeredgecolor=PUBLISHED, markersize=4.5,
                  label=f"implied: features alone, at {REFERENCE_B:g}B, reasoning off")  # fmt: skip
        axes.axvline(1, color=MUTED, linewidth=0.8)
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda v, _: f"{v:g}×"))
        named = [names.get(code, code) for code in cost["language"]]
        values = [f"{row.multiple:.1f}×   {row.implied_multiple:.1f}×" for row in cost.itertuples()]
        name_rows(axes, positions, named, values, fontsize=7.5)
        axes.set_xlabel("multiple of parameters that makes up for the gap to English")
        figure.legend(loc="outside upper left", ncols=1, fontsize=8)
        text = (
            f"A doubling of parameters is worth {rates['parameters']:.3f} log-odds, one of pages "
            f"{rates['pages']:.3f}: {rates['doublings']:.1f} doublings, {rates['times']:.0f} times "
            "the pages. The two definitions differ: the first takes the observed gap at the "
            "average worth of a doubling, the second the gap that resource and distance predict, "
            "at one point of the curve, where a doubling is worth more or less than on average."
        )
        add_note(figure, f"{text} {note}")
    return figure
