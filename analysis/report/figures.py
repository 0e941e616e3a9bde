"""The report's figures: one panel each, narrow enough to be read on a phone.

They are the panels of the study's figures and of ours, at one size; the notes stand beside them on
the page.
"""

from __future__ import annotations

from collections.abc import Callable

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.plots import (
    GRID,
    INK,
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    new_figure,
    plain,
)
from capability_transfer.analysis.studies import levers as lever_study
from capability_transfer.analysis.studies import main_model
from capability_transfer.analysis.studies.few_templates import of_most_draws
from capability_transfer.analysis.studies.held_out import COLOURS, scatter_pairs
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

WIDTH = 3.9  # inches: 374 CSS pixels, as many as a phone has
SPLITS = {"symbolic": OURS, "original": PUBLISHED}


def panel(draw: Callable[[Axes], None], height: float = 3.6, legend: bool = False) -> Figure:
    """A figure of one panel, its legend above it."""
    with matplotlib.rc_context(RC):
        figure = new_figure(WIDTH, height)
        axes = figure.add_subplot()
        draw(axes)
        if legend:
            figure.legend(loc="outside upper left", ncols=2, fontsize=8.5, handletextpad=0.4,
                          columnspacing=1.2, borderaxespad=0)  # fmt: skip
    return figure


def forest(fixed: pd.DataFrame) -> Figure:
    """Fixed effects with 95% Wald intervals, from ``glmm/fixed_effects.csv``."""

    def draw(axes: Axes) -> None:
        main_model.forest(axes, fixed)
        axes.set_xlabel("log-odds per SD")

    return panel(draw, main_model.height(fixed), legend=True)


def levers(table: pd.DataFrame, languages: pd.DataFrame, lever: str) -> Figure:
    """The gap over resource with one lever set in two ways, from ``levers/levers.csv``."""

    def draw(axes: Axes) -> None:
        lever_study.curves(axes, table, languages, "resource", lever)
        axes.set(ylim=lever_study.LIMITS, ylabel=lever_study.GAP)

    return panel(draw)


def held_out(pairs: pd.DataFrame, predictor: str) -> Figure:
    """Pairs predicted with their language held out against observed, from ``loo/pairs.csv``."""
    rows = pairs[pairs["predictor"] == predictor]

    def draw(axes: Axes) -> None:
        scatter_pairs(axes, rows, COLOURS.get(predictor, OURS))
        axes.set_ylabel("predicted accuracy (%)")

    return panel(draw, 4.1)


def coverage(calibration: pd.DataFrame, predictor: str) -> Figure:
    """How often intervals hold the observation, against what they promise."""
    rows = calibration[calibration["predictor"] == predictor]
    shown = {"pair": (OURS, "pairs (model, language)"), "language": (PUBLISHED, "language means")}

    def draw(axes: Axes) -> None:
        axes.plot([0, 100], [0, 100], color=MUTED, linewidth=0.8, linestyle=":")
        for level, (colour, label) in shown.items():
            own = rows[rows["level"] == level]
            axes.plot(100 * own["nominal"], 100 * own["coverage"], color=colour, label=label)
        axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal",
                 xlabel="size of the interval (%)", ylabel="observations inside (%)")  # fmt: skip
        _grid(axes)

    return panel(draw, 4.1, legend=True)


def few_templates(table: pd.DataFrame) -> Figure:
    """The error of a language's pairs after k templates were seen, from ``loo/few_templates.csv``.

    Against the accuracy on all templates, of the most draws that a predictor and a k have.
    """
    rows = of_most_draws(table[(table["level"] == "pair") & (table["truth"] == "all")])
    budgets = sorted(rows["k"].unique())
    names = {"study": "the study's model", "smooth": "ours", "observed": "the templates alone"}

    def draw(axes: Axes) -> None:
        for predictor, own in rows.groupby("predictor", sort=False):
            own = own.sort_values("k", kind="stable")
            place = [budgets.index(k) for k in own["k"]]
            colour = COLOURS.get(predictor, MUTED)
            axes.fill_between(place, own["conf_low"], own["conf_high"], color=colour, alpha=0.15,
                              linewidth=0)  # fmt: skip
            axes.plot(place, own["mae"], "o-", color=colour, markersize=4,
                      label=plain(names.get(predictor, predictor)))  # fmt: skip
        axes.set_xticks(range(len(budgets)), [f"{k}" for k in budgets])
        axes.set(
            xlabel="templates seen in the language", ylabel="mean error (points)", ylim=(0, None)
        )
        _grid(axes)

    return panel(draw, legend=True)


