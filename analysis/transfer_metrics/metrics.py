"""Every metric with its interval, for models and target sets; and the script contrast."""

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
from capability_transfer.analysis.transfer_metrics.estimators import (
    METRICS,
    Sample,
    require,
    why_undefined,
)
from capability_transfer.analysis.transfer_metrics.items import ItemRates, require_same_items
from capability_transfer.analysis.transfer_metrics.subsets import TargetSet
from capability_transfer.common.errors import InputError


def metrics(
    rates: Sequence[ItemRates],
    sets: Sequence[TargetSet] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> pd.DataFrame:
    """All metrics of all models and target sets, one row each.

    Args:
        rates: from ``items.item_rates``.
        sets: from ``subsets.target_sets``; all targets if None.
        draws: of the bootstrap over items.
        seed: see ``draws``.

    Returns variant, source, grouping, target_set, languages (codes, joined by a space), items,
    then for every metric its estimate and the ends of its 95% percentile interval (``hat``,
    ``hat_low``, ``hat_high``), and ``undefined``: why a metric is missing, empty if none is.
    """
    rows = []
    for model in rates:
        weights = item_weights(len(model.items), draws, seed)
        ones = np.ones((1, len(model.items)))
        for chosen in sets or [TargetSet("all", "all", model.languages)]:
            part = model.restrict(chosen.languages)
            row = {
                "variant": model.variant,
                "source": model.source,
                "grouping": chosen.grouping,
                "target_set": chosen.name,
                "languages": " ".join(chosen.languages),
                "items": len(model.items),
            }
            point, resampled = Sample(part, ones), Sample(part, weights)
            for name, metric in METRICS.items():
                row[name] = float(metric(point)[0])
                row[f"{name}_low"], row[f"{name}_high"] = interval(metric(resampled))
            missing = any(np.isnan(row[name]) for name in METRICS)
            rows.append(row | {"undefined": why_undefined(part) if missing else ""})
    return pd.DataFrame(rows)


def contrast(
    rates: Sequence[ItemRates],
    first: TargetSet,
    second: TargetSet,
    metric: str = "hat_corrected",
    draws: int = DRAWS,
    seed: int = SEED,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A metric on two target sets and its difference, first − second, on the same resampled items.

    The layout is that of the HAT paper's Table 1 (same script against different script).

    Returns two tables. Over models: side (the sets' names and ``difference``), mean and sd over
    models, conf_low and conf_high of the mean (95%, items resampled for all models at once),
    models, languages. By model: variant, the sets' names, difference, conf_low and conf_high of the
    difference. The intervals are over items only: which languages make up a set is taken as given.

    Raises InputError if the models were not given the same items, or a set has no metric.
    """
    require(metric)
    require_same_items(rates)
    weights = item_weights(len(rates[0].items), draws, seed)
    ones = np.ones((1, weights.shape[1]))
    sides = (first, second)
    point, resampled = (
        np.stack(
            [
                [METRICS[metric](Sample(model.restrict(side.languages), given)) for side in sides]
                for model in rates
            ]
        )
        for given in (ones, weights)
    )  # models × 2 × draws
    undefined = np.isnan(point).any(axis=(1, 2))
    if undefined.any():
        names = ", ".join(np.array([model.variant for model in rates])[undefined])
        raise InputError(f"{metric} is undefined for {names}: leave them out of the contrast")
    labels = [first.name, second.name, "difference"]
    point, resampled = (
        np.concatenate([values, values[:, :1] - values[:, 1:]], axis=1)
        for values in (point, resampled)
    )
    overall = [
        {
            "side": label,
            "mean": point[:, place].mean(),
            "sd": point[:, place].std(ddof=1) if len(rates) > 1 else np.nan,
            **_ends(resampled[:, place].mean(axis=0)),
            "models": len(rates),
            "languages": "" if place == 2 else " ".join(sides[place].languages),
        }
        for place, label in enumerate(labels)
    ]
    single = [
        {
            "variant": model.variant,
            **dict(zip(labels, point[place, :, 0], strict=True)),
            **_ends(resampled[place, 2]),
        }
        for place, model in enumerate(rates)
    ]
    return pd.DataFrame(overall), pd.DataFrame(single)


def _ends(draws: np.ndarray) -> dict[str, float]:
    return dict(zip(("conf_low", "conf_high"), interval(draws), strict=True))
