"""Estimated means, contrasts between them, and average effects on the probability.

Means are those of R's emmeans: fixed effects over a grid of all levels of the factors, numbers at
their means, averaged on the scale of log-odds with equal weights. Average marginal effects are the
mean over the rows fitted of what a change does to their probability, random effects at their modes.
Intervals are by the delta method, random effects taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import LOGICAL
from capability_transfer.analysis.glmm.frames import Wide
from capability_transfer.analysis.glmm.predict import linear_predictor, probability, slope
from capability_transfer.analysis.glmm.result import WALD_LEVEL, Fit, check_level, critical
from capability_transfer.analysis.glmm.wald import single
from capability_transfer.common.errors import InputError, name_some, suggest
from scipy import stats

ADJUSTMENTS = ("tukey", "bonferroni", "holm", "none")
CONTRASTS = ("pairwise", "reference")
STEP = 1e-4  # of a covariate's SD, for its derivative


def means(
    fit: Fit,
    data: pd.DataFrame,
    specs: str | Sequence[str],
    at: Mapping[str, object] | None = None,
    kind: str = "response",
    level: float = WALD_LEVEL,
) -> pd.DataFrame:
    """Estimated marginal means.

    Args:
        fit: the model.
        data: the rows fitted.
        specs: the covariates whose values have a mean each.
        at: values of covariates, instead of all levels of a factor or of a number's mean.
        kind: ``response`` (probabilities; intervals are those of the log-odds, transformed) or
            ``link`` (log-odds).
        level: of the intervals.

    Returns the columns of ``specs``, estimate, std_error, conf_low, conf_high.
    """
    if kind not in ("response", "link"):
        raise InputError(f"kind is 'response' or 'link', not {kind!r}")
    keys, matrix, offset, _ = _averaged(fit, data, specs, at)
    eta = matrix @ fit.coefficients.to_numpy() + offset
    std_error = np.sqrt(np.einsum("ij,jk,ik->i", matrix, fit.covariance, matrix))
    half = critical(level) * std_error
    columns = {
        "estimate": eta,
        "std_error": std_error,
        "conf_low": eta - half,
        "conf_high": eta + half,
    }
    if kind == "response":
        rows = _floor_row(fit, data, len(keys))
        columns = {
            name: std_error * slope(fit, eta, rows)
            if name == "std_error"
            else probability(fit, value, rows)
            for name, value in columns.items()
        }
    return keys.assign(**columns)


def contrasts(
    fit: Fit,
    data: pd.DataFrame,
    specs: str | Sequence[str],
    method: str = "pairwise",
    at: Mapping[str, object] | None = None,
    by: str | Sequence[str] = (),
    adjust: str = "tukey",
    level: float = WALD_LEVEL,
) -> pd.DataFrame:
    """Differences of estimated means in log-odds, and the odds ratios that these are.

    Args:
        fit: the model.
        data: the rows fitted.
        specs: see ``means``.
        method: ``pairwise``, or ``reference``: each against the first.
        at: see ``means``.
        by: covariates within whose values means are compared.
        adjust: p-values and intervals for the number of comparisons (of each of ``by``): ``tukey``,
            ``bonferroni``, ``holm`` (intervals as Bonferroni's) or ``none``.
        level: of the intervals.

    Returns the columns of ``by``, contrast, estimate, std_error, statistic, p_value, conf_low,
    conf_high, odds_ratio; printed, it says how p-values and intervals are adjusted.
    """
    if method not in CONTRASTS:
        raise InputError(f"contrasts are {' or '.join(CONTRASTS)}, not {method!r}")
    if adjust not in ADJUSTMENTS:
        raise InputError(f"adjust is one of {', '.join(ADJUSTMENTS)}, not {adjust!r}")
    check_level(level)
    within, specs = _listed(by), _listed(specs)
    keys, matrix, offset, _ = _averaged(fit, data, [*specs, *within], at)
    beta, tables = fit.coefficients.to_numpy(), []
    groups = keys.groupby(within, sort=False).indices.items() if within else [((), keys.index)]
    for values, places in groups:
        names = [" ".join(map(str, row)) for row in keys.loc[places, specs].to_numpy()]
        pairs = list(combinations(range(len(places)), 2))
        if method == "reference":
            pairs = [(place, 0) for place in range(1, len(places))]
        if not pairs:
            raise InputError(f"{', '.join(specs)} has one mean: there is nothing to compare")
        rows = []
        for i, j in pairs:
            row = matrix[places[i]] - matrix[places[j]]
            apart = row @ beta + offset[places[i]] - offset[places[j]]
            found = single(apart, float(np.sqrt(row @ fit.covariance @ row)), level)
            rows.append({"contrast": f"{names[i]} - {names[j]}"} | found)
        table = _adjusted(pd.DataFrame(rows), adjust, len(places), level)
        for place, name in enumerate(within):
            value = values[place] if isinstance(values, tuple) else values
            table.insert(place, name, value)
        tables.append(table.assign(odds_ratio=np.exp(table["estimate"])))
    found = Wide(pd.concat(tables, ignore_index=True))
    found.attrs["note"] = _adjustment(adjust, len(tables[0]), within, level)
    return found


def effects(
    fit: Fit,
    data: pd.DataFrame,
    variables: str | Sequence[str] | Mapping[str, Sequence] | None = None,
    groups: Sequence[str] | None = None,
    level: float = WALD_LEVEL,
) -> pd.DataFrame:
    """Average marginal effects on the probability.

    Args:
        fit: the model.
        data: the rows to average over.
        variables: the covariates, all by default; a mapping gives the two values of a number to
            compare instead of its derivative: ``{"reasoning": (0, 1)}``.
        groups: whose random effects enter, at their modes; all by default, none if empty.
        level: of the intervals.

    Returns term, contrast (``dY/dX`` of a number, ``level - first level`` of a factor), estimate,
    std_error, statistic, p_value, conf_low, conf_high.
    """
    covariates = sorted(fit.formula.covariates())
    asked = covariates if variables is None else variables
    pairs = dict(asked) if isinstance(asked, Mapping) else {}
    rows = []
    for name in _listed(asked):
        _check(name, covariates)
        column = data[name]
        factor = _levels(fit, name, column)
        if name in pairs:
            low, high = pairs[name]
            changes = [(f"{high} - {low}", low, high, 1.0)]
        elif factor is not None:
            changes = [(f"{one} - {factor[0]}", factor[0], one, 1.0) for one in factor[1:]]
        else:
            step = STEP * (float(column.std()) or 1.0)
            changes = [("dY/dX", column - step, column + step, 2 * step)]
        for label, low, high, width in changes:
            (p, d), (q, e) = (
                _mean_probability(fit, data.assign(**{name: value}), groups)
                for value in (low, high)
            )
            gradient = (e - d) / width
            std_error = float(np.sqrt(gradient @ fit.covariance @ gradient))
            found = single((q - p) / width, std_error, level)
            rows.append({"term": name, "contrast": label} | found)
    return Wide(rows)


def _mean_probability(
    fit: Fit, rows: pd.DataFrame, groups: Sequence[str] | None
) -> tuple[float, np.ndarray]:
    """The mean probability of rows, and its derivative by the fixed effects."""
    eta = linear_predictor(fit, rows, groups, new_levels="population")
    steep = slope(fit, eta, rows)
    return float(probability(fit, eta, rows).mean()), steep @ fit.fixed_matrix(rows) / len(rows)


def _averaged(
    fit: Fit, data: pd.DataFrame, specs: str | Sequence[str], at: Mapping[str, object] | None
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, pd.DataFrame]:
    """The values of ``specs``, the design rows of their means, offsets, and the whole grid."""
    specs, at = _listed(specs), dict(at or {})
    covariates = sorted(fit.formula.covariates())
    for name in [*specs, *at]:
        _check(name, covariates)
    values = {}
    for name in [*specs, *(name for name in covariates if name not in specs)]:
        factor = _levels(fit, name, data[name])
        if name in at:
            given = at[name]
            values[name] = _listed(given) if isinstance(given, str) else list(np.ravel(given))
        elif factor is not None:
            values[name] = factor
        else:
            values[name] = [float(data[name].mean())]
    grid = pd.DataFrame(product(*values.values()), columns=list(values))
    extra = fit.formula.variables() - set(grid) - fit.formula.outcomes()
    for name in extra:  # offsets
        if pd.api.types.is_numeric_dtype(data[name]):
            grid[name] = float(data[name].mean())
    matrix, offset = fit.fixed_matrix(grid), fit.formula.offset(grid)
    keys = grid[specs].drop_duplicates(ignore_index=True)
    code = grid.groupby(specs, sort=False).ngroup().to_numpy()
    size = np.bincount(code)
    averaged = np.zeros((len(keys), matrix.shape[1]))
    np.add.at(averaged, code, matrix)
    return keys, averaged / size[:, None], np.bincount(code, offset) / size, grid


def _levels(fit: Fit, name: str, column: pd.Series) -> list | None:
    """The values of a covariate that is a factor, or that only factors are made of; else None."""
    known = fit.levels.get(name)
    if isinstance(known, tuple):
        return [False, True] if tuple(known) == LOGICAL else list(known)
    made = [text for text in fit.levels if f"factor({name})" in text]
    if made and f"{name}" not in fit.formula.expansion().variables():
        return sorted(column.unique())
    return None


def _floor_row(fit: Fit, data: pd.DataFrame, count: int) -> pd.DataFrame:
    """Rows with the numbers of the data at their means, for what else a probability depends on."""
    numbers = data.select_dtypes("number").mean()
    return pd.DataFrame([numbers] * count).reset_index(drop=True)


def _check(name: str, covariates: Sequence[str]) -> None:
    if name not in covariates:
        raise InputError(
            f"{name} is no covariate of the model.{suggest(name, covariates)} There are "
            f"{name_some(covariates, 20)}"
        )


def _listed(names: str | Sequence[str] | Mapping) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _adjustment(adjust: str, tests: int, within: list[str], level: float) -> str:
    """How p-values and intervals of so many comparisons are adjusted, in words."""
    if tests == 1 or adjust == "none":
        return f"{100 * level:g}% intervals; p-values and intervals are of each comparison alone"
    how = {"tukey": "Tukey's method", "bonferroni": "Bonferroni's method",
           "holm": "Holm's method, intervals by Bonferroni's"}[adjust]  # fmt: skip
    each = f" within each {' and '.join(within)}" if within else ""
    return (
        f"p-values and {100 * level:g}% intervals are adjusted for {tests} comparisons{each}: {how}"
    )


def _adjusted(table: pd.DataFrame, adjust: str, count: int, level: float) -> pd.DataFrame:
    """p-values and intervals of ``count`` means' comparisons."""
    tests, p = len(table), table["p_value"].to_numpy()
    critical = stats.norm.ppf(1 - (1 - level) / 2 / tests)
    if adjust == "none":
        return table
    if adjust == "tukey":
        spread = stats.studentized_range(count, np.inf)
        p = spread.sf(np.sqrt(2) * table["statistic"].abs().to_numpy())
        critical = spread.ppf(level) / np.sqrt(2)
    else:
        from statsmodels.stats.multitest import multipletests

        p = multipletests(p, method=adjust)[1]
    half = critical * table["std_error"]
    return table.assign(
        p_value=p, conf_low=table["estimate"] - half, conf_high=table["estimate"] + half
    )
