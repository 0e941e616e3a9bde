"""Predictors that fit cells: a GLMM with a template effect, averaged over templates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.posterior import Posterior
from capability_transfer.analysis.glmm.predict import linear_predictor
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.prediction.fitting import fit_glmm, of_columns
from capability_transfer.analysis.prediction.prediction import Prediction, mean_by_pair, pairs_of
from scipy.special import expit


@dataclass(frozen=True)
class CellModel:
    """A GLMM on cells, without structured terms."""

    label: str
    formula: str

    def fit(
        self, train: pd.DataFrame, vectors: pd.DataFrame, engine: str, start: object = None
    ) -> FittedCells:
        fit, following = fit_glmm(of_columns(self.formula, train), train, engine, start)
        return FittedCells(fit, train, following)


@dataclass(frozen=True, eq=False)
class FittedCells:
    """The study's prediction (section 4.2): modes plugged in, templates averaged equally."""

    fit: Fit
    train: pd.DataFrame
    start: object

    @property
    def log_lik(self) -> float:
        return self.fit.log_lik

    def plug_in(self, rows: pd.DataFrame) -> np.ndarray:
        """Accuracy (0–1) of every cell; levels that the fit has not seen have effect zero."""
        return expit(linear_predictor(self.fit, rows, new_levels="population"))

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        pairs, codes = pairs_of(rows)
        plug_in = mean_by_pair(self.plug_in(rows), codes, len(pairs))
        if not draws:
            return Prediction(pairs, plug_in)
        posterior = Posterior(self.fit, self.train).sampled(draws, seed)
        drawn = expit(posterior.draws(rows, np.random.default_rng(seed)))
        return Prediction(pairs, plug_in, mean_by_pair(drawn, codes, len(pairs)))
