"""Checks of the data before a fit, and of the fit against the data."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import INTERCEPT, Levels
from capability_transfer.analysis.glmm.formula import Formula, RandomTerm
from capability_transfer.analysis.glmm.predict import fitted_probability
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.separation import Separation, find_separation
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.files import hash_table

NAMED = 5  # levels of a group that are told one by one


def check_design(formula: Formula, data: pd.DataFrame) -> list[str]:
    """The fixed-effect columns that are identified; InputError for what no engine can fit.

    Named are: outcomes that are all equal, and what ``check_terms`` names.
    """
    formula.check(data)
    check_outcomes(*formula.counts(data))
    return check_terms(formula, data, formula.levels(data))


def check_outcomes(success: np.ndarray, trials: np.ndarray) -> None:
    """Raise InputError if there is no trial or every outcome is the same."""
    if trials.sum() == 0:
        raise InputError("no row has a trial: every n_total is 0")
    if success.sum() in (0, trials.sum()):
        outcome = "wrong" if success.sum() == 0 else "right"
        raise InputError(f"every outcome is {outcome}: there is nothing to model")


def check_terms(formula: Formula, data: pd.DataFrame, known: Levels) -> list[str]:
    """The fixed-effect columns that are identified; InputError for terms that are not.

    Named are: constant or collinear fixed-effect columns, grouping factors with one level, and
    random slopes that do not vary. Columns of an interaction without its main effects, which R
    codes in full, are left out where they are sums of others, as lme4 leaves them out. Rows that
    repeat others' covariates may be missing.
    """
    fixed = formula.fixed_columns(data, known)
    dependent = dependent_columns(fixed.values, fixed.names)
    in_full = {name for name, aliased in zip(fixed.names, fixed.aliased, strict=True) if aliased}
    if unidentified := [name for name in dependent if name not in in_full]:
        raise InputError(
            f"fixed effects cannot be told apart: {name_some(unidentified)} "
            "(constant, or a combination of the columns before it); drop it from the formula"
        )
    seen: dict[tuple[str, str], RandomTerm] = {}
    for term in formula.random:
        levels = term.levels(data).nunique()
        if levels < 2:
            raise InputError(
                f"{term} needs at least two levels of {term.group}; the data have {levels}"
            )
        covariates, columns = term.matrix(data, known)
        for position, column in enumerate(columns):
            if (term.group, column) in seen:
                raise InputError(
                    f"two random terms give {term.group} the effect {column}, and cannot be told "
                    f"apart: {seen[term.group, column]} and {term}"
                )
            seen[term.group, column] = term
            if column != INTERCEPT and np.ptp(covariates[:, position]) == 0:
                raise InputError(f"the random slope {column} of {term} is constant in the data")
    return [name for name in fixed.names if name not in dependent]


def dropped_columns(formula: Formula, data: pd.DataFrame, kept: list[str]) -> list[str]:
    """The fixed columns that ``check_terms`` left out."""
    _, names = formula.fixed_matrix(data)
    return [name for name in names if name not in kept]


def redundant_terms(formula: Formula, data: pd.DataFrame, known: Levels) -> list[str]:
    """Pairs of random terms that the data cannot tell apart, each named.

    Two terms whose levels part the rows alike and whose covariates share a direction: the
    likelihood knows only the sum of their variances.
    """
    partitions = [term.codes(data).codes for term in formula.random]
    found = []
    for j, second in enumerate(formula.random):
        for i, first in enumerate(formula.random[:j]):
            if not np.array_equal(partitions[i], partitions[j]):
                continue
            both = [term.matrix(data, known)[0] for term in (first, second)]
            if np.linalg.matrix_rank(_gram(np.concatenate(both, axis=1))) < sum(
                np.linalg.matrix_rank(_gram(part)) for part in both
            ):
                found.append(f"{first} and {second}")
    return found


def _gram(matrix: np.ndarray) -> np.ndarray:
    """X'X of columns of length one."""
    norms = np.linalg.norm(matrix, axis=0)
    scaled = matrix / np.where(norms > 0, norms, 1.0)
    return scaled.T @ scaled


