"""The error of prediction after a few templates of a language were seen."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.figures.scatter import COLOURS, TITLES
from capability_transfer.analysis.presentation.plots import GRID, MUTED, plain
from matplotlib.axes import Axes


def of_most_draws(summary: pd.DataFrame) -> pd.DataFrame:
    """Of each predictor, number of templates, level and truth the row of the most draws."""
    key = ["predictor", "k", "level", "truth"]
    most = summary.groupby(key)["draws"].transform("max")
    return summary[summary["draws"] == most]


def by_budget(axes: Axes, summary: pd.DataFrame, level: str, truth: str) -> None:
    """Mean absolute error by templates seen (``prediction.few_templates.summarise``).

    A curve for each predictor, of the most draws that each budget has, with 95% bands over
    languages.
    """
    rows = summary[(summary["level"] == level) & (summary["truth"] == truth)]
    rows = of_most_draws(rows)
    for name, group in rows.sort_values("k", kind="stable").groupby("predictor", sort=False):
        colour = COLOURS.get(name, MUTED)
        axes.fill_between(group["k"], group["conf_low"], group["conf_high"], color=colour,
                          alpha=0.15, linewidth=0)  # fmt: skip
        axes.plot(group["k"], group["mae"], "o-", color=colour, markersize=4,
                  label=plain(TITLES.get(name, name)))  # fmt: skip
    axes.set_ylim(bottom=0)
    axes.set_xticks(sorted(rows["k"].unique()))
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set(xlabel="templates seen", ylabel="mean absolute error (points)")
