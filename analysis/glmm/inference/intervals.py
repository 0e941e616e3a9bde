"""The one table that every kind of interval is reported in."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.glmm.degrees import t_table
from capability_transfer.analysis.glmm.result import WALD_LEVEL, Fit, critical

METHODS = ("wald", "t", "profile", "bootstrap")

COLUMNS = [
    "kind", "group", "term", "estimate", "method", "conf_low", "conf_high", "replicates", "seed",
]  # fmt: skip
"""``kind`` is fixed, sd (log-odds) or explained (share of variance); ``replicates`` and ``seed``
are empty but for the bootstrap."""


def interval_table(
    rows: list[tuple[str, str, str, float, float, float]],
    method: str,
    replicates: int | None = None,
    seed: int | None = None,
) -> pd.DataFrame:
    """A table with ``COLUMNS`` from rows of kind, group, term, estimate, conf_low, conf_high."""
    table = pd.DataFrame(rows, columns=[*COLUMNS[:4], "conf_low", "conf_high"])
    table = table.assign(method=method, replicates=replicates, seed=seed)
    return table.astype({"replicates": "Int64", "seed": "Int64"})[COLUMNS]


def wald_intervals(fit: Fit, level: float = WALD_LEVEL) -> pd.DataFrame:
    """Estimate ± z standard errors of the fixed effects.

    SDs have none: near zero their estimates are far from normal.
    """
    table = fit.fixed_effects
    half = critical(level) * table["std_error"].to_numpy()
    ends = {"conf_low": table["estimate"] - half, "conf_high": table["estimate"] + half}
    return _fixed(table.assign(**ends), "wald")


def t_intervals(fit: Fit, data: pd.DataFrame, level: float = WALD_LEVEL) -> pd.DataFrame:
    """Intervals of the fixed effects that allow for few levels (``glmm.degrees``)."""
    return _fixed(t_table(fit, data, level), "t")


def _fixed(table: pd.DataFrame, method: str) -> pd.DataFrame:
    columns = ["term", "estimate", "conf_low", "conf_high"]
    rows = table[columns].itertuples(index=False, name=None)
    return interval_table([("fixed", "", *row) for row in rows], method)