def precision(templates: pd.DataFrame) -> Figure:
    """The standard error of a score by templates, from ``sample_size/templates.csv``."""
    own = templates[templates["rank_reference"] == "own_split"]

    def draw(axes: Axes) -> None:
        for split, rows in own.groupby("split", sort=False):
            label = plain(f"{split} questions")
            axes.plot(rows["templates"], rows["std_error"], "o-", markersize=4,
                      color=SPLITS.get(split, MUTED), label=label)  # fmt: skip
        _logarithmic(axes, [1, 2, 5, 10, 20, 50, 100])
        axes.set_yscale("log")
        axes.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
        axes.minorticks_off()
        axes.set(xlabel="templates", ylabel="standard error (points)")
        _grid(axes)

    return panel(draw, legend=True)


def ceiling(table: pd.DataFrame, term: str) -> Figure:
    """One term as saturated cells are removed, from ``ceiling/table.csv``."""
    rows = table[table["term"] == term].reset_index(drop=True)
    positions = -rows.index.to_numpy(dtype=float)

    def draw(axes: Axes) -> None:
        axes.axvline(0, color=MUTED, linewidth=0.8)
        axes.hlines(positions, rows["conf_low"], rows["conf_high"], color=OURS, linewidth=1.6)
        axes.plot(rows["estimate"], positions, "o", color=OURS, markersize=5,
                  label="this fit, 95% Wald interval")  # fmt: skip
        axes.plot(rows["published"], positions - 0.24, "D", markersize=4.5, markerfacecolor="none",
                  markeredgecolor=PUBLISHED, markeredgewidth=1.1, label="published")  # fmt: skip
        axes.set_yticks(positions, rows["label"].map(plain))
        axes.set_ylim(positions.min() - 0.6, 0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(f"{plain(labels.term(term))}, log-odds")
        _grid(axes, "x")

    return panel(draw, 0.36 * len(rows) + 1.2, legend=True)


def penalty(by_language: pd.DataFrame) -> Figure:
    """Points lost on symbolic questions by language, from ``penalty/by_language.csv``."""
    rows = by_language.sort_values("gap", ignore_index=True, kind="stable")
    positions = rows.index.to_numpy(dtype=float)

    def draw(axes: Axes) -> None:
        axes.axvline(0, color=MUTED, linewidth=0.8)
        axes.hlines(positions, rows["conf_low"], rows["conf_high"], color=OURS, linewidth=1.6)
        axes.plot(rows["gap"], positions, "o", color=OURS, markersize=4.5)
        axes.set_yticks(positions, [plain(labels.language(code)) for code in rows["language"]])
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("original − symbolic (points), 95% interval")
        _grid(axes, "x")

    return panel(draw, 0.24 * len(rows) + 0.7)


def metrics(comparison: pd.DataFrame) -> Figure:
    """The English gap and HAT of every model against the GLMM's level."""
    shown = {
        "xlt_gap": (PUBLISHED, "gap to English"),
        "transfer_score": (MUTED, "transfer score τ"),
        "hat": (OURS, "HAT"),
    }

    def draw(axes: Axes) -> None:
        for name, (colour, label) in shown.items():
            axes.plot(comparison["glmm_level"], comparison[name], "o", color=colour, markersize=4,
                      alpha=0.75, markeredgewidth=0, label=label)  # fmt: skip
        axes.axhline(0, color=MUTED, linewidth=0.8)
        axes.set(xlabel="GLMM level (log-odds)", ylabel="measure")
        _grid(axes)

    return panel(draw, legend=True)


def _grid(axes: Axes, axis: str = "both") -> None:
    axes.grid(axis=axis, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.xaxis.label.set_color(INK)


def _logarithmic(axes: Axes, ticks: list[float]) -> None:
    axes.set_xscale("log")
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
