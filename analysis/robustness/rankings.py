"""Rankings of models, and how they change from one perturbation to another."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
from capability_transfer.analysis.robustness.scores import BASELINE, check_scores, over_instances
from capability_transfer.common.errors import InputError, name_some
from scipy import stats


def model_means(
    scores: pd.DataFrame, perturbation: str, languages: Collection[str] | None = None
) -> pd.Series:
    """Mean accuracy (0 to 1) over languages by model; missing where a language is missing.

    Raises InputError for a perturbation or languages that the scores do not have.
    """
    table = over_instances(scores)
    table = table[table["perturbation"] == perturbation]
    if table.empty:
        known = name_some(scores["perturbation"].unique())
        raise InputError(f"no scores are on {perturbation!r}; there are {known}")
    wide = table.pivot(index="variant", columns="language", values="accuracy")
    if languages is not None:
        if absent := [name for name in languages if name not in wide.columns]:
            raise InputError(f"no scores on {perturbation} are in {name_some(absent)}")
        wide = wide[list(languages)]
    order = scores["variant"].unique()
    return wide.mean(axis=1, skipna=False).reindex(order)


def ranks(values: pd.Series, digits: int = 6) -> pd.Series:
    """Ranks from 1 for the highest; values equal to ``digits`` decimals share the better rank."""
    return values.round(digits).rank(ascending=False, method="min").astype("Int64")


def rank_changes(
    scores: pd.DataFrame,
    perturbation: str,
    baseline: str = BASELINE,
    languages: Collection[str] | None = None,
) -> pd.DataFrame:
    """Ranks on the baseline and on a perturbation, ordered by the former.

    Returns variant, original, accuracy (means, 0 to 1), rank_original, rank, change (places won;
    negative where lost), tied (whether another model has the same accuracy on the perturbation).
    """
    check_scores(scores, baseline)
    first = model_means(scores, baseline, languages)
    second = model_means(scores, perturbation, languages)
    table = pd.DataFrame(
        {
            "original": first,
            "accuracy": second,
            "rank_original": ranks(first),
            "rank": ranks(second),
        }
    )
    table["change"] = table["rank_original"] - table["rank"]
    table["tied"] = second.round(6).duplicated(keep=False) & second.notna()
    return table.sort_values("rank_original", kind="stable").rename_axis("variant").reset_index()


def agreement(first: pd.Series, second: pd.Series) -> dict[str, float]:
    """How far two sets of values order models alike.

    Returns spearman, kendall (τ-b), mean_change and max_change (places), models. Models without
    either value are left out.
    """
    pair = pd.concat([first, second], axis=1, keys=["first", "second"]).dropna()
    change = (ranks(pair["first"]) - ranks(pair["second"])).abs()
    return {
        "spearman": float(stats.spearmanr(pair["first"], pair["second"]).statistic),
        "kendall": float(stats.kendalltau(pair["first"], pair["second"]).statistic),
        "mean_change": float(change.mean()),
        "max_change": int(change.max()),
        "models": len(pair),
    }
