"""Languages in thirds by how much text there is in them."""

from __future__ import annotations

import numpy as np
import pandas as pd

TERCILES = ("low", "middle", "high")


def terciles(resource: pd.Series) -> pd.Series:
    """``low``, ``middle`` or ``high`` by rank among the values at hand, NaN where none is known.

    Ties stay together, in the lower third.
    """
    values = pd.to_numeric(resource)
    share = (values.rank(method="min") - 1) / values.notna().sum()
    labels = [
        np.nan if np.isnan(part) else TERCILES[min(int(3 * part + 1e-9), 2)] for part in share
    ]
    return pd.Series(labels, index=resource.index, dtype=object)
