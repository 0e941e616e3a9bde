"""Intervals from draws, and how good predictions were: errors, correlations, coverage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy  # which loads its slow statistics where they are first used
from capability_transfer.analysis.prediction.models import Prediction

NOMINAL = (0.5, 0.8, 0.95)
COLUMNS = [f"{side}_{round(100 * level)}" for level in NOMINAL for side in ("low", "high")]
POINTS = 100.0
LEVELS = ("pair", "language")
GRID = np.arange(5, 100, 5) / 100
RESAMPLES = 2000
NORMAL = 25.0
"""Variance of a count of right answers from which corrected normal quantiles are the binomial's."""
ROWS = 32
"""Rows of draws that are worked on together: they stay in the processor's cache."""


def interval_of_mean(values: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """The 95% percentile interval of a mean over ``RESAMPLES`` resamples of its values."""
    picks = generator.integers(len(values), size=(RESAMPLES, len(values)))
    return np.quantile(values[picks].mean(axis=1), [0.025, 0.975])


def add_intervals(
    prediction: Prediction, items: np.ndarray, seed: int
) -> tuple[pd.DataFrame, np.ndarray | None]:
    """Point predictions and intervals of every pair, then of every language's mean over its pairs.

    Args:
        prediction: accuracies of pairs and their draws.
        items: the number of items that each pair is asked; their binomial noise is in the
            intervals, since it is in what will be observed.
        seed: of that noise.

    Returns a table of level (``pair``, ``language``), language, variant (empty for a mean),
    plug_in, integrated and low_50 … high_95 (0–1; NaN without draws); and the draws of its rows
    (rows × draws, noise included), None without them.
    """
    pairs = prediction.pairs
    noisy = None
    if prediction.draws is not None:
        generator = np.random.default_rng(seed)
        noisy = generator.binomial(items[:, None], prediction.draws) / items[:, None]
    points = pairs.assign(plug_in=prediction.plug_in, integrated=prediction.integrated)
    means = points.groupby("language", sort=False)[["plug_in", "integrated"]].mean().reset_index()
    table = pd.concat(
        [points.assign(level="pair"), means.assign(level="language", variant="")],
        ignore_index=True,
    )
    if noisy is not None:
        codes, _ = pd.factorize(pairs["language"])
        of_means = [noisy[codes == code].mean(axis=0) for code in range(len(means))]
        noisy = np.vstack([noisy, *of_means])
        table[COLUMNS] = interval_ends(noisy)
    else:
        table[COLUMNS] = np.nan
    return table[["level", "language", "variant", "plug_in", "integrated", *COLUMNS]], noisy


def answered(accuracy: np.ndarray, items: int, seed: Sequence[int]) -> np.ndarray:
    """Shares (0–1) of ``items`` answers that are right, for accuracies (rows × draws): with
    binomial noise.

    The noise of a draw is the same in every row, so that a row does not depend on the others. Where
    a count's variance is ``NORMAL`` or more it is a normal quantile corrected for skewness and for
    rounding (Cornish & Fisher 1938; Sheppard), within 5e-4 of the binomial distribution function.
    """
    z = np.random.default_rng(seed).standard_normal(accuracy.shape[1])
    skewed = (z**2 - 1) / 6
    exact = np.random.default_rng([*seed, 1])
    begun = exact.bit_generator.state
    out = np.empty(accuracy.shape)
    for low in range(0, len(out), ROWS):
        p, count = accuracy[low : low + ROWS], out[low : low + ROWS]
        variance = items * p * (1 - p)
        count[:] = np.sqrt(np.maximum(variance - 1 / 12, 0)) * z + (1 - 2 * p) * skewed + items * p
        np.clip(np.rint(count, out=count), 0, items, out=count)
        few = variance < NORMAL
        for row in np.flatnonzero(few.any(axis=1)):
            exact.bit_generator.state = begun
            count[row, few[row]] = exact.binomial(items, p[row, few[row]])
    return out / items


def interval_ends(draws: np.ndarray) -> np.ndarray:
    """The ends ``COLUMNS`` of the central intervals of draws (rows × draws), row by row."""
    tails = [p for level in NOMINAL for p in ((1 - level) / 2, (1 + level) / 2)]
    # of sorted draws, which costs a third of searching for six places
    return np.quantile(np.sort(draws, axis=1), tails, axis=1).T


def place(observed: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Where each observation lies in its draws, 0 to 1 (the probability integral transform).

    Draws equal to the observation count half.
    """
    observed = observed[:, None]
    return (draws < observed).mean(axis=1) + (draws == observed).mean(axis=1) / 2


def interval_score(
    observed: np.ndarray, low: np.ndarray, high: np.ndarray, level: float
) -> np.ndarray:
    """Gneiting & Raftery (2007, eq. 43): the width, and 2/α times what lies outside.

    In the units of ``observed``; smaller is better.
    """
    outside = np.maximum(low - observed, 0) + np.maximum(observed - high, 0)
    return (high - low) + 2 / (1 - level) * outside


def score(pairs: pd.DataFrame, point: str = "plug_in") -> dict[str, float]:
    """n, mae, rmse (accuracy points), pearson, spearman and coverage_80 of predictions.

    Correlations are NaN where either side is constant.
    """
    observed, predicted = pairs["observed"], pairs[point]
    error = POINTS * (predicted - observed)
    varied = len(pairs) > 1 and min(np.ptp(predicted), np.ptp(observed)) >= 1e-12
    return {
        "n": len(pairs),
        "mae": error.abs().mean(),
        "rmse": np.sqrt((error**2).mean()),
        "pearson": scipy.stats.pearsonr(observed, predicted).statistic if varied else np.nan,
        "spearman": scipy.stats.spearmanr(observed, predicted).statistic if varied else np.nan,
        "coverage_80": coverage(pairs, 0.8),
    }


def summary(predictions: pd.DataFrame, point: str = "plug_in") -> pd.DataFrame:
    """level, predictor, n, mae, rmse (accuracy points), pearson, spearman, coverage_80."""
    rows = [
        {"level": level, "predictor": name, **score(group, point)}
        for level in LEVELS
        for name, group in predictions[predictions["level"] == level].groupby(
            "predictor", sort=False
        )
    ]
    return pd.DataFrame(rows)


def coverage(group: pd.DataFrame, level: float) -> float:
    """The share of rows whose observation lies in the interval; NaN without intervals."""
    low, high = _ends(group, level)
    if low.isna().all():
        return np.nan
    return float(((group["observed"] >= low) & (group["observed"] <= high)).mean())


def intervals(predictions: pd.DataFrame) -> pd.DataFrame:
    """predictor, level, nominal, n, coverage, width and interval_score (accuracy points)."""
    rows = []
    known = predictions[predictions["low_80"].notna()]
    for (name, level), group in known.groupby(["predictor", "level"], sort=False):
        for nominal in NOMINAL:
            low, high = _ends(group, nominal)
            inside, width = coverage(group, nominal), POINTS * (high - low).mean()
            missed = POINTS * interval_score(group["observed"], low, high, nominal).mean()
            rows.append((name, level, nominal, len(group), inside, width, missed))
    columns = ["predictor", "level", "nominal", "n", "coverage", "width", "interval_score"]
    return pd.DataFrame(rows, columns=columns)


def calibration(predictions: pd.DataFrame) -> pd.DataFrame:
    """predictor, level, nominal (5% to 95%), coverage of the central interval of that size."""
    rows = []
    known = predictions[predictions["place"].notna()]
    for (name, level), group in known.groupby(["predictor", "level"], sort=False):
        distance = 2 * np.abs(group["place"].to_numpy() - 0.5)
        rows += [(name, level, nominal, float((distance <= nominal).mean())) for nominal in GRID]
    return pd.DataFrame(rows, columns=["predictor", "level", "nominal", "coverage"])


def extrapolation(predictions: pd.DataFrame) -> pd.DataFrame:
    """Per edge (kind, fold) and over all edges of a kind: errors and coverage of every predictor.

    Columns: kind, fold, held_out, predictor, level, n, mae, coverage_80, coverage_95.
    """
    rows = []
    for (kind, fold), group in predictions.groupby(["kind", "fold"], sort=False):
        held = " ".join(sorted(group["language"].unique()))
        rows += _errors(group, kind=kind, fold=fold, held_out=held)
    rows += _errors(predictions, kind="all", fold="all edges", held_out="")
    return pd.DataFrame(rows)


def _errors(group: pd.DataFrame, **keys: str) -> list[dict]:
    columns = ["n", "mae", "coverage_80", "coverage_95"]
    rows = []
    for (level, name), part in group.groupby(["level", "predictor"], sort=False):
        known = score(part) | {"coverage_95": coverage(part, 0.95)}
        own = {column: known[column] for column in columns}
        rows.append({**keys, "predictor": name, "level": level, **own})
    return rows


def by_language(predictions: pd.DataFrame) -> pd.DataFrame:
    """language, predictor, observed, predicted (0–1), error (predicted − observed, points)."""
    means = predictions[predictions["level"] == "language"]
    table = means[["language", "predictor", "observed"]].assign(predicted=means["plug_in"])
    return table.assign(error=POINTS * (table["predicted"] - table["observed"]))


def _ends(group: pd.DataFrame, level: float) -> tuple[pd.Series, pd.Series]:
    name = round(100 * level)
    return group[f"low_{name}"], group[f"high_{name}"]
