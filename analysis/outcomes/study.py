"""The study's outcomes as cells: published totals, reconstructed spread over templates."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from analysis.outcomes.cells import pair_totals
from analysis.outcomes.published import DENOMINATORS, STUDY_LANGUAGES, published_counts
from analysis.outcomes.reconstruction import DEFAULT_SEED, reconstruct

LAYERS = {"counts_layer": "published", "template_layer": "reconstructed"}
"""Which layer of the study's outcomes is real: totals per variant and language, not templates."""


def study_counts(
    splits: Iterable[str] = tuple(DENOMINATORS),
    languages: Iterable[str] = STUDY_LANGUAGES,
    include_excluded: bool = False,
) -> pd.DataFrame:
    """``published.published_counts`` of several splits, one below the other."""
    languages = tuple(languages)
    return pd.concat(
        [published_counts(split, languages, include_excluded) for split in splits],
        ignore_index=True,
    )


def study_cells(
    seed: int = DEFAULT_SEED,
    splits: Iterable[str] = tuple(DENOMINATORS),
    languages: Iterable[str] = STUDY_LANGUAGES,
    include_excluded: bool = False,
) -> pd.DataFrame:
    """The study's cells: variant, language, template, split, n_correct, n_total.

    46 variants × 15 languages × 100 templates × 2 splits = 138,000 rows, 20 instances a cell in
    the symbolic split and one in the original; the study's model uses the symbolic 69,000. Totals
    per variant, language and split are the published ones; how they lie over the templates is
    drawn from ``seed``. ``attrs`` holds ``data_source`` (a sentence for tables and figures),
    ``LAYERS`` and the settings of the draw.
    """
    cells = reconstruct(study_counts(splits, languages, include_excluded), seed)
    cells.attrs |= {"data_source": data_source(seed), **LAYERS}
    return cells


def data_source(seed: int = DEFAULT_SEED) -> str:
    """What the study's cells are, for captions: the published layer and the reconstructed one."""
    return f"published pair counts (Table 12), template layer reconstructed (seed {seed})"


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per (variant, language, split) of ``study_cells``, beside the published counts.

    Columns: variant, language, split, accuracy (0 to 1), n_correct, n_total, k_published,
    n_published, shift (accuracy points, see ``published_counts``), counts_layer, template_layer.
    """
    totals = pair_totals(cells)
    counts = study_counts(totals["split"].unique(), totals["language"].unique(), True)
    published = counts[["variant", "language", "split", "k_published", "n_published", "shift"]]
    return totals.merge(published, how="left", validate="one_to_one").assign(**LAYERS)
