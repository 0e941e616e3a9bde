"""Predictors without a model: a mean of the training accuracies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.prediction import Prediction, pairs_of


@dataclass(frozen=True)
class Mean:
    """The pooled training accuracy of everything, or of each level of ``by``."""

    label: str
    by: str | None = None

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
    log_lik: float | None = None
    start: object = None

    def predict(
        self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int
    ) -> Prediction:
        pairs, _ = pairs_of(rows)
        if self.by is None:
            return Prediction(pairs, np.full(len(pairs), self.overall))
        return Prediction(pairs, pairs[self.by].map(self.means).fillna(self.overall).to_numpy())
