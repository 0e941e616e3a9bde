"""How far the pooled predictor is off where nothing was observed, beside simpler ones.

A language, a family of models or a benchmark is held out of everything, and every pair of it is
predicted. *Study alone* learns from the study's benchmark only, and takes every benchmark for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.outcomes import benchmarks
from capability_transfer.analysis.prediction import new_language, pooled, scores, store
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.studies.benchmarks import EMBEDDED
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.seeds import DEFAULT_SEED

HELD = ("language", "family", "benchmark")
PREDICTORS = {
    "pooled": "pooled, what is new at its mean",
    "integrated": "pooled, mean over what is new",
    "study_alone": "the study alone",
    "model_mean": "model mean",
    "nearest_language": "nearest language",
}
DRAWS = 500
INSIDE, NEAR, FAR = "inside", "up to 1 SD outside", "beyond 1 SD"


@dataclass(frozen=True, eq=False, repr=False)
class PooledErrors(Result):
    """Predictions of pairs that were held out of all benchmarks.

    Attributes:
        pairs: held (language, family or benchmark), benchmark, variant, base_model, language,
            observed, a column per predictor (0–1; NaN where it has no answer), inside_80 and
            inside_95, resource_outside (SDs outside the languages learned from).
        source: in words, which data.
        seed: of the draws.
    """

    pairs: pd.DataFrame
    source: str
    seed: int

    folder = "pooled"
    title = "Errors of the pooled predictor"
    digits = 4

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source, seed=self.seed)

    @property
    def errors(self) -> pd.DataFrame:
        """held, benchmark, predictor, pairs, mae, language_mae (points), difference from pooled
        with its bootstrap interval over languages, coverage_80 and coverage_95 (pooled)."""
        return summary(self.pairs, ["held", "benchmark"], self.seed)

    @property
    def by_distance(self) -> pd.DataFrame:
        """The same of held-out languages, by how far outside the others they lie."""
        far = self.pairs["resource_outside"].abs()
        place = np.select([far == 0, far <= 1], [INSIDE, NEAR], FAR)
        rows = self.pairs.assign(distance=place)
        return summary(rows[rows["held"] == "language"], ["distance"], self.seed)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"errors": self.errors, "by_distance": self.by_distance, "pairs": self.pairs}

    def tables(self) -> dict[str, Table]:
        table = self.errors
        display = pd.DataFrame(
            {
                "Held out": table["held"],
                "Benchmark": table["benchmark"],
                "Predictor": table["predictor"].map(PREDICTORS),
                "MAE": [number(value, 1) for value in table["mae"]],
                "MAE of means": [number(value, 1) for value in table["language_mae"]],
                "80% covered": [number(100 * value, 0) for value in table["coverage_80"]],
            }
        )
        caption = "Errors (points) of predictions held out of all benchmarks."
        return {"table_pooled": Table("table_pooled", caption, self.note, table, display)}


def pooled_errors(
    study: Study | None = None, held: Iterable[str] = HELD, draws: int = DRAWS
) -> PooledErrors:
    """Hold every language, family and benchmark of the embedded outcomes out of everything.

    Args:
        study: whose seed counts; the embedded outcomes of both benchmarks are what is predicted.
        held: what to hold out, of ``HELD``.
        draws: of each predictive distribution.

    Raises InputError for something else to hold out.
    """
    study, held = given(study), list(held)
    if unknown := [name for name in held if name not in HELD]:
        raise InputError(f"there is no {name_some(unknown)} to hold out: {name_some(HELD)}")
    found = pooled.pool([benchmarks.embedded()], store.known_languages(study.features.languages))
    return PooledErrors(held_out(found, held, draws, study.seed), EMBEDDED, study.seed)


def held_out(found: pooled.Pool, held: Iterable[str], draws: int, seed: int) -> pd.DataFrame:
    """``PooledErrors.pairs`` of a pool."""
    folds = [(column, value) for column in held for value in sorted(found.rows[column].unique())]
    tables, starts = [], {}
    with progress.counting("held out of everything", len(folds)) as tell:
        for column, value in folds:
            out = found.rows[column] == value
            tables.append(_predicted(found, out, starts, draws, seed).assign(held=column))
            tell(1)
    return pd.concat(tables, ignore_index=True)


def _predicted(
    found: pooled.Pool, out: pd.Series, starts: dict[str, object], draws: int, seed: int
) -> pd.DataFrame:
    train, rows = found.without(out), found.rows[out].reset_index(drop=True)
    fitted = pooled.fit(train, starts.get("pooled"))
    starts["pooled"] = fitted.start
    scaled = fitted.standardised(rows)
    accuracy = fitted.sampled(draws, seed).draws(scaled, seed)
    items = rows["n_total"].to_numpy()[:, None]
    answers = np.random.default_rng(seed).binomial(items, accuracy) / items
    table = rows[["benchmark", "variant", "base_model", "language"]].copy()
    table["observed"] = rows["n_correct"] / rows["n_total"]
    table["pooled"], table["integrated"] = fitted.plug_in(scaled), accuracy.mean(axis=1)
    ends = pd.DataFrame(scores.interval_ends(answers), columns=scores.COLUMNS)
    for level in (80, 95):
        table[f"inside_{level}"] = table["observed"].between(
            ends[f"low_{level}"], ends[f"high_{level}"]
        )
    known = fitted.languages.covariates["resource"]
    table["resource_outside"] = new_language.outside(scaled["resource"], known)
    alone = pooled.Pool(train.rows[train.rows["benchmark"] == benchmarks.STUDY])
    table["study_alone"] = np.nan
    if alone.rows["language"].nunique() > 1:
        fit = pooled.fit(alone, starts.get("alone"))
        starts["alone"] = fit.start
        as_study = rows.assign(benchmark=benchmarks.STUDY, floor=0.0)
        table["study_alone"] = fit.plug_in(fit.standardised(as_study))
    table["model_mean"], table["nearest_language"] = _baselines(train.rows, rows)
    return table


def _baselines(train: pd.DataFrame, rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """A model's mean on the benchmark, and its accuracy in the language nearest by resource."""
    sums = train.groupby(["benchmark", "variant"])[["n_correct", "n_total"]].sum()
    means = (sums["n_correct"] / sums["n_total"]).to_dict()
    cells = train.set_index(["benchmark", "variant"])[["resource", "n_correct", "n_total"]]
    nearest = []
    for row in rows.itertuples():
        if (row.benchmark, row.variant) not in means:
            nearest.append(np.nan)
            continue
        own = cells.loc[[(row.benchmark, row.variant)]]
        best = own.iloc[(own["resource"] - row.resource).abs().to_numpy().argmin()]
        nearest.append(best["n_correct"] / best["n_total"])
    keys = zip(rows["benchmark"], rows["variant"], strict=True)
    mean = pd.Series([means.get(key, np.nan) for key in keys], rows.index)
    return mean, pd.Series(nearest, rows.index)


def summary(pairs: pd.DataFrame, keys: list[str], seed: int = DEFAULT_SEED) -> pd.DataFrame:
    """``PooledErrors.errors`` by ``keys``."""
    rows = []
    for values, group in pairs.groupby(keys, sort=False):
        ours = 100 * (group["pooled"] - group["observed"])
        for name in PREDICTORS:
            error = 100 * (group[name] - group["observed"])
            if error.isna().all():
                continue
            more = (error.abs() - ours.abs()).groupby(group["language"]).mean().dropna()
            low, high = scores.interval_of_mean(more.to_numpy(), np.random.default_rng(seed))
            known = name in ("pooled", "integrated")
            rows.append(
                dict(zip(keys, values, strict=True))
                | {
                    "predictor": name,
                    "languages": group["language"].nunique(),
                    "pairs": int(error.notna().sum()),
                    "mae": error.abs().mean(),
                    "language_mae": error.groupby(group["language"]).mean().abs().mean(),
                    "difference": more.mean(),
                    "conf_low": low,
                    "conf_high": high,
                    "coverage_80": group["inside_80"].mean() if known else np.nan,
                    "coverage_95": group["inside_95"].mean() if known else np.nan,
                }
            )
    return pd.DataFrame(rows)
