"""Figure 5: language means predicted with each language held out."""

from __future__ import annotations

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.scatter import COLOURS, TITLES, errors, identity
from analysis.figures.style import INK, RC, add_note, new_figure


def draw(predictions: pd.DataFrame, published: pd.DataFrame, note: str) -> Figure:
    """From held-out predictions (``loo.LeaveOut.one``) and the study's figures, if any.

    One panel for the study's predictor and one for ours, with 80% intervals.
    """
    names = [name for name in TITLES if name in set(predictions["predictor"])]
    with matplotlib.rc_context(RC):
        figure = new_figure(3.6 * len(names) + 0.2, 4.2)
        panels = figure.subplots(1, len(names), squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            rows = predictions[(predictions["predictor"] == name)
                               & (predictions["level"] == "language")]  # fmt: skip
            identity(axes, TITLES[name])
            observed, predicted = rows["observed"].to_numpy(), rows["plug_in"].to_numpy()
            axes.vlines(100 * observed, 100 * rows["low_80"], 100 * rows["high_80"],
                        color=COLOURS[name], linewidth=0.9, alpha=0.5)  # fmt: skip
            axes.plot(100 * observed, 100 * predicted, "o", color=COLOURS[name], markersize=4.5)
            ordered = rows.sort_values("observed").reset_index(drop=True)
            for place, row in ordered.iterrows():
                left = place % 2 == 0
                axes.annotate(
                    row["language"],
                    (100 * row["observed"], 100 * row["plug_in"]),
                    xytext=(-5, 5) if left else (5, -5),
                    textcoords="offset points",
                    ha="right" if left else "left",
                    va="bottom" if left else "top",
                    fontsize=6.5,
                    color=INK,
                )
            known = published.query("level == 'language' and predictor == @name and k == 0")
            more = "".join(f"\npublished MAE {value:.2f}" for value in known["value"])
            errors(axes, observed, predicted, more)
            low = 100 * min(rows["low_80"].min(), observed.min()) - 4
            axes.set(xlim=(low, 102), ylim=(low, 102))
            axes.set_xlabel("observed accuracy (%), mean over models")
        panels[0].set_ylabel("predicted accuracy (%), language held out")
        add_note(figure, f"{note} Bars: 80% predictive intervals.")
    return figure
