"""Percentile bootstrap over items (Efron, 1979), as in section 5.4 of the HAT paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from capability_transfer.common.errors import InputError

DRAWS = 1000
LEVEL = 0.95
SEED = 20261006


def item_weights(items: int, draws: int = DRAWS, seed: int | Sequence[int] = SEED) -> np.ndarray:
    """How often each item is in each resample with replacement: draws × items.

    The same number of items and the same seed give the same resamples, so that models and target
    sets are compared on the same items.
    """
    if draws < 1:
        raise InputError(f"the number of bootstrap draws must be positive, not {draws}")
    rng = np.random.default_rng(seed)
    return rng.multinomial(items, np.full(items, 1 / items), size=draws).astype(float)


def interval(draws: np.ndarray, level: float = LEVEL) -> tuple[float, float]:
    """Percentile interval over the draws; those where the metric is undefined (NaN) do not count.

    Both ends are NaN where more than one draw in twenty is undefined: what is left would be
    selected, not resampled.
    """
    defined = draws[~np.isnan(draws)]
    if defined.size < 0.95 * draws.size:
        return np.nan, np.nan
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
