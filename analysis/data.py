"""``load``: outcomes and features, from files, data frames or the embedded study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import Protocol

import pandas as pd
from capability_transfer.analysis import inputs
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.items import lists
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.outcomes.schema import check_fit_ready
from capability_transfer.analysis.prediction import loo, store
from capability_transfer.analysis.presentation.result import Sheet, Shown
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import hash_table
from capability_transfer.common.seeds import DEFAULT_SEED
from capability_transfer.features.table import Tables

Source = str | Path | pd.DataFrame
"""Where rows come from: a file, or a data frame with the same columns."""


class HasItems(Protocol):
    """What ``items()`` returns: a result with a table of items."""

    @property
    def items(self) -> pd.DataFrame: ...


def left_out(
    cells: pd.DataFrame, items: Source | HasItems
) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """``items.lists.without`` of a file, a data frame or a result."""
    source = items if isinstance(items, pd.DataFrame) else getattr(items, "items", items)
    return lists.without(cells, located(source))


@dataclass(frozen=True, eq=False, repr=False)
class Study(Shown):
    """Outcomes and features of one study; what every other function starts from.

    Attributes:
        inputs: cells, features and where both come from.
        seed: of every draw.
        cache: a directory in which finished fits are kept, or None.
    """

    inputs: inputs.Inputs
    seed: int
    cache: Path | None

    @property
    def cells(self) -> pd.DataFrame:
        """variant, language, template, n_correct, n_total (and split, where there are two)."""
        return self.inputs.cells.copy()

    @property
    def features(self) -> Tables:
        """Features, raw: the tables ``languages``, ``models`` and ``pairs``."""
        known = self.inputs.features
        return Tables(known.languages.copy(), known.models.copy(), known.pairs.copy())

    @property
    def source(self) -> str:
        """In words, which data these are."""
        return self.inputs.source

    @cached_property
    def catalogue(self) -> store.Catalogue | store.Bundle:
        """The models and languages that a prediction can be asked about.

        The fit has them where it is kept: gathering them takes as long as a prediction.
        """
        return store.catalogue(self.inputs) if self._kept_bundle is None else self._kept_bundle

    @cached_property
    def key(self) -> tuple:
        """What names these data: hashes of all that is known of them."""
        tables = [self.inputs.cells, *vars(self.inputs.features).values()]
        tables += [self.inputs.further_languages, self.inputs.further_pairs]
        return tuple(None if table is None else hash_table(table) for table in tables)

    @cached_property
    def bundle(self) -> store.Bundle:
        """The fit that predictions for any language and model are made from, made when needed."""
        if self._kept_bundle is not None:
            return self._kept_bundle
        return store.load_or_build(self.key, self.cache, lambda: self.inputs)

    @cached_property
    def _kept_bundle(self) -> store.Bundle | None:
        return store.find(self.key, self.cache)

    def prepared(self, drop_missing: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Cells with raw features, and URIEL vectors: what hold-out runs start from.

        ``drop_missing`` drops rows that lack a feature, instead of leaving the feature out.
        """
        return loo.prepare(self.inputs, drop_missing)

    def without(self, items: Source | HasItems) -> Study:
        """The study without some items, so that what was found can be found again.

        Args:
            items: what ``items()`` returned, or rows of language and template: a file or a data
                frame. Where there is a column ``flagged``, only its true rows are left out.

        Published figures do not stand beside what is found of it. Raises InputError for a list
        that cannot be read, or that leaves nothing, or nothing out.
        """
        cells, number, notes = left_out(self.inputs.cells, items)
        check_fit_ready(cells)
        source = f"{self.source}, without {number} items"
        kept = (*self.inputs.notes, *notes)
        left = replace(self.inputs, cells=cells, source=source, is_study=False, notes=kept)
        return Study(left, self.seed, self.cache)

    def sheet(self) -> Sheet:
        cells = self.inputs.cells
        models, languages = self.features.models, sorted(cells["language"].unique())
        facts = {
            "rows": f"{len(cells):,} cells, {cells['n_total'].sum():,} answers, "
            f"{cells['n_correct'].sum() / cells['n_total'].sum():.1%} correct",
            "models": f"{cells['variant'].nunique()} variants of "
            f"{models['base_model'].nunique()} base models in {models['family'].nunique()} "
            "families",
            "languages": f"{len(languages)}: {' '.join(languages)}",
            "templates": str(cells["template"].nunique()),
            "data": self.source,
        }
        return Sheet("Study", facts, remarks=self.inputs.notes)


