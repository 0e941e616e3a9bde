"""Cost against size, one line per engine."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from capability_transfer.analysis.presentation.plots import (
    INK,
    MUTED,
    OURS,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MARKS = "os^Dvp"
APART = 1.45
"""The least ratio of the heights of two names on a logarithmic axis."""


def draw(table: pd.DataFrame, note: str) -> Figure:
    """CPU seconds against cells, both logarithmic; hollow, at its limit, where one was stopped."""
    with matplotlib.rc_context(RC):
        figure = new_figure(6.4, 3.8)
        axes = figure.subplots()
        limits = table["status"].str.extract(r"stopped after ([\d.]+)")[0].astype(float)
        seconds = table["cpu_seconds"].fillna(limits)
        table = table.assign(cpu_seconds=seconds, stopped=limits.notna())
        table = table.dropna(subset=["cpu_seconds"])
        ends = []
        for mark, (engine, rows) in zip(MARKS * 2, table.groupby("engine", sort=False)):  # noqa: B905
            ours = engine.startswith("laplace")
            color, width = (OURS, 1.8) if ours else (INK if engine == "lme4 nAGQ=1" else MUTED, 0.9)
            finished = rows[~rows["stopped"]]  # a line to a time limit would say what nobody saw
            axes.plot(finished["cells"], finished["cpu_seconds"], color=color, linewidth=width)
            _marks(axes, rows, "cells", "cpu_seconds", mark, color)
            last = (finished if len(finished) else rows).iloc[-1]
            ends.append((last["cells"], last["cpu_seconds"], engine, color))
        for limit in limits.dropna().unique():
            axes.axhline(limit, color=MUTED, linewidth=0.6, linestyle=":")
        axes.set(xscale="log", yscale="log", xlabel="cells", ylabel="seconds of a processor")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        _name_ends(axes, ends)
        _sizes(axes, table["cells"])
        axes.set_xlim(right=2.2 * table["cells"].max())
        axes.set_title("One cold fit of the main model")
        shows = (
            "Processor seconds that engines take for one fit of the study's model to more and more "
            "cells."
        )
        add_note(figure, note, shows)
        return figure


def _name_ends(axes: Axes, ends: list[tuple[float, float, str, str]]) -> None:
    """Names beside where lines end, moved up where they would stand on each other."""
    placed: dict[float, float] = {}
    for x, y, name, color in sorted(ends):
        height = placed[x] = max(y, APART * placed.get(x, 0))
        axes.annotate(
            plain(name), (x, y), xytext=(1.12 * x, height), va="center", fontsize=7.5, color=color,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.4, "shrinkA": 1,
                        "relpos": (0, 0.5)},
        )  # fmt: skip
    axes.set_ylim(top=max(axes.get_ylim()[1], APART * max(placed.values())))


def by_size(table: pd.DataFrame, note: str) -> Figure:
    """CPU seconds of crossed designs; hollow where one was stopped.

    Left: against levels, ten rows to each. Right: against rows, of the number of levels that has
    most sizes. An engine's exponent is the slope of log seconds on log size, over what it finished.
    """
    with matplotlib.rc_context(RC):
        figure = new_figure(7.0, 3.6)
        left, right = figure.subplots(1, 2, sharey=True)
        limits = table["status"].str.extract(r"stopped after ([\d.]+)")[0].astype(float)
        table = table.assign(
            cpu_seconds=table["cpu_seconds"].fillna(limits), stopped=~limits.isna()
        )
        table = table.dropna(subset=["cpu_seconds", "levels"]).astype({"levels": int})
        _lines(left, table[table["rows"] == 10 * table["levels"]], "levels")
        most = table.groupby("levels")["rows"].nunique().idxmax()
        _lines(right, table[table["levels"] == most], "rows")
        left.set(
            xlabel="levels of each of two factors, 10 rows per level",
            ylabel="CPU seconds, one thread",
        )
        right.set(xlabel=f"rows, {most:,} levels of each of two factors")
        figure.suptitle("One cold fit of two crossed random intercepts", fontsize=10)
        left.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        shows = (
            "Processor seconds that engines take for two crossed random intercepts, by the levels "
            "of each and by rows; an exponent is the slope of log seconds on log size."
        )
        add_note(figure, note, shows)
        return figure


def _lines(axes: Axes, table: pd.DataFrame, size: str) -> None:
    """CPU seconds against a size, a line and its exponent per engine, both axes logarithmic."""
    for mark, (engine, rows) in zip(MARKS, table.groupby("engine", sort=False)):  # noqa: B905
        color = OURS if engine == "laplace" else INK if engine == "glmmTMB" else MUTED
        done = rows[~rows["stopped"]]
        axes.plot(done[size], done["cpu_seconds"], color=color, linewidth=1.2)
        _marks(axes, rows, size, "cpu_seconds", mark, color)
        label = engine
        if len(done) > 1:
            slope = np.polyfit(np.log(done[size]), np.log(done["cpu_seconds"]), 1)[0]
            label = f"{engine}, exponent {slope:.1f}"
        axes.plot([], [], color=color, marker=mark, markersize=5, label=label)
    axes.set(xscale="log", yscale="log")
    _sizes(axes, table[size])
    axes.tick_params(axis="x", labelrotation=30)
    axes.legend(loc="upper left", fontsize=7)


def _marks(axes: Axes, rows: pd.DataFrame, x: str, y: str, mark: str, color: str) -> None:
    """A mark per row, hollow where an engine was stopped."""
    for is_stopped, part in rows.groupby("stopped"):
        axes.plot(
            part[x], part[y], linestyle="", marker=mark, markersize=5, color=color,
            markerfacecolor="white" if is_stopped else color,
        )  # fmt: skip


def _sizes(axes: Axes, values: pd.Series) -> None:
    """A tick per size, and a grid."""
    sizes = sorted(values.unique())
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes], minor=False)
    axes.set_xticks([], minor=True)
    axes.grid(True, which="major")
    axes.set_axisbelow(True)
