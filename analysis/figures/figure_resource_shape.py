"""The resource effect as a smooth, with an interval, beside the study's straight line."""

from __future__ import annotations

import matplotlib
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.prediction.partial_effect import ALL
from capability_transfer.analysis.presentation.plots import (
    GRID,
    INK,
    MUTED,
    OURS,
    PUBLISHED,
    RC,
    add_note,
    new_figure,
    plain,
)
from matplotlib.figure import Figure


def draw(shape: pd.DataFrame, slope: float, languages: pd.DataFrame, note: str) -> Figure:
    """From ``loo/resource_shape.csv``; ``slope`` is a line's (log-odds per unit of resource)."""
    with matplotlib.rc_context(RC):
        figure = new_figure(6.6, 4.2)
        axes = figure.add_subplot()
        for curve, rows in shape.groupby("curve", sort=False):
            if curve == ALL:
                axes.fill_between(rows["resource"], rows["low"], rows["high"], color=OURS,
                                  alpha=0.18, linewidth=0)  # fmt: skip
                axes.plot(rows["resource"], rows["effect"], color=OURS, linewidth=2.2, zorder=4,
                          label="smooth, mean over families, 80% interval")  # fmt: skip
                top = rows["resource"].max()
                axes.plot(rows["resource"], slope * (rows["resource"] - top), color=PUBLISHED,
                          linewidth=1.3, linestyle="--", zorder=3,
                          label="the study's line")  # fmt: skip
            else:
                axes.plot(rows["resource"], rows["effect"], color="#b4bdc6", linewidth=0.9)
        ends = (
            shape[shape["curve"] != ALL]
            .groupby("curve")
            .first()["effect"]
            .sort_values(kind="stable")
        )
        left = shape["resource"].min()
        gap = 0.045 * (shape["effect"].max() - shape["effect"].min())
        height = -float("inf")
        for curve, effect in ends.items():
            height = max(effect, height + gap)
            axes.annotate(plain(curve), (left, height), xytext=(-4, 0), textcoords="offset points",
                          ha="right", va="center", fontsize=7, color=MUTED)  # fmt: skip
        last, lift = -float("inf"), 0
        for row in languages.sort_values("resource", kind="stable").itertuples():
            lift = lift + 14 if row.resource - last < 0.06 else 0
            last = row.resource
            axes.annotate(plain(row.language), (row.resource, 0.0), xytext=(0, 4 + lift),
                          xycoords=axes.get_xaxis_transform(), textcoords="offset points",
                          ha="center", fontsize=6, rotation=90, color=INK)  # fmt: skip
            axes.plot([row.resource], [0.0], "|", color=MUTED, markersize=6,
                      transform=axes.get_xaxis_transform())  # fmt: skip
        bottom, top = axes.get_ylim()
        axes.set_ylim(bottom - 0.18 * (top - bottom), top)
        axes.set_xlim(left - 0.55, shape["resource"].max() + 0.05)
        axes.set_xlabel(labels.RAW["resource"])
        axes.set_ylabel("log-odds, against the most resourced language")
        axes.grid(axis="y", color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, f"Other features at their means, reasoning off; grey: families. {note}")
    return figure
