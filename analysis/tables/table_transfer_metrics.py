"""Transfer metrics by model, and how they rank models together."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.transfer_metrics.comparison import LABELS, compared

_INTERVAL = "95% interval"


def build(metrics: pd.DataFrame, note: str) -> Table:
    """From ``metrics.csv``: one row per model, highest corrected HAT first."""
    data = metrics.sort_values("hat_corrected", ascending=False, ignore_index=True, kind="stable")
    columns = {
        "Model": data["variant"],
        "Source": _percent(data["source_accuracy"]),
        "Target": _percent(data["target_accuracy"]),
        "XLT gap": _percent(data["xlt_gap"]),
        "τ": _percent(data["transfer_score"]),
        "HAT": _percent(data["hat"]),
        "HAT, corrected": _percent(data["hat_corrected"]),
        _INTERVAL: [
            f"{number(100 * low, 1)} to {number(100 * high, 1)}"
            for low, high in zip(data["hat_corrected_low"], data["hat_corrected_high"], strict=True)
        ],
        "HAT, area": _percent(data["hat_area"]),
        "R²": [number(value, 2) for value in data["r_squared"]],
    }
    caption = (
        "Transfer metrics by model, in percent, with a percentile bootstrap over items "
        "(of the corrected HAT)."
    )
    return Table("table_transfer_metrics", caption, note, data, pd.DataFrame(columns))


def build_correlations(comparison: pd.DataFrame, correlations: pd.DataFrame, note: str) -> Table:
    """From ``comparison.csv`` and ``rank_correlations.csv``: Spearman's ρ as a triangle."""
    names = compared(comparison)
    rho = correlations.set_index(["second", "first"])["spearman"]
    rows = [
        {
            "": LABELS[second],
            **{LABELS[first]: number(rho.get((second, first), float("nan")), 2) for first in names},
        }
        for second in names[1:]
    ]
    display = pd.DataFrame(rows).drop(columns=LABELS[names[-1]])
    caption = "Spearman's ρ between metrics over models. A high XLT gap is poor transfer."
    return Table("table_transfer_correlations", caption, note, correlations, display)


def _percent(values: pd.Series) -> list[str]:
    return [number(100 * value, 1) for value in values]
