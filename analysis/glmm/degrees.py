"""t intervals of fixed effects, with the degrees of freedom of the levels that they rest on.

A covariate of languages has as many observations as there are languages, however many rows each
has. Wald's z knows nothing of it, nor that maximum likelihood finds the SD of few levels too small.
Where a column is the same within every level of a group, its effect has as many degrees of freedom
as that group has levels beyond the columns that they alone tell; of several such groups the one
with fewest levels counts. The interval is wider than Wald's by √(levels / df) and by the quantile
of t: exact for balanced normal data, and counted on simulated ones in ``results/coverage``.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.result import WALD_LEVEL, Fit
from capability_transfer.common.errors import name_some, option, speaks_options, spelled
from scipy import stats

FEW = 30
"""Degrees of freedom below which t intervals are recommended."""


def level_wise(fit: Fit, data: pd.DataFrame) -> pd.DataFrame:
    """What each fixed effect rests on: term, group, levels, df.

    ``group`` is empty and ``df`` infinite for a column that varies within the levels of every
    group: rows tell of it.
    """
    matrix = fit.fixed_matrix(data)
    constant, count = {}, {}
    for term in fit.formula.random:
        if term.group not in constant:
            codes, levels = pd.factorize(term.levels(data))
            constant[term.group] = _constant_within(matrix, codes)
            count[term.group] = len(levels)
    rows = []
    for place, name in enumerate(fit.fixed_effects["term"]):
        within = [group for group, columns in constant.items() if columns[place]]
        if not within:
            rows.append((name, "", fit.nobs, np.inf))
            continue
        group = min(within, key=count.__getitem__)
        rows.append((name, group, count[group], max(count[group] - constant[group].sum(), 1)))
    return pd.DataFrame(rows, columns=["term", "group", "levels", "df"]).astype({"df": float})


def few_levels(fit: Fit, data: pd.DataFrame, *, offered: bool = True) -> list[str]:
    """A word on the effects that few levels tell of, or nothing.

    ``offered`` is whether whoever reads it can ask for t intervals.
    """
    table = level_wise(fit, data)
    few = table[table["df"] < FEW]
    if few.empty:
        return []
    named = name_some(
        f"{row.term} ({row.levels} levels of {row.group})" for row in few.itertuples()
    )
    python = "conf_int(method='t') or tidy(conf_method='t')"
    ways = spelled(option("intervals", "t")) if speaks_options() else python
    return [
        f"few levels: {named}; Wald intervals are too narrow there"
        + (f", use {ways}" if offered else "")
    ]


def t_table(fit: Fit, data: pd.DataFrame, level: float = WALD_LEVEL) -> pd.DataFrame:
    """Fixed effects with t intervals: term, estimate, std_error, statistic, df, p_value, conf_low,
    conf_high, group; ``std_error`` is corrected for the degrees of freedom."""
    found = level_wise(fit, data)
    df = found["df"].to_numpy()
    finite = np.isfinite(df)
    widened = np.sqrt(np.where(finite, found["levels"] / np.where(finite, df, 1), 1.0))
    table = fit.fixed_effects[["term", "estimate"]].copy()
    table["std_error"] = fit.fixed_effects["std_error"] * widened
    table["statistic"] = table["estimate"] / table["std_error"]
    table["df"] = df
    table["p_value"] = 2 * stats.t.sf(table["statistic"].abs(), df)
    half = stats.t.ppf(0.5 + level / 2, df) * table["std_error"]
    table["conf_low"], table["conf_high"] = table["estimate"] - half, table["estimate"] + half
    return table.assign(group=found["group"])


def _constant_within(matrix: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Which columns have one value in every level."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(codes[order]) > 0])
    ordered = matrix[order]
    return np.array(
        [
            np.allclose(
                np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts), 1e-12, 1e-12
            )
            for x in ordered.T
        ]
    )
