"""Ours: what alternative specifications make of the main coefficients."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.plots import (
    GRID,
    MUTED,
    OURS,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.figure import Figure

TERMS = ("resource", "distance", "size", "reasoning", "resource:size", "distance:size",
         "resource:reasoning", "distance:reasoning")  # fmt: skip
COLUMNS = 4


def draw(table: pd.DataFrame, note: str) -> Figure:
    """From ``specifications/table.csv``: one panel a coefficient, 95% Wald intervals."""
    specifications = table.drop_duplicates("specification")
    positions = {name: -i for i, name in enumerate(specifications["specification"])}
    with matplotlib.rc_context(RC):
        figure = new_figure(8.0, 2 * (0.21 * len(positions) + 0.75) + 0.5)
        terms = [term for term in TERMS if term in set(table["term"])]
        panels = figure.subplots(2, COLUMNS, sharey=True, squeeze=False)
        for axes in panels.flat[len(terms) :]:
            axes.set_visible(False)
        for axes, term in zip(panels.flat, terms, strict=False):
            rows = table[(table["part"] == "fixed") & (table["term"] == term)]
            places = rows["specification"].map(positions)
            half = 1.96 * rows["std_error"]
            main = rows.loc[rows["specification"] == "main", "estimate"].iloc[0]
            axes.axvline(main, color=MUTED, linewidth=0.8, linestyle=":")
            axes.axvline(0, color=MUTED, linewidth=0.8)
            axes.hlines(places, rows["estimate"] - half, rows["estimate"] + half, color=OURS,
                        linewidth=1.5)  # fmt: skip
            axes.plot(rows["estimate"], places, "o", color=OURS, markersize=4)
            axes.set_title(plain(labels.term(term)), fontsize=7.5)
            axes.set_yticks(
                list(positions.values()), specifications["label"].map(plain), fontsize=8
            )
            axes.tick_params(axis="y", length=0)
            axes.tick_params(axis="x", labelsize=7.5)
            axes.margins(x=0.08)
            axes.grid(axis="x", color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
        for axes in panels[-1]:
            axes.set_xlabel("log-odds per SD", fontsize=8)
        add_note(figure, f"Dotted: the main model's estimate. 95% Wald intervals. {note}")
    return figure
