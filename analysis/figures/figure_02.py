"""Figure 2: fixed effects with 95% Wald intervals, the published estimates beside them."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.plots import (
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    add_note,
    name_rows,
    new_figure,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure


def draw(fixed_effects: pd.DataFrame, note: str) -> Figure:
    """Forest plot of ``fixed_effects`` (log-odds per SD), the intercept left out.

    Published estimates, where there are any, are hollow marks.
    """
    with matplotlib.rc_context(RC):
        figure = new_figure(6.4, height(fixed_effects))
        forest(figure.add_subplot(), fixed_effects)
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, note)
    return figure


def height(fixed_effects: pd.DataFrame) -> float:
    """Inches that a forest plot of these terms takes."""
    return 0.29 * (fixed_effects["term"] != "(Intercept)").sum() + 1.3


def forest(axes: Axes, fixed_effects: pd.DataFrame) -> None:
    """The forest plot itself, without a legend."""
    table = fixed_effects[fixed_effects["term"] != "(Intercept)"].reset_index(drop=True)
    positions = -table.index.to_numpy(dtype=float)
    axes.axvline(0, color=MUTED, linewidth=0.8)
    axes.hlines(positions, table["conf_low"], table["conf_high"], color=OURS, linewidth=1.6)
    axes.plot(
        table["estimate"],
        positions,
        "o",
        color=OURS,
        markersize=5,
        label="this fit, 95% Wald interval",
    )
    if table["published"].notna().any():
        axes.plot(
            table["published"],
            positions - 0.27,  # below, so that neither hides the other
            "D",
            markersize=4.5,
            markerfacecolor="none",
            markeredgecolor=PUBLISHED,
            markeredgewidth=1.1,
            label="published (Table 3)",
        )
    names = [labels.term(name) for name in table["term"]]
    values = [f"{value:.2f}".replace("-", "−") for value in table["estimate"]]
    name_rows(axes, positions, names, values)
    axes.set_xlabel(
        "log-odds of a correct answer per SD of the predictor (reasoning: on against off)"
    )
