"""The study's outcomes: its cells, and Table 12's totals where the cells do not reach."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from zlib import crc32

import numpy as np
import pandas as pd
from capability_transfer.analysis.outcomes.published import (
    DENOMINATORS,
    STUDY_LANGUAGES,
    published_counts,
)
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.common.seeds import DEFAULT_SEED
from scipy.special import expit, logit

INSTANCES = 20
"""Symbolic instances of a template, all of which are answered in every cell."""

POOLED = ("dan", "deu", "est", "jpn")
"""Languages in which Table 12 pools repeated runs and the cells are single ones."""

CELLS = "the study's published cells"
TABLE_12 = "totals of Table 12"
"""What the totals of both splits rest on, for captions."""

TOTALS = f"{CELLS} (symbolic; the two runs that the model leaves out: Table 12) and {TABLE_12}"
"""What ``study_counts`` of all 48 runs rests on, for captions."""

_PAIR = ["variant", "language", "split"]
_BATCH = 16  # draws made at once; the first that fits is the same for any batch


def study_cells(
    splits: Iterable[str] = ("symbolic",),
    languages: Iterable[str] = STUDY_LANGUAGES,
    seed: int = DEFAULT_SEED,
) -> pd.DataFrame:
    """The study's cells: variant, language, template, split, n_correct, n_total.

    46 variants × 15 languages × 100 templates = 69,000 symbolic cells of 20 instances, as
    published. Templates are named by their GSM8K number, ``id_orig`` in the template package.
    Of the original split only totals are known: its 69,000 cells of one question are drawn from
    ``seed`` (``draw_original``). ``attrs["data_source"]`` says what the cells are.

    Raises InputError for a split or a language that the study does not have.
    """
    splits, languages = tuple(splits), tuple(languages)
    counts = {split: published_counts(split, languages) for split in splits}
    symbolic = _published_cells()
    symbolic = symbolic[symbolic["language"].isin(languages)].reset_index(drop=True)
    parts = [
        symbolic if split == "symbolic" else draw_original(symbolic, counts[split], seed)
        for split in splits
    ]
    cells = pd.concat(parts, ignore_index=True)
    cells.attrs = {"data_source": data_source(splits, seed)}
    return cells


def data_source(splits: Iterable[str] = ("symbolic",), seed: int = DEFAULT_SEED) -> str:
    """A description of the study's cells, for captions."""
    drawn = f"; the original split's totals (Table 12), drawn over templates (seed {seed})"
    return CELLS + (drawn if "original" in splits else "")


def table_12_counts(
    splits: Iterable[str] = tuple(DENOMINATORS),
    languages: Iterable[str] = STUDY_LANGUAGES,
    include_excluded: bool = False,
) -> pd.DataFrame:
    """``published.published_counts`` of several splits, one below the other.

    Both splits pool the same repeated runs, so that their difference compares like with like.
    """
    languages = tuple(languages)
    parts = [published_counts(split, languages, include_excluded) for split in splits]
    return pd.concat(parts, ignore_index=True)


def study_counts(
    splits: Iterable[str] = tuple(DENOMINATORS),
    languages: Iterable[str] = STUDY_LANGUAGES,
    include_excluded: bool = False,
) -> pd.DataFrame:
    """``table_12_counts`` with the cells' totals in place of those of the modelled symbolic pairs.

    ``source`` says which a row is, ``cells`` or ``table_12``: the two differ in the ``POOLED``
    languages.
    """
    counts = table_12_counts(splits, languages, include_excluded)
    totals = pair_totals(_published_cells()).set_index(_PAIR)
    keys = pd.MultiIndex.from_frame(counts[_PAIR])
    known = keys.isin(totals.index)
    found = totals.reindex(keys[known])
    counts["source"] = np.where(known, "cells", "table_12")
    for ours, theirs in (("n_correct", "k_published"), ("n_total", "n_published")):
        counts.loc[known, [ours, theirs]] = found[[ours, ours]].to_numpy()
    counts.loc[known, "shift"] = 0.0
    return counts


def summary() -> pd.DataFrame:
    """One row per (variant, language, split) of ``study_counts``, beside Table 12's own counts.

    Columns: variant, language, split, accuracy (0 to 1), n_correct, n_total, source, k_published,
    n_published (Table 12's, before rescaling), difference (accuracy minus Table 12's, points).
    """
    counts = study_counts().drop(columns=["k_published", "n_published", "shift"])
    own = table_12_counts()[[*_PAIR, "k_published", "n_published"]]
    table = counts.merge(own, how="left", validate="one_to_one")
    table.insert(3, "accuracy", table["n_correct"] / table["n_total"])
    beside = table["k_published"] / table["n_published"]
    return table.assign(difference=100 * (table["accuracy"] - beside))


def _published_cells() -> pd.DataFrame:
    """All 69,000 symbolic cells, from the file with one column per template."""
    with (files("capability_transfer.analysis.outcomes") / "data" / "study_cells.csv").open(
        encoding="utf-8"
    ) as stream:
        wide = pd.read_csv(stream, index_col=["variant", "language"])
    cells = wide.rename_axis(columns="template").stack().rename("n_correct").reset_index()
    cells.insert(3, "split", "symbolic")
    return cells.assign(n_total=INSTANCES)


def draw_original(symbolic: pd.DataFrame, counts: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The original split's answers by template, of which only totals are known, drawn.

    Table 12 publishes how many of the 100 original questions a model answered in a language, not
    which. Where an analysis needs both splits by template (the model of the symbolic penalty,
    rankings on few original questions), the answers are drawn so that the total is the published
    one and a template's original question is as hard for the pair as its symbolic instances, up to
    a shift of all of them on the log-odds. Nothing about a single original question can be learned
    from them.

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
