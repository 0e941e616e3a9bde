"""Predictors that fit cells: a GLMM with a template effect, averaged over templates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.posterior import Posterior
from capability_transfer.analysis.glmm.predict import linear_predictor
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.prediction.fitting import SETTINGS, fit_glmm, of_columns
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


class Refits:
    """Fits of a cell model to parts of the same cells, one design for all of them.

    The constants of the cells' z-scores do not matter as long as a formula has the main effects of
    its interactions: other ones are other parameters of the same model.

    Args:
        model: the predictor.
        cells: all that may be seen, and asked about.
        vectors: URIEL features by language.
        engine: of the GLMM.
    """

    def __init__(self, model: CellModel, cells: pd.DataFrame, vectors: pd.DataFrame, engine: str):
        self.model, self.cells, self.vectors, self.engine = model, cells, vectors, engine
        pairs, self.pair = pairs_of(cells)
        self.pairs = len(pairs)
        self.counts = [cells[name].to_numpy(dtype=float) for name in ("n_correct", "n_total")]

    @cached_property
    def whole(self) -> laplace.Model:
        formula = of_columns(self.model.formula, self.cells)
        return laplace.Model(formula, self.cells, (), SETTINGS["laplace"])

    def plug_in(self, seen: np.ndarray, start: object) -> tuple[np.ndarray, object]:
        """Accuracy (0–1) of every cell after those ``seen``, and what the next fit can start from.

        Where some pair has no cell among them, the model may be another (``of_columns``), and is
        made anew.
        """
        if self.engine == "laplace" and len(np.unique(self.pair[seen])) == self.pairs:
            model = self.whole.refit(*(np.where(seen, counts, 0.0) for counts in self.counts))
            optimum = model.optimise(start)
            return model.probability(optimum), optimum
        fitted = self.model.fit(self.cells[seen], self.vectors, self.engine, start)
        return fitted.plug_in(self.cells), fitted.start


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
