"""The study's outcomes described: runs, families, reasoning, languages. No model is fitted here."""

from __future__ import annotations

from functools import cache
from importlib import resources

import numpy as np
import pandas as pd
from capability_transfer.analysis.outcomes.published import (
    read_accuracy,
    read_candidates,
    read_overview,
)
from capability_transfer.common.errors import InputError
from capability_transfer.features import languages as language_registry
from capability_transfer.features import resource, typology
from capability_transfer.features.table import Tables
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

ENGLISH = "eng"
PRINTED = 0.05 + 1e-9
"""Half a unit of the last printed digit, accuracy points; ties are rounded either way."""

FIGURES = ("original", "symbolic", "english", "non_english", "gap", "worst_accuracy")


def runs(counts: pd.DataFrame) -> pd.DataFrame:
    """Table 11 from pair counts: one row per run, averages over languages in percent.

    Args:
        counts: variant, language, split, n_correct, n_total (or k_published, n_published, which
            are taken where they are there: they are not rescaled).

    Returns variant, original, symbolic, english, non_english, gap (English minus the mean of the
    others), worst_accuracy, worst_language, strongest run first. All but ``original`` are on the
    symbolic split. Raises InputError without English outcomes.
    """
    exact = "k_published" in counts.columns
    correct, total = ("k_published", "n_published") if exact else ("n_correct", "n_total")
    percent = counts.assign(accuracy=100 * counts[correct] / counts[total])
    wide = percent.pivot(index=["split", "variant"], columns="language", values="accuracy")
    symbolic = wide.loc["symbolic"]
    if ENGLISH not in symbolic.columns:
        raise InputError(f"the outcomes have no English ({ENGLISH}): no gap can be computed")
    others = symbolic.drop(columns=ENGLISH).mean(axis=1)
    splits = wide.index.get_level_values("split")
    original = wide.loc["original"].mean(axis=1) if "original" in splits else np.nan
    table = pd.DataFrame(
        {
            "original": original,
            "symbolic": symbolic.mean(axis=1),
            "english": symbolic[ENGLISH],
            "non_english": others,
            "gap": symbolic[ENGLISH] - others,
            "worst_accuracy": symbolic.min(axis=1),
            "worst_language": symbolic.idxmin(axis=1),
        }
    )
    return (
        table.sort_values("symbolic", ascending=False, kind="stable")
        .rename_axis("variant")
        .reset_index()
    )


def beside_published(table: pd.DataFrame) -> pd.DataFrame:
    """``runs`` with Table 11's figures: published_x, difference_x for each, and in_study."""
    known = read_overview().set_index("variant").reindex(table["variant"])
    columns = {"in_study": known["in_study"].to_numpy()}
    for name in FIGURES:
        columns[f"published_{name}"] = known[name].to_numpy()
        columns[f"difference_{name}"] = table[name].to_numpy() - known[name].to_numpy()
    columns["published_worst_language"] = known["worst_language"].to_numpy()
    return table.assign(**columns)


def disagreements(table: pd.DataFrame) -> pd.DataFrame:
    """What rounding cannot explain: variant, figure, ours, published, difference (points).

    Args:
        table: from ``beside_published``.
    """
    rows = [
        (row["variant"], name, row[name], row[f"published_{name}"], row[f"difference_{name}"])
        for row in table.to_dict("records")
        for name in FIGURES
        if abs(row[f"difference_{name}"]) > rounding(name)
    ]
    columns = ["variant", "figure", "ours", "published", "difference"]
    return pd.DataFrame(rows, columns=columns)


def rounding(figure: str) -> float:
    """What rounding can make of a figure, accuracy points; the gap is one of rounded means."""
    return 2 * PRINTED if figure == "gap" else PRINTED


def wilson() -> pd.DataFrame:
    """Table 12 from counts: variant, language, split, k, n, and accuracy, conf_low, conf_high.

    The count is the smallest that prints as the published figures do, of which there may be
    several; the figures (percent, one decimal) and the published ones, ``published`` to
    ``published_high``, are the same in every row, which a test holds them to.
    """
    smallest = read_candidates().groupby(["variant", "language", "split"], sort=False).first()
    counts = smallest.reset_index()
    low, high = proportion_confint(counts["k"], counts["n"], method="wilson")
    shares = {"accuracy": counts["k"] / counts["n"], "conf_low": low, "conf_high": high}
    for name, share in shares.items():
        clipped = np.clip(np.asarray(share, dtype=float), 0, 1)
        counts[name] = [float(f"{value:.1%}"[:-1]) for value in clipped]
    known = read_accuracy().rename(
        columns={
            "accuracy": "published",
            "conf_low": "published_low",
            "conf_high": "published_high",
        }
    )
    return counts.merge(known, on=["variant", "language", "split"], validate="one_to_one")


