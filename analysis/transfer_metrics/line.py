"""Accuracy on the line: target against source accuracy across models (HAT paper, section 3)."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError
from scipy import stats


def on_the_line(table: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Least-squares line of target_accuracy on source_accuracy, one row.

    Args:
        table: one row per model with ``source_accuracy`` and ``target_accuracy`` (0 to 1).
        level: of the t interval of the slope.

    Returns models, slope, intercept, conf_low, conf_high (of the slope), r_squared, p_value.

    Raises InputError for fewer than three models (two always lie on a line) and for models that
    all have the same source accuracy.
    """
    x = table["source_accuracy"].to_numpy(dtype=float)
    y = table["target_accuracy"].to_numpy(dtype=float)
    if len(x) < 3:
        raise InputError(
            f"accuracy on the line needs at least three models, there is {len(x)}: "
            "fewer lie on a line whatever they do"
        )
    if np.ptp(x) == 0:
        raise InputError("all models have the same source accuracy: no line is determined")
    fit = stats.linregress(x, y)
    half = stats.t.ppf((1 + level) / 2, len(x) - 2) * fit.stderr
    return pd.DataFrame(
        [
            {
                "models": len(x),
                "slope": fit.slope,
                "intercept": fit.intercept,
                "conf_low": fit.slope - half,
                "conf_high": fit.slope + half,
                "r_squared": fit.rvalue**2,
                "p_value": fit.pvalue,
            }
        ]
    )
