"""One GLMM fit for a predictor, started from another where there is one."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from capability_transfer.analysis.design import identifiable
from capability_transfer.analysis.glmm import laplace, lme4
from capability_transfer.analysis.glmm.engines import engine as engine_of
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.prediction.folds import FEATURES
from capability_transfer.common.errors import InputError


def of_columns(formula: str, data: pd.DataFrame) -> str:
    """A predictor's formula without the features that the data leave out, and without the random
    effects that they cannot tell (``design.identifiable``)."""
    known = parse(formula).without([name for name in FEATURES if name not in data.columns])
    return str(identifiable(known, data)[0])


SETTINGS = {
    "laplace": laplace.Settings(hessian="working"),
    "lme4": lme4.Settings(hessian=False),
}
"""Predictions need no standard errors from a Hessian, which cost most of a warm refit."""


def fit_glmm(
    formula: str,
    data: pd.DataFrame,
    engine: str = "laplace",
    start: object = None,
    kernels: Sequence[laplace.Kernel] = (),
) -> tuple[Fit, object]:
    """A fit and what the next one can start from.

    Raises InputError for kernels with another engine than ``laplace``.
    """
    if engine == "laplace":
        model = laplace.Model(formula, data, kernels, SETTINGS[engine])
        optimum = model.optimise(start)
        return laplace.report(model, optimum), laplace.warm_start(model, optimum)
    if kernels:
        raise InputError(f"engine {engine} has no structured terms: use the laplace engine")
    fit = engine_of(engine)(formula, data, start=start, settings=SETTINGS[engine])
    return fit, fit