def family_gaps(table: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """Mean English gap of each family's runs: family, runs, gap, lowest, highest, published.

    Args:
        table: from ``runs``, with the excluded runs, as the study counts them.
        models: variant, family.
    """
    joined = table.merge(models[["variant", "family"]], on="variant", validate="one_to_one")
    grouped = joined.groupby("family")["gap"]
    gaps = grouped.agg(runs="size", gap="mean", lowest="min", highest="max").reset_index()
    known = _published("study_families.csv").set_index("family")["gap"]
    gaps["published"] = gaps["family"].map(known)
    gaps["difference"] = gaps["gap"] - gaps["published"]
    return gaps.sort_values("gap", ignore_index=True, kind="stable")


def reasoning_gaps(counts: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """English minus the mean of the other languages, with reasoning on and off (Figure 12).

    Args:
        counts: as for ``runs``.
        models: variant, base_model, family, params_b, reasoning.

    Returns one row per run of a base model that was run both ways: base_model, family, params_b,
    reasoning, gap, conf_low, conf_high (points; a t-interval over the other languages),
    languages.
    """
    symbolic = counts[counts["split"] == "symbolic"]
    accuracy = 100 * symbolic["n_correct"] / symbolic["n_total"]
    wide = symbolic.assign(accuracy=accuracy).pivot(
        index="variant", columns="language", values="accuracy"
    )
    gaps = -wide.drop(columns=ENGLISH).sub(wide[ENGLISH], axis=0)
    number = gaps.notna().sum(axis=1)
    half = stats.t.ppf(0.975, number - 1) * gaps.std(axis=1) / np.sqrt(number)
    mean = gaps.mean(axis=1)
    table = pd.DataFrame(
        {"gap": mean, "conf_low": mean - half, "conf_high": mean + half, "languages": number}
    ).reset_index()
    columns = ["variant", "base_model", "family", "params_b", "reasoning"]
    table = models[columns].merge(table, on="variant", validate="one_to_one")
    both = table.groupby("base_model")["reasoning"].transform("nunique") == 2
    order = ["family", "params_b", "reasoning"]
    return table[both].sort_values(order, ignore_index=True, kind="stable")


def design_space() -> pd.DataFrame:
    """Every language with templates in the feature space (Figure 16).

    Returns language, name, in_study, resource (log10 pages), distance (cosine, from English);
    languages that lack a feature are left out.
    """
    rows = language_registry.registry()
    rows = rows[rows["template"] != ""].reset_index(drop=True)
    table = rows[["language", "name", "in_study"]].copy()
    table["resource"] = resource.build(rows)["resource"].to_numpy()
    table["distance"] = typology.build(rows)["distance"].to_numpy()
    return table.dropna().reset_index(drop=True)


def correlations(tables: Tables) -> pd.DataFrame:
    """Pearson correlations of typological distance with fertility over languages (section 4.1).

    ``fertility_ratio``: a language's token ratio to English, averaged over the study's runs;
    ``fertility``: the relative one, whose mean by language is zero by construction, over pairs.

    Returns first, second, over, n, correlation, published.
    """
    distance = tables.languages.set_index("language")["distance"]
    plain = tables.pairs.groupby("language")["fertility_ratio"].mean()
    pairs = tables.pairs.assign(distance=tables.pairs["language"].map(distance))
    rows = [
        ("distance", "fertility_ratio", "languages", distance.corr(plain), len(plain), 0.8),
        ("distance", "fertility", "pairs", pairs["distance"].corr(pairs["fertility"]),
         len(pairs), np.nan),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["first", "second", "over", "correlation", "n", "published"])


@cache
def _published(name: str) -> pd.DataFrame:
    with (
        resources.files("capability_transfer.analysis")
        .joinpath(f"data/{name}")
        .open(encoding="utf-8") as file
    ):
        return pd.read_csv(file, keep_default_na=False)


def languages() -> pd.DataFrame:
    """Table 9: language, name, verified (yes, in progress, no), included_as (eu, ethnologue)."""
    return _published("study_languages.csv").sort_values("name", ignore_index=True, kind="stable")


def annotation() -> pd.DataFrame:
    """Table 10: how each of the 15 languages was translated and reviewed."""
    return _published("study_annotation.csv").copy()
