"""Random terms over languages whose effects are alike where the languages are.

A *smooth* is a random function of one covariate with a squared-exponential covariance, whose length
is fixed beforehand; *relatives* ties languages by their URIEL vectors, at a length that is the
median distance of the training languages. No outcome enters either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.laplace import Kernel
from capability_transfer.common.errors import InputError, name_some
from scipy.spatial.distance import cdist


@dataclass(frozen=True, eq=False)
class Languages:
    """What a structured term may know of languages: ``covariates`` (z-scores) and URIEL
    ``vectors``, both indexed by language code."""

    covariates: pd.DataFrame
    vectors: pd.DataFrame

    @classmethod
    def of(cls, rows: pd.DataFrame, vectors: pd.DataFrame, columns: list[str]) -> Languages:
        """The languages of rows; raises InputError for one without a vector."""
        covariates = rows.groupby("language")[columns].first()
        if absent := [name for name in covariates.index if name not in vectors.index]:
            raise InputError(f"URIEL has no vector for {name_some(absent)}")
        return cls(covariates, vectors.loc[covariates.index])

    def __len__(self) -> int:
        return len(self.covariates)

    def with_others(self, others: Languages) -> Languages:
        """These languages, then those of ``others`` that are not among them."""
        new = others.covariates.index.difference(self.covariates.index)
        return Languages(
            pd.concat([self.covariates, others.covariates.loc[new]]),
            pd.concat([self.vectors, others.vectors.loc[new]]),
        )


class Structure(Protocol):
    """A recipe of a kernel."""

    name: str

    def kernel(self, languages: Languages, train: Languages) -> Kernel:
        """The kernel over ``languages``; constants come from the ``train`` ones alone."""
        ...


@dataclass(frozen=True)
class Smooth:
    """A random function of a covariate (z-scores), independent for each level of ``by``.

    ``length`` is the distance, in SDs of the covariate, over which it bends.
    """

    name: str
    covariate: str
    by: str | None = None
    length: float = 1.0

    def kernel(self, languages: Languages, train: Languages) -> Kernel:
        x = languages.covariates[[self.covariate]].to_numpy()
        matrix = np.exp(-cdist(x, x, "sqeuclidean") / (2 * self.length**2))
        return Kernel(self.name, "language", list(languages.covariates.index), matrix, self.by)


@dataclass(frozen=True)
class Relatives:
    """Effects of languages that are alike where their URIEL vectors are close."""

    name: str
    by: str | None = None

    def kernel(self, languages: Languages, train: Languages) -> Kernel:
        known = train.vectors.to_numpy()
        between = cdist(known, known, "sqeuclidean")[np.triu_indices(len(known), 1)]
        x = languages.vectors.to_numpy()
        matrix = np.exp(-cdist(x, x, "sqeuclidean") / (2 * np.median(between)))
        return Kernel(self.name, "language", list(languages.vectors.index), matrix, self.by)
