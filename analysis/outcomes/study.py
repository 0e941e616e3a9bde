"""The study's outcomes: its cells, and Table 12's totals where the cells do not reach."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

import numpy as np
import pandas as pd
from capability_transfer.analysis.outcomes.cells import pair_totals
from capability_transfer.analysis.outcomes.original import draw_original
from capability_transfer.analysis.outcomes.published import (
    DENOMINATORS,
    STUDY_LANGUAGES,
    published_counts,
)
from capability_transfer.common.seeds import DEFAULT_SEED

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


def study_cells(
    splits: Iterable[str] = ("symbolic",),
    languages: Iterable[str] = STUDY_LANGUAGES,
    seed: int = DEFAULT_SEED,
) -> pd.DataFrame:
    """The study's cells: variant, language, template, split, n_correct, n_total.

    46 variants × 15 languages × 100 templates = 69,000 symbolic cells of 20 instances, as
    published. Templates are named by their GSM8K number, ``id_orig`` in the template package.
    Of the original split only totals are known: its 69,000 cells of one question are drawn from
    ``seed`` (``original.draw_original``). ``attrs["data_source"]`` says what the cells are.

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
    """What the study's cells are, for captions."""
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
