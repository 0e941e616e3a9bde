"""Every predictor: its name, label, formula and structured terms.

A new one is one entry of ``MODELS``. What a mean, a ``CellModel`` and a ``PairModel`` do with a
formula is in ``models``. A structured term ties the effects of languages that are alike: a *smooth*
is a random function of one covariate with a squared-exponential covariance, whose length is fixed
beforehand; *relatives* ties languages by their URIEL vectors, at a length that is the median
distance of the training languages. No outcome enters either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from capability_transfer.analysis import study
from capability_transfer.analysis.glmm.laplace import Kernel
from capability_transfer.analysis.prediction.models import (
    CellModel,
    Languages,
    Mean,
    PairModel,
    Predictor,
)
from capability_transfer.common.errors import InputError, name_some, suggest
from scipy.spatial.distance import cdist


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


ON_PAIRS = (
    "~ (resource + distance + fertility) * size"
    " + (resource + distance + fertility + size) * reasoning"
    " + (1 | family) + (1 | base_model) + (1 | variant) + (1 | language) + (1 | variant:language)"
)
"""The study's model (``study.MAIN``) without templates, which pair totals do not have."""

WITH_SLOPES = (
    f"{ON_PAIRS} + (0 + resource | family) + (0 + resource | base_model)"
    " + (0 + distance | family) + (0 + distance | base_model)"
)
RELATIVES = (Relatives("relatives:family", "family"), Relatives("relatives:base", "base_model"))
SMOOTHS = (
    Smooth("smooth", "resource"),
    Smooth("smooth:family", "resource", "family"),
    Smooth("smooth:base", "resource", "base_model"),
)

MODELS = (
    # the study's predictor (Figures 5, 6 and 14): its main model, Eq. 1
    CellModel("study", "the study's model", study.MAIN),
    # a baseline that knows nothing of languages
    CellModel("size_reasoning", "size and reasoning", f"~ size + reasoning + {study.RANDOM_TERMS}"),
    # the study's naive baseline: a run's mean accuracy over the training languages
    Mean("model_mean", "model mean", by="variant"),
    Mean("grand_mean", "grand mean"),
    PairModel("study_pairs", "the study's model on pair totals", ON_PAIRS),
    PairModel("slopes", "with slopes by family and base model", WITH_SLOPES),
    PairModel("relatives", "with related languages alike", WITH_SLOPES, RELATIVES),
    # ours: resource as a smooth, overall and by family and base model, instead of slopes
    PairModel(
        "smooth", "resource as a smooth, related languages alike", ON_PAIRS, SMOOTHS + RELATIVES
    ),
)

PREDICTORS: dict[str, Predictor] = {model.name: model for model in MODELS}


def predictor(name: str) -> Predictor:
    """The predictor of a name; raises InputError for an unknown one."""
    if name not in PREDICTORS:
        raise InputError(
            f"no predictor {name!r}; there are {name_some(PREDICTORS)}.{suggest(name, PREDICTORS)}"
        )
    return PREDICTORS[name]
