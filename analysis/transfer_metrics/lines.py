"""Across models: target accuracy on source accuracy as one line or two, and progress over time.

One line is "accuracy on the line" (HAT paper, section 3). Two are progress, after its section 6.3:
models are old or new by their knowledge cut-off. Progress need not reach every new model, so each
new model may lie on the new line or on that of the old models; which ones do is a latent
assignment, found by trying all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some
from scipy import stats

MAX_NEW = 20
"""New models that an exhaustive search can assign: 2²⁰ subsets, about a second."""

MIN_LINE = 3
"""Models that a line needs at least: two lie on one whatever they do."""

PERMUTATIONS = 9999


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


@dataclass(frozen=True)
class TwoLines:
    """The best pair of lines.

    Attributes:
        selected: per model, whether it lies on the new line.
        sse: sum of squared errors of both lines, the objective.
        sse_single: of one line for all.
        old_line: (slope, intercept); the old one is fitted to all models not selected.
        new_line: see ``old_line``.
    """

    selected: np.ndarray
    sse: float
    sse_single: float
    old_line: tuple[float, float]
    new_line: tuple[float, float]


def two_lines(source: np.ndarray, target: np.ndarray, is_new: np.ndarray) -> TwoLines:
    """Fit two least-squares lines of target on source accuracy, new models assigned freely.

    The objective is the sum over all models of the squared distance of target accuracy from the
    model's line: one line for the selected new models, one for the old models and the new ones not
    selected, each with its own slope and intercept. All subsets of new models are tried that leave
    at least ``MIN_LINE`` models to either line; the first of equally good ones is taken.

    Two lines always fit at least as well as one, so a smaller ``sse`` alone does not show progress.

    Raises InputError for more than ``MAX_NEW`` new models and fewer than ``MIN_LINE`` old or new.
    """
    source, target = np.asarray(source, dtype=float), np.asarray(target, dtype=float)
    is_new = np.asarray(is_new, dtype=bool)
    new, old = int(is_new.sum()), int((~is_new).sum())
    if new > MAX_NEW:
        raise InputError(
            f"{new} new models are too many to try every assignment (at most {MAX_NEW}): "
            "take a later cut-off, or fewer models"
        )
    if min(new, old) < MIN_LINE:
        raise InputError(
            f"{old} old and {new} new models: two lines need at least {MIN_LINE} of either"
        )
    # centred, so that the sums of squares lose no digits
    x, y = source - source.mean(), target - target.mean()
    points = np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    chosen = np.zeros((1, points.shape[1]))
    for point in points[is_new]:
        chosen = np.concatenate([chosen, chosen + point])
    rest = points.sum(axis=0) - chosen
    error = _squared_error(chosen) + _squared_error(rest)
    # the counts are sums of ones, hence exact
    error[(chosen[:, 0] < MIN_LINE) | (rest[:, 0] < MIN_LINE)] = np.inf
    best = int(np.argmin(error))
    selected = np.zeros(len(x), dtype=bool)
    selected[is_new] = (best >> np.arange(new)) & 1
    return TwoLines(
        selected=selected,
        sse=float(error[best]),
        sse_single=float(_squared_error(points.sum(axis=0)[None])[0]),
        old_line=_line(source[~selected], target[~selected]),
        new_line=_line(source[selected], target[selected]),
    )


def old_and_new(
    models: pd.DataFrame, cutoffs: Sequence[str] | None = None, seed: int = 0
) -> pd.DataFrame:
    """Old against new models at every possible cut-off date, one row per date.

    Args:
        models: variant, cutoff (knowledge cut-off, YYYY-MM), source_accuracy, target_accuracy, hat.
        cutoffs: dates to try (YYYY-MM); a model is new from that month on. By default every date
            that leaves at least ``MIN_LINE`` old and between ``MIN_LINE`` and ``MAX_NEW`` new ones.
        seed: of the permutations.

    Returns cutoff, old, new (numbers of models), selected (names of the models on the new line),
    sse_single, sse_two, slope_old, intercept_old, slope_new, intercept_new; parity_old and
    parity_new, each line's mean distance from perfect transfer over the models' source accuracies;
    hat_old, hat_new, hat_selected (medians); p_new and p_selected, one-sided permutation tests that
    the median HAT of the new (of the selected new) models is not above that of the old.

    ``p_selected`` is too small: the models were selected because they lie high. ``p_new`` is not.

    Raises InputError for a date that cannot be read, a missing column, and no usable date.
    """
    needed = ["variant", "cutoff", "source_accuracy", "target_accuracy", "hat"]
    if absent := [name for name in needed if name not in models.columns]:
        raise InputError(f"models lack the column {name_some(absent)}")
    months = _months(models["cutoff"], models["variant"])
    if cutoffs is None:
        numbers = {date: int((months >= date).sum()) for date in sorted(months.unique())}
        tried = [
            date
            for date, new in numbers.items()
            if MIN_LINE <= new <= MAX_NEW and len(months) - new >= MIN_LINE
        ]
        if not tried:
            raise InputError(
                f"no cut-off leaves {MIN_LINE} old and {MIN_LINE} to {MAX_NEW} new models "
                f"of the {len(months)}"
            )
    else:
        tried = list(_months(pd.Series(list(cutoffs)), pd.Series(list(cutoffs))))
    return pd.DataFrame([_at(date, models, (months >= date).to_numpy(), seed) for date in tried])


def _at(date: pd.Period, models: pd.DataFrame, is_new: np.ndarray, seed: int) -> dict:
    source, target, hat = (
        models[name].to_numpy(dtype=float) for name in ("source_accuracy", "target_accuracy", "hat")
    )
    lines = two_lines(source, target, is_new)
    old, new, selected = hat[~is_new], hat[is_new], hat[lines.selected]
    return {
        "cutoff": str(date),
        "old": len(old),
        "new": len(new),
        "selected": "; ".join(models["variant"].to_numpy()[lines.selected]),
        "sse_single": lines.sse_single,
        "sse_two": lines.sse,
        "slope_old": lines.old_line[0],
        "intercept_old": lines.old_line[1],
        "slope_new": lines.new_line[0],
        "intercept_new": lines.new_line[1],
        "parity_old": _distance_to_parity(lines.old_line, source),
        "parity_new": _distance_to_parity(lines.new_line, source),
        "hat_old": np.median(old),
        "hat_new": np.median(new),
        "hat_selected": np.median(selected),
        "p_new": _median_test(new, old, seed),
        "p_selected": _median_test(selected, old, seed),
    }


def _months(dates: pd.Series, owners: pd.Series) -> pd.Series:
    parsed = pd.to_datetime(dates.astype(str), format="%Y-%m", errors="coerce")
    if parsed.isna().any():
        named = name_some(
            f"{owner} ({date})"
            for owner, date in zip(owners[parsed.isna()], dates[parsed.isna()], strict=True)
        )
        raise InputError(f"a knowledge cut-off is written YYYY-MM; this cannot be read: {named}")
    return parsed.dt.to_period("M")


def _squared_error(sums: np.ndarray) -> np.ndarray:
    """Squared error of the least-squares line, from rows of n, Σx, Σy, Σx², Σxy, Σy²."""
    n, x, y, xx, xy, yy = sums.T
    safe = np.maximum(n, 1)
    spread, joint, total = xx - x * x / safe, xy - x * y / safe, yy - y * y / safe
    slope = np.divide(joint, spread, out=np.zeros_like(joint), where=spread > 1e-12)
    return np.maximum(total - slope * joint, 0.0)


def _line(source: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    if np.ptp(source) == 0:
        return 0.0, float(target.mean())
    slope, intercept = np.polyfit(source, target, 1)
    return float(slope), float(intercept)


def _distance_to_parity(line: tuple[float, float], source: np.ndarray) -> float:
    return float(np.abs(line[0] * source + line[1] - source).mean())


def _median_test(higher: np.ndarray, lower: np.ndarray, seed: int) -> float:
    found = stats.permutation_test(
        (higher, lower),
        lambda first, second, axis: np.median(first, axis=axis) - np.median(second, axis=axis),
        vectorized=True,
        n_resamples=PERMUTATIONS,
        alternative="greater",
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)
