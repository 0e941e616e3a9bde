"""Ours: the two size interactions as saturated cells are removed (Table 7 as a picture)."""

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
from matplotlib.figure import Figure

TERMS = ("resource:size", "distance:size")


def draw(table: pd.DataFrame, note: str) -> Figure:
    """From ``ceiling/table.csv``: one panel a term, one row a restriction, 95% Wald intervals."""
    with matplotlib.rc_context(RC):
        restrictions = table.drop_duplicates("restriction")
        figure = new_figure(6.8, 0.36 * len(restrictions) + 1.5)
        terms = [term for term in TERMS if term in set(table["term"])] or [table["term"].iloc[-1]]
        panels = figure.subplots(1, len(terms), sharey=True, sharex=True, squeeze=False)[0]
        for axes, term in zip(panels, terms, strict=True):
            rows = table[table["term"] == term].reset_index(drop=True)
            positions = -rows.index.to_numpy(dtype=float)
            axes.axvline(0, color=MUTED, linewidth=0.8)
            axes.hlines(positions, rows["conf_low"], rows["conf_high"], color=OURS, linewidth=1.6)
            axes.plot(
                rows["estimate"], positions, "o", color=OURS, markersize=5,
                label="this fit, 95% Wald interval",
            )  # fmt: skip
            if rows["published"].notna().any():
                axes.plot(
                    rows["published"], positions - 0.24, "D", markersize=4.5,
                    markerfacecolor="none", markeredgecolor=PUBLISHED, markeredgewidth=1.1,
                    label="published (Table 7)",
                )  # fmt: skip
            names = [
                f"{plain(row.label)}\n{row.variants} runs, {row.saturated_cells} cells above 90%"
                for row in rows.itertuples()
            ]
            axes.set_yticks(positions, names, fontsize=8)
            axes.set_ylim(positions.min() - 0.6, 0.5)
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x", color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
            axes.set_title(plain(labels.term(term)))
        for axes in panels:
            axes.set_xlabel("log-odds per SD")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, note)
    return figure
