"""Scores: accuracies of models on perturbations of the same questions, by language."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.outcomes.cells import pair_totals
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.features.reading import numbers, read_rows

KEY = ["variant", "language", "perturbation"]
COLUMNS = [*KEY, "accuracy"]
BASELINE = "original"


def check_scores(scores: pd.DataFrame, baseline: str = BASELINE) -> None:
    """Raise InputError for missing columns, accuracies outside 0–1, rows given twice, or if the
    baseline perturbation or every other one is absent. A missing accuracy stays missing."""
    if absent := [name for name in COLUMNS if name not in scores.columns]:
        raise InputError(f"scores lack the column {name_some(absent)}")
    value = scores["accuracy"]
    outside = value.notna() & ~value.between(0, 1)
    if outside.any():
        rows = scores.loc[outside, KEY].agg(" / ".join, axis=1) + " " + value[outside].astype(str)
        raise InputError(
            f"accuracies are not between 0 and 1: {name_some(rows)}. Give proportions, not percent"
        )
    key = [*KEY, *(["instance"] if "instance" in scores.columns else [])]
    twice = scores.duplicated(key)
    if twice.any():
        rows = scores.loc[twice, key].astype(str).agg(" / ".join, axis=1)
        raise InputError(f"scores stand more than once: {name_some(rows)}")
    known = scores["perturbation"].unique()
    if baseline not in known:
        raise InputError(
            f"no scores are on the baseline {baseline!r}; perturbations are {name_some(known)}."
            f"{suggest(baseline, known)}"
        )
    if len(known) < 2:
        raise InputError(f"all scores are on {baseline}: there is no perturbation to compare with")


def from_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """Scores of cells with a ``split``: the symbolic split is a perturbation of the original.

    Totals per model and language are all that enters. Raises InputError without two splits.
    """
    if "split" not in cells.columns or cells["split"].nunique() < 2:
        raise InputError(
            "robustness compares the splits original and symbolic of the same questions; "
            "the outcomes hold only one. Other perturbations come as a file of scores (--scores)"
        )
    totals = pair_totals(cells).rename(columns={"split": "perturbation"})
    return totals[[*COLUMNS, "n_correct", "n_total"]]


def read_scores(path: str) -> pd.DataFrame:
    """Scores from a CSV file.

    Columns: variant, language, perturbation and either accuracy (0 to 1, empty where missing) or
    n_correct and n_total; instance where a perturbation was drawn several times.

    Raises InputError for what ``check_scores`` refuses, counts that make no accuracy included.
    """
    known = [*COLUMNS, "instance", "n_correct", "n_total"]
    rows = read_rows(path, KEY, known)
    where = str(path)
    if {"n_correct", "n_total"} <= set(rows.columns):
        for name in ("n_correct", "n_total"):
            rows[name] = numbers(rows, name, where)
        bad = ~((rows["n_total"] > 0) & rows["n_correct"].between(0, rows["n_total"]))
        if bad.any():
            raise InputError(
                f"{where}, line {name_some(rows.index[bad])}: n_correct is not between 0 and "
                "n_total, or n_total is 0"
            )
        rows["accuracy"] = rows["n_correct"] / rows["n_total"]
    elif "accuracy" in rows.columns:
        rows["accuracy"] = numbers(rows, "accuracy", where)
    else:
        raise InputError(f"{where} has neither accuracy nor n_correct and n_total")
    scores = rows[[name for name in known if name in rows.columns]].reset_index(drop=True)
    check_scores(scores)
    return scores


def over_instances(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores averaged over instances: the key, accuracy, sd (over instances) and instances.

    Without a column ``instance`` every score is its own mean; its sd is missing.
    """
    if "instance" not in scores.columns:
        return scores[COLUMNS].assign(sd=np.nan, instances=1)
    grouped = scores.groupby(KEY, sort=False)["accuracy"]
    return grouped.agg(accuracy="mean", sd="std", instances="count").reset_index()
