"""Shares of the variance of the log-odds: intraclass correlations, and Nakagawa's R².

The logistic distribution's π²/3 stands for the variation of single answers (Nakagawa & Schielzeth
2013; Nakagawa, Johnson & Schielzeth 2017). A random effect of every row is variation beyond the
binomial's and counts with it, not with the groups.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.result import Fit

LOGISTIC = np.pi**2 / 3


def icc(fit: Fit, data: pd.DataFrame) -> pd.DataFrame:
    """Intraclass correlations: group, variance, icc, and a row ``all`` with their sum.

    Slopes count by their average variance over the rows (Johnson 2014). ``icc`` is adjusted: the
    fixed effects' variance is not in its denominator; ``icc_unadjusted`` has it there.
    """
    random, rest = _variances(fit, data)
    total = sum(random.values()) + rest
    rows = [(group, value) for group, value in random.items()]
    rows.append(("all", sum(random.values())))
    table = pd.DataFrame(rows, columns=["group", "variance"])
    table["icc"] = table["variance"] / total
    table["icc_unadjusted"] = table["variance"] / (total + _fixed(fit, data))
    return table


def r2(fit: Fit, data: pd.DataFrame) -> pd.Series:
    """Nakagawa's R²: ``marginal`` of the fixed effects, ``conditional`` of random ones too."""
    random, rest = _variances(fit, data)
    fixed, groups = _fixed(fit, data), sum(random.values())
    total = fixed + groups + rest
    return pd.Series({"marginal": fixed / total, "conditional": (fixed + groups) / total})


def term_covariance(fit: Fit, group: str, columns: list[str]) -> np.ndarray:
    """The covariance matrix of one random term's effects."""
    sds, correlation = sds_and_correlation(fit, group, columns)
    return sds[:, None] * correlation * sds


def sds_and_correlation(fit: Fit, group: str, columns: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The SDs of one random term's effects, and their correlation matrix."""
    sds = np.array([fit.sd(group, name) for name in columns])
    correlation = np.eye(len(columns))
    if len(columns) == 1:
        return sds, correlation
    for row in fit.correlations[fit.correlations["group"] == group].itertuples():
        if row.term_1 in columns and row.term_2 in columns:
            i, j = columns.index(row.term_1), columns.index(row.term_2)
            correlation[i, j] = correlation[j, i] = row.correlation
    return sds, correlation


def _variances(fit: Fit, data: pd.DataFrame) -> tuple[dict[str, float], float]:
    """The average variance by group, and what is left to single answers."""
    found, rest = {}, LOGISTIC
    for term in fit.formula.random:
        covariates, columns = fit.random_matrix(term, data)
        covariance = term_covariance(fit, term.group, columns)
        value = float(np.einsum("ij,jk,ik->i", covariates, covariance, covariates).mean())
        if term.levels(data).nunique() == len(data):
            rest += value
        else:
            found[term.group] = found.get(term.group, 0.0) + value
    return found, rest


def _fixed(fit: Fit, data: pd.DataFrame) -> float:
    return float(np.var(fit.fixed_matrix(data) @ fit.coefficients.to_numpy(), ddof=1))
