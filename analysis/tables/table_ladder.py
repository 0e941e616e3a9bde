"""The ladder from the study's model to ours, step by step."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table, number

SHOWN = {
    "mae": ("MAE, pairs", 2),
    "pearson": ("r", 3),
    "language_mae": ("MAE, languages", 2),
    "edges_mae": ("MAE, edges", 2),
    "log_lik": ("logLik", 1),
    "df": ("df", 0),
}
SHARES = {
    "coverage_80": "80% covers",
    "coverage_95": "95% covers",
    "edges_coverage_80": "80% covers, edges pooled",
}


def build(ladder: pd.DataFrame, note: str) -> Table:
    """From ``ladder.ladder``: errors in accuracy points, likelihoods of fits to all pairs."""
    display = pd.DataFrame({"": ladder["label"]})
    for column, (title, digits) in SHOWN.items():
        display[title] = [number(value, digits) for value in ladder[column]]
    for column, title in SHARES.items():
        display[title] = [f"{number(100 * value, 0)}%" for value in ladder[column]]
    caption = (
        "From the study's model to ours: errors (accuracy points) and coverage when each language "
        "is held out, and when whole edges are (least text, most distant, one script)."
    )
    note = f"{note} Log-likelihoods are those of pair totals; the first step's, of cells, is not."
    return Table("table_ladder", caption, note, ladder, display)
