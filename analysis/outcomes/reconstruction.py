"""The template layer of the study's outcomes: how a published pair total spreads over templates.

The study publishes totals per (variant, language) only. Here each total is spread over templates
by chance, from a seed, so that the totals stay exactly the published ones and the spread over
templates has the size that the study reports. Nothing about a single template is real: the
template ids are ``r001``, ``r002``, … so that nobody takes them for the study's templates.

Log-odds of a correct answer to an instance of template t, for variant v in language l:

    level(v, l) + template(t) + template:language(t, l) + cell(v, l, t)

The effects take normal scores in random order. The SDs of the first two are scaled up by
sqrt(1 + 0.346·s²), where s is the SD of the cell effects: the study's model has no cell effects,
and leaving out a normal effect of SD s shrinks what remains on the log-odds scale by about that
factor, 0.346 = (16·√3 / 15π)². The constants are calibrated, not estimated from template data;
``data/README.md`` says against what, and how much the seed matters.

Given a pair's total, how its correct answers lie over the templates does not depend on its level.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

from analysis.outcomes.schema import validate
from common.errors import InputError, name_some

DEFAULT_SEED = 20261006
"""The day the study appeared (2026-10-06); chosen before any draw was looked at."""

CELL_SD = 1.2
"""SD of the cell effects, log-odds."""

TEMPLATE_SD = 1.10 * 1.209
"""SD of the template effects before scaling, log-odds; Table 3 estimates 1.209 in its model."""

TEMPLATE_BEND = -0.12
"""Quadratic bend of the template effects: hard templates make the longer tail (skewness −0.6)."""

TEMPLATE_LANGUAGE_SD = 0.946
"""SD of the template:language effects before scaling, log-odds."""

_BATCH = 16  # draws of a pair made at once; the first that fits is the same for any batch


def reconstruct(
    counts: pd.DataFrame,
    seed: int = DEFAULT_SEED,
    cell_sd: float = CELL_SD,
    templates: int = 100,
) -> pd.DataFrame:
    """Spread every pair's total over templates.

    Args:
        counts: variant, language, split, n_correct, n_total, one row per pair and split, as from
            ``study.study_counts``. The splits of a pair share all effects, as they share the
            templates; each has its own level and its own draws.
        seed: seed of every draw. A pair's cells depend on the seed and the pair's own labels and
            counts, never on which other pairs are asked for.
        cell_sd: SD of the cell effects, log-odds.
        templates: number of templates; a pair's ``n_total`` is divided among them equally.

    Returns variant, language, template, split, n_correct, n_total: ``templates`` rows for every
    row of ``counts``, in its order, with its ``n_correct`` and ``n_total`` as sums. ``attrs``
    holds what it was made with (``seed``, ``cell_sd``, ``templates``).

    Raises InputError for counts that ``schema.validate`` refuses, for a total that the templates
    cannot share equally, and for settings out of range.
    """
    counts = _check(counts, seed, cell_sd, templates)
    logits = _effects(counts, seed, cell_sd, templates)
    probability = _with_expected_share(logits, (counts["n_correct"] / counts["n_total"]).to_numpy())
    correct = np.empty(logits.shape, dtype=np.int64)
    for row, pair in enumerate(counts.itertuples()):
        stream = _stream(seed, "instances", pair.split, pair.variant, pair.language)
        size = pair.n_total // templates
        correct[row] = draw_given_total(stream, probability[row], size, pair.n_correct)
    cells = counts.loc[counts.index.repeat(templates), ["variant", "language", "split"]]
    names = [f"r{number:03d}" for number in range(1, templates + 1)]
    cells.insert(2, "template", np.tile(names, len(counts)))
    cells["n_correct"] = correct.ravel()
    cells["n_total"] = np.repeat(counts["n_total"].to_numpy() // templates, templates)
    cells = cells.reset_index(drop=True)
    cells.attrs = {"seed": seed, "cell_sd": cell_sd, "templates": templates}
    return cells


def draw_given_total(
    stream: np.random.Generator, probability: np.ndarray, size: int, total: int
) -> np.ndarray:
    """Binomial counts of ``size`` trials per template, conditional on their sum.

    By rejection, so that the conditional law is exact: all instances are drawn anew until the
    sum is right, about one draw in forty at the study's size. ``probability`` has one entry per
    template and should expect about ``total``, or this takes long.
    """
    while True:
        correct = stream.random((_BATCH, len(probability), size)) < probability[:, None]
        fits = np.flatnonzero(correct.sum(axis=(1, 2)) == total)
        if fits.size:
            return correct[fits[0]].sum(axis=1)


def _check(counts: pd.DataFrame, seed: int, cell_sd: float, templates: int) -> pd.DataFrame:
    if seed < 0:
        raise InputError(f"a seed is a whole number from 0 up, not {seed}")
    if not cell_sd >= 0:
        raise InputError(f"the SD of the cell effects must not be negative: {cell_sd}")
    if templates < 3:
        raise InputError(f"a reconstruction needs at least three templates, not {templates}")
    counts = validate(counts, "pairs", "the counts to spread over templates")
    uneven = counts.loc[counts["n_total"] % templates != 0, ["variant", "language", "split"]]
    if not uneven.empty:
        pairs = name_some(uneven.agg(" / ".join, axis=1))
        raise InputError(f"n_total is no multiple of {templates} templates for {pairs}")
    return counts


def _effects(counts: pd.DataFrame, seed: int, cell_sd: float, templates: int) -> np.ndarray:
    """Sum of all effects on the log-odds of each pair (rows) and template (columns)."""
    scale = np.sqrt(1 + 0.346 * cell_sd**2)
    draw = _bent(_normal_scores(_stream(seed, "template"), templates), TEMPLATE_BEND)
    template = scale * TEMPLATE_SD * draw
    shared = {}
    for language in counts["language"].unique():
        stream = _stream(seed, "template:language", language)
        draw = _normal_scores(stream, templates, coarser=template)
        shared[language] = template + scale * TEMPLATE_LANGUAGE_SD * draw
    effects = np.empty((len(counts), templates))
    for row, pair in enumerate(counts.itertuples()):
        stream = _stream(seed, "cell", pair.variant, pair.language)
        draw = _normal_scores(stream, templates, coarser=shared[pair.language])
        effects[row] = shared[pair.language] + cell_sd * draw
    return effects


def _stream(seed: int, *labels: str) -> np.random.Generator:
    """A stream of its own for every seed and labels, the same on every platform."""
    key = tuple(crc32(label.encode()) for label in labels)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def _normal_scores(
    stream: np.random.Generator, size: int, coarser: np.ndarray | None = None
) -> np.ndarray:
    """Standard normal scores in random order, uncorrelated with the effects of a coarser layer.

    Mean zero and an SD of exactly one. Independent draws would let chance move the spread and the
    shape of the effects as well, and with them every coefficient of a fitted model. Uniforms are
    all that is taken from the bit stream, since they alone are the same in every version of NumPy.
    """
    scores = ndtri((np.arange(size) + 0.5) / size)[np.argsort(stream.random(size), kind="stable")]
    if coarser is not None:
        scores -= coarser * (scores @ coarser) / (coarser @ coarser)
    return scores / scores.std()


def _bent(scores: np.ndarray, bend: float) -> np.ndarray:
    """Standard scores bent by a quadratic, again with mean zero and an SD of one."""
    bent = scores + bend * (scores**2 - 1)
    return (bent - bent.mean()) / bent.std()


def _with_expected_share(logits: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Probabilities (pairs × templates) whose mean over templates is each pair's share correct.

    Each row's level is found by bisection; a share of 0 or 1 has its level at infinity.
    """
    low = -40.0 - logits.max(axis=1)
    high = 40.0 - logits.min(axis=1)
    for _ in range(60):
        level = (low + high) / 2
        below = expit(logits + level[:, None]).mean(axis=1) < share
        low, high = np.where(below, level, low), np.where(below, high, level)
    level = np.select([share <= 0, share >= 1], [-np.inf, np.inf], (low + high) / 2)
    return expit(logits + level[:, None])
