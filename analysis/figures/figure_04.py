"""Figure 4: levers on the gap to English, size and reasoning, over resource and distance."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.plots import (
    GRID,
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

TITLES = {"size": "model size, reasoning off", "reasoning": "reasoning, at 8B"}
SIDES = {"resource": "right", "distance": "left"}
TICKS = [1, 2, 5, 10, 20, 50, 100]
LIMITS = (0.6, 100)
GAP = "odds in English ÷ odds"


def draw(levers: pd.DataFrame, languages: pd.DataFrame, note: str) -> Figure:
    """From ``levers/levers.csv``; the languages' own values are ticks below the curves."""
    features = list(dict.fromkeys(levers["feature"]))
    with matplotlib.rc_context(RC):
        figure = new_figure(7.2, 5.6)
        panels = figure.subplots(len(TITLES), len(features), sharey=True, squeeze=False)
        for line, (lever, title) in zip(panels, TITLES.items(), strict=True):
            for axes, feature in zip(line, features, strict=True):
                curves(axes, levers, languages, feature, lever)
                axes.set_title(title, fontsize=9)
            line[0].set_ylabel(GAP)
        panels[0, 0].set_ylim(LIMITS)
        text = (
            "Fixed effects only; the other language feature at its mean, 95% Wald bands. Ticks: "
            "the languages of the data."
        )
        add_note(figure, f"{text} {note}")
    return figure


def curves(
    axes: Axes, levers: pd.DataFrame, languages: pd.DataFrame, feature: str, lever: str
) -> None:
    """The gap over one language feature, a curve for each setting of one lever."""
    rows = levers[(levers["feature"] == feature) & (levers["lever"] == lever)]
    pieces = rows.groupby("setting", sort=False)
    for (setting, group), colour in zip(pieces, (PUBLISHED, OURS), strict=True):
        axes.fill_between(group["value"], group["conf_low"], group["conf_high"],
                          color=colour, alpha=0.15, linewidth=0)  # fmt: skip
        axes.plot(group["value"], group["odds_ratio"], color=colour, label=plain(setting))
    axes.axhline(1, color=MUTED, linewidth=0.8)
    axes.plot(languages[feature], [0.015] * len(languages), "|", color=MUTED,
              markersize=5, transform=axes.get_xaxis_transform())  # fmt: skip
    axes.set_yscale("log")
    axes.set_yticks(TICKS)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(labels.RAW[feature])
    axes.legend(fontsize=8, loc="upper right" if feature == "resource" else "upper left")
