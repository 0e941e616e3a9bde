"""Our own engine: maximum likelihood under lme4's Laplace approximation, without R.

``fit`` returns the result every engine returns. ``Model`` gives the likelihood and its gradient
anywhere, and refits of one design to other counts; ``warm_start`` carries an optimum to the next;
``sample`` draws SDs and effects from their joint distribution.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from capability_transfer.analysis.glmm.formula import Formula
from capability_transfer.analysis.glmm.laplace.kernels import Kernel
from capability_transfer.analysis.glmm.laplace.model import (
    DEFAULT,
    Model,
    Progress,
    Settings,
    Starts,
)
from capability_transfer.analysis.glmm.laplace.optimise import Optimum
from capability_transfer.analysis.glmm.laplace.report import report, warm_start
from capability_transfer.analysis.glmm.laplace.sampling import (
    Sample,
    Shape,
    TermSample,
    known_sds,
    sample,
    shape,
)
from capability_transfer.analysis.glmm.laplace.warmstart import WarmStart
from capability_transfer.analysis.glmm.result import Fit

__all__ = [
    "Kernel",
    "Model",
    "Optimum",
    "Sample",
    "Settings",
    "Shape",
    "TermSample",
    "WarmStart",
    "fit",
    "known_sds",
    "report",
    "sample",
    "shape",
    "warm_start",
]


def fit(
    formula: Formula | str,
    data: pd.DataFrame,
    *,
    structured: Sequence[Kernel] = (),
    floor: str | float | None = None,
    start: WarmStart | Fit | None = None,
    starts: Starts = None,
    settings: Settings = DEFAULT,
    nAGQ: int | None = None,
    provenance: dict | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Maximum likelihood under the Laplace approximation (glmer's, nAGQ = 1) or by quadrature.

    Args:
        formula: lme4 syntax, e.g. ``~ resource * size + (1 | language)``.
        data: one row per cell or instance, with every column that the formula names.
        structured: random terms whose levels have given correlations, beside the formula's.
        floor: c of P(success) = c + (1 − c) · expit(η), a column's name or a number in [0, 1): what
            guessing gets right. By default the formula's (``Formula.with_floor``).
        start: begin where another fit ended (any engine's) instead of from nothing.
        starts: how many starts to climb from in all, or further ones (fits, ``WarmStart``); the
            highest optimum is taken. By default one, and several where that one does not end at a
            clear peak; ``diagnostics["starts"]`` has the log-likelihood that each led to.
        settings: tolerance and the kind of standard errors.
        nAGQ: points of adaptive Gauss–Hermite quadrature, for one random effect per group; by
            default the settings' (1, Laplace's approximation).
        provenance: data_source and data_hash, kept with the result.
        progress: called with (stage, evaluations so far, deviance) at every iteration.

    Raises InputError for a design that cannot be fitted.
    """
    settings = settings if nAGQ is None else replace(settings, quadrature=nAGQ)
    began = time.perf_counter()
    model = Model(formula, data, structured, settings, floor)
    optimum = model.optimise(start, progress, starts)
    return report(model, optimum, time.perf_counter() - began, provenance)
