"""From draws to intervals, and how well intervals do against what was observed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.prediction import Prediction

NOMINAL = (0.5, 0.8, 0.95)
COLUMNS = [f"{side}_{round(100 * level)}" for level in NOMINAL for side in ("low", "high")]


def predicted(prediction: Prediction, items: np.ndarray, seed: int) -> pd.DataFrame:
    """Point predictions and intervals of every pair, then of every language's mean over its pairs.

    Args:
        prediction: accuracies of pairs and their draws.
        items: the number of items that each pair is asked; their binomial noise is in the
            intervals, since it is in what will be observed.
        seed: of that noise.

    Returns level (``pair``, ``language``), language, variant (empty for a mean), plug_in,
    integrated, low_50 … high_95 (0–1; NaN without draws), and ``draws`` per row in the attribute
    ``attrs["draws"]`` (rows × draws, noise included), None without them.
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
        tails = [p for level in NOMINAL for p in ((1 - level) / 2, (1 + level) / 2)]
        table[COLUMNS] = np.quantile(noisy, tails, axis=1).T
    else:
        table[COLUMNS] = np.nan
    table = table[["level", "language", "variant", "plug_in", "integrated", *COLUMNS]]
    table.attrs["draws"] = noisy
    return table


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
