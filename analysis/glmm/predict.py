"""The linear predictor of a fit on any rows: fixed effects, offsets and chosen random effects."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.shares import term_covariance
from capability_transfer.common.errors import InputError, name_some
from scipy.special import expit

NODES = 40  # of the quadrature over a new level's effect


def linear_predictor(
    fit: Fit,
    data: pd.DataFrame,
    groups: Collection[str] | None = None,
    new_levels: str = "error",
) -> np.ndarray:
    """Log-odds of every row of ``data``: fixed effects plus conditional modes.

    Args:
        fit: the fitted model; random effects enter at their modes, nothing is integrated.
        data: rows with the formula's columns (the response is not needed).
        groups: the grouping factors whose modes enter; all by default, none if empty.
        new_levels: for a level that the fit has not seen: ``error``, or ``population`` (zero).

    Raises InputError for a new level under ``error``, for an unknown group, and for a level of a
    factor among the covariates that the fit has not seen: it has no coefficient for that.
    """
    if new_levels not in ("error", "population"):
        raise InputError(f"new_levels is 'error' or 'population', not {new_levels!r}")
    known = {term.group for term in fit.formula.random}
    if unknown := set(groups or ()) - known:
        raise InputError(f"the fit has no group {name_some(unknown)}; it has {name_some(known)}")
    entering = [term for term in fit.formula.random if groups is None or term.group in groups]
    needed = fit.formula.explanatory().union(*(term.factors for term in entering))
    fit.formula.check_names(data, needed)
    eta = fit.fixed_matrix(data) @ fit.coefficients.to_numpy() + fit.formula.offset(data)
    for term in entering:
        levels = term.levels(data)
        covariates, columns = fit.random_matrix(term, data)
        for position, column in enumerate(columns):
            rows = (fit.modes["group"] == term.group) & (fit.modes["term"] == column)
            mode = levels.map(fit.modes[rows].set_index("level")["mode"])
            if new_levels == "error" and mode.isna().any():
                unseen = name_some(levels[mode.isna()].unique())
                raise InputError(f"the fit has not seen {term.group} {unseen}")
            eta += covariates[:, position] * mode.fillna(0.0).to_numpy(dtype=float)
    return eta


def new_variance(fit: Fit, data: pd.DataFrame, groups: Collection[str] | None = None) -> np.ndarray:
    """The variance of every row's log-odds by effects of levels that the fit has not seen."""
    found = np.zeros(len(data))
    for term in fit.formula.random:
        if groups is None or term.group in groups:
            covariates, columns = fit.random_matrix(term, data)
            covariance = term_covariance(fit, term.group, columns)
            seen = fit.modes.loc[fit.modes["group"] == term.group, "level"]
            new = ~term.levels(data).isin(seen).to_numpy()
            found += new * np.einsum("ij,jk,ik->i", covariates, covariance, covariates)
    return found


def averaged(fit: Fit, eta: np.ndarray, sd: np.ndarray, data: pd.DataFrame) -> np.ndarray:
    """The mean probability over normal log-odds with means ``eta`` and the SDs ``sd``."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    drawn = np.asarray(eta)[:, None] + np.asarray(sd)[:, None] * nodes
    return probability(fit, drawn, data) @ (weights / weights.sum())


def probability(fit: Fit, eta: np.ndarray, data: pd.DataFrame) -> np.ndarray:
    """The probability of success at log-odds of rows, or of rows × draws."""
    if fit.formula.floor is None:
        return expit(eta)
    floor = _floors(fit, eta, data)
    return floor + (1 - floor) * expit(eta)


def slope(fit: Fit, eta: np.ndarray, data: pd.DataFrame) -> np.ndarray:
    """The derivative of ``probability`` by the log-odds."""
    return (1 - _floors(fit, eta, data)) * expit(eta) * expit(-eta)


def _floors(fit: Fit, eta: np.ndarray, data: pd.DataFrame) -> np.ndarray:
    return fit.formula.floors(data).reshape(-1, *[1] * (np.ndim(eta) - 1))


def fitted_probability(fit: Fit, data: pd.DataFrame) -> np.ndarray:
    """Probability of success of every row, random effects at their modes."""
    return probability(fit, linear_predictor(fit, data), data)
