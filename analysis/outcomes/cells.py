"""Instances to cells, and cells to pair totals: the only places where answers are added up."""

from __future__ import annotations

import pandas as pd

_CELL = ["variant", "language", "template", "split"]
_PAIR = ["variant", "language", "split"]


def to_cells(instances: pd.DataFrame) -> pd.DataFrame:
    """One row per (variant, language, template[, split]) from validated instances.

    Returns the key, n_correct and n_total, sorted by the key, so that the order of the instances
    does not matter. ``split`` is there if the instances have it.
    """
    key = [name for name in _CELL if name in instances.columns]
    grouped = instances.groupby(key, sort=True, as_index=False)
    cells = grouped.agg(n_correct=("correct", "sum"), n_total=("correct", "size"))
    return cells.astype({"n_correct": "int64", "n_total": "int64"})


def pair_totals(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per (variant, language[, split]): accuracy (0 to 1), n_correct, n_total.

    Rows keep the order in which the pairs first appear.
    """
    key = [name for name in _PAIR if name in cells.columns]
    totals = cells.groupby(key, sort=False, as_index=False)[["n_correct", "n_total"]].sum()
    totals.insert(len(key), "accuracy", totals["n_correct"] / totals["n_total"])
    return totals
