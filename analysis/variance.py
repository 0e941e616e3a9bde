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
        rows.append(
            {
                "group": group,
                "sd_baseline": before,
                "sd": after,
                "explained": 1 - after**2 / before**2,
            }
        )
    return pd.DataFrame(rows)
