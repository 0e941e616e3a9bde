"""The one table that every kind of interval is reported in."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.result import WALD_LEVEL, Fit
from scipy import stats

METHODS = ("wald", "profile", "bootstrap")

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
    half = stats.norm.ppf(0.5 + level / 2) * table["std_error"].to_numpy()
    estimate = table["estimate"].to_numpy()
    fixed = np.column_stack([estimate, estimate - half, estimate + half]).tolist()
    return interval_table(
        [("fixed", "", term, *row) for term, row in zip(table["term"], fixed, strict=True)], "wald"
    )
