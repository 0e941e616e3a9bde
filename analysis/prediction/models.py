"""The kinds of predictor: a mean, a GLMM of cells, and a GLMM of pair totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
import pandas as pd
from capability_transfer.analysis.design import identifiable
from capability_transfer.analysis.glmm import laplace, lme4
from capability_transfer.analysis.glmm.engines import ENGINES
from capability_transfer.analysis.glmm.engines import engine as engine_of
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.posterior import Posterior
from capability_transfer.analysis.glmm.predict import linear_predictor, probability
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.prediction.folds import FEATURES
from capability_transfer.common.errors import InputError, name_some, option

PAIR = ["language", "variant"]
KEYS = ["language", "variant", "base_model", "family", *FEATURES]
COVARIATES = ["resource", "distance"]  # that structured terms may use

SETTINGS = {
    "laplace": laplace.Settings(tolerance=1e-5, hessian="working"),
    "lme4": lme4.Settings(hessian=False),
}
"""Predictions need no standard errors from a Hessian, which would cost most of a warm refit, and
are right to 1e-6 a hundred-thousandth of a standard error from the optimum."""
REFITTED = replace(SETTINGS["laplace"], tolerance=1e-3)
"""A refit that another one led to ends where a Newton step leads as near."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """Accuracies (0–1) of pairs.

    Attributes:
        pairs: language, variant; one row per pair.
        plug_in: the accuracy with known effects at their modes and new effects at zero.
        draws: pairs × draws of the accuracy over infinitely many items, new effects drawn; None
            for a predictor without a distribution.
    """

    pairs: pd.DataFrame
    plug_in: np.ndarray
    draws: np.ndarray | None = None

    @property
    def integrated(self) -> np.ndarray:
        """The mean over the draws; ``plug_in`` without draws."""
        return self.plug_in if self.draws is None else self.draws.mean(axis=1)


class Fitted(Protocol):
    """A predictor after it has seen its training rows."""

    start: object
    """What the next fit of the same predictor can start from."""

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        """Predict the pairs of ``rows`` (cells; z-scores by the training constants).

        ``vectors`` describe the rows' languages (see ``Predictor.fit``).
        """
        ...


class Predictor(Protocol):
    """How accuracies in a language are predicted from those in others.

    ``engines`` are those that can fit it; None for a predictor without a GLMM.
    """

    name: str
    label: str
    engines: tuple[str, ...] | None

    def fit(
        self, train: pd.DataFrame, vectors: pd.DataFrame, engine: str, start: object = None
    ) -> Fitted:
        """Learn from cells (``folds.Split.train``).

        Args:
            train: the cells.
            vectors: URIEL features (0–1), one row per language, indexed by its code.
            engine: of the GLMM.
            start: ``start`` of another fit of this predictor.
        """
        ...


def check_engine(predictors: Sequence[Predictor], engine: str) -> None:
    """Raises InputError, naming them, for predictors that an engine cannot fit.

    Predictors without a GLMM may stand beside others, but alone they have no use for an engine.
    """
    refusing = [one.name for one in predictors if one.engines and engine not in one.engines]
    if refusing:
        verb = "is" if len(refusing) == 1 else "are"
        raise InputError(
            f"{name_some(refusing)} {verb} fitted by our engine alone, not by {engine}: leave "
            f"{option('engine')} out, or choose predictors of cells "
            f"({option('predictor', 'study')})",
            parameter="engine",
        )
    if engine != "laplace" and not any(one.engines for one in predictors):
        raise InputError(
            f"{name_some([one.name for one in predictors])}: a mean has no GLMM for the engine "
            f"{engine} to fit. Leave {option('engine')} out",
            parameter="engine",
        )


# Means


@dataclass(frozen=True)
class Mean:
    """The pooled training accuracy, overall or of each level of ``by``."""

    name: str
    label: str
    by: str | None = None
    engines = None

    def fit(
        self, train: pd.DataFrame, vectors: pd.DataFrame, engine: str, start: object = None
    ) -> FittedMean:
        overall = train["n_correct"].sum() / train["n_total"].sum()
        if self.by is None:
            return FittedMean(None, pd.Series(dtype=float), overall)
        sums = train.groupby(self.by)[["n_correct", "n_total"]].sum()
        return FittedMean(self.by, sums["n_correct"] / sums["n_total"], overall)


@dataclass(frozen=True, eq=False)
class FittedMean:
    """Means by level; a level without training rows takes the overall mean."""

    by: str | None
    means: pd.Series
    overall: float
    start: object = None

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        pairs, _ = pairs_of(rows)
        if self.by is None:
            return Prediction(pairs, np.full(len(pairs), self.overall))
        return Prediction(pairs, pairs[self.by].map(self.means).fillna(self.overall).to_numpy())


# GLMMs of cells


@dataclass(frozen=True)
class CellModel:
    """A GLMM of cells with a template effect, averaged over templates."""

    name: str
    label: str
    formula: str
    engines = tuple(ENGINES)

    def fit(
        self, train: pd.DataFrame, vectors: pd.DataFrame, engine: str, start: object = None
    ) -> FittedCells:
        fit, following, model = fit_glmm(identified(self.formula, train), train, engine, start)
        return FittedCells(fit, following, Posterior(fit, train, (), model))


class Refits:
    """Fits of a cell model to parts of the same cells, one design for all of them.

    The constants of the cells' z-scores do not matter as long as a formula has the main effects of
    its interactions: other ones are other parameters of the same model.

    Args:
        model: the predictor.
        cells: all rows that may be fitted or predicted.
        vectors: URIEL features by language.
        engine: of the GLMM.
    """

    def __init__(self, model: CellModel, cells: pd.DataFrame, vectors: pd.DataFrame, engine: str):
        self.model, self.cells, self.vectors, self.engine = model, cells, vectors, engine
        pairs, self.pair = pairs_of(cells)
        self.pairs = len(pairs)
        self.counts = [cells[name].to_numpy(dtype=float) for name in ("n_correct", "n_total")]

    @cached_property
    def formula(self) -> str:
        """The model's, of all cells."""
        return identified(self.model.formula, self.cells)

    @cached_property
    def whole(self) -> laplace.Model:
        """The model of all cells."""
        return laplace.Model(self.formula, self.cells, (), SETTINGS["laplace"])

    def plug_in(self, seen: np.ndarray, start: object) -> tuple[np.ndarray, object]:
        """Accuracy (0–1) of every cell after those ``seen``, and what the next fit can start from.

        Where these say too little for the model of all cells (``identified``), theirs is fitted.
        """
        if self.engine == "laplace" and self._suffice(seen):
            settings = REFITTED if isinstance(start, laplace.Optimum) else SETTINGS["laplace"]
            counts = (np.where(seen, counts, 0.0) for counts in self.counts)
            model = self.whole.refit(*counts, settings=settings)
            optimum = model.optimise(start)
            return model.foretold(optimum), optimum
        fitted = self.model.fit(self.cells[seen], self.vectors, self.engine, start)
        return fitted.plug_in(self.cells), fitted.start

    def _suffice(self, seen: np.ndarray) -> bool:
        """Whether these cells have the model of all of them."""
        if np.bincount(self.pair[seen], minlength=self.pairs).all():
            return True
        if identified(self.model.formula, self.cells[seen]) != self.formula:
            return False
        design = self.whole.design
        fixed = design.fixed[np.unique(design.layout.unit[seen])]
        return np.linalg.matrix_rank(fixed) == fixed.shape[1]


