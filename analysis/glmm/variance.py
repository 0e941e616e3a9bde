"""How much of the variation the features explain (section 4.2)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.result import Fit

EXPLAINED_GROUPS = ("language", "variant:language")


ZERO = 1e-4
"""An SD below is at zero, the edge of what it can be (``Fit.optimisation.singular``)."""


def variance_explained(
    full: Fit, baseline: Fit, groups: tuple[str, ...] = EXPLAINED_GROUPS
) -> pd.DataFrame:
    """1 − SD²(full) / SD²(baseline) of each group: columns group, sd_baseline, sd, explained.

    ``explained`` is missing where either SD is at zero (``unexplained`` says why).
    """
    rows = []
    for group in groups:
        before, after = baseline.sd(group), full.sd(group)
        share = share_explained(after, before) if min(before, after) >= ZERO else np.nan
        rows.append({"group": group, "sd_baseline": before, "sd": after, "explained": share})
    return pd.DataFrame(rows)


def unexplained(table: pd.DataFrame) -> list[str]:
    """Why a share of ``variance_explained`` is missing, a sentence each."""
    told = []
    for row in table[table["explained"].isna()].itertuples():
        if row.sd_baseline < ZERO:
            told.append(
                f"{row.group} has no variance left beside size: there is nothing to explain"
            )
        else:
            told.append(
                f"the SD of {row.group} is estimated at zero, the edge of what it can be: what "
                "share of its variance is explained cannot be said, and it need not be all of it"
            )
    return told


def share_explained(sd: float, sd_baseline: float) -> float:
    """1 − SD²/SD² of the baseline: below zero where the features make the SD larger.

    Missing where the baseline has no variance.
    """
    return 1 - sd**2 / sd_baseline**2 if sd_baseline > 0 else np.nan
