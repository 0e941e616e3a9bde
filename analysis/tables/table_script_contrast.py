"""HAT on targets in the source's script and in others (the layout of the HAT paper's Table 1)."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.transfer_metrics.comparison import LABELS


def build(contrast: pd.DataFrame, note: str) -> Table:
    """From ``script_contrast.csv``: metric, side, mean, sd, conf_low, conf_high, models."""
    rows = []
    for metric, group in contrast.groupby("metric", sort=False):
        sides = group.set_index("side")
        row = {"Metric": LABELS.get(metric, metric)}
        for side, label in (("same", "Same script"), ("different", "Different script")):
            found = sides.loc[side]
            row[f"{label} (SD over models)"] = (
                f"{number(100 * found['mean'], 1)} ± {number(100 * found['sd'], 1)}"
            )
        found = sides.loc["difference"]
        row["Difference (SD)"] = (
            f"{number(100 * found['mean'], 1)} ± {number(100 * found['sd'], 1)}"
        )
        row["95% interval"] = (
            f"{number(100 * found['conf_low'], 1)} to {number(100 * found['conf_high'], 1)}"
        )
        rows.append(row)
    models = int(contrast["models"].iloc[0])
    caption = (
        f"Transfer to languages in the source's script and in other scripts, in percent: mean over "
        f"{models} models; the interval is of the mean difference, over items."
    )
    return Table("table_script_contrast", caption, note, contrast, pd.DataFrame(rows))
