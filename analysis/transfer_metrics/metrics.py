"""The metrics and their intervals. A new metric is a function and a line in METRICS.

s and t are an item's pass rates in the source and in target language ℓ; t without index is their
mean over the target languages, and E is the mean over items.

================  ==============================================================================
source_accuracy   E[s]
target_accuracy   E[t]                                    (HAT paper, Eq. 1)
xlt_gap           E[s − t]                                (section 4, measure 2)
transfer_score    τ = mean over ℓ of E[s·t_ℓ] / E[s]      (section 4, measure 3)
hat               E[s·t] / E[s²]                          (Eqs. 3 and 4: least squares through 0)
hat_corrected     E[s·t] / (E[s²] − E[s(1 − s)/(n − 1)])  (ours: the noise of s removed)
hat_area          2 ∫ E[t | s] ds over the binned profile (Eq. 2)
r_squared         1 − E[(t − hat·s)²] / Var(t), of the line of ``hat``
================  ==============================================================================

**Noise in s.** A pass rate from n answers is the true one plus binomial noise of variance
s(1 − s)/n. In E[s·t] that noise averages out, because source and target answers are independent
given the item; in E[s²] it does not, so ``hat`` is too small by the factor E[s²]/(E[s²] + noise):
with s from a Beta(2, 2) and five passes a slope of .80 is estimated as .71. Replacing ŝ² by
k(k − 1)/(n(n − 1)), k being the correct answers, makes the denominator unbiased; that is what
``hat_corrected`` does, and it needs n ≥ 2. ``transfer_score``, ``target_accuracy`` and ``xlt_gap``
hold no square of s and need no correction. ``hat_area`` (the bins sort items by noisy s) and
``r_squared`` stay as they are defined.

**What HAT is blind to.** Along one fixed linear profile, HAT does not depend on how s is
distributed; target accuracy, gap and τ do. Along a curved profile HAT depends on it as well: least
squares weighs items by s². ``hat_area`` is then another number, and the distance between the two
tells how far from a line the profile is.

Intervals are percentiles of a bootstrap over items (Efron, 1979), as in section 5.4 of the HAT
paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from capability_transfer.analysis.transfer_metrics.items import (
    ItemRates,
    TargetSet,
    require_same_items,
)
from capability_transfer.common.errors import InputError
from capability_transfer.common.seeds import DEFAULT_SEED

BINS = 10
"""Equal-width bins of the source pass rate."""

DRAWS = 1000
LEVEL = 0.95


@dataclass(frozen=True)
class Sample:
    """Items under weights: ``weights`` is draws × items (ones are the data as they are).

    Every metric maps a sample to one value per draw; a draw where it is undefined is NaN.
    """

    rates: ItemRates
    weights: np.ndarray

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Weighted mean over items: of I values to draws, of I × L values to draws × L."""
        return (self.weights @ values) / (
            self._total if np.ndim(values) == 1 else self._total[:, None]
        )

    @cached_property
    def _total(self) -> np.ndarray:
        return self.weights.sum(axis=1)

    @cached_property
    def source(self) -> np.ndarray:
        """E[s]."""
        return self.mean(self.rates.source_rate)

    @cached_property
    def target(self) -> np.ndarray:
        """t: an item's mean over the target languages (I values)."""
        return self.rates.target_rate.mean(axis=1)

    @cached_property
    def source_square(self) -> np.ndarray:
        """E[s²]."""
        return self.mean(self.rates.source_rate**2)

    @cached_property
    def source_target(self) -> np.ndarray:
        """E[s·t]."""
        return self.mean(self.rates.source_rate * self.target)


def source_accuracy(sample: Sample) -> np.ndarray:
    """E[s]."""
    return sample.source


def target_accuracy(sample: Sample) -> np.ndarray:
    """E[t]: items and target languages weigh equally."""
    return sample.mean(sample.target)


def xlt_gap(sample: Sample) -> np.ndarray:
    """E[s − t]; positive where the source is easier."""
    return source_accuracy(sample) - target_accuracy(sample)


def transfer_score(sample: Sample) -> np.ndarray:
    """τ: the mean over target languages of E[s·t_ℓ] / E[s]."""
    joint = sample.mean(sample.rates.source_rate[:, None] * sample.rates.target_rate)
    return _ratio(joint.mean(axis=1), sample.source)


def hat(sample: Sample) -> np.ndarray:
    """HAT: the least-squares slope of t on s through the origin."""
    return _ratio(sample.source_target, sample.source_square)