@dataclass(frozen=True, eq=False)
class FittedCells:
    """The study's prediction (section 4.2): modes plugged in, templates averaged equally."""

    fit: Fit
    start: object
    posterior: Posterior

    def plug_in(self, rows: pd.DataFrame) -> np.ndarray:
        """Accuracy (0–1) of every cell; levels that the fit has not seen have effect zero."""
        eta = linear_predictor(self.fit, rows, new_levels="population")
        return probability(self.fit, eta, rows)

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        pairs, codes = pairs_of(rows)
        plug_in = mean_by_pair(self.plug_in(rows), codes, len(pairs))
        if not draws:
            return Prediction(pairs, plug_in)
        posterior = self.posterior.sampled(draws, seed, near=_shape(self.start))
        rows, codes = rows.iloc[order := np.argsort(codes, kind="stable")], codes[order]
        starts = np.searchsorted(codes, np.arange(len(pairs) + 1))
        parts = [slice(*ends) for ends in pairwise(starts)]
        drawn = posterior.draws_in_parts(rows, np.random.default_rng(seed), parts)
        means = [
            probability(self.fit, eta, rows.iloc[part]).mean(axis=0)
            for eta, part in zip(drawn, parts, strict=True)
        ]
        return Prediction(pairs, plug_in, np.stack(means))


