"""The metrics, each a function of weighted items. A new one is a function and a line in METRICS.

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
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from capability_transfer.analysis.transfer_metrics import profile
from capability_transfer.analysis.transfer_metrics.items import ItemRates
from capability_transfer.common.errors import InputError


@dataclass(frozen=True)
class Sample:
    """Items under weights: ``weights`` is draws × items (ones are the data as they are).

    Every metric maps a sample to one value a draw; a draw where it is undefined is NaN.
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
    """2 × the area under the binned transfer profile (``profile.area``)."""
    bins = profile.bin_of(sample.rates.source_rate)
    belongs = (bins[:, None] == np.arange(profile.BINS)).astype(float)
    return profile.area(
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
