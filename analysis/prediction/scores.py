"""How good predictions were: errors, correlations, coverage, by level and kind of fold."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.intervals import NOMINAL, interval_score
from scipy import stats

POINTS = 100.0
LEVELS = ("pair", "language")
GRID = np.arange(5, 100, 5) / 100


def summary(predictions: pd.DataFrame, point: str = "plug_in") -> pd.DataFrame:
    """level, predictor, n, mae, rmse (accuracy points), pearson, spearman, coverage_80."""
    rows = []
    for level in LEVELS:
        of_level = predictions[predictions["level"] == level]
        for name, group in of_level.groupby("predictor", sort=False):
            error = POINTS * (group[point] - group["observed"])
            constant = np.ptp(group[point]) < 1e-12
            pearson, spearman = (
                (np.nan, np.nan)
                if constant
                else (
                    stats.pearsonr(group["observed"], group[point]).statistic,
                    stats.spearmanr(group["observed"], group[point]).statistic,
                )
            )
            rows.append(
                {
                    "level": level,
                    "predictor": name,
                    "n": len(group),
                    "mae": error.abs().mean(),
                    "rmse": np.sqrt((error**2).mean()),
                    "pearson": pearson,
                    "spearman": spearman,
                    "coverage_80": coverage(group, 0.8),
                }
            )
    return pd.DataFrame(rows)


def coverage(group: pd.DataFrame, level: float) -> float:
    """The share of rows whose observation lies in the interval; NaN without intervals."""
    low, high = _ends(group, level)
    if low.isna().all():
        return np.nan
    return float(((group["observed"] >= low) & (group["observed"] <= high)).mean())


def intervals(predictions: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Per group: nominal, n, coverage, width and interval_score (accuracy points)."""
    rows = []
    with_intervals = predictions[predictions["low_80"].notna()]
    for keys, group in with_intervals.groupby([*by, "level"], sort=False):
        for level in NOMINAL:
            low, high = _ends(group, level)
            score = interval_score(group["observed"], low, high, level)
            rows.append(
                dict(zip([*by, "level"], keys, strict=True))
                | {
                    "nominal": level,
                    "n": len(group),
                    "coverage": coverage(group, level),
                    "width": POINTS * (high - low).mean(),
                    "interval_score": POINTS * score.mean(),
                }
            )
    return pd.DataFrame(rows)


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
    rows = []
    for (level, name), part in group.groupby(["level", "predictor"], sort=False):
        error = POINTS * (part["plug_in"] - part["observed"])
        rows.append(
            keys
            | {
                "predictor": name,
                "level": level,
                "n": len(part),
                "mae": error.abs().mean(),
                "coverage_80": coverage(part, 0.8),
                "coverage_95": coverage(part, 0.95),
            }
        )
    return rows


def by_language(predictions: pd.DataFrame) -> pd.DataFrame:
    """language, predictor, observed, predicted (0–1), error (predicted − observed, points)."""
    means = predictions[predictions["level"] == "language"]
    table = means[["language", "predictor", "observed"]].assign(predicted=means["plug_in"])
    return table.assign(error=POINTS * (table["predicted"] - table["observed"]))


def _ends(group: pd.DataFrame, level: float) -> tuple[pd.Series, pd.Series]:
    name = round(100 * level)
    return group[f"low_{name}"], group[f"high_{name}"]
