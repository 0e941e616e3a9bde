"""Cost against size, one line per engine."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures import style

MARKS = "os^Dvp"


def draw(table: pd.DataFrame, note: str) -> Figure:
    """Wall seconds against cells, both logarithmic; engines that were stopped have no mark."""
    figure = style.new_figure(5.2, 3.6)
    axes = figure.subplots()
    for mark, (engine, rows) in zip(MARKS * 2, table.groupby("engine", sort=False), strict=False):
        done = rows.dropna(subset=["seconds"])
        if done.empty:
            continue
        ours = engine.startswith("laplace")
        axes.plot(
            done["cells"],
            done["seconds"],
            marker=mark,
            markersize=4,
            linewidth=1.6 if ours else 0.9,
            color=style.OURS if ours else style.MUTED,
            label=engine,
        )
        last = done.iloc[-1]
        axes.annotate(
            engine,
            (last["cells"], last["seconds"]),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color=style.OURS if ours else style.INK,
        )
    axes.set(xscale="log", yscale="log", xlabel="cells", ylabel="seconds, one thread")
    axes.margins(x=0.3)
    axes.grid(True, which="major")
    axes.set_title("One cold fit of the main model")
    style.add_note(figure, note)
    return figure


def save(figure: Figure, base: Path) -> list[Path]:
    """Write the figure as png and pdf."""
    return style.save(figure, base)
