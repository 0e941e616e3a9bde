"""How much accuracy perturbations cost, in points and relative to the original."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.robustness.scores import BASELINE, check_scores, over_instances


def drops(scores: pd.DataFrame, baseline: str = BASELINE) -> pd.DataFrame:
    """The drop of every model, language and perturbation.

    Returns variant, language, perturbation, original and accuracy (0 to 1), sd and instances (see
    ``scores.over_instances``), drop = 100·(accuracy − original) in points and relative_drop =
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
