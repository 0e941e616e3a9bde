"""Predictors that fit pair totals: fast, and free to give every family and base its own shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.glmm.posterior import Posterior
from analysis.glmm.result import Fit
from analysis.unseen.fitting import fit_glmm
from analysis.unseen.folds import FEATURES
from analysis.unseen.prediction import Prediction
from analysis.unseen.structures import Languages, Structure

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
        data = totals(train)
        languages = Languages.of(data, vectors, COVARIATES)
        kernels = [structure.kernel(languages, languages) for structure in self.structures]
        fit, following = fit_glmm(self.formula, data, "laplace", start, kernels)
        return FittedPairs(self, fit, data, languages, following)


@dataclass
class FittedPairs:
    """A pair model's fit; predicts pairs through the joint distribution of its effects."""

    model: PairModel
    fit: Fit
    data: pd.DataFrame
    languages: Languages
    start: object

    @property
    def log_lik(self) -> float:
        return self.fit.log_lik

    @cached_property
    def posterior(self) -> Posterior:
        return Posterior(self.fit, self.data, self.kernels(self.languages))

    def kernels(self, languages: Languages) -> list:
        return [structure.kernel(languages, self.languages) for structure in self.model.structures]

    def about(self, rows: pd.DataFrame, vectors: pd.DataFrame) -> Posterior:
        """The posterior, told of the rows' languages."""
        others = Languages.of(rows, vectors, COVARIATES)
        return self.posterior.extended(self.kernels(self.languages.with_others(others)))

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        rows = rows.drop_duplicates(["language", "variant"], ignore_index=True)
        posterior = self.about(rows, vectors)
        pairs = rows[["language", "variant"]].reset_index(drop=True)
        plug_in = expit(posterior.linear_predictor(rows))
        if not draws:
            return Prediction(pairs, plug_in)
        return Prediction(
            pairs, plug_in, expit(posterior.draws(rows, draws, np.random.default_rng(seed)))
        )


def totals(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a pair: its keys, features (as in the cells) and counts."""
    grouped = cells.groupby(KEYS, sort=False, as_index=False, observed=True)
    return grouped[["n_correct", "n_total"]].sum()
