"""An optimum as a ``Fit``: tidy tables in natural units, standard errors and diagnostics."""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib.metadata import version

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.diagnostics import (
    outcome_hash,
    pearson_dispersion,
    separated,
)
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.model import Model, one_thread
from capability_transfer.analysis.glmm.laplace.optimise import Optimum
from capability_transfer.analysis.glmm.laplace.start import working_information
from capability_transfer.analysis.glmm.laplace.terms import Term
from capability_transfer.analysis.glmm.laplace.warmstart import WarmStart
from capability_transfer.analysis.glmm.result import (
    Fit,
    Optimisation,
    correlations_table,
    wald_table,
)
from scipy import sparse

VERSION = "1.0"


@one_thread()
def report(
    model: Model, optimum: Optimum, seconds: float = 0.0, provenance: dict | None = None
) -> Fit:
    """The fit at an optimum: estimates, Wald table, modes with conditional SDs, diagnostics.

    Standard errors come from the exact Hessian where there is a definite one; else they take the
    SDs as known, and ``optimisation.hessian`` is ``rx``.
    """
    design, point = model.design, optimum.point
    fixed = len(design.names)
    exact = optimum.exact and optimum.definite
    covariance = (_exact_covariance if exact else _working_covariance)(model, optimum)
    unknown = () if exact or not optimum.exact else ("the Hessian is not positive definite",)
    if np.isnan(covariance).any():
        unknown = (*unknown, "the information about the fixed effects is singular: none of their "
                   "standard errors is known")  # fmt: skip
    random_effects, correlations = _components(model, optimum)
    constant = model.constant
    fit = Fit(
        formula=model.formula,
        engine="laplace",
        versions={"laplace": VERSION, **{name: version(name) for name in ("numpy", "scipy")}},
        fixed_effects=wald_table(design.names, _beta(design, optimum), covariance),
        covariance=covariance,
        random_effects=random_effects,
        correlations=correlations,
        modes=_modes(model, optimum),
        nobs=len(model.success),
        trials=int(model.trials.sum()),
        log_lik=float(point.value + constant),
        df=fixed + design.parameters,
        levels=dict(design.levels),
        optimisation=Optimisation(
            optimizer=_method(model, optimum),
            evaluations=optimum.evaluations,
            converged=optimum.converged,
            singular=not optimum.free.all(),
            max_abs_gradient=optimum.whitened,
            hessian=("exact" if model.rough is None else "estimated") if exact else "rx",
            seconds=seconds,
            messages=optimum.messages + unknown,
            settings=asdict(model.settings),
        ),
        provenance=provenance or {},
    )
    fit.diagnostics.update(
        theta=(point.phi[fixed:] / design.theta_scale).tolist(),
        hessian_definite=optimum.definite,
        starts=[float(value + constant) for value in optimum.reached],
        separated=_separated(model),
        separation="" if model.separation is None else model.separation.sentence(),
        redundant=design.redundant,
        columns=model.columns | outcome_hash(model.formula, model.success, model.trials),
        dropped=design.dropped,
        dispersion=pearson_dispersion(
            model.success, model.trials, model.probability(optimum), fit.df
        ),
    )
    return fit


@one_thread()
def warm_start(model: Model, optimum: Optimum, fit: Fit | None = None) -> WarmStart:
    """Everything that a refit near this optimum can use, its information matrix included.

    ``fit`` is the ``report`` of the optimum, where there is one.
    """
    back = np.linalg.inv(model.to_natural())
    return replace(
        WarmStart.of(report(model, optimum) if fit is None else fit),
        information=back.T @ optimum.information @ back,
        parameters=model.design.parameter_names,
    )


def _method(model: Model, optimum: Optimum) -> str:
    if model.rough is not None:
        return "quasi-Newton with an estimated log-determinant, then the exact one"
    return "quasi-Newton + Newton" if optimum.exact else "quasi-Newton"


def _beta(design: Design, optimum: Optimum) -> np.ndarray:
    return design.unscale @ optimum.point.phi[: len(design.names)]


