"""Ours: the probability that a planned study detects each effect."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.plots import (
    GRID,
    MUTED,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLORS = ("#1f5a94", "#c2571a", "#3a7d44", "#8c4a8c", "#7b8794", "#b8860b")
MARKERS = "oDs^vP"
PLAN = ["languages", "variants", "templates", "instances"]
WORDS = {"variants": "runs"}


def draw(power: pd.DataFrame, note: str) -> Figure:
    """From ``power/power.csv``: a row an effect, a mark a plan, 95% Wilson intervals."""
    with matplotlib.rc_context(RC):
        figure = new_figure(6.6, height(power))
        detection(figure.add_subplot(), power)
        figure.legend(loc="outside upper left", ncols=3, fontsize=8)
        fixed = [
            f"{power[name].iloc[0]} {WORDS.get(name, name)}"
            for name in PLAN
            if name not in _varying(power)
        ]
        each = f"{power['simulations'].iloc[0]} simulations a plan; {', '.join(fixed)}."
        add_note(figure, f"{each} In brackets: the effect, log-odds per SD. {note}")
    return figure


def height(power: pd.DataFrame) -> float:
    """Inches that the figure of these effects takes."""
    return 0.36 * power["term"].nunique() + 1.6


def detection(axes: Axes, power: pd.DataFrame) -> None:
    """The figure itself, without a legend."""
    terms = list(dict.fromkeys(power["term"]))
    plans = list(power.groupby(PLAN, sort=False))
    axes.axvline(100 * power["level"].iloc[0], color=MUTED, linewidth=0.8, linestyle=":")
    axes.axvline(80, color=MUTED, linewidth=0.8, linestyle="--")
    shifts = np.linspace(0.24, -0.24, len(plans)) if len(plans) > 1 else [0.0]
    for number, (shift, (values, rows)) in enumerate(zip(shifts, plans, strict=True)):
        color = COLORS[number % len(COLORS)]
        named = dict(zip(PLAN, values, strict=True))
        label = ", ".join(f"{named[name]} {WORDS.get(name, name)}" for name in _varying(power))
        places = np.array([-terms.index(term) for term in rows["term"]]) + shift
        axes.hlines(
            places, 100 * rows["conf_low"], 100 * rows["conf_high"], color=color, linewidth=1.2
        )
        axes.plot(
            100 * rows["power"], places, MARKERS[number % len(MARKERS)], color=color,
            markersize=4, label=label,
        )  # fmt: skip
    effects = power.drop_duplicates("term").set_index("term")["effect"]
    names = [
        f"{plain(labels.term(term))} ({effects[term]:+.2f})".replace("-", "−") for term in terms
    ]
    axes.set_yticks(-np.arange(len(terms)), names)
    axes.set_ylim(-len(terms) + 0.4, 0.6)
    axes.set_xlim(-2, 102)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(f"power, % (level {power['level'].iloc[0]:g} dotted, 80% dashed)")


def _varying(power: pd.DataFrame) -> list[str]:
    """What the plans differ in."""
    return [name for name in PLAN if power[name].nunique() > 1] or ["languages"]
