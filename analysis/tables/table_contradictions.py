"""Where MGSM-Pro's published tables contradict each other."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table, number


def build(contradictions: pd.DataFrame, note: str) -> Table:
    """From ``contradictions.csv`` (``robustness.consistency.contradictions``)."""
    display = pd.DataFrame(
        {
            "Check": contradictions["check"],
            "Table": contradictions["table"].astype(str),
            "Model": contradictions["model"],
            "Language": contradictions["language"],
            "Figure": contradictions["quantity"],
            "Printed": [number(value, 1) for value in contradictions["printed"]],
            "Expected": [number(value, 2) for value in contradictions["expected"]],
            "Difference": [number(value, 2) for value in contradictions["difference"]],
            "Rounding allows": [number(value, 2) for value in contradictions["allowed"]],
        }
    )
    caption = "Figures of MGSM-Pro that contradict its other figures beyond rounding."
    return Table("table_contradictions", caption, note, contradictions, display)