# GLMMs of pair totals


@dataclass(frozen=True, eq=False)
class Languages:
    """Features of languages that structured terms use: ``covariates`` (z-scores) and URIEL
    ``vectors``, both indexed by language code."""

    covariates: pd.DataFrame
    vectors: pd.DataFrame

    @classmethod
    def from_rows(cls, rows: pd.DataFrame, vectors: pd.DataFrame, columns: list[str]) -> Languages:
        """The languages of rows; raises InputError for one without a vector."""
        covariates = rows.groupby("language")[columns].first()
        if absent := [name for name in covariates.index if name not in vectors.index]:
            raise InputError(f"URIEL has no vector for {name_some(absent)}")
        return cls(covariates, vectors.loc[covariates.index])

    def join(self, others: Languages) -> Languages:
        """These languages, then those of ``others`` that are not among them."""
        new = others.covariates.index.difference(self.covariates.index)
        return Languages(
            pd.concat([self.covariates, others.covariates.loc[new]]),
            pd.concat([self.vectors, others.vectors.loc[new]]),
        )


class Structure(Protocol):
    """A recipe of a kernel: a random term whose effects are alike where languages are."""

    name: str

    def kernel(self, languages: Languages, train: Languages) -> laplace.Kernel:
        """The kernel over ``languages``; constants come from the ``train`` ones alone."""
        ...


@dataclass(frozen=True)
class PairModel:
    """A GLMM of the counts of (variant, language) pairs, with structured terms.

    A pair's log-odds are those of its accuracy over all templates, so that no template is averaged
    over; ``variant:language`` is the observation-level effect.
    """

    name: str
    label: str
    formula: str
    structures: tuple[Structure, ...] = ()
    engines = ("laplace",)

    def fit(
        self, train: pd.DataFrame, vectors: pd.DataFrame, engine: str, start: object = None
    ) -> FittedPairs:
        check_engine([self], engine)
        data = totals(train)
        languages = Languages.from_rows(data, vectors, COVARIATES)
        kernels = self.kernels(languages, languages)
        formula = identified(self.formula, data)
        fit, following, model = fit_glmm(formula, data, engine, start, kernels)
        posterior = Posterior(fit, data, kernels, model)
        return FittedPairs(self, fit, data, languages, posterior, following)

    def restore(
        self, fit: Fit, data: pd.DataFrame, languages: Languages, drawn: dict[str, object]
    ) -> FittedPairs:
        """A fit that was made before, from its pair totals, their languages and ``drawn`` effects.

        Raises ValueError for the draws of another fit.
        """
        kernels = self.kernels(languages, languages)
        posterior = Posterior(fit, data, kernels).with_drawn(drawn)
        return FittedPairs(self, fit, data, languages, posterior, laplace.WarmStart.of(fit))

    def kernels(self, languages: Languages, train: Languages) -> list[laplace.Kernel]:
        """Of every structured term, over ``languages``."""
        return [structure.kernel(languages, train) for structure in self.structures]


