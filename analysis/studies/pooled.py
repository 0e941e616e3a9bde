"""How far the pooled predictor is off where nothing was observed, beside simpler ones.

A language, a family of models or a benchmark is held out of everything, and every pair of it is
predicted. *Study alone* learns from the study's benchmark only, and takes every benchmark for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.outcomes import benchmarks
from capability_transfer.analysis.prediction import new_language, new_model, pooled, scores
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.studies.benchmarks import EMBEDDED, draw, learn, predicted
from capability_transfer.analysis.terciles import terciles
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.seeds import DEFAULT_SEED
from scipy.special import expit, logit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HELD = ("language", "family", "benchmark")
PREDICTORS = {
    "pooled": "pooled, what is new at its mean",
    "integrated": "pooled, mean over what is new",
    "study_alone": "the study alone",
    "model_mean": "model mean",
    "language_mean": "language mean",
    "additive": "model and language added up",
    "nearest_language": "nearest language",
}
SHOWN_LANGUAGES = (
    *("eng", "spa", "por", "ind", "vie", "tur", "pol", "fin", "kor", "tha"),
    *("hin", "ben", "tel", "urd", "swh", "hau", "amh", "yor", "zul", "aka"),
)
SHOWN_MODELS = ("Qwen3-8B (reasoning off)", "gemma-3-27b-it", "Claude 4")
SHOWN_BENCHMARKS = (benchmarks.STUDY, benchmarks.MGSM_PRO, "mgsm")
"""What the figure shows; MGSM is a benchmark without outcomes to learn from."""

THIRDS = {"low": "least text", "middle": "middle third", "high": "most text"}
DRAWS = 500
INSIDE, NEAR, FAR = "inside", "up to 1 SD outside", "beyond 1 SD"


@dataclass(frozen=True, eq=False, repr=False)
class PooledErrors(Result):
    """Predictions of pairs that were held out of all benchmarks.

    Attributes:
        pairs: held (language, family or benchmark), benchmark, variant, base_model, language,
            observed, a column per predictor (0–1; NaN where it has no answer), inside_80 and
            inside_95, resource (log10 pages), resource_outside (SDs outside the languages learned
            from).
        predictions: ``studies.benchmarks.predicted`` of ``SHOWN_LANGUAGES`` and ``SHOWN_MODELS``.
        source: in words, which data.
        seed: of the draws.
    """

    pairs: pd.DataFrame
    predictions: pd.DataFrame
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
        rows = self._languages
        far = rows["resource_outside"].abs()
        place = np.select([far == 0, far <= 1], [INSIDE, NEAR], FAR)
        return summary(rows.assign(distance=place), ["distance"], self.seed)

    @property
    def by_resource(self) -> pd.DataFrame:
        """The same by thirds of the languages, from least text to most."""
        rows = self._languages
        third = terciles(rows.groupby("language")["resource"].first()).map(THIRDS)
        return summary(rows.assign(third=rows["language"].map(third)), ["third"], self.seed)

    @property
    def below_the_edge(self) -> pd.DataFrame:
        """The same of languages with less text than any of the study's, on MGSM-Pro, for models
        that the study has and for others."""
        rows = self._languages
        study = rows[rows["benchmark"] == benchmarks.STUDY]
        below = rows["resource"] < study["resource"].min()
        shared = (
            rows["base_model"]
            .isin(study["base_model"])
            .map({True: "in the study", False: "others"})
        )
        rows = rows.assign(models=shared)[below & (rows["benchmark"] == benchmarks.MGSM_PRO)]
        return summary(rows, ["models"], self.seed)

    @property
    def _languages(self) -> pd.DataFrame:
        return self.pairs[self.pairs["held"] == "language"]

    def frames(self) -> dict[str, pd.DataFrame]:
        frames = {"errors": self.errors, "pairs": self.pairs, "predictions": self.predictions}
        if len(self._languages):
            frames["by_distance"] = self.by_distance
            frames["by_resource"] = self.by_resource
            frames["below_the_edge"] = self.below_the_edge
        return frames

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_pooled": lambda: draw(self.predictions, self.note)}

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
    learned = learn(study)
    asked, _ = new_language.find_languages(learned, SHOWN_LANGUAGES)
    models = [new_model.find_model(learned, name, None, None, None) for name in SHOWN_MODELS]
    predictions = predicted(
        learned, models, SHOWN_BENCHMARKS, asked, new_language.ITEMS, study.seed
    )
    found = pooled.pool([benchmarks.embedded()], learned.languages)
    return PooledErrors(held_out(found, held, draws, study.seed), predictions, EMBEDDED, study.seed)


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
    table["resource"] = rows["resource"]
    table["resource_outside"] = new_language.outside(scaled["resource"], known)
    alone = pooled.Pool(train.rows[train.rows["benchmark"] == benchmarks.STUDY])
    table["study_alone"] = np.nan
    if alone.rows["language"].nunique() > 1:
        fit = pooled.fit(alone, starts.get("alone"))
        starts["alone"] = fit.start
        as_study = rows.assign(benchmark=benchmarks.STUDY, floor=0.0)
        table["study_alone"] = fit.plug_in(fit.standardised(as_study))
    table["model_mean"] = _means(train.rows, rows, ["benchmark", "variant"])
    table["language_mean"] = _means(train.rows, rows, ["benchmark", "language"])
    table["additive"] = _additive(train.rows, rows)
    table["nearest_language"] = _nearest(train.rows, rows)
    return table


def _means(train: pd.DataFrame, rows: pd.DataFrame, keys: list[str]) -> np.ndarray:
    """The accuracy over the training rows of the same keys."""
    sums = train.groupby(keys)[["n_correct", "n_total"]].sum()
    means = sums["n_correct"] / sums["n_total"]
    return means.reindex(pd.MultiIndex.from_frame(rows[keys])).to_numpy()


def _additive(train: pd.DataFrame, rows: pd.DataFrame) -> np.ndarray:
    """Log-odds of benchmark, model and language added up by least squares; what is new adds the
    mean of what is known."""
    levels = pd.get_dummies(pd.concat([train[pooled.PAIR], rows[pooled.PAIR]]), dtype=float)
    known = levels.to_numpy()[: len(train)]
    centre = known.mean(axis=0) * (known.sum(axis=0) > 0)
    observed = logit((train["n_correct"] + 0.5) / (train["n_total"] + 1)).to_numpy()
    effects, *_ = np.linalg.lstsq(known - centre, observed - observed.mean(), rcond=None)
    asked = levels.to_numpy()[len(train) :]
    return expit(observed.mean() + (asked - centre) @ effects)


def _nearest(train: pd.DataFrame, rows: pd.DataFrame) -> np.ndarray:
    """A model's accuracy on the benchmark in the language nearest by resource."""
    cells = train.assign(accuracy=train["n_correct"] / train["n_total"])
    pairs = rows.reset_index().merge(cells, on=["benchmark", "variant"], suffixes=("", "_there"))
    far = (pairs["resource"] - pairs["resource_there"]).abs()
    nearest = pairs.assign(far=far).sort_values("far", kind="stable").drop_duplicates("index")
    return nearest.set_index("index")["accuracy"].reindex(rows.index).to_numpy()


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
