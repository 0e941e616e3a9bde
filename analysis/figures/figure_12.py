"""Figure 12: the transfer gap with reasoning on and off, by family and size."""

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

MODES = {"off": ("reasoning off", PUBLISHED, "D"), "on": ("reasoning on", OURS, "o")}


def draw(gaps: pd.DataFrame, note: str) -> Figure:
    """From ``overview/reasoning_gap.csv``: one panel a family, a base model where it has both."""
    families = list(dict.fromkeys(gaps["family"]))
    with matplotlib.rc_context(RC):
        figure = new_figure(7.0, 3.1)
        widths = [
            gaps.loc[gaps["family"] == name, "base_model"].nunique() + 0.6 for name in families
        ]
        panels = figure.subplots(
            1, len(families), sharey=True, squeeze=False, gridspec_kw={"width_ratios": widths}
        )[0]
        for axes, family in zip(panels, families, strict=True):
            rows = gaps[gaps["family"] == family]
            sizes = sorted(rows["params_b"].unique())
            for mode, (label, color, marker) in MODES.items():
                part = rows[rows["reasoning"] == mode].sort_values("params_b", kind="stable")
                shift = 0.1 if mode == "on" else -0.1
                places = [sizes.index(size) + shift for size in part["params_b"]]
                axes.vlines(places, part["conf_low"], part["conf_high"], color=color, linewidth=1.4)
                axes.plot(
                    places, part["gap"], marker, color=color, markersize=4.5, linestyle="-",
                    linewidth=0.8, label=label,
                )  # fmt: skip
            axes.axhline(0, color=MUTED, linewidth=0.8)
            axes.set_xticks(range(len(sizes)), [f"{size:g}" for size in sizes])
            axes.set_xlim(-0.5, len(sizes) - 0.5)
            axes.set_title(plain(family), fontsize=9)
            axes.grid(axis="y", color=GRID, linewidth=0.6)
            axes.set_axisbelow(True)
        panels[0].set_ylabel("English − other languages, points")
        panels[len(panels) // 2].set_xlabel("billions of parameters")
        number = gaps["languages"].iloc[0]
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, f"Mean over n = {number} languages with its 95% t-interval. {note}")
    return figure
