"""All features of given models and languages, as three tables.

``FEATURES`` is the registry: a new feature is one file with a ``build`` and one line here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import write_table
from capability_transfer.common.tables import Column, check_spelling, read_column
from capability_transfer.features import articles, fertility, reasoning, resource, size, typology
from capability_transfer.features import languages as language_registry
from capability_transfer.features import models as model_registry


@dataclass(frozen=True)
class Feature:
    """One feature: its column, what it is known of, its builder, and the columns that it adds.

    ``level`` is ``language``, ``model`` or ``pair``; the builder takes a table of languages, of
    models, or of models and one of languages, and returns rows keyed alike. A user's own values of
    a language's feature lie within ``limits``, on the scale that ``unit`` says.
    """

    name: str
    level: str
    build: Callable[..., pd.DataFrame]
    columns: tuple[str, ...]
    limits: tuple[float, float] = (-np.inf, np.inf)
    unit: str = ""


FEATURES = (
    Feature(
        "resource",
        "language",
        resource.build,
        ("resource", "pages", "crawl"),
        (0.0, 15.0),
        "log10 of Common Crawl pages",
    ),
    Feature(
        "distance",
        "language",
        typology.build,
        ("distance", "uriel", "n_observed", "imputed_share"),
        (0.0, 1.0),
        "a distance from English",
    ),
    Feature(
        "articles",
        "language",
        articles.build,
        ("articles", "edition"),
        (0.0, 8.0),
        "log10 of Wikipedia's articles",
    ),
    Feature(
        "fertility",
        "pair",
        fertility.build,
        ("tokenizer", "tokens_per_character", "fertility_ratio", "fertility"),
    ),
    Feature("size", "model", size.build, ("size",)),
    Feature("reasoning", "model", reasoning.build, ("reasoning",)),
)
KEYS = {"language": ["language"], "model": ["variant"], "pair": ["variant", "language"]}
LANGUAGE_COLUMNS = ("language", "name", "script", "family", "in_study")


@dataclass(frozen=True)
class Tables:
    """Features by language, by model (one row per variant), and by pair of the two."""

    languages: pd.DataFrame
    models: pd.DataFrame
    pairs: pd.DataFrame


def build_all(
    models: pd.DataFrame | Iterable[str] | None = None,
    languages: pd.DataFrame | Iterable[str] | None = None,
    options: Mapping[str, Mapping[str, object]] | None = None,
) -> Tables:
    """Build every feature; the study's 48 runs and 15 languages by default.

    ``options`` go to a feature's builder by the feature's name, e.g. ``{"distance": {"source":
    "dan"}, "fertility": {"counts": counts}}``. A feature column that a languages table already has
    (from a user's file) stands where it is filled, in place of the built one and of what is told
    beside it. Further numeric columns come along as numbers.

    What is not known of a language, a model or a pair is NaN. Raises InputError.
    """
    options = options or {}
    if unknown := set(options) - {feature.name for feature in FEATURES}:
        hint = suggest(min(unknown), [feature.name for feature in FEATURES])
        raise InputError(f"options for {name_some(sorted(unknown))}, which is not a feature.{hint}")
    language_rows = language_registry.table(languages)
    model_rows = model_registry.table(models)
    arguments = {
        "language": (language_rows,),
        "model": (model_rows,),
        "pair": (model_rows, language_rows),
    }
    built = {level: [] for level in KEYS}
    for feature in FEATURES:
        rows = feature.build(*arguments[feature.level], **options.get(feature.name, {}))
        built[feature.level].append(rows[[*KEYS[feature.level], *feature.columns]])
    extra = language_rows.columns.difference(language_registry.COLUMNS, sort=False)
    language_table = _joined(language_rows[list(LANGUAGE_COLUMNS)], built["language"], "language")
    own = model_rows.columns.difference(model_registry.COLUMNS)
    model_table = _joined(
        model_rows.assign(**model_rows[own].apply(_as_read)), built["model"], "model"
    )
    return Tables(
        languages=_with_given(language_table, language_rows, list(extra)),
        models=model_table,
        pairs=_joined(built["pair"][0], built["pair"][1:], "pair"),
    )


def describe(tables: Tables) -> str:
    """What the files that ``write`` makes hold, and where it comes from."""
    crawls = ", ".join(sorted(tables.languages["crawl"].dropna().astype(str).unique()))
    return (
        f"`languages.csv`: resource (log10 Common Crawl pages; {crawls}), distance (URIEL cosine "
        "distance, with the number of observed features) and articles (log10 of Wikipedia's)."
        "\n\n"
        "`models.csv`: size (log2 billions of parameters) and reasoning (1 is on).\n\n"
        "`pairs.csv`: tokens per non-whitespace character, their ratio to English "
        "(`fertility_ratio`) and its deviation from the language's mean (`fertility`).\n\n"
        "All are published figures or computed from public data."
    )


def write(tables: Tables, out_dir: str | Path) -> list[Path]:
    """Write ``languages.csv``, ``models.csv`` and ``pairs.csv``, each whole or not at all."""
    return [
        write_table(getattr(tables, name), Path(out_dir) / f"{name}.csv", "%.12g")
        for name in ("languages", "models", "pairs")
    ]


def _joined(base: pd.DataFrame, parts: list[pd.DataFrame], level: str) -> pd.DataFrame:
    """The parts' columns beside the base's; a feature takes the place of a registry column."""
    for part in parts:
        added = part.columns.difference(KEYS[level])
        base = base.drop(columns=added, errors="ignore").merge(
            part, on=KEYS[level], how="left", validate="one_to_one"
        )
    return base


def _with_given(table: pd.DataFrame, rows: pd.DataFrame, extra: list[str]) -> pd.DataFrame:
    """The table with the columns that a user's languages file brings."""
    result = table.copy()
    rows = rows.set_index("language")[extra].fillna("")
    told = set()
    for feature in FEATURES:
        if feature.level != "language":
            continue
        beside = [name for name in feature.columns if name != feature.name]
        told |= {feature.name, *beside}
        if feature.name in extra:
            given = read_column(rows[feature.name], Column(feature.name, "number"), "languages")
            _check_scale(given, feature)
            filled = given.notna().to_numpy()
            result.loc[filled, feature.name] = given[filled].to_numpy()
            result.loc[filled, beside] = None
        elif orphans := [name for name in beside if name in extra]:
            raise InputError(
                f"languages has {name_some(orphans)} but not {feature.name}, which goes with it: "
                f"give {feature.name}, or leave {name_some(orphans)} out"
            )
    check_spelling(extra, told, "languages")
    for column in extra:
        if column not in told:
            result[column] = _as_read(rows[column]).to_numpy()
    return result


def _check_scale(given: pd.Series, feature: Feature) -> None:
    """Raise InputError for a user's values on another scale, such as pages for their log10."""
    low, high = feature.limits
    outside = given[(given < low) | (given > high)]
    if len(outside):
        raise InputError(
            f"languages, language {outside.index[0]}: {feature.name} is {outside.iloc[0]:g}, but "
            f"it is {feature.unit}, from {low:g} to {high:g}"
        )


def _as_read(column: pd.Series) -> pd.Series:
    """A user's column as numbers (empty cells NaN) if every filled cell is one, else as it is."""
    filled = column.where(column.notna() & (column != ""))
    values = pd.to_numeric(filled, errors="coerce")
    return column if (values.isna() & filled.notna()).any() else values.astype(float)
