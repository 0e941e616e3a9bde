"""What an analysis starts from: outcomes as cells, features, and where both come from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.outcomes.files import place, read_outcomes
from capability_transfer.analysis.outcomes.schema import check_fit_ready
from capability_transfer.analysis.outcomes.study import study_cells
from capability_transfer.common.errors import InputError, name_some, option, spelled, suggest
from capability_transfer.common.tables import named
from capability_transfer.features import fertility
from capability_transfer.features import languages as language_registry
from capability_transfer.features import models as model_registry
from capability_transfer.features.fertility import read_counts, with_packaged
from capability_transfer.features.table import Tables, build_all


@dataclass(frozen=True)
class Inputs:
    """Cells and features of one run.

    Attributes:
        cells: variant, language, template, n_correct, n_total, and split where there are two.
        features: the language, model and pair tables of ``features.table``.
        source: in words, which data these are.
        is_study: whether these are the embedded data, so that published figures stand beside ours.
        notes: what was decided on the way and a reader should know, a sentence each.
        further_languages: as the language table of ``features``, for the languages of the user's
            file that no cell is in: a prediction may ask for them.
        further_pairs: as the pair table, for the languages without cells that tokenizers are
            counted in.
    """

    cells: pd.DataFrame
    features: Tables
    source: str
    is_study: bool = False
    notes: tuple[str, ...] = ()
    further_languages: pd.DataFrame | None = None
    further_pairs: pd.DataFrame | None = None

    @property
    def provenance(self) -> dict:
        """What every fit records of its data."""
        return {"data_source": self.source}


def load(
    outcomes: Path | pd.DataFrame | None,
    models: Path | pd.DataFrame | None,
    languages: Path | pd.DataFrame | None,
    seed: int,
    split: str | None = "symbolic",
    tokenizer_counts: Path | None = None,
) -> Inputs:
    """The embedded study data, or a user's ``outcomes``, with their features.

    Args:
        outcomes: CSV, Parquet, JSON Lines or data frame of instances or cells, or logs; the
            study's cells without it.
        models: a file or a data frame that adds to or overrides the registry.
        languages: likewise.
        seed: of the draw that the study's original split needs (``outcomes.study.draw_original``).
        split: keep one split; None keeps both. Outcomes without a split column are kept whole.
        tokenizer_counts: a file of token counts that adds to the packaged ones.

    Raises InputError for whatever cannot be read, joined or fitted.
    """
    own = None if languages is None else language_registry.read_languages(languages)
    if outcomes is None:
        cells = study_cells((split,) if split else ("symbolic", "original"), seed=seed)
        source = cells.attrs["data_source"]
    else:
        cells = read_outcomes(outcomes)
        source = cells.attrs["data_source"]
        if split and "split" in cells.columns:
            kept = cells[cells["split"] == split]
            if kept.empty:
                raise InputError(f"{named(outcomes, 'outcomes')} has no rows of the {split} split")
            cells = kept.reset_index(drop=True)
        cells["language"] = _resolved(cells["language"], own, outcomes)
    own_models = None if models is None else model_registry.read_models(models)
    _check_own_columns(own, OF_OUTCOMES + OF_MODELS, language_registry.COLUMNS, "languages")
    _check_own_columns(own_models, OF_OUTCOMES + OF_LANGUAGES, model_registry.COLUMNS, "models")
    where = "the study's outcomes" if outcomes is None else named(outcomes, "outcomes")
    check_fit_ready(cells, where)
    counts = (
        read_counts() if tokenizer_counts is None else with_packaged(read_counts(tokenizer_counts))
    )
    rows = _model_rows(own_models, cells["variant"].unique(), outcomes)
    build = partial(build_all, models=rows, options={"fertility": {"counts": counts}})
    features = build(languages=_language_rows(own, cells["language"].unique()))
    further = None if own is None else own[~own["language"].isin(cells["language"].unique())]
    return Inputs(
        cells,
        features,
        source,
        outcomes is None,
        _notes(cells, own_models),
        None if further is None or further.empty else build(languages=further).languages,
        further_pairs(rows, cells["language"].unique(), counts),
    )


OF_OUTCOMES = ("variant", "language", "template", "split", "instance", "n_correct", "n_total")
OF_MODELS = ("base_model", "size", "reasoning", "fertility", "params_b")
OF_LANGUAGES = ("resource", "distance", "fertility", "size")
"""Reserved names, which a column of the other file may not have."""


def _check_own_columns(
    rows: pd.DataFrame | None, taken: Collection[str], known: Collection[str], table: str
) -> None:
    """Raise InputError for a user's covariate that a formula would take for something else."""
    extra = [] if rows is None else [name for name in rows.columns if name not in known]
    if both := [name for name in extra if name in taken]:
        raise InputError(
            f"the {table} have a column {name_some(both)}, a name that means something else in "
            "formulas and outcomes: rename the column"
        )