@dataclass(frozen=True, eq=False)
class FittedPairs:
    """A pair model's fit; predicts pairs through the joint distribution of its effects."""

    model: PairModel
    fit: Fit
    data: pd.DataFrame
    languages: Languages
    posterior: Posterior
    start: object

    def sampled(self, draws: int, seed: int) -> FittedPairs:
        """The same with draws of its effects (``Posterior.sampled``)."""
        posterior = self.posterior.sampled(draws, seed, _shape(self.start))
        return replace(self, posterior=posterior)

    def extend_posterior(self, rows: pd.DataFrame, vectors: pd.DataFrame) -> Posterior:
        """The posterior, extended to the languages of ``rows``."""
        known = self.languages.join(Languages.from_rows(rows, vectors, COVARIATES))
        return self.posterior.extended(self.model.kernels(known, self.languages))

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        rows = rows.drop_duplicates(["language", "variant"], ignore_index=True)
        pairs = rows[["language", "variant"]].reset_index(drop=True)
        eta = self.extend_posterior(rows, vectors).linear_predictor(rows)
        plug_in = probability(self.fit, eta, rows)
        if not draws:
            return Prediction(pairs, plug_in)
        posterior = self.sampled(draws, seed).extend_posterior(rows, vectors)
        drawn = posterior.draws(rows, np.random.default_rng(seed))
        return Prediction(pairs, plug_in, probability(self.fit, drawn, rows))


def totals(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per pair: its keys, features (as in the cells) and counts."""
    pairs, codes = pairs_of(cells)
    _, first = np.unique(codes, return_index=True)
    keys = [name for name in KEYS if name in cells.columns]
    sums = {
        name: np.bincount(codes, cells[name], len(pairs)).astype(cells[name].dtype)
        for name in ("n_correct", "n_total")
    }
    return cells[keys].iloc[first].reset_index(drop=True).assign(**sums)


# What they share


def identified(formula: str, data: pd.DataFrame) -> str:
    """A formula without the features that the data lack, and without the random effects that they
    cannot identify (``design.identifiable``)."""
    known = parse(formula).without([name for name in FEATURES if name not in data.columns])
    return str(identifiable(known, data)[0])


def fit_glmm(
    formula: str,
    data: pd.DataFrame,
    engine: str = "laplace",
    start: object = None,
    kernels: Sequence[laplace.Kernel] = (),
) -> tuple[Fit, object, laplace.Model | None]:
    """A fit, started from another where there is one, what the next one can start from, and the
    model if it is of our engine.

    Raises InputError for kernels with another engine than ``laplace``.
    """
    if engine == "laplace":
        model = laplace.Model(formula, data, kernels, SETTINGS[engine])
        optimum = model.optimise(start)
        fit = laplace.report(model, optimum)
        return fit, replace(laplace.warm_start(model, optimum, fit), shape=_shape(start)), model
    if kernels:
        raise InputError(f"engine {engine} has no structured terms: use the laplace engine")
    settings = {"settings": SETTINGS[engine]} if engine in SETTINGS else {}
    fit = engine_of(engine)(formula, data, start=start, **settings)
    return fit, fit, None


def _shape(start: object) -> laplace.Shape | None:
    """Where draws of the SDs can start from, if what a fit starts from says so."""
    return start.shape if isinstance(start, laplace.WarmStart) else None


def pairs_of(rows: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The pairs of cells in order of appearance, and the pair of every row."""
    (language, _), (variant, known) = (pd.factorize(rows[name]) for name in PAIR)
    codes, _ = pd.factorize(language * len(known) + variant)
    _, first = np.unique(codes, return_index=True)
    return rows[PAIR].iloc[first].reset_index(drop=True), codes


def mean_by_pair(values: np.ndarray, codes: np.ndarray, pairs: int) -> np.ndarray:
    """Means over each pair's rows, of a vector or of every column of a matrix."""
    if (np.diff(codes) < 0).any():  # else rows of a pair follow one another as it is
        order = np.argsort(codes, kind="stable")
        codes, values = codes[order], values[order]
    starts = np.searchsorted(codes, np.arange(pairs))
    sums = np.add.reduceat(values, starts, axis=0)
    return (sums.T / np.bincount(codes, minlength=pairs)).T
