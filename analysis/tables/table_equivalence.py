"""Ours: the equivalence test of two versions of a language as a table."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table, number, p_value


def build(test: pd.DataFrame, first: str, second: str, note: str) -> Table:
    """From ``equivalence/table.csv``."""
    row = test.iloc[0]
    lines = [
        ("Runs", str(row["n"])),
        (f"Mean, {labels.language(first)} (%)", number(100 * row["mean_first"], 2)),
        (f"Mean, {labels.language(second)} (%)", number(100 * row["mean_second"], 2)),
        ("Difference (points)", number(row["difference"], 2)),
        (
            "90% interval (points)",
            f"[{number(row['conf_low'], 2)}, {number(row['conf_high'], 2)}]",
        ),
        ("Margin (points)", number(row["margin"], 2)),
        ("t against the lower bound", number(row["statistic_lower"], 2)),
        ("t against the upper bound", number(row["statistic_upper"], 2)),
        ("p (the larger)", p_value(row["p_value"])),
        ("Published", row["published"] or "not published"),
    ]
    display = pd.DataFrame(lines, columns=["", "Two one-sided tests"])
    caption = f"Equivalence of {labels.language(first)} and {labels.language(second)}."
    return Table("table_equivalence", caption, note, test, display)