def _exact_covariance(model: Model, optimum: Optimum) -> np.ndarray:
    fixed, free = len(model.design.names), optimum.free
    inverse = np.linalg.inv(optimum.information[np.ix_(free, free)])
    unscale = model.design.unscale
    return unscale @ inverse[:fixed, :fixed] @ unscale.T


def _working_covariance(model: Model, optimum: Optimum) -> np.ndarray:
    modes, unscale = optimum.point.modes, model.design.unscale
    *_, information = working_information(
        model.likelihood, modes.cells.weight, modes.blocks, modes.factor
    )
    try:
        inverse = np.linalg.inv(information)
    except np.linalg.LinAlgError:
        return np.full(information.shape, np.nan)
    return unscale @ inverse @ unscale.T


def _components(model: Model, optimum: Optimum) -> tuple[pd.DataFrame, pd.DataFrame]:
    """SDs and correlations of every term, in the data's own units."""
    rows, pairs = [], []
    for term, block in zip(model.design.terms, optimum.point.modes.blocks, strict=True):
        levels = int(_occupied(model, term).sum())
        if term.root is not None:
            sd = [float(abs(term.theta(block)[0]))]
        else:
            natural = block / term.scale[:, None]
            sd = np.sqrt(np.sum(natural**2, axis=1)).tolist()
            for j, i in zip(*np.triu_indices(term.q, 1), strict=True):
                if sd[i] > 0 and sd[j] > 0:
                    value = float(natural[i] @ natural[j] / (sd[i] * sd[j]))
                    pairs.append((term.group, term.columns[j], term.columns[i], value))
        rows += [(term.group, name, levels, s) for name, s in zip(term.columns, sd, strict=True)]
    return pd.DataFrame(rows, columns=["group", "term", "levels", "sd"]), correlations_table(pairs)


def _modes(model: Model, optimum: Optimum) -> pd.DataFrame:
    """Conditional modes and SDs by level; a kernel's levels without data are included."""
    design, modes = model.design, optimum.point.modes
    variance = modes.factor.posterior().variance
    tables = []
    for t, term in enumerate(design.terms):
        shape = (term.copies, term.q, term.width)
        b, var = (x[design.span(t)].reshape(shape) for x in (modes.b, variance))
        kept = _occupied(model, term)
        kernel = term.root is not None
        for a, name in enumerate(term.columns):
            mode, v = (x.ravel() if kernel else x[:, a].ravel() / term.scale[a] for x in (b, var))
            if not kernel:
                v = v / term.scale[a]
            tables.append(
                pd.DataFrame(
                    {
                        "group": term.group,
                        "term": name,
                        "level": term.levels[kept],
                        "mode": mode[kept],
                        "std_error": np.sqrt(np.maximum(v[kept], 0.0)),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def _occupied(model: Model, term: Term) -> np.ndarray:
    """Which of a term's levels have rows; a kernel's count whether they have or not."""
    if term.root is not None:
        return np.ones(len(term.levels), dtype=bool)
    return _level_sums(model, term, model.rows_per_cell) > 0


def _level_sums(model: Model, term: Term, cells: np.ndarray) -> np.ndarray:
    """Sums of cells (units × columns) by level of a term."""
    copy = term.index[:, 0] // term.q
    if not term.cross:
        return np.bincount(copy, cells.sum(axis=1), term.copies)
    units = len(copy)
    shape = (term.copies, units)
    gather = sparse.csr_array((np.ones(units), (copy, np.arange(units))), shape)
    return np.ravel(gather @ cells)


def _separated(model: Model) -> list[str]:
    counts, found = model.likelihood.counts, {}
    for term in model.design.terms:
        if term.root is None and term.group not in found:
            success, trials = (
                _level_sums(model, term, x) for x in (counts.successes, counts.trials)
            )
            found[term.group] = separated(term.group, term.levels, success, trials)
    return [name for names in found.values() for name in names]