def dependent_columns(matrix: np.ndarray, names: list[str]) -> list[str]:
    """Columns that are a linear combination of the columns before them (or all zero)."""
    norms = np.linalg.norm(matrix, axis=0)
    kept: list[np.ndarray] = []
    dependent = []
    for name, column, norm in zip(names, matrix.T, norms, strict=True):
        rest = column / norm if norm > 0 else column
        for _ in range(2):  # twice is enough (Kahan): the second pass removes rounding
            for direction in kept:
                rest = rest - (direction @ rest) * direction
        size = np.linalg.norm(rest)
        if size < 1e-8:
            dependent.append(name)
        else:
            kept.append(rest / size)
    return dependent


def column_hashes(formula: Formula, data: pd.DataFrame) -> dict[str, str]:
    """A hash of the values of every column on the formula's right side, in the order of the rows.

    With ``outcome_hash``, two fits are of the same data where what both name has the same hashes.
    """
    right = formula.variables() - formula.outcomes()
    return {name: hash_table(data[[name]]) for name in sorted(right)}


def outcome_hash(formula: Formula, success: np.ndarray, trials: np.ndarray) -> dict[str, str]:
    """A hash of every row's counts, under the formula's left side."""
    counts = pd.DataFrame({"success": success, "trials": trials}, dtype=float)
    return {formula.response: hash_table(counts)}


def fixed_separation(formula: Formula, data: pd.DataFrame, names: list[str]) -> Separation | None:
    """What of the fixed columns ``names`` foretells outcomes without error, or None."""
    matrix, all_names = formula.fixed_matrix(data)
    matrix = matrix[:, [all_names.index(name) for name in names]]
    scale = 1 / np.abs(matrix).max(axis=0)
    return find_separation(matrix * scale, np.diag(scale), names, *formula.counts(data))


def separated_levels(formula: Formula, data: pd.DataFrame) -> list[str]:
    """Levels of the grouping factors with all or no successes, as ``separated`` gives them."""
    success, trials = formula.counts(data)
    found = []
    for group, term in {term.group: term for term in formula.random}.items():
        own = term.codes(data)
        order = np.argsort(own.labels, kind="stable")
        sums = [np.bincount(own.codes, counts)[order] for counts in (success, trials)]
        found += separated(group, own.labels[order], *sums)
    return found


def separated(group: str, levels, success: np.ndarray, trials: np.ndarray) -> list[str]:
    """The levels of a group with all or no successes, given each level's successes and trials.

    As ``group level: all wrong``; more than ``NAMED`` are counted, in one text.
    """
    success, trials, levels = np.asarray(success), np.asarray(trials), np.asarray(levels)
    found = []
    for outcome, at in (("wrong", success == 0), ("right", success == trials)):
        found += [f"{group} {level}: all {outcome}" for level in levels[at & (trials > 0)]]
    if len(found) <= NAMED:
        return found
    return [f"{len(found):,} of {len(levels):,} levels of {group}: all right or all wrong"]


def dispersion(fit: Fit, data: pd.DataFrame) -> float:
    """Pearson statistic over residual degrees of freedom; about 1 for binomial variation.

    Rows without trials do not count. The residual degrees of freedom take the parameters off,
    not the modes, so the figure is a little low for designs with many levels.
    """
    return pearson_dispersion(*fit.formula.counts(data), fitted_probability(fit, data), fit.df)


def pearson_dispersion(
    success: np.ndarray, trials: np.ndarray, probability: np.ndarray, parameters: int
) -> float:
    """``dispersion`` from every row's counts and fitted probability."""
    used = trials > 0
    expected = trials * probability
    variance = expected * (1 - probability)
    pearson = ((success - expected)[used] ** 2 / np.maximum(variance[used], 1e-12)).sum()
    return float(pearson / max(int(used.sum()) - parameters, 1))