def hat_corrected(sample: Sample) -> np.ndarray:
    """HAT with the binomial noise of s taken out of E[s²]; NaN if an item has a single pass."""
    s, n = sample.rates.source_rate, sample.rates.source_trials
    if (n < 2).any():
        return np.full(len(sample.weights), np.nan)
    return _ratio(sample.source_target, sample.mean(s * (n * s - 1) / (n - 1)))


def hat_area(sample: Sample) -> np.ndarray:
    """2 × the area under the binned transfer profile (``area``)."""
    bins = bin_of(sample.rates.source_rate)
    belongs = (bins[:, None] == np.arange(BINS)).astype(float)
    return area(
        sample.weights @ belongs,
        sample.weights @ (belongs * sample.rates.source_rate[:, None]),
        sample.weights @ (belongs * sample.target[:, None]),
    )


def r_squared(sample: Sample) -> np.ndarray:
    """R² of the line of ``hat``, about the mean of t: negative where a constant fits better."""
    slope = hat(sample)
    square = sample.mean(sample.target**2)
    residual = square - 2 * slope * sample.source_target + slope**2 * sample.source_square
    return 1 - _ratio(residual, square - sample.mean(sample.target) ** 2)


METRICS: dict[str, Callable[[Sample], np.ndarray]] = {
    "source_accuracy": source_accuracy,
    "target_accuracy": target_accuracy,
    "xlt_gap": xlt_gap,
    "transfer_score": transfer_score,
    "hat": hat,
    "hat_corrected": hat_corrected,
    "hat_area": hat_area,
    "r_squared": r_squared,
}


def estimate(rates: ItemRates, metric: str) -> float:
    """One metric of one model on its items as they are.

    Raises InputError for an unknown metric and where the metric is undefined, saying why.
    """
    value = float(METRICS[require(metric)](Sample(rates, np.ones((1, len(rates.items)))))[0])
    if np.isnan(value):
        raise InputError(f"{metric} of {rates.variant} is undefined: {why_undefined(rates)}")
    return value


def require(metric: str) -> str:
    """The metric's name, if there is such a one; raises InputError."""
    if metric not in METRICS:
        raise InputError(f"no metric {metric!r}; there are {', '.join(METRICS)}")
    return metric


def why_undefined(rates: ItemRates) -> str:
    """Why a metric of these items has no value; empty if all have one."""
    reasons = []
    if not rates.source_rate.any():
        reasons.append(f"the pass rate in {rates.source} is 0 on all items")
    elif (rates.source_trials < 2).any():
        reasons.append("hat_corrected needs two passes of every source item, some have one")
    elif (rates.source_rate * rates.source_trials <= 1 + 1e-9).all():
        reasons.append(f"no item was answered correctly twice in {rates.source}")
    if np.ptp(rates.target_rate.mean(axis=1)) == 0:
        reasons.append("the target pass rate is the same on all items, which leaves R² undefined")
    return "; ".join(reasons)


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """The quotient, NaN where the denominator vanishes."""
    positive = denominator > 1e-12
    return np.where(positive, numerator, np.nan) / np.where(positive, denominator, 1.0)


def profile(rates: ItemRates, bins: int = BINS) -> pd.DataFrame:
    """The binned profile of one model, one row per bin that has items.

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

    Returns one value per draw.
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


def item_weights(
    items: int, draws: int = DRAWS, seed: int | Sequence[int] = DEFAULT_SEED
) -> np.ndarray:
    """How often each item is in each resample with replacement: draws × items.

    The same number of items and the same seed give the same resamples, so that models and target
    sets are compared on the same items.
    """
    if draws < 1:
        raise InputError(f"the number of bootstrap draws must be positive, not {draws}")
    # a tally of items picked: the multinomial distribution at a tenth of its generator's time
    picks = np.random.default_rng(seed).integers(items, size=(draws, items))
    places = picks + items * np.arange(draws)[:, None]
    return np.bincount(places.ravel(), minlength=picks.size).reshape(picks.shape).astype(float)


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


def metrics(
    rates: Sequence[ItemRates],
    sets: Sequence[TargetSet] | None = None,
    draws: int = DRAWS,
    seed: int = DEFAULT_SEED,
) -> pd.DataFrame:
    """All metrics of all models and target sets, one row each.

    Args:
        rates: from ``items.item_rates``.
        sets: from ``items.target_sets``; all targets if None.
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
    seed: int = DEFAULT_SEED,
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
