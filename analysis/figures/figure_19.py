"""Figures 19 and 8 (18 and 7): every run's accuracy on two versions of a language."""

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


def draw(runs: pd.DataFrame, test: pd.DataFrame, first: str, second: str, note: str) -> Figure:
    """From ``equivalence/runs.csv`` and ``table.csv``: strongest run on top, 95% Wilson intervals.

    ``runs`` may be a part of the runs behind ``test``.
    """
    table = runs.sort_values("first", ascending=False, ignore_index=True, kind="stable")
    found = test.iloc[0]
    with matplotlib.rc_context(RC):
        figure = new_figure(6.4, max(0.19 * len(table) + 1.5, 2.4))
        axes = figure.add_subplot()
        sides = (("first", first, OURS, "o", 0.17), ("second", second, PUBLISHED, "D", -0.17))
        for side, language, color, marker, shift in sides:
            positions = -table.index.to_numpy(dtype=float) + shift
            axes.hlines(
                positions, 100 * table[f"{side}_low"], 100 * table[f"{side}_high"],
                color=color, linewidth=1.1,
            )  # fmt: skip
            counts = table[f"n_{side}"].unique()
            answers = f", n = {counts[0]:,} answers" if len(counts) == 1 else ""
            axes.plot(
                100 * table[side], positions, marker, color=color, markersize=3.5,
                label=f"{plain(labels.language(language))}{answers}, 95% Wilson interval",
            )  # fmt: skip
        axes.set_yticks(-table.index.to_numpy(dtype=float), table["variant"].map(plain), fontsize=7)
        axes.set_ylim(-len(table) + 0.3, 0.7)
        axes.set_xlim(-2, 102)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("accuracy on symbolic questions, %")
        verdict = "equivalent" if found["equivalent"] else "not equivalent"
        axes.set_title(
            f"{found['n']} runs: mean difference {found['difference']:.2f} points, {verdict} "
            f"within ±{found['margin']:g} (p = {found['p_value']:.2g})".replace("-", "−"),
            fontsize=8,
            color=MUTED,
        )
        figure.legend(loc="outside upper left", ncols=1 if len(table) < 9 else 2, fontsize=7.5)
        add_note(figure, note)
    return figure
