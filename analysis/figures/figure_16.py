"""Figure 16: the languages in the space of the two language features."""

from __future__ import annotations

import matplotlib
import pandas as pd
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

OFFSETS = {
    "eng": (-6, 6, "right"), "ukr": (0, 7, "center"), "nld": (-6, 4, "right"),
    "dan": (-6, -3, "right"), "rus": (6, -3, "left"), "fra": (-2, 7, "center"),
    "hin": (-6, -3, "right"), "zho": (6, 3, "left"), "isl": (-6, 3, "right"),
    "mar": (-6, 4, "right"),
}  # fmt: skip
"""Where a label would cover a neighbour: points right, points up, alignment."""


def draw(languages: pd.DataFrame, note: str) -> Figure:
    """From ``overview/design_space.csv``; other languages with templates are small and grey."""
    with matplotlib.rc_context(RC):
        figure = new_figure(5.6, 4.4)
        axes = figure.add_subplot()
        others, study = (languages[languages["in_study"] == flag] for flag in (False, True))
        axes.plot(
            others["resource"], others["distance"], "o", color=MUTED, alpha=0.45, markersize=3,
            markeredgewidth=0, label=f"other languages with templates (n = {len(others)})",
        )  # fmt: skip
        axes.plot(
            study["resource"], study["distance"], "o", color=OURS, markersize=5.5,
            label=f"languages of the study (n = {len(study)})",
        )  # fmt: skip
        for row in study.itertuples():
            x, y, alignment = OFFSETS.get(row.language, (6, -3, "left"))
            axes.annotate(
                plain(row.name), (row.resource, row.distance), xytext=(x, y), ha=alignment,
                textcoords="offset points", fontsize=8, color=INK,
            )  # fmt: skip
        axes.grid(color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("resource level, log10 of Common Crawl pages")
        axes.set_ylabel("typological distance from English")
        figure.legend(loc="outside upper left", ncols=1, fontsize=8)
        add_note(figure, note)
    return figure
