"""Table 12: accuracy by run and language with Wilson intervals, from the counts."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table

SPLITS = {"original": "Original", "symbolic": "Symbolic"}


def build(wilson: pd.DataFrame, note: str) -> Table:
    """From ``overview.wilson``: variant, language, split, k, n, accuracy and interval (percent)."""
    shown = wilson.assign(
        text=[
            f"{row.accuracy:.1f} [{row.conf_low:.1f}–{row.conf_high:.1f}]"
            for row in wilson.itertuples()
        ],
        answers=wilson["n"].map("{:,}".format),
    )
    wide = shown.pivot(index=["variant", "language"], columns="split", values=["text", "answers"])
    order = wilson[["variant", "language"]].drop_duplicates()
    wide = wide.loc[pd.MultiIndex.from_frame(order)]
    display = pd.DataFrame(
        {
            "Model": order["variant"].to_numpy(),
            "Language": [labels.language(code) for code in order["language"]],
        }
    )
    for split, label in SPLITS.items():
        display[f"{label}, % [95% CI]"] = wide["text", split].to_numpy()
        display[f"n, {label.lower()}"] = wide["answers", split].to_numpy()
    caption = "Table 12. Accuracy by model and language with 95% Wilson intervals."
    explanation = (
        "The table publishes no denominators; n is the smallest number of answers whose interval "
        "prints as published (all 1,536 do)."
    )
    return Table("table_12", caption, f"{explanation} {note}", wilson, display)
