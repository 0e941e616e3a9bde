"""Relative drops in high- and low-resource languages, one row a model."""

from __future__ import annotations

import matplotlib
import pandas as pd
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


def draw(groups: pd.DataFrame, note: str, label: str) -> Figure:
    """From ``drops.by_group``: mean relative drop over perturbations of groups high and low.

    Models with the smallest loss in low-resource languages stand on top. ``label`` says what the
    drop is averaged over.
    """
    table = groups.groupby(["variant", "group"])["relative_drop"].mean().unstack("group")
    table = table.dropna().sort_values("low", kind="stable")
    positions = range(len(table))
    with matplotlib.rc_context(RC):
        figure = new_figure(6.2, 0.25 * len(table) + 1.4)
        axes = figure.add_subplot()
        axes.axvline(0, color=MUTED, linewidth=0.8)
        axes.hlines(positions, table["low"], table["high"], color=GRID, linewidth=3)
        axes.plot(table["high"], positions, "o", color=OURS, label="high-resource languages")
        axes.plot(table["low"], positions, "o", color=PUBLISHED, label="low-resource languages")
        axes.set_yticks(positions, table.index.map(plain), fontsize=8)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(-0.8, len(table) - 0.2)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel(f"change relative to the original accuracy (%), {plain(label)}")
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, note)
    return figure
