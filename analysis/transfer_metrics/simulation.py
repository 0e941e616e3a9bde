"""What few passes do to HAT: simulated pass rates along a known linear profile.

s is drawn from a Beta distribution, the target probability is slope × s in every target language,
and both are seen through ``passes`` answers an item.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from capability_transfer.analysis.transfer_metrics.bootstrap import (
    DRAWS,
    SEED,
    interval,
    item_weights,
)
from capability_transfer.analysis.transfer_metrics.estimators import METRICS, Sample
from capability_transfer.analysis.transfer_metrics.items import ItemRates

SLOPE = 0.8
PASSES = (2, 3, 5, 10, 20, 50)
HARDNESS = (2.0, 2.0)
"""Beta parameters of s: items neither all easy nor all hard."""

SHOWN = ("hat", "hat_corrected", "hat_area", "transfer_score", "r_squared")


def draw_rates(
    rng: np.random.Generator,
    slope: float = SLOPE,
    passes: int = 5,
    items: int = 100,
    languages: int = 10,
    hardness: tuple[float, float] = HARDNESS,
) -> ItemRates:
    """One simulated model: s ~ Beta(hardness), t = slope · s, both seen through ``passes``."""
    s = rng.beta(*hardness, size=items)
    seen_source = rng.binomial(passes, s) / passes
    seen_target = rng.binomial(passes, slope * s[:, None], size=(items, languages)) / passes
    return ItemRates(
        variant="simulated",
        source="source",
        languages=tuple(f"target {number}" for number in range(1, languages + 1)),
        items=tuple(map(str, range(items))),
        source_rate=seen_source,
        source_trials=np.full(items, passes),
        target_rate=seen_target,
    )


def bias(
    passes: Sequence[int] = PASSES,
    slope: float = SLOPE,
    repeats: int = 500,
    seed: int = SEED,
    **settings: object,
) -> pd.DataFrame:
    """Mean and spread of the estimators over simulated models, by number of passes.

    Returns passes, metric, slope (the truth of the HAT estimators), mean, sd, repeats.
    ``settings`` go to ``draw_rates``.
    """
    rows = []
    for number in passes:
        rng = np.random.default_rng([seed, number])
        models = [draw_rates(rng, slope, number, **settings) for _ in range(repeats)]
        samples = [Sample(model, np.ones((1, len(model.items)))) for model in models]
        for metric in SHOWN:
            values = np.array([METRICS[metric](sample)[0] for sample in samples])
            rows.append(
                {
                    "passes": number,
                    "metric": metric,
                    "slope": slope,
                    "mean": np.nanmean(values),
                    "sd": np.nanstd(values, ddof=1),
                    "repeats": repeats,
                }
            )
    return pd.DataFrame(rows)


def coverage(
    passes: Sequence[int] = (5,),
    slope: float = SLOPE,
    repeats: int = 500,
    draws: int = DRAWS,
    seed: int = SEED,
    **settings: object,
) -> pd.DataFrame:
    """How often the 95% bootstrap interval of the plain and of the corrected HAT has the slope.

    Returns passes, metric, slope, coverage (0 to 1), width (mean), repeats.
    """
    rows = []
    for number in passes:
        rng = np.random.default_rng([seed, number, 1])
        ends = {metric: [] for metric in ("hat", "hat_corrected")}
        for repeat in range(repeats):
            model = draw_rates(rng, slope, number, **settings)
            sample = Sample(model, item_weights(len(model.items), draws, [seed, repeat]))
            for metric, found in ends.items():
                found.append(interval(METRICS[metric](sample)))
        for metric, found in ends.items():
            low, high = np.array(found).T
            rows.append(
                {
                    "passes": number,
                    "metric": metric,
                    "slope": slope,
                    "coverage": np.mean((low <= slope) & (slope <= high)),
                    "width": np.mean(high - low),
                    "repeats": repeats,
                }
            )
    return pd.DataFrame(rows)
