"""All tables of ``make transfer-metrics`` from cells and features."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from capability_transfer.analysis.transfer_metrics import cohorts, comparison
from capability_transfer.analysis.transfer_metrics.bootstrap import DRAWS, SEED
from capability_transfer.analysis.transfer_metrics.items import ItemRates, item_rates
from capability_transfer.analysis.transfer_metrics.line import on_the_line
from capability_transfer.analysis.transfer_metrics.metrics import contrast, metrics
from capability_transfer.analysis.transfer_metrics.profile import profile
from capability_transfer.analysis.transfer_metrics.subsets import target_sets
from capability_transfer.common.errors import InputError
from capability_transfer.features.table import Tables

CONTRASTED = ("hat", "hat_corrected", "target_accuracy")
MIN_MODELS = 3
"""Models from which statistics across models are made."""


def transfer_tables(
    cells: pd.DataFrame,
    features: Tables,
    source: str = "eng",
    unmatched: str = "error",
    draws: int = DRAWS,
    seed: int = SEED,
    effects: pd.DataFrame | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables by name, each a CSV file of ``results/transfer_metrics``.

    Args:
        cells: one split.
        features: of its languages and models; a column ``cutoff`` (YYYY-MM) of the models adds the
            table ``cohorts``.
        source: see ``items.item_rates``.
        unmatched: see ``source``.
        draws: of the bootstrap.
        seed: see ``draws``.
        effects: from ``comparison.glmm_effects``.

    Returns metrics, subsets and by_language (``metrics.metrics``), profile, script_contrast and
    script_by_model (where targets are of both kinds), line, comparison, rank_correlations and
    determinants (from three models on), cohorts.

    Raises InputError for whatever the parts refuse.
    """
    rates = item_rates(cells, source, None, unmatched)
    sets = target_sets(features.languages, source, rates[0].languages)
    found = metrics(rates, sets, draws, seed)
    groups = dict(iter(found.groupby("grouping", sort=False)))
    tables = {
        "metrics": groups["all"],
        "subsets": found[~found["grouping"].isin(["all", "language"])],
        "by_language": groups["language"],
        "profile": pd.concat(
            [profile(model).assign(variant=model.variant) for model in rates], ignore_index=True
        ),
    }
    tables |= _script(rates, sets, found, draws, seed)
    if len(rates) >= MIN_MODELS:
        tables["line"] = on_the_line(groups["all"])
        table = comparison.compare(groups["all"], features.models, effects)
        tables["comparison"] = table
        tables["rank_correlations"] = comparison.rank_correlations(table)
        tables["determinants"] = comparison.determinants(
            table, groups["language"], features.languages
        )
    if "cutoff" in features.models.columns:
        dated = groups["all"].merge(features.models[["variant", "cutoff"]], on="variant")
        tables["cohorts"] = cohorts.progress(dated, seed=seed)
    return {name: table.reset_index(drop=True) for name, table in tables.items()}


def findings(tables: dict[str, pd.DataFrame]) -> list[str]:
    """What the tables say, in sentences: agreement, determinants, and what is undefined."""
    words = []
    if "comparison" in tables:
        words.append(comparison.agreement_in_words(tables["rank_correlations"]))
        words += comparison.in_words(tables["determinants"])
    return words + undefined(tables)


def undefined(tables: dict[str, pd.DataFrame]) -> list[str]:
    """A sentence for every model and target set with a metric that has no value."""
    rows = pd.concat([tables["metrics"], tables["subsets"], tables["by_language"]])
    rows = rows[rows["undefined"] != ""]
    return [
        f"Undefined for {variant}: {reason} ({len(group)} target sets)."
        for (variant, reason), group in rows.groupby(["variant", "undefined"], sort=False)
    ]


def _script(
    rates: Sequence[ItemRates], sets: list, found: pd.DataFrame, draws: int, seed: int
) -> dict[str, pd.DataFrame]:
    """The contrast of same and different script over the models that have all its metrics."""
    sides = {chosen.name: chosen for chosen in sets if chosen.grouping == "same_script"}
    if not {"same", "different"} <= set(sides):
        return {}
    complete = found[found["grouping"] == "same_script"].groupby("variant")[list(CONTRASTED)]
    whole = complete.apply(lambda rows: rows.notna().all(axis=None))
    kept = [model for model in rates if whole[model.variant]]
    if not kept:
        raise InputError("HAT is undefined for every model: no source item was ever answered")
    overall, single = [], []
    for metric in CONTRASTED:
        mean, models = contrast(kept, sides["same"], sides["different"], metric, draws, seed)
        overall.append(mean.assign(metric=metric))
        single.append(models.assign(metric=metric))
    return {
        "script_contrast": pd.concat(overall, ignore_index=True),
        "script_by_model": pd.concat(single, ignore_index=True),
    }
