"""What a fit leaves of its rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.predict import linear_predictor, probability, slope
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError, suggest
from scipy.special import xlogy

EPSILON = np.finfo(float).eps  # fitted values and slopes stay as far off their ends, as in R
KINDS = ("deviance", "pearson", "response", "working")


def residuals(fit: Fit, data: pd.DataFrame, kind: str = "deviance") -> pd.Series:
    """Residuals of every row at the modes, as R's ``residuals(fit, type = kind)``.

    ``response`` is the share of successes minus the probability, ``pearson`` that over the
    binomial's SD, ``deviance`` the signed root of the row's deviance, ``working`` on the scale of
    log-odds. Rows without trials have none.
    """
    if kind not in KINDS:
        raise InputError(f"residuals are {', '.join(KINDS)}, not {kind!r}.{suggest(kind, KINDS)}")
    success, trials = fit.formula.counts(data)
    share = np.divide(success, trials, out=np.full(len(data), np.nan), where=trials > 0)
    eta = linear_predictor(fit, data)
    fitted = np.clip(probability(fit, eta, data), EPSILON, 1 - EPSILON)
    raw = share - fitted
    if kind == "pearson":
        raw = raw * np.sqrt(trials / (fitted * (1 - fitted)))
    elif kind == "working":
        raw = raw / np.maximum(slope(fit, eta, data), EPSILON)
    elif kind == "deviance":
        deviance = xlogy(share, share / fitted) + xlogy(1 - share, (1 - share) / (1 - fitted))
        raw = np.sign(raw) * np.sqrt(np.maximum(2 * trials * deviance, 0.0))
    return pd.Series(raw, index=data.index, name=kind)
