"""All tables of ``make robustness`` from scores and groups of languages."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.robustness import drops, published, rankings, stability
from capability_transfer.analysis.terciles import terciles
from capability_transfer.features import resource


def robustness_tables(
    scores: pd.DataFrame, groups: pd.Series, seed: int = stability.SEED
) -> dict[str, pd.DataFrame]:
    """Drops, summaries and rankings of one set of scores, each a CSV file of the results.

    Args:
        scores: see ``scores.check_scores``.
        groups: ``high`` or ``low`` by language; others are left out of the groups.
        seed: of the draws of instances.

    Returns drops, over_models, over_languages, groups, ranks (of every perturbation, see
    ``rankings.rank_changes``), and, for scores by instance, instance_sd and stability.
    """
    measured = drops.drops(scores)
    perturbations = list(measured["perturbation"].unique())
    ranks = [
        rankings.rank_changes(scores, label).assign(perturbation=label) for label in perturbations
    ]
    tables = {
        "drops": measured,
        "over_models": drops.over_models(measured),
        "over_languages": drops.over_languages(measured),
        "groups": drops.by_group(measured, groups),
        "ranks": pd.concat(ranks, ignore_index=True),
    }
    if "instance" in scores.columns:
        tables["instance_sd"] = stability.instance_sd(scores)
        by_instance = scores.groupby("perturbation")["instance"].nunique()
        curves = [
            stability.observed(scores, label, seed=seed).assign(perturbation=label)
            for label in perturbations
            if by_instance[label] > 2
        ]
        if curves:
            tables["stability"] = pd.concat(curves, ignore_index=True)
    return tables


def resource_groups(languages: list[str]) -> pd.Series:
    """Thirds of the languages by Common Crawl pages: ``high``, ``middle`` or ``low``."""
    known = resource.build(languages).set_axis(languages)
    return terciles(known["resource"])


def published_stability(seed: int = stability.SEED) -> pd.DataFrame:
    """Expected stability of MGSM-Pro's ranking (Table 3) under three readings of its "±".

    The paper calls "±" a standard deviation, but over ten instances it is for every model smaller
    than over five, by a factor of about .62: a standard deviation would stay, a standard error
    shrink to .71. Returns the columns of ``stability.simulated``, and reading.
    """
    rows = published.read("rankings")
    rows = rows[rows["languages"] == "all"].set_index("model")
    five, ten = (rows[rows["instances"] == number] for number in (5, 10))
    readings = {
        "SD of one instance is the ± of ten": (ten["accuracy"], ten["sd"]),
        "SD of one instance is the ± of five": (five["accuracy"], five["sd"]),
        "the ± of ten is a standard error": (ten["accuracy"], ten["sd"] * np.sqrt(10)),
    }
    return pd.concat(
        [
            stability.simulated(means, sd, range(1, 11), seed=seed).assign(reading=reading)
            for reading, (means, sd) in readings.items()
        ],
        ignore_index=True,
    )
