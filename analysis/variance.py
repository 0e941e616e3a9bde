"""How much of the variation the features explain (section 4.2)."""

from __future__ import annotations

import pandas as pd

from analysis.glmm.result import Fit
from common.errors import InputError

EXPLAINED_GROUPS = ("language", "variant:language")


def variance_explained(
    full: Fit, baseline: Fit, groups: tuple[str, ...] = EXPLAINED_GROUPS
) -> pd.DataFrame:
    """1 − SD²(full) / SD²(baseline) of each group: columns group, sd_baseline, sd, explained.

    Raises InputError where the baseline has no variance left to explain.
    """
    rows = []
    for group in groups:
        before, after = baseline.sd(group), full.sd(group)
        if before == 0:
            raise InputError(f"the baseline's SD of {group} is 0: there is nothing to explain")
        share = share_explained(after, before)
        rows.append({"group": group, "sd_baseline": before, "sd": after, "explained": share})
    return pd.DataFrame(rows)


def share_explained(sd: float, sd_baseline: float) -> float:
    """1 − SD²/SD² of the baseline: below zero where the features make the SD larger."""
    return 1 - sd**2 / sd_baseline**2
