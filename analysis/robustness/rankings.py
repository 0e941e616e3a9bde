"""Rankings of models: how perturbations change them, and how many instances they need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import pandas as pd
from capability_transfer.analysis.robustness.scores import BASELINE, check_scores, over_instances
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.seeds import DEFAULT_SEED
from scipy import stats

DRAWS = 2000
THRESHOLD = 0.95
"""Kendall's τ with the reference order from which a ranking counts as stable."""


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


def observed(
    scores: pd.DataFrame,
    perturbation: str,
    counts: Sequence[int] | None = None,
    draws: int = 200,
    seed: int = DEFAULT_SEED,
) -> pd.DataFrame:
    """Rankings on random subsets of the instances against the ranking on all of them.

    Args:
        scores: with a column ``instance``; the same instances for every model and language.
        perturbation: the perturbation to rank by.
        counts: how many instances to take, without replacement; 1 to all but one by default.

    Returns the columns of ``simulated``. The subset is part of the reference, so that agreement
    grows to 1 by construction: what is read off is how fast.

    Raises InputError for scores without instances, fewer than two, or gaps.
    """
    if "instance" not in scores.columns:
        raise InputError("stability needs scores by instance: a column 'instance'")
    rows = scores[scores["perturbation"] == perturbation]
    wide = rows.pivot_table(
        index="variant", columns=["language", "instance"], values="accuracy", sort=False
    )
    if wide.isna().any(axis=None):
        lacking = wide.index[wide.isna().any(axis=1)]
        raise InputError(f"{name_some(lacking)} lack scores of some language and instance")
    by_instance = wide.T.groupby(level="instance").mean().T
    total = by_instance.shape[1]
    if total < 2 or len(by_instance) < 2:
        raise InputError(
            f"{len(by_instance)} models and {total} instances: stability needs two of either"
        )
    rng = np.random.default_rng(seed)
    values = by_instance.to_numpy()
    return _table(
        values.mean(axis=1),
        counts or range(1, total),
        lambda k: np.stack(
            [values[:, rng.permutation(total)[:k]].mean(axis=1) for _ in range(draws)]
        ),
    )


def simulated(
    means: pd.Series,
    sd: pd.Series,
    counts: Sequence[int],
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
) -> pd.DataFrame:
    """Rankings to be expected from k instances, where only means and SDs are published.

    Model m's accuracy on k instances is drawn as normal with mean ``means[m]`` and SD
    ``sd[m]``/√k, independently over models, and its ranking is held against that of ``means``.
    Instances shared by all models move them together; independent draws make the ranking less
    stable than it is.

    Args:
        means: by model.
        sd: of a single instance, in the same unit.
        counts: the numbers of instances k.

    Returns instances, kendall (mean τ-b with the reference), mean_change and max_change (mean over
    draws of the mean and of the largest shift, in places), same_order and same_first (share of
    draws).
    """
    if not means.index.equals(sd.index):
        raise InputError("means and SDs are not of the same models")
    rng = np.random.default_rng(seed)
    centre, spread = means.to_numpy(dtype=float), sd.to_numpy(dtype=float)
    return _table(
        centre,
        counts,
        lambda k: centre + spread / np.sqrt(k) * rng.standard_normal((draws, len(centre))),
    )


def enough(table: pd.DataFrame, threshold: float = THRESHOLD) -> int | None:
    """The smallest number of instances whose mean τ reaches ``threshold``; None if none does."""
    reached = table[table["kendall"] >= threshold]
    return None if reached.empty else int(reached["instances"].min())


def _table(
    reference: np.ndarray, counts: Sequence[int], draw: Callable[[int], np.ndarray]
) -> pd.DataFrame:
    """One row per number of instances; ``draw`` gives draws × models of accuracies."""
    order = stats.rankdata(-reference, method="min")
    rows = []
    for k in counts:
        ranks = stats.rankdata(-draw(k), method="min", axis=1)
        change = np.abs(ranks - order)
        rows.append(
            {
                "instances": k,
                "kendall": _kendall(ranks, order).mean(),
                "mean_change": change.mean(),
                "max_change": change.max(axis=1).mean(),
                "same_order": (change == 0).all(axis=1).mean(),
                "same_first": (ranks[:, order.argmin()] == 1).mean(),
            }
        )
    return pd.DataFrame(rows)


def _kendall(ranks: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Kendall's τ-b of every row of ``ranks`` with ``order``."""
    first, second = np.triu_indices(len(order), k=1)
    drawn = np.sign(ranks[:, first] - ranks[:, second])
    fixed = np.sign(order[first] - order[second])
    untied = np.abs(drawn).sum(axis=1) * np.abs(fixed).sum()
    with np.errstate(invalid="ignore"):
        return drawn @ fixed / np.sqrt(untied)
