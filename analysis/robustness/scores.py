"""Scores: accuracies of models on perturbations of the same questions, and what those cost.

A score is a model's accuracy in a language on a perturbation, the original questions being the
baseline. ``drops`` measures the loss in points and relative to the original; ``formula`` and
``drop_data`` make a GLMM of it, perturbation × resource in log-odds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.common.errors import InputError, name_some, option, suggest
from capability_transfer.common.tables import Column, read_column, read_rows

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
        raise InputError(f"scores occur more than once: {name_some(rows)}")
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
            "the outcomes hold only one. Other perturbations come as a file of scores "
            f"({option('scores')})"
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
    rows = read_rows(path, [Column(name, required=name in KEY) for name in known])
    where = str(path)
    if {"n_correct", "n_total"} <= set(rows.columns):
        for name in ("n_correct", "n_total"):
            rows[name] = read_column(rows[name], Column(name, "number"), where)
        bad = ~((rows["n_total"] > 0) & rows["n_correct"].between(0, rows["n_total"]))
        if bad.any():
            raise InputError(
                f"{where}, line {name_some(rows.index[bad])}: n_correct is not between 0 and "
                "n_total, or n_total is 0"
            )
        rows["accuracy"] = rows["n_correct"] / rows["n_total"]
    elif "accuracy" in rows.columns:
        rows["accuracy"] = read_column(rows["accuracy"], Column("accuracy", "number"), where)
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


def drops(scores: pd.DataFrame, baseline: str = BASELINE) -> pd.DataFrame:
    """The drop of every model, language and perturbation.

    Returns variant, language, perturbation, original and accuracy (0 to 1), sd and instances (see
    ``over_instances``), drop = 100·(accuracy − original) in points and relative_drop =
    100·(accuracy/original − 1) in percent, both negative where accuracy is lost. Missing scores
    stay missing; relative_drop is missing where the original accuracy is 0.
    """
    check_scores(scores, baseline)
    table = over_instances(scores)
    first = table[table["perturbation"] == baseline][["variant", "language", "accuracy"]]
    rows = table[table["perturbation"] != baseline].merge(
        first.rename(columns={"accuracy": "original"}), on=["variant", "language"], how="left"
    )
    return pd.DataFrame(
        {
            **{name: rows[name] for name in ("variant", "language", "perturbation", "original")},
            **{name: rows[name] for name in ("accuracy", "sd", "instances")},
            "drop": 100 * (rows["accuracy"] - rows["original"]),
            "relative_drop": 100 * (rows["accuracy"] / rows["original"].where(rows["original"] > 0))
            - 100,
        }
    )


def over_models(table: pd.DataFrame) -> pd.DataFrame:
    """Average and median over models, by language and perturbation.

    Returns language, perturbation, models, mean_drop, median_drop (points), mean_relative_drop,
    median_relative_drop (percent).
    """
    return _summary(table, ["language", "perturbation"], "models")


def over_languages(table: pd.DataFrame) -> pd.DataFrame:
    """Average and median over languages, by model and perturbation; columns as ``over_models``."""
    return _summary(table, ["variant", "perturbation"], "languages")


def by_group(table: pd.DataFrame, groups: pd.Series) -> pd.DataFrame:
    """Drops of groups of languages: averages over a group's languages first, then the drop.

    Args:
        table: from ``drops``.
        groups: the group of every language, by language; languages without one are left out.

    Returns variant, group, perturbation, languages, original, accuracy (means, 0 to 1), drop
    (points), relative_drop (percent of the group's original accuracy). A group with a missing
    score has no figures, since means over different languages do not compare.
    """
    kept = table.assign(group=table["language"].map(groups)).dropna(subset="group")
    grouped = kept.groupby(["variant", "group", "perturbation"], sort=False)
    means = grouped[["original", "accuracy"]].mean()
    complete = grouped["accuracy"].count() == grouped["accuracy"].size()
    means = means.where(complete)
    means.insert(0, "languages", grouped.size())
    means["drop"] = 100 * (means["accuracy"] - means["original"])
    means["relative_drop"] = 100 * (means["accuracy"] / means["original"] - 1)
    return means.reset_index()


def _summary(table: pd.DataFrame, key: list[str], over: str) -> pd.DataFrame:
    grouped = table.groupby(key, sort=False)
    summary = grouped.agg(
        **{over: ("drop", "count")},
        mean_drop=("drop", "mean"),
        median_drop=("drop", "median"),
        mean_relative_drop=("relative_drop", "mean"),
        median_relative_drop=("relative_drop", "median"),
    )
    return summary.reset_index()


def formula(perturbations: Sequence[str]) -> str:
    """The model's formula: an effect of every perturbation, and how resource changes it.

    How much a model or a language loses varies (``perturbed`` is 1 on every perturbation), and with
    several perturbations every row varies beyond its answers, so that the interactions are judged
    against the differences between languages and rows, not between answers. A single perturbation
    leaves no rows to tell that from variant:language.

    Effects are log-odds. A drop of the same log-odds costs most points in the middle of the scale
    and, relative to the original, most where accuracy is low: an interaction can point the other
    way than drops in points or percent.
    """
    rows = " + (1 | variant:language:perturbation)" if len(perturbations) > 1 else ""
    return (
        f"~ ({' + '.join(perturbations)}) * resource"
        " + (1 + perturbed || language) + (1 + perturbed || variant) + (1 | variant:language)"
        + rows
    )


def drop_data(
    scores: pd.DataFrame, resource: pd.Series, baseline: str = BASELINE
) -> tuple[pd.DataFrame, list[str]]:
    """Counts and covariates of the drop model, and the perturbations in it.

    Args:
        scores: with n_correct and n_total (``implied_counts`` makes them of percentages).
        resource: a number by language, e.g. standardised log10 pages, or 1 for high and 0 for low.
        baseline: the perturbation that the others are compared with.

    Returns rows with variant, language, perturbation, n_correct, n_total, resource, perturbed (0/1)
    and a 0/1 column for every perturbation; rows without an accuracy are left out.

    Raises InputError for scores without counts, languages without resource and labels that a
    formula cannot hold.
    """
    check_scores(scores, baseline)
    if absent := [name for name in ("n_correct", "n_total") if name not in scores.columns]:
        raise InputError(f"the drop model needs counts; the scores lack {name_some(absent)}")
    names = [name for name in scores["perturbation"].unique() if name != baseline]
    taken = {*KEY, "resource", "perturbed", "n_correct", "n_total"}
    if odd := [name for name in names if not name.isidentifier() or name in taken]:
        raise InputError(
            f"perturbation {name_some(odd)} cannot be a term: use letters, digits and underscores"
        )
    if lost := sorted(set(scores["language"]) - set(resource.dropna().index)):
        raise InputError(f"no resource is known for language {name_some(lost)}")
    rows = scores.dropna(subset=["accuracy"]).reset_index(drop=True)
    data = rows[["variant", "language", "perturbation", "n_correct", "n_total"]].astype(
        {"n_correct": "int64", "n_total": "int64"}
    )
    data["resource"] = data["language"].map(resource).astype(float)
    data["perturbed"] = (rows["perturbation"] != baseline).astype(float)
    for name in names:
        data[name] = (rows["perturbation"] == name).astype(float)
    return data, names


def implied_counts(scores: pd.DataFrame, questions: int, instances: int) -> pd.DataFrame:
    """Scores with the counts that their accuracies imply, to the nearest answer.

    The baseline has ``questions`` answers a language, a perturbation ``questions × instances``.
    """
    total = np.where(scores["perturbation"] == BASELINE, questions, questions * instances)
    return scores.assign(n_correct=np.rint(scores["accuracy"] * total), n_total=total)
