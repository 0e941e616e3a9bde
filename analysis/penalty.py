"""What symbolic variation costs, and whether the cost differs by language (section 4.3, App. D)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis import design
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.inference import LikelihoodRatio, likelihood_ratio_test
from capability_transfer.analysis.glmm.result import Fit, untimed
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.outcomes.cells import pair_totals
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.files import write_table
from scipy import stats

_OTHERS = (
    "(1 | family) + (1 | base_model) + (1 | variant) + (1 | template) + (1 | variant:language)"
)
MODEL = f"~ split * (resource + distance) + (1 + split | language) + {_OTHERS}"
"""Eq. 2: original questions are the reference; capability is left to the random effects."""

NO_SLOPE = f"~ split * (resource + distance) + (1 | language) + {_OTHERS}"
"""The same with one penalty for every language: what the likelihood-ratio test compares with."""

PENALTY = "splitsymbolic"
SPLITS = ("original", "symbolic")
LEVEL = 0.95


@dataclass(frozen=True)
class Penalty:
    """The joint model of both splits, its test, and the plain differences.

    Attributes:
        fit: Eq. 2.
        reduced: without the language-specific penalty.
        test: of that penalty.
        gaps: ``pair_gaps`` of every run.
        by_language: ``language_gaps`` of the same.
        overall: ``overall_gap`` over the runs that the model has, one row.
        is_study: whether published figures stand beside ours.
    """

    fit: Fit
    reduced: Fit
    test: LikelihoodRatio
    gaps: pd.DataFrame
    by_language: pd.DataFrame
    overall: pd.DataFrame
    is_study: bool

    def fixed_effects(self) -> pd.DataFrame:
        """Fixed effects (log-odds), the published δ and p-values beside them."""
        table = self.fit.fixed_effects
        beside = table["term"].map(self._published("fixed")).astype(float)
        p_values = pd.concat([self._published(k, "p_value") for k in ("fixed", "fixed_p")])
        return table.assign(
            published=beside,
            difference=table["estimate"] - beside,
            published_p_value=table["term"].map(p_values).astype(float),
        )

    def random_effects(self) -> pd.DataFrame:
        """SDs (log-odds) by group and term, and the correlations of correlated ones."""
        table = self.fit.random_effects.sort_values(
            "sd", ascending=False, ignore_index=True, kind="stable"
        )
        beside = (table["group"] + " " + table["term"]).map(self._published("random"))
        pairs = self.fit.correlations.set_index(["group", "term_2"])["correlation"]
        keys = pd.MultiIndex.from_frame(table[["group", "term"]])
        return table.assign(
            correlation=pairs.reindex(keys).to_numpy(dtype=float),
            published=beside.astype(float),
            difference=table["sd"] - beside.astype(float),
        )

    def test_table(self) -> pd.DataFrame:
        """statistic, df, p_value (plain χ²), p_value_mixture (boundary-corrected), published."""
        known = self._published("test").get("statistic", np.nan)
        return self.test.table().assign(published=known)

    def languages(self) -> pd.DataFrame:
        """``by_language`` with the published figures of the two languages that have them."""
        table = self.by_language
        return table.assign(
            **{
                f"published{suffix}": table["language"]
                .map(self._published("language", column))
                .astype(float)
                for suffix, column in (
                    ("", "estimate"),
                    ("_low", "conf_low"),
                    ("_high", "conf_high"),
                )
            }
        )

    def overall_table(self) -> pd.DataFrame:
        """``overall`` with the published gap and correlation."""
        known = self._published("overall")
        return self.overall.assign(
            published_gap=known.get("gap", np.nan),
            published_correlation=known.get("correlation_with_accuracy", np.nan),
        )

    def _published(self, kind: str, column: str = "estimate") -> pd.Series:
        return published(kind, column) if self.is_study else pd.Series(dtype=float)


def penalty(
    inputs: Inputs,
    all_pairs: pd.DataFrame,
    fitting: Callable[[str], AbstractContextManager[Callable]],
    cache_dir: Path | None = None,
    engine: str = "laplace",
) -> Penalty:
    """Fit Eq. 2 to both splits and describe the differences between them.

    Args:
        inputs: cells of both splits with their features.
        all_pairs: accuracies by variant, language and split of every run, including those that
            the model leaves out: the study describes languages over all of its runs.
        fitting: makes a progress context from a label.
        cache_dir: where finished fits are kept.

    Raises InputError unless both splits are there.
    """
    check_splits(inputs.cells)
    built = design.build(inputs.cells, inputs.features, ["resource", "distance"])

    def run(label: str, formula: str) -> Fit:
        with fitting(label) as progress:
            return cached_fit(
                engine,
                formula,
                built.data,
                cache_dir,
                provenance=inputs.provenance,
                progress=progress,
            )

    fit = run("penalty by language", MODEL)
    reduced = run("one penalty for all languages", NO_SLOPE)
    gaps = pair_gaps(all_pairs)
    modelled = gaps[gaps["variant"].isin(inputs.cells["variant"].unique())]
    return Penalty(
        fit=fit,
        reduced=reduced,
        test=likelihood_ratio_test(fit, reduced),
        gaps=gaps,
        by_language=language_gaps(gaps),
        overall=overall_gap(modelled),
        is_study=inputs.is_study,
    )


def check_splits(cells: pd.DataFrame) -> None:
    """Raise InputError unless the cells have both splits."""
    present = set(cells["split"].unique()) if "split" in cells.columns else set()
    if absent := [name for name in SPLITS if name not in present]:
        raise InputError(
            f"the outcomes have no {name_some(absent)} split: the penalty compares both "
            "(column split: original or symbolic)"
        )


def pair_gaps(pairs: pd.DataFrame) -> pd.DataFrame:
    """Original minus symbolic accuracy of every (variant, language), in accuracy points.

    Args:
        pairs: variant, language, split, n_correct, n_total.

    Returns variant, language, original, symbolic (0 to 1), gap (points). Raises InputError for a
    pair that lacks a split.
    """
    totals = pair_totals(pairs)
    wide = totals.pivot(index=["variant", "language"], columns="split", values="accuracy")
    wide = wide.reindex(columns=list(SPLITS))
    if (lacking := wide.isna().any(axis=1)).any():
        names = name_some(f"{v} / {lang}" for v, lang in wide.index[lacking])
        raise InputError(f"only one split is there for {names}")
    order = totals.drop_duplicates(["variant", "language"])
    wide = wide.loc[pd.MultiIndex.from_frame(order[["variant", "language"]])].reset_index()
    wide.columns.name = None
    return wide.assign(gap=100 * (wide["original"] - wide["symbolic"]))


def language_gaps(gaps: pd.DataFrame) -> pd.DataFrame:
    """Mean gap of every language over its runs: mean ± 1.96 · SD / √runs, accuracy points.

    Returns language, runs, gap, conf_low, conf_high, largest gap first. Runs are taken as
    independent, as the study takes them; Eq. 2 does not.
    """
    grouped = gaps.groupby("language")["gap"]
    table = grouped.agg(runs="size", gap="mean", sd="std").reset_index()
    half = stats.norm.ppf(0.5 + LEVEL / 2) * table["sd"] / np.sqrt(table["runs"])
    table = table.assign(conf_low=table["gap"] - half, conf_high=table["gap"] + half)
    return table.drop(columns="sd").sort_values(
        "gap", ascending=False, ignore_index=True, kind="stable"
    )


def overall_gap(gaps: pd.DataFrame) -> pd.DataFrame:
    """The mean over language means, ± t · SD / √languages over them, in one row.

    Returns pairs, languages, gap, conf_low, conf_high (accuracy points), correlation (of a pair's
    gap with its mean accuracy over the two splits).
    """
    means = gaps.groupby("language")["gap"].mean()
    half = stats.t.ppf(0.5 + LEVEL / 2, len(means) - 1) * means.std() / np.sqrt(len(means))
    level = (gaps["original"] + gaps["symbolic"]) / 2
    row = {
        "pairs": len(gaps),
        "languages": len(means),
        "gap": means.mean(),
        "conf_low": means.mean() - half,
        "conf_high": means.mean() + half,
        "correlation": np.corrcoef(gaps["gap"], level)[0, 1],
    }
    return pd.DataFrame([row])


def write(result: Penalty, directory: Path) -> list[Path]:
    """Write ``penalty/*.csv``: effects, test, gaps by language, overall and by pair, glance."""
    tables = {
        "fixed_effects": result.fixed_effects(),
        "random_effects": result.random_effects(),
        "test": result.test_table(),
        "by_language": result.languages(),
        "overall": result.overall_table(),
        "pairs": result.gaps,
        "glance": untimed(result.fit.glance()),
    }
    return [
        write_table(table, Path(directory) / "penalty" / f"{name}.csv")
        for name, table in tables.items()
    ]


@cache
def _published() -> pd.DataFrame:
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_penalty.csv")
        .open() as file
    ):
        return pd.read_csv(file)


def published(kind: str, column: str = "estimate") -> pd.Series:
    """Published figures of one kind by name: fixed, fixed_p, random, test, overall, language."""
    table = _published()
    return table[table["kind"] == kind].set_index("name")[column]
