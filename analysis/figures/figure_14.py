"""Figure 14: Figure 6 language by language."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from capability_transfer.analysis.figures.scatter import COLOURS, TITLES, identity
from capability_transfer.analysis.presentation.plots import INK, RC, add_note, new_figure, plain
from matplotlib.figure import Figure

COLUMNS = 5


def draw(pairs: pd.DataFrame, names: pd.Series, note: str) -> Figure:
    """From ``loo/pairs.csv`` and the languages' names by code; languages by mean accuracy."""
    shown = [name for name in TITLES if name in set(pairs["predictor"])]
    order = (
        pairs.groupby("language")["observed"]
        .mean()
        .sort_values(ascending=False, kind="stable")
        .index
    )
    lines = -(-len(order) // COLUMNS)
    with matplotlib.rc_context(RC):
        figure = new_figure(8.4, 1.62 * lines + 0.9)
        panels = figure.subplots(lines, COLUMNS, sharex=True, sharey=True, squeeze=False).ravel()
        for axes in panels[len(order) :]:
            axes.remove()
        for axes, language in zip(panels, order, strict=False):
            identity(axes)
            axes.set_title(plain(names.get(language, language)), fontsize=9)
            texts = []
            for name in shown:
                rows = pairs[(pairs["language"] == language) & (pairs["predictor"] == name)]
                axes.plot(100 * rows["observed"], 100 * rows["predicted"], "o", markersize=2.6,
                          color=COLOURS[name], alpha=0.6, markeredgewidth=0)  # fmt: skip
                error = 100 * np.abs(rows["predicted"] - rows["observed"]).mean()
                texts.append((f"{error:.1f}", COLOURS[name]))
            for place, (text, colour) in enumerate(texts):
                axes.text(0.05, 0.95 - 0.13 * place, text, transform=axes.transAxes, va="top",
                          fontsize=7.5, color=colour)  # fmt: skip
        handles = [
            matplotlib.lines.Line2D(
                [],
                [],
                marker="o",
                linestyle="",
                color=COLOURS[name],
                markersize=4,
                label=TITLES[name],
            )
            for name in shown
        ]
        figure.legend(handles=handles, loc="outside upper left", ncols=2, fontsize=8)
        figure.supylabel("predicted accuracy (%), language held out", fontsize=9, color=INK)
        text = "x: observed accuracy (%). In the corner: mean absolute error in points."
        add_note(figure, f"{text} {note}")
    return figure
