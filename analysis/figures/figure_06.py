"""Figure 6: every (model, language) pair predicted with its language held out."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis.figures.scatter import COLOURS, TITLES, errors, identity
from capability_transfer.analysis.presentation.plots import OURS, RC, add_note, new_figure
from matplotlib.axes import Axes
from matplotlib.figure import Figure


def draw(pairs: pd.DataFrame, published: pd.DataFrame, note: str) -> Figure:
    """From ``loo/pairs.csv`` and the study's figures, if any."""
    names = [name for name in TITLES if name in set(pairs["predictor"])]
    with matplotlib.rc_context(RC):
        figure = new_figure(3.6 * len(names) + 0.2, 4.2)
        panels = figure.subplots(1, len(names), squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            rows = pairs[pairs["predictor"] == name]
            known = published.query("level == 'pair' and predictor == @name and k == 0")
            known = known.set_index("statistic")["value"]
            more = f"\npublished {known['mae']:.2f}, {known['pearson']:.3f}" if len(known) else ""
            points(axes, rows, COLOURS[name], more)
            axes.set_title(TITLES[name])
        panels[0].set_ylabel("predicted accuracy (%), language held out")
        count = len(rows)
        add_note(figure, f"{note} {count} pairs of a model and a language.")
    return figure


def points(axes: Axes, pairs: pd.DataFrame, colour: str = OURS, more: str = "") -> None:
    """One predictor's pairs against what was observed."""
    identity(axes)
    axes.plot(100 * pairs["observed"], 100 * pairs["predicted"], "o", color=colour,
              markersize=3, alpha=0.45, markeredgewidth=0)  # fmt: skip
    errors(axes, pairs["observed"].to_numpy(), pairs["predicted"].to_numpy(), more)
    axes.set_xlabel("observed accuracy (%)")
