"""Likelihood-ratio tests of nested fits, with the boundary of variances allowed for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common.errors import InputError, name_some
from scipy import stats


@dataclass(frozen=True)
class LikelihoodRatio:
    """A likelihood-ratio test.

    Attributes:
        statistic: twice the difference of the log-likelihoods.
        df: difference of the numbers of parameters.
        p_value: by χ² with ``df``; conservative where variances are tested, since under the null
            hypothesis they lie on the boundary of what is possible.
        p_value_mixture: by the χ̄² mixture for ``variances`` variances on the boundary (Self &
            Liang 1987; Stram & Lee 1994): Σ C(m, j) 2⁻ᵐ χ²(df − m + j) for m variances. With one
            variance this is exact to first order; with several it takes their estimates to be
            uncorrelated. NaN where one term loses several correlated effects at once: those
            weights are not binomial. Equal to ``p_value`` where no variance is tested.
        variances: how many variances the reduced model sets to zero.
    """

    statistic: float
    df: int
    p_value: float
    p_value_mixture: float
    variances: int

    def table(self) -> pd.DataFrame:
        """One row: statistic, df, p_value, p_value_mixture."""
        row = (self.statistic, self.df, self.p_value, self.p_value_mixture)
        return pd.DataFrame([row], columns=["statistic", "df", "p_value", "p_value_mixture"])


def likelihood_ratio_test(full: Fit, reduced: Fit) -> LikelihoodRatio:
    """Test the effects that ``full`` has and ``reduced`` lacks (both by maximum likelihood).

    Raises InputError unless the fits are of the same engine, outcomes and offsets, the columns
    that both formulas name are the same, and ``reduced`` is nested in ``full`` by the names of its
    effects.
    """
    _check_pair(full, reduced)
    sds, fewer = _sd_keys(full), _sd_keys(reduced)
    _check_nested("fixed effects", full.fixed_effects["term"], reduced.fixed_effects["term"])
    _check_nested("random effects", sds, fewer)
    _check_nested("correlations", _pairs(full), _pairs(reduced))
    df = full.df - reduced.df
    if df <= 0:
        raise InputError("the two models have the same parameters: there is nothing to test")
    statistic = max(reduced.deviance - full.deviance, 0.0)
    removed = sds - fewer
    several = any(
        (pair[0], pair[1]) in removed and (pair[0], pair[2]) in removed for pair in _pairs(full)
    )
    mixture = np.nan if several else mixture_p_value(statistic, df, len(removed))
    return LikelihoodRatio(
        statistic, df, float(stats.chi2.sf(statistic, df)), mixture, len(removed)
    )


def mixture_p_value(statistic: float, df: int, variances: int) -> float:
    """Tail of Σ_j C(m, j) 2⁻ᵐ χ²(df − m + j), m = ``variances``; χ²(0) is a point mass at 0."""
    weights = [comb(variances, j) / 2**variances for j in range(variances + 1)]
    tails = [
        stats.chi2.sf(statistic, df - variances + j) if df - variances + j else statistic <= 0
        for j in range(variances + 1)
    ]
    return float(np.dot(weights, tails))


def _sd_keys(fit: Fit) -> set[tuple[str, str]]:
    return set(fit.random_effects[["group", "term"]].itertuples(index=False, name=None))


def _pairs(fit: Fit) -> set[tuple[str, str, str]]:
    table = fit.correlations[["group", "term_1", "term_2"]]
    return set(table.itertuples(index=False, name=None))


def _check_pair(full: Fit, reduced: Fit) -> None:
    if full.engine != reduced.engine:
        raise InputError(
            f"likelihoods of {full.engine} and {reduced.engine} are not compared: fit both models "
            "by one engine"
        )
    if full.formula.response != reduced.formula.response:
        raise InputError(
            f"the models have different responses: {full.formula.response} and "
            f"{reduced.formula.response}"
        )
    if (full.nobs, full.trials) != (reduced.nobs, reduced.trials):
        raise InputError(
            f"the models were fitted to different rows: {full.nobs:,} rows with {full.trials:,} "
            f"trials, and {reduced.nobs:,} with {reduced.trials:,}"
        )
    if set(full.formula.offsets) != set(reduced.formula.offsets):
        raise InputError(
            f"the models have different offsets: {name_some(full.formula.offsets) or 'none'} and "
            f"{name_some(reduced.formula.offsets) or 'none'}"
        )
    if full.quadrature != reduced.quadrature:
        raise InputError(
            f"the models' likelihoods are by {full.quadrature} and {reduced.quadrature} points of "
            "quadrature: fit both with the same nAGQ"
        )
    if full.formula.floor != reduced.formula.floor:
        raise InputError(
            f"the models have different floors: {full.formula.floor or 'none'} and "
            f"{reduced.formula.floor or 'none'}"
        )
    ours, theirs = (fit.diagnostics.get("columns", {}) for fit in (full, reduced))
    changed = [name for name in ours if name in theirs and ours[name] != theirs[name]]
    if changed:
        raise InputError(
            f"the models were fitted to different rows, or to the same in another order: the "
            f"values of {name_some(changed)} differ"
        )


def _check_nested(kind: str, larger: Iterable, smaller: Iterable) -> None:
    if extra := sorted(set(smaller) - set(larger)):
        names = [" ".join(name) if isinstance(name, tuple) else name for name in extra]
        raise InputError(
            f"the reduced model is not nested in the full one: it alone has {kind} "
            f"{name_some(names)}"
        )
