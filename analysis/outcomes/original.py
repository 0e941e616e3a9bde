"""The original split's answers by template, of which only totals are known, drawn.

Table 12 publishes how many of the 100 original questions a model answered in a language, not
which. Where an analysis needs both splits by template (the model of the symbolic penalty, rankings
on few original questions), the answers are drawn so that the total is the published one and a
template's original question is as hard for the pair as its symbolic instances, up to a shift of
all of them on the log-odds. Nothing about a single original question can be learned from them.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pandas as pd
from scipy.special import expit, logit

_BATCH = 16  # draws made at once; the first that fits is the same for any batch


def draw_original(symbolic: pd.DataFrame, counts: pd.DataFrame, seed: int) -> pd.DataFrame:
    """One answer per (variant, language, template), with the published totals.

    Args:
        symbolic: cells of the symbolic split.
        counts: variant, language, n_correct of the original split; n_total is the number of
            templates.
        seed: a pair's draw depends on it and the pair's labels alone.

    Returns rows like ``symbolic`` (its pairs, in its order) with n_total 1.
    """
    total = counts.set_index(["variant", "language"])["n_correct"]
    answers = np.empty(len(symbolic), dtype=np.int64)
    for pair, rows in symbolic.groupby(["variant", "language"], sort=False).indices.items():
        cells = symbolic.iloc[rows]
        # half an answer each way keeps a cell of none or all correct from being certain
        ease = logit((cells["n_correct"] + 0.5) / (cells["n_total"] + 1)).to_numpy()
        stream = np.random.default_rng([seed, *(crc32(label.encode()) for label in pair)])
        answers[rows] = given_total(stream, ease, int(total[pair]))
    return symbolic.assign(split="original", n_correct=answers, n_total=1)


def given_total(stream: np.random.Generator, ease: np.ndarray, total: int) -> np.ndarray:
    """Single answers (0 or 1) that sum to ``total``, likelier where ``ease`` (log-odds) is high.

    Independent answers with log-odds ``ease`` plus a constant, given their sum: the conditional
    law, by rejection. It does not depend on the constant, which is chosen so that the sum is
    expected.
    """
    if total in (0, len(ease)):
        return np.full(len(ease), int(total > 0))
    low, high = -40.0, 40.0
    for _ in range(60):
        shift = (low + high) / 2
        low, high = (shift, high) if expit(ease + shift).sum() < total else (low, shift)
    while True:
        drawn = stream.random((_BATCH, len(ease))) < expit(ease + shift)
        fits = np.flatnonzero(drawn.sum(axis=1) == total)
        if fits.size:
            return drawn[fits[0]].astype(np.int64)
