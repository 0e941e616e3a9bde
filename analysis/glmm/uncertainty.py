"""Standard errors of predicted log-odds, fixed and random effects together.

Given the SDs, β̂ and the random effects are jointly normal to the order of the approximation: an
effect varies about its mode, and its mode moves with β̂ by −H⁻¹Λ'Z'WX. β̂ has the fit's covariance,
which allows for the SDs being estimated; that the modes move with the SDs is left out.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.laplace import Model, Optimum
from capability_transfer.analysis.glmm.laplace.model import one_thread
from capability_transfer.analysis.glmm.laplace.start import working_information
from capability_transfer.analysis.glmm.result import Fit
from scipy import sparse

AT_ONCE = 2_000  # rows


def standard_errors(
    fit: Fit,
    model: Model,
    optimum: Optimum,
    data: pd.DataFrame,
    groups: Collection[str] | None = None,
) -> np.ndarray:
    """The standard error of every row's log-odds.

    Args:
        fit: the fit that ``optimum`` of ``model`` is.
        model: see ``fit``.
        optimum: see ``fit``.
        data: any rows; levels that the fit has not seen count as effect zero, known.
        groups: whose effects enter, all by default, none if empty.
    """
    fixed = fit.fixed_matrix(data)
    random = _loadings(fit, model, data, groups)
    if random.nnz == 0:
        return np.sqrt(np.einsum("ij,jk,ik->i", fixed, fit.covariance, fixed))
    modes, likelihood = optimum.point.modes, model.likelihood
    unscale = np.linalg.inv(model.design.unscale)
    variance = np.empty(len(data))
    with one_thread():
        _, solved, _ = working_information(
            likelihood, modes.cells.weight, modes.blocks, modes.factor
        )
        for begin in range(0, len(data), AT_ONCE):
            rows = slice(begin, begin + AT_ONCE)
            loaded = likelihood.relative(modes.blocks, random[rows].toarray().T, transpose=True)
            own = np.einsum("er,er->r", loaded, modes.factor.solve(loaded))
            moved = fixed[rows] - loaded.T @ solved @ unscale
            variance[rows] = own + np.einsum("ij,jk,ik->i", moved, fit.covariance, moved)
    return np.sqrt(variance)


def _loadings(
    fit: Fit, model: Model, data: pd.DataFrame, groups: Collection[str] | None
) -> sparse.csr_array:
    """How every row loads on the engine's effects: rows × effects."""
    design, parts = model.design, []
    number = np.arange(len(data))
    for t, (term, own) in enumerate(zip(fit.formula.random, design.terms, strict=False)):
        if groups is not None and term.group not in groups:
            continue
        covariates, _ = fit.random_matrix(term, data)
        place = pd.Index(own.levels).get_indexer(pd.Index(term.levels(data)))
        copy, column = np.divmod(place, own.width)
        for a in range(own.q):
            at = design.starts[t] + (copy * own.q + a) * own.width + column
            seen = place >= 0
            parts.append((covariates[seen, a] / own.scale[a], number[seen], at[seen]))
    values, rows, columns = (np.concatenate(x) for x in zip(*parts, strict=True)) if parts else (
        np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int)
    )  # fmt: skip
    return sparse.csr_array((values, (rows, columns)), shape=(len(data), design.effects))
