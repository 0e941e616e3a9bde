"""Figure 13: the language gap at a given compute budget, reasoning on and off."""

from __future__ import annotations

import matplotlib
import pandas as pd
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

MODES = {"off": ("o", OURS), "on": ("D", PUBLISHED)}


def draw(variants: pd.DataFrame, note: str) -> Figure:
    """Accuracy elsewhere ÷ in English against compute a response, models of two modes only.

    ``variants`` is ``compute.by_variant``'s table; a line joins the two modes of a base model.
    """
    table = variants[variants["toggled"]]
    with matplotlib.rc_context(RC):
        figure = new_figure(5.6, 3.6)
        axes = figure.add_subplot()
        for name, pair in table.groupby("base_model", sort=False):
            pair = pair.sort_values("reasoning", kind="stable")
            axes.plot(pair["tflops"], pair["relative"], color=MUTED, linewidth=0.8, zorder=1)
            last = pair.iloc[-1]
            axes.annotate(plain(name), (last["tflops"], last["relative"]), xytext=(5, 4),
                          textcoords="offset points", fontsize=7, color=INK)  # fmt: skip
        for mode, (mark, colour) in MODES.items():
            rows = table[table["reasoning"] == mode]
            axes.plot(rows["tflops"], rows["relative"], mark, color=colour, markersize=5,
                      label=f"reasoning {mode}")  # fmt: skip
        axes.set_xscale("log")
        axes.set_xlabel("compute a response, TFLOPs (2 · parameters · output tokens)")
        axes.set_ylabel("accuracy, other languages ÷ English")
        axes.grid(color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
        add_note(figure, note)
    return figure