def further_pairs(
    models: pd.DataFrame, languages: Collection[str], counts: pd.DataFrame
) -> pd.DataFrame | None:
    """Fertility of models (registry rows) in the languages of ``counts`` that are not given.

    None where the counts have no other language.
    """
    others = [code for code in counts["language"].unique() if code not in languages]
    return fertility.build(models, others, counts) if others else None


def _resolved(
    codes: pd.Series, own: pd.DataFrame | None, outcomes: Path | pd.DataFrame
) -> pd.Series:
    """Languages by the registry's codes; those of the user's own languages file by its codes.

    Two codes or names of one language in one file are an error.
    """
    declared = {} if own is None else dict(zip(own["language"], own["name"], strict=True))
    known = {}
    for code in codes.unique():
        try:
            known[code] = language_registry.resolve(code, declared)
        except InputError as error:
            raise error.at(place(outcomes, "language", [code])) from error
    for language in set(known.values()):
        same = [code for code in known if known[code] == language]
        if len(same) > 1:
            raise InputError(f"{name_some(same)} are one language ({language}): use one code")
    return codes.map(known)


def unused_columns(cells: pd.DataFrame) -> list[str]:
    """A sentence that names the columns of a user's outcomes which nothing reads, if there are."""
    unused = cells.attrs.get("unused_columns")
    if not unused:
        return []
    return [
        spelled(
            f"columns of the outcomes that are not used: {name_some(unused)} (features come from "
            f"the registries and from {option('languages')} and {option('models')} files)"
        )
    ]


def _notes(cells: pd.DataFrame, models: pd.DataFrame | None) -> tuple[str, ...]:
    notes = unused_columns(cells)
    if models is not None and (parsed := models.attrs.get("sizes_from_names")):
        sizes = name_some(f"{name} {size:g}" for name, size in parsed.items())
        notes.append(f"billions of parameters read from the models' names: {sizes}")
    return tuple(notes)


def _model_rows(
    own: pd.DataFrame | None, variants: list[str], outcomes: Path | pd.DataFrame | None
) -> pd.DataFrame:
    """Rows of the variants at hand: the user's first, then the registry's."""
    rows = model_registry.registry()
    if own is not None:
        own = own.apply(_numbers)
        rows = pd.concat([own, rows[~rows["variant"].isin(own["variant"])]], ignore_index=True)
    used = rows[rows["variant"].isin(variants)]
    unknown = sorted(set(variants) - set(used["variant"]))
    if unknown:
        where = "" if outcomes is None else place(outcomes, "variant", unknown)
        near = suggest(unknown[0], rows["variant"])
        raise InputError(
            f"{where}no features are known for model {name_some(unknown)}.{near}",
            [f"describe it in a models file ({option('models')}, CSV with variant, base_model, "
             "family, params_b, reasoning)"],
        )  # fmt: skip
    return used.reset_index(drop=True)


def _numbers(column: pd.Series) -> pd.Series:
    """A column of text as numbers where every filled field is one, empty fields missing."""
    if column.name in model_registry.COLUMNS or not pd.api.types.is_string_dtype(column):
        return column
    filled = column.replace("", None)
    numbers = pd.to_numeric(filled, errors="coerce")
    return filled if (numbers.isna() & filled.notna()).any() else numbers


def _language_rows(own: pd.DataFrame | None, languages: list[str]) -> pd.DataFrame:
    """Rows of the languages at hand: the user's first, then the registry's."""
    if own is None:
        return language_registry.table(languages)
    own = own[own["language"].isin(languages)]
    others = [code for code in languages if code not in set(own["language"])]
    tables = [own] + ([language_registry.table(others)] if others else [])
    return pd.concat(tables, ignore_index=True)
