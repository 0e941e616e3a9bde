"""Figure 9: precision of a score and stability of the ranking by templates and instances."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib
import numpy as np
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
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLORS = {"symbolic": OURS, "original": PUBLISHED}
FARTHEST = 400


def draw(templates: pd.DataFrame, instances: pd.DataFrame, note: str) -> Figure:
    """From ``sample_size/templates.csv`` and ``instances.csv``.

    Left: the standard error by templates, dotted beyond those there are. Middle: by instances per
    template. Right: the rank correlation with all templates; bands hold 95% of the draws.
    """
    with matplotlib.rc_context(RC):
        figure = new_figure(7.4, 3.2)
        left, middle, right = figure.subplots(1, 3)
        precision(left, templates)
        handles, names = left.get_legend_handles_labels()
        by_instances(middle, instances)
        ranking(right, templates)
        marks = {"markerfacecolor": "none", "markeredgecolor": MUTED}
        handles += left.plot([], [], "D", **marks)
        left.set_title("One score", fontsize=9)
        middle.set_title("One score, all templates", fontsize=9)
        right.set_title("Ranking of models", fontsize=9)
        names.append("published (Table 2)")
        figure.legend(handles, names, loc="outside upper left", ncols=3, fontsize=8)
        add_note(figure, note)
    return figure


def precision(axes: Axes, templates: pd.DataFrame) -> None:
    """The standard error of a score by templates, on logarithmic scales."""
    for split, rows, seen, color in _splits(templates):
        axes.plot(
            seen["templates"], seen["std_error"], "o-", color=color, markersize=3.5,
            label=plain(f"{split} questions"),
        )  # fmt: skip
        last = seen.iloc[-1]
        far = np.geomspace(last["templates"], FARTHEST, 20)
        axes.plot(far, last["std_error"] * np.sqrt(last["templates"] / far), ":", color=color)
        _published(axes, rows[rows["published"].notna()], "published")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([1, 10, 100, FARTHEST], ["1", "10", "100", str(FARTHEST)])
    axes.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
    axes.minorticks_off()
    axes.set(xlabel="templates", ylabel="standard error, points")
    _grid(axes)


def ranking(axes: Axes, templates: pd.DataFrame) -> None:
    """The rank correlation of models with that on all templates; bands hold 95% of the draws."""
    for split, rows, seen, color in _splits(templates):
        axes.fill_between(
            seen["templates"], seen["rank_low"], seen["rank_high"], color=color, alpha=0.18,
            linewidth=0,
        )  # fmt: skip
        axes.plot(
            seen["templates"], seen["rank_correlation"], "o-", color=color, markersize=3.5,
            label=plain(f"{split} questions"),
        )  # fmt: skip
        _published(axes, rows, "published_rank")
    axes.set_xscale("log")
    axes.set_xticks([1, 10, 100], ["1", "10", "100"])
    axes.minorticks_off()
    axes.set(xlabel="templates", ylabel="Spearman's ρ with all templates")
    _grid(axes)


def by_instances(axes: Axes, instances: pd.DataFrame) -> None:
    """The standard error of a score on all templates by instances of each."""
    for split, rows in instances.groupby("split", sort=False):
        color = COLORS.get(split, MUTED)
        finite = rows[np.isfinite(rows["instances"])]
        axes.plot(finite["instances"], finite["std_error"], "o-", color=color, markersize=3.5)
        floor = rows.loc[~np.isfinite(rows["instances"]), "std_error"].iloc[0]
        axes.axhline(floor, color=color, linewidth=0.9, linestyle="--")
        axes.annotate(
            "infinitely many", (1, floor), xycoords=("axes fraction", "data"), ha="right",
            va="top", xytext=(0, -3), textcoords="offset points", fontsize=7.5, color=MUTED,
        )  # fmt: skip
        axes.set_ylim(0, 1.15 * finite["std_error"].max())
        axes.set_xticks(finite["instances"], [f"{n:g}" for n in finite["instances"]])
    axes.set_xlabel("instances per template")
    _grid(axes)


def _splits(templates: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame, str]]:
    """Each split with its rows, those of budgets that there are, and its colour."""
    own = templates[templates["rank_reference"] == "own_split"]
    for split, rows in own.groupby("split", sort=False):
        yield split, rows, rows[rows["rank_correlation"].notna()], COLORS.get(split, MUTED)


def _published(axes: Axes, rows: pd.DataFrame, column: str) -> None:
    axes.plot(
        rows["templates"], rows[column], "D", markersize=6, markerfacecolor="none",
        markeredgecolor=MUTED, markeredgewidth=0.9,
    )  # fmt: skip


def _grid(axes: Axes) -> None:
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