@speaking_python
def load(
    outcomes: Source | None = None,
    models: Source | None = None,
    languages: Source | None = None,
    *,
    tokenizer_counts: str | Path | None = None,
    seed: int = DEFAULT_SEED,
    split: str | None = "symbolic",
    cache: str | Path | None = None,
) -> Study:
    """The embedded study, or your own outcomes, with the features of their languages and models.

    Args:
        outcomes: rows of answers (variant, language, template, instance, correct) or of cells
            (variant, language, template, n_correct, n_total): a CSV, Parquet or .jsonl file, a
            folder of logs, or a data frame. Without it: the published cells of the study.
        models: variant, base_model, family, params_b, reasoning of models that are not registered.
        languages: language, and your own features, which replace the registered ones.
        tokenizer_counts: token counts as ``transfer features --tokenizer`` writes them.
        seed: of every draw.
        split: the one to keep where there are two; None keeps both.
        cache: a directory in which finished fits are kept from run to run.

    Raises InputError, naming file or table, column and row, for what cannot be read or joined.
    """
    cache = None if cache is None else Path(cache)
    own = (outcomes, models, languages, tokenizer_counts)
    if all(value is None for value in own):
        return _embedded(seed, split, cache)
    found = inputs.load(
        *(located(value) for value in own[:3]),
        seed,
        split,
        None if tokenizer_counts is None else Path(tokenizer_counts),
    )
    return Study(found, seed, cache)


def located(source: Source | None) -> Path | pd.DataFrame | None:
    """A source with its path as one; InputError for what is neither path nor data frame."""
    if source is None or isinstance(source, pd.DataFrame):
        return source
    if not isinstance(source, str | PathLike):
        raise InputError(
            f"rows come from a file or a pandas data frame, not from a {type(source).__name__}: "
            "make one with pandas.DataFrame(…) or its to_pandas()"
        )
    return Path(source)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Cells alone, for an analysis that asks for no features.

    Attributes:
        cells: variant, language, template, n_correct, n_total (and split, where there are two).
        source: in words, which data these are.
        seed: of every draw.
        is_study: whether these are the study's, so that published figures stand beside ours.
        notes: what a reader should know of them, a sentence each.
    """

    cells: pd.DataFrame
    source: str
    seed: int = DEFAULT_SEED
    is_study: bool = False
    notes: tuple[str, ...] = ()

    def without(self, items: Source | HasItems) -> Outcomes:
        """The outcomes without some items, see ``Study.without``."""
        cells, number, notes = left_out(self.cells, items)
        source = f"{self.source}, without {number} items"
        return replace(
            self, cells=cells, source=source, is_study=False, notes=(*self.notes, *notes)
        )


def read_cells(source: Source, seed: int = DEFAULT_SEED) -> Outcomes:
    """Your own outcomes, of models and languages that nobody need have described.

    Args:
        source: as ``load`` takes them.
        seed: of every draw.

    Raises InputError, naming file or table, column and row, for what cannot be read.
    """
    cells = read_outcomes(located(source))
    notes = tuple(inputs.unused_columns(cells))
    return Outcomes(cells, cells.attrs["data_source"], seed, notes=notes)


def outcomes(study: Study | Outcomes | None) -> Outcomes:
    """The cells of a study, the embedded one for None; cells alone as they are."""
    if isinstance(study, Outcomes):
        return study
    study = given(study)
    return Outcomes(study.cells, study.source, study.seed, study.inputs.is_study)


@cache
def _embedded(seed: int, split: str | None, cache: Path | None) -> Study:
    """The embedded study, read once a process."""
    return Study(inputs.load(None, None, None, seed, split), seed, cache)


def given(study: object) -> Study:
    """The study that a function was given, the embedded one for None; InputError for others."""
    if study is None:
        return load()
    if not isinstance(study, Study):
        raise InputError(
            f"a study comes from load(), this is a {type(study).__name__}: "
            "write load(outcomes=…) and pass what it returns"
        )
    return study
