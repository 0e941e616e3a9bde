"""How the cost of a fit grows with templates, variants and languages: once to eight times."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis.presentation.plots import (
    MUTED,
    OURS,
    PUBLISHED,
    add_note,
    grid,
    new_figure,
    styled,
)
from capability_transfer.common import kept
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from benchmarks.apart import run_apart
from benchmarks.designs import main_design, main_model

ENGINE = "laplace"
TEMPLATES = 100
TIMES = (1, 2, 4, 8)
GROWN = {
    "templates": ["template"],
    "variants": ["variant", "base_model"],
    "languages": ["language"],
}
"""What is multiplied, and the columns whose levels are."""

COLUMNS = ["grown", "times", "cells", "cpu_seconds", "peak_mb", "status", "exponent"]


def grow(data: pd.DataFrame, grown: str, times: int, seed: int) -> pd.DataFrame:
    """The cells with ``times`` copies of their templates, variants or languages.

    A copy has names of its own, the features of the original, and outcomes that are drawn anew
    from its shares.
    """
    rng = np.random.default_rng(seed)
    copies = [data]
    for number in range(1, times):
        names = {name: data[name].astype(str) + f" {number + 1}" for name in GROWN[grown]}
        share = (data["n_correct"] + 0.5) / (data["n_total"] + 1)
        drawn = rng.binomial(data["n_total"], share)
        copies.append(data.assign(**names, n_correct=drawn))
    return pd.concat(copies, ignore_index=True)


def measure(seed: int, limit: float, templates: int = TEMPLATES) -> Iterator[dict]:
    """One row per size, each fitted in a process of its own; ``exponent`` is still missing."""
    data = main_design(templates, seed)
    for grown in GROWN:
        for times in TIMES:
            larger = grow(data, grown, times, seed)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "design.npz"
                kept.write((str(main_model()), larger), path)
                found = run_apart("benchmarks.child", ENGINE, str(path), limit=limit)
            yield {"grown": grown, "times": times, "cells": len(larger)} | found


def with_exponents(rows: list[dict]) -> pd.DataFrame:
    """The rows as a table, ``COLUMNS``: ``exponent`` is the slope of log seconds on log times."""
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    for _, own in table.dropna(subset=["cpu_seconds"]).groupby("grown"):
        slope = np.polyfit(np.log(own["times"]), np.log(own["cpu_seconds"]), 1)[0]
        table.loc[own.index, "exponent"] = slope if len(own) > 1 else np.nan
    return table


@styled
def draw(table: pd.DataFrame, note: str) -> Figure:
    """Processor seconds and peak memory of a cold fit against the size, both logarithmic."""
    figure = new_figure(6.6, 3.4)
    panels = figure.subplots(1, 2)
    marks = zip(GROWN, (OURS, PUBLISHED, MUTED), "os^", strict=True)
    for grown, colour, mark in marks:
        own = table[table["grown"] == grown]
        label = f"{grown}, exponent {own['exponent'].iloc[0]:.2f}"
        for axes, column in zip(panels, ("cpu_seconds", "peak_mb"), strict=True):
            axes.plot(own["times"], own[column], mark, linestyle="-", color=colour, label=label)
    for axes, title in zip(panels, ("seconds of a processor", "peak memory, MB"), strict=True):
        axes.set(xscale="log", yscale="log", xlabel="times as many", title=title)
        axes.set_xticks(TIMES, [f"× {times}" for times in TIMES])
        axes.set_xticks([], minor=True)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_locator(NullLocator())
        grid(axes)
    panels[0].legend(fontsize=7)
    shows = "Processor seconds and peak memory of one fit as levels or rows are multiplied."
    add_note(figure, note, shows)
    return figure
