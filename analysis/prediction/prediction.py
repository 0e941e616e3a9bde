"""What a predictor says of (variant, language) pairs, and the interface of all predictors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

PAIR = ["language", "variant"]


@dataclass(frozen=True, eq=False)
class Prediction:
    """Accuracies (0–1) of pairs.

    Attributes:
        pairs: language, variant, one row a pair.
        plug_in: what is known at its mode, new effects zero.
        draws: pairs × draws of the accuracy over infinitely many items, new effects drawn; None
            for a predictor without a distribution.
    """

    pairs: pd.DataFrame
    plug_in: np.ndarray
    draws: np.ndarray | None = None

    @property
    def integrated(self) -> np.ndarray:
        """The mean over the new effects and what is uncertain; ``plug_in`` without draws."""
        return self.plug_in if self.draws is None else self.draws.mean(axis=1)


class Fitted(Protocol):
    """A predictor after it has seen its training rows."""

    log_lik: float | None
    start: object
    """What the next fit of the same predictor can start from."""

    def predict(self, rows: pd.DataFrame, vectors: pd.DataFrame, draws: int, seed: int):
        """A ``Prediction`` of the pairs of ``rows`` (cells; z-scores by the training constants).

        ``vectors`` describe the rows' languages (see ``Predictor.fit``)."""
        ...


class Predictor(Protocol):
    """How accuracies in a language are predicted from those in others."""

    label: str

    def fit(
        self, train: pd.DataFrame, vectors: pd.DataFrame, engine: str, start: object = None
    ) -> Fitted:
        """Learn from cells (``folds.Split.train``).

        ``vectors``: URIEL features (0–1), a row a language by its code; ``engine``: of the GLMM;
        ``start``: another fit's ``start``.
        """
        ...


def pairs_of(rows: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The pairs of cells in order of appearance, and every row's pair."""
    keys = pd.MultiIndex.from_frame(rows[PAIR])
    codes, uniques = pd.factorize(keys)
    return uniques.to_frame(index=False).set_axis(PAIR, axis=1), codes


def mean_by_pair(values: np.ndarray, codes: np.ndarray, pairs: int) -> np.ndarray:
    """Means over each pair's rows, of a vector or of every column of a matrix."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(pairs))
    sums = np.add.reduceat(values[order], starts, axis=0)
    return (sums.T / np.bincount(codes, minlength=pairs)).T
