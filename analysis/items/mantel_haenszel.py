"""Mantel and Haenszel's check of every item at once: this language against all others.

Runs (a variant in a language) are matched by their accuracy over all templates, in ``STRATA``
strata; within a stratum the odds of a right answer to the template here stand against those of the
runs in other languages (Holland and Thayer 1988).
"""

from __future__ import annotations

import numpy as np
from capability_transfer.analysis.items.crossed import Crossed
from scipy import stats

STRATA = 8
"""Strata of runs, of equal size."""


def mantel_haenszel(crossed: Crossed, within: float = 0.0) -> dict[str, np.ndarray]:
    """The common log-odds ratio and its test, for every language and template.

    Args:
        crossed: the outcomes.
        within: correlation of the answers of a cell, which then count for less (Williams 1982).

    Returns ``mh_log_odds`` (negative: harder here; NaN where it is not finite) and ``mh_p_value``
    (χ² with continuity correction, 1 df; NaN where no stratum has both kinds of runs), each of
    shape languages × templates.
    """
    scores = np.full((len(crossed.languages), len(crossed.variants)), np.nan)
    for place, block in crossed:
        with np.errstate(invalid="ignore"):  # a variant without answers in this language
            scores[place] = block.by_variant(block.correct) / block.by_variant(block.total)
    known = np.sort(scores[~np.isnan(scores)])
    edges = np.unique(known[[len(known) * one // STRATA for one in range(1, STRATA)]])
    strata = np.searchsorted(edges, scores, side="right")
    size = len(crossed.templates) * STRATA
    everywhere = np.zeros((2, size))
    for place, _ in crossed:
        everywhere += _counts(crossed, place, strata, within)
    found = {"mh_log_odds": crossed.empty(), "mh_p_value": crossed.empty()}
    for place, block in crossed:
        own = _counts(crossed, place, strata, within)
        tables = [one.reshape(-1, STRATA)[block.items] for one in (*own, *(everywhere - own))]
        log_odds, p_value = compare(*tables)
        found["mh_log_odds"][place, block.items] = log_odds
        found["mh_p_value"][place, block.items] = p_value
    return found


def _counts(crossed: Crossed, place: int, strata: np.ndarray, within: float) -> np.ndarray:
    """Right and wrong answers of one language by template and stratum, flat."""
    block = crossed.blocks[place]
    shrink = 1 / (1 + (block.total - 1.0) * within)
    cell = block.items[block.item] * STRATA + strata[place][block.variant]
    size = len(crossed.templates) * STRATA
    right = np.bincount(cell, block.correct * shrink, size)
    return np.stack([right, np.bincount(cell, block.total * shrink, size) - right])


def compare(
    right: np.ndarray, wrong: np.ndarray, right_there: np.ndarray, wrong_there: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log-odds ratios and p-values of tables of items × strata (here against there)."""
    here, there = right + wrong, right_there + wrong_there
    both = (here > 1e-9) & (there > 1e-9)
    n = np.where(both, here + there, 2.0)
    odds = np.where(both, right * wrong_there / n, 0).sum(axis=1)
    against = np.where(both, wrong * right_there / n, 0).sum(axis=1)
    all_right, all_wrong = right + right_there, wrong + wrong_there
    gap = np.where(both, right - here * all_right / n, 0).sum(axis=1)
    spare = np.maximum(n - 1, 1e-9)
    variance = np.where(
        both & (n > 1), here * there * all_right * all_wrong / (n**2 * spare), 0
    ).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_odds = np.log(odds / against)
        statistic = np.maximum(np.abs(gap) - 0.5, 0) ** 2 / variance
    log_odds = np.where(np.isfinite(log_odds), log_odds, np.nan)
    return log_odds, np.where(variance > 0, stats.chi2.sf(statistic, 1), np.nan)
