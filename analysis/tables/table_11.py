"""Table 11: every run's averages, recomputed from the cells and from Table 12."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.overview import rounding
from capability_transfer.analysis.presentation.tables import Table, number

HEADINGS = {
    "original": "Orig.",
    "symbolic": "Symb.",
    "english": "English",
    "non_english": "Non-Eng.",
    "gap": "Gap",
}
EXPLANATION = (
    "Percent; Gap: English minus the mean of the others, points; Worst: the lowest language on "
    "the symbolic split. * Left out of the model."
)
DIFFERENCES = (
    "Every symbolic figure is the published one. Originals come from Table 12, which pools "
    "repeated runs (Danish, German, Estonian, Japanese) where Table 11 does not."
)


def build(runs: pd.DataFrame, note: str) -> Table:
    """From ``overview/runs.csv``; published in brackets where more than rounding differs."""
    beside = "in_study" in runs.columns
    lines = []
    for row in runs.to_dict("records"):
        line = [row["variant"] + ("" if row.get("in_study", True) else " *")]
        line += [_figure(row, name) for name in HEADINGS]
        line.append(f"{_figure(row, 'worst_accuracy')} ({row['worst_language']})")
        lines.append(line)
    display = pd.DataFrame(lines, columns=["Model", *HEADINGS.values(), "Worst"])
    caption = "Table 11. Accuracy by run, averaged over languages"
    caption += (
        "; published figures in brackets where more than rounding differs." if beside else "."
    )
    text = f"{EXPLANATION} {DIFFERENCES} {note}" if beside else f"{EXPLANATION} {note}"
    return Table("table_11", caption, text, runs, display)


def _figure(row: dict, name: str) -> str:
    ours, known = number(row[name], 1), row.get(f"published_{name}")
    if known is None or pd.isna(known) or abs(row[name] - known) <= rounding(name):
        return ours
    return f"{ours} [{number(known, 1)}]"
