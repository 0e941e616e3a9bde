"""Predictors that fit pair totals: fast, and free to give every family and base its own shape."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.laplace import WarmStart
from capability_transfer.analysis.glmm.posterior import Posterior
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.prediction.fitting import fit_glmm, of_columns
from capability_transfer.analysis.prediction.folds import FEATURES
from capability_transfer.analysis.prediction.prediction import Prediction
from capability_transfer.analysis.prediction.structures import Languages, Structure
from capability_transfer.common.errors import InputError
from scipy.special import expit

KEYS = ["language", "variant", "base_model", "family", *FEATURES]
COVARIATES = ["resource", "distance"]


@dataclass(frozen=True)
class PairModel:
    """A GLMM on the counts of (variant, language) pairs, with structured terms.

    A pair's log-odds are those of its accuracy over all templates, so that no template is averaged
    over; ``variant:language`` is the observation-level effect.
    """

    label: str
    formula: str
    structures: tuple[Structure, ...] = ()

    def fit(
        self, train: pd.DataFrame, vectors: pd.DataFrame, engine: str, start: object = None
    ) -> FittedPairs:
        if engine != "laplace":
            raise InputError(
                f"predictor {self.label!r} is fitted by our engine alone, not by {engine}: leave "
                "--engine out, or choose predictors of cells (--predictor study)"
            )
        data = totals(train)
        languages = Languages.of(data, vectors, COVARIATES)
        kernels = [structure.kernel(languages, languages) for structure in self.structures]
        fit, following = fit_glmm(of_columns(self.formula, data), data, "laplace", start, kernels)
        return FittedPairs(self, fit, data, languages, Posterior(fit, data, kernels), following)

    def fitted(self, fit: Fit, data: pd.DataFrame, languages: Languages) -> FittedPairs:
        """A fit that was made before, of pair totals (``totals``) and their languages."""
        kernels = [structure.kernel(languages, languages) for structure in self.structures]
        posterior = Posterior(fit, data, kernels)
        return FittedPairs(self, fit, data, languages, posterior, WarmStart.of(fit))


@dataclass(frozen=True, eq=False)
class FittedPairs:
    """A pair model's fit; predicts pairs through the joint distribution of its effects."""

    model: PairModel
    fit: Fit
    data: pd.DataFrame
    languages: Languages
    posterior: Posterior
    start: object

    @property
    def log_lik(self) -> float:
        return self.fit.log_lik

    def sampled(self, draws: int, seed: int, integrated: bool = True) -> FittedPairs:
        """The same with draws of its effects (``Posterior.sampled``)."""
        return replace(self, posterior=self.posterior.sampled(draws, seed, integrated))

    def with_drawn(self, drawn: dict[str, object]) -> FittedPairs:
        """The same with draws that ``Posterior.drawn`` gave."""
        return replace(self, posterior=self.posterior.with_drawn(drawn))

    def world(
        self, kept: Collection[str], count: int, generator: np.random.Generator
    ) -> FittedPairs:
        """The same as a truth to simulate from (``Posterior.world``)."""
        return replace(self, posterior=self.posterior.world(kept, count, generator))

    def about(self, rows: pd.DataFrame, vectors: pd.DataFrame) -> Posterior:
        """The posterior, told of the rows' languages."""
        known = self.languages.with_others(Languages.of(rows, vectors, COVARIATES))
        kernels = [structure.kernel(known, self.languages) for structure in self.model.structures]
        return self.posterior.extended(kernels)

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        rows = rows.drop_duplicates(["language", "variant"], ignore_index=True)
        pairs = rows[["language", "variant"]].reset_index(drop=True)
        plug_in = expit(self.about(rows, vectors).linear_predictor(rows))
        if not draws:
            return Prediction(pairs, plug_in)
        posterior = self.sampled(draws, seed).about(rows, vectors)
        return Prediction(pairs, plug_in, expit(posterior.draws(rows, np.random.default_rng(seed))))


def totals(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a pair: its keys, features (as in the cells) and counts."""
    keys = [name for name in KEYS if name in cells.columns]
    grouped = cells.groupby(keys, sort=False, as_index=False, observed=True)
    return grouped[["n_correct", "n_total"]].sum()
