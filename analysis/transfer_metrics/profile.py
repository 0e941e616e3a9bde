"""The transfer profile E[T | S = s]: binned, and the area under it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.transfer_metrics.items import ItemRates

BINS = 10
"""Equal-width bins of the source pass rate."""


def profile(rates: ItemRates, bins: int = BINS) -> pd.DataFrame:
    """The binned profile of one model, one row a bin that has items.

    Columns: low, high (bounds of the source pass rate; the last bin includes 1), items,
    source_rate and target_rate (means of s and of t over the bin's items, t being averaged over
    the target languages), std_error (of target_rate over items; NaN for a single one).
    """
    target = rates.target_rate.mean(axis=1)
    table = pd.DataFrame(
        {"bin": bin_of(rates.source_rate, bins), "s": rates.source_rate, "t": target}
    )
    rows = table.groupby("bin").agg(
        items=("s", "size"),
        source_rate=("s", "mean"),
        target_rate=("t", "mean"),
        std_error=("t", "sem"),
    )
    rows.insert(0, "low", rows.index / bins)
    rows.insert(1, "high", (rows.index + 1) / bins)
    return rows.reset_index(drop=True)


def bin_of(source_rate: np.ndarray, bins: int = BINS) -> np.ndarray:
    """The bin, 0 to ``bins`` − 1, of every source pass rate."""
    # a rate such as 0.3 must not slip below its edge by rounding
    return np.minimum(np.floor(source_rate * bins + 1e-9).astype(int), bins - 1)


def area(count: np.ndarray, source_sum: np.ndarray, target_sum: np.ndarray) -> np.ndarray:
    """2 ∫₀¹ E[T | S = s] ds by trapezoids through the bins' mean points (HAT paper, Eq. 2).

    Below the first point and above the last the profile follows the ray from the origin through
    that point, so that a linear profile gives exactly its slope, whatever the bins. NaN where no
    item has a source pass rate above 0.

    Args:
        count: draws × bins: weight, and weighted sums of s and t.
        source_sum: see ``count``.
        target_sum: see ``count``.

    Returns one value a draw.
    """
    filled = count > 0
    weight = np.where(filled, count, 1.0)
    s, t = source_sum / weight, target_sum / weight
    positions = np.where(filled, np.arange(count.shape[1]), -1)
    last = np.maximum.accumulate(positions, axis=1)
    before = np.hstack([np.full((len(count), 1), -1), last[:, :-1]])
    reached = np.clip(before, 0, None)
    s_before = np.where(before >= 0, np.take_along_axis(s, reached, 1), 0.0)
    t_before = np.where(before >= 0, np.take_along_axis(t, reached, 1), 0.0)
    inside = np.where(filled, (s - s_before) * (t + t_before) / 2, 0.0).sum(axis=1)
    end = np.clip(last[:, -1:], 0, None)
    s_end, t_end = np.take_along_axis(s, end, 1)[:, 0], np.take_along_axis(t, end, 1)[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.where(s_end > 0, t_end / s_end, np.nan) * (1 - s_end**2) / 2
    return 2 * (inside + above)
