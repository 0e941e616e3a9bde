"""Figure 9: precision of a score and stability of the ranking by templates and instances."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.style import GRID, MUTED, OURS, PUBLISHED, RC, add_note, new_figure

COLORS = {"symbolic": OURS, "original": PUBLISHED}
FARTHEST = 400


def draw(templates: pd.DataFrame, instances: pd.DataFrame, note: str) -> Figure:
    """From ``sample_size/templates.csv`` and ``instances.csv``.

    Left: the standard error by templates, dotted beyond those there are. Middle: by instances per
    template. Right: the rank correlation with all templates; bands hold 95% of the draws.
    """
    own = templates[templates["rank_reference"] == "own_split"]
    with matplotlib.rc_context(RC):
        figure = new_figure(7.4, 3.2)
        left, middle, right = figure.subplots(1, 3)
        for split, rows in own.groupby("split", sort=False):
            color = COLORS.get(split, MUTED)
            seen = rows[rows["rank_correlation"].notna()]
            left.plot(
                seen["templates"], seen["std_error"], "o-", color=color, markersize=3.5,
                label=f"{split} questions",
            )  # fmt: skip
            last = seen.iloc[-1]
            far = np.geomspace(last["templates"], FARTHEST, 20)
            left.plot(far, last["std_error"] * np.sqrt(last["templates"] / far), ":", color=color)
            known = rows["published"].notna()
            left.plot(
                rows.loc[known, "templates"], rows.loc[known, "published"], "D", markersize=6,
                markerfacecolor="none", markeredgecolor=MUTED, markeredgewidth=0.9,
            )  # fmt: skip
            right.fill_between(
                seen["templates"], seen["rank_low"], seen["rank_high"], color=color, alpha=0.18,
                linewidth=0,
            )  # fmt: skip
            right.plot(
                seen["templates"], seen["rank_correlation"], "o-", color=color, markersize=3.5
            )
            right.plot(
                rows["templates"], rows["published_rank"], "D", markersize=6,
                markerfacecolor="none", markeredgecolor=MUTED, markeredgewidth=0.9,
            )  # fmt: skip
        left.plot(
            [], [], "D", markerfacecolor="none", markeredgecolor=MUTED, label="published (Table 2)"
        )
        for split, rows in instances.groupby("split", sort=False):
            color = COLORS.get(split, MUTED)
            finite = rows[np.isfinite(rows["instances"])]
            middle.plot(finite["instances"], finite["std_error"], "o-", color=color, markersize=3.5)
            floor = rows.loc[~np.isfinite(rows["instances"]), "std_error"].iloc[0]
            middle.axhline(floor, color=color, linewidth=0.9, linestyle="--")
            middle.annotate(
                "infinitely many", (1, floor), xycoords=("axes fraction", "data"), ha="right",
                va="top", xytext=(0, -3), textcoords="offset points", fontsize=7.5, color=MUTED,
            )  # fmt: skip
            middle.set_ylim(0, 1.15 * finite["std_error"].max())
            middle.set_xticks(finite["instances"], [f"{n:g}" for n in finite["instances"]])
        left.set_xscale("log")
        left.set_yscale("log")
        left.set_xticks([1, 10, 100, FARTHEST], ["1", "10", "100", str(FARTHEST)])
        left.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
        left.minorticks_off()
        right.set_xscale("log")
        right.set_xticks([1, 10, 100], ["1", "10", "100"])
        right.minorticks_off()
        left.set_ylabel("standard error, points")
        right.set_ylabel("Spearman's ρ with all templates")
        left.set_title("One score", fontsize=9)
        middle.set_title("One score, all templates", fontsize=9)
        right.set_title("Ranking of models", fontsize=9)
        left.set_xlabel("templates")
        middle.set_xlabel("instances per template")
        right.set_xlabel("templates")
        for axes in (left, middle, right):
            axes.grid(color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
        figure.legend(loc="outside upper left", ncols=3, fontsize=8)
        add_note(figure, note)
    return figure
