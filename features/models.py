"""The registry of models: one row per variant, that is, a checkpoint with reasoning on or off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.tables import Column, check_columns, named, read_column, read_rows
from capability_transfer.features.reasoning import mode
from capability_transfer.features.size import parse_size

DATA = Path(__file__).parent / "data"
DECLARED = (
    Column("variant", "label", "a model in one reasoning mode"),
    Column("base_model", "label", "the checkpoint"),
    Column("family", "label", "who made it"),
    Column("params_b", "number", "billions of parameters", required=False),
    Column("reasoning", "label", "on or off"),
    Column("tokenizer", required=False),
    Column("hub_id", required=False),
    Column("revision", required=False),
    Column("in_study", "truth", required=False),
    Column("source", required=False),
)
COLUMNS = tuple(column.name for column in DECLARED)


def registry() -> pd.DataFrame:
    """The study's 48 runs, one row each; ``in_study`` is False for the two that it excludes.

    ``variant`` is the run's label (a model with two modes says which), ``base_model`` the
    checkpoint, ``params_b`` nominal billions of parameters, ``reasoning`` on or off, ``tokenizer``
    a key of the packaged token counts.
    """
    return _registry().copy()


def table(models: pd.DataFrame | Iterable[str] | None = None) -> pd.DataFrame:
    """Model rows: the registry's by default, those of the given variants, or a table, checked.

    Raises InputError for an unknown variant (with near matches), a variant given twice, a base
    model in two families or of two sizes, and a reasoning value that is neither on nor off.
    """
    if models is None:
        return registry()
    if isinstance(models, pd.DataFrame):
        return _checked(models, "models")
    known = registry()
    given = [models] if isinstance(models, str) else list(models)
    for variant in given:
        if variant not in set(known["variant"]):
            raise InputError(
                f"unknown model {str(variant)!r}.{suggest(variant, known['variant'])} "
                "A model that is not registered comes in a models file"
            )
    if not given:
        raise InputError("no model is given")
    return _checked(known.set_index("variant", drop=False).loc[given], "models")


def read_models(
    source: str | Path | pd.DataFrame, count: Literal["total", "active"] | None = None
) -> pd.DataFrame:
    """A user's models, a file or a data frame, with the registry's columns; others kept as text.

    ``variant``, ``base_model``, ``family`` and ``reasoning`` are required. ``params_b`` is parsed
    from ``base_model`` (or ``hub_id``) where the rows leave it out; ``count`` says which count of
    a mixture of experts to take (see ``features.size.parse_size``), and
    ``attrs["sizes_from_names"]`` says which were parsed. Raises InputError.
    """
    given = read_rows(source, DECLARED, "models")
    where, unit = named(source, "models"), given.index.name
    rows = given.assign(in_study=given.get("in_study", "false"))
    rows["params_b"] = rows.get("params_b", "")
    for column in DECLARED:
        if column.reads_as != "text":
            rows[column.name] = read_column(rows[column.name], column, where)
    parsed = {}
    for line, row in rows[rows["params_b"].isna()].iterrows():
        try:
            size = parse_size(row.get("hub_id") or row["base_model"], count)
            rows.loc[line, "params_b"] = parsed[row["base_model"]] = size
        except InputError as error:
            raise error.at(f"{where}, {unit} {line}: ") from error
    for column in ("tokenizer", "hub_id", "revision"):
        rows[column] = rows.get(column, "")
    rows["source"] = rows.get("source", where)
    extra = given.columns.difference(COLUMNS, sort=False)
    result = _checked(rows[[*COLUMNS, *extra]], where)
    result.attrs["sizes_from_names"] = parsed
    return result


@cache
def _registry() -> pd.DataFrame:
    return read_models(DATA / "models.csv")


def _checked(models: pd.DataFrame, where: str) -> pd.DataFrame:
    """The rows with reasoning as on or off, after the checks that ``table`` promises."""
    needed = [replace(one, required=one.required or one.name == "params_b") for one in DECLARED]
    check_columns(models.columns, needed, where, "models")
    if twice := models["variant"][models["variant"].duplicated()].tolist():
        raise InputError(f"{where}: {name_some(twice)} is given twice; a variant has one row")
    for column in ("family", "params_b"):
        kinds = models.groupby("base_model")[column].nunique()
        if (kinds > 1).any():
            raise InputError(
                f"{where}: {name_some(kinds.index[kinds > 1])} has more than one {column}"
            )
    modes = [
        mode(value, f"{where}: reasoning of {variant}")
        for variant, value in zip(models["variant"], models["reasoning"], strict=True)
    ]
    return models.assign(reasoning=modes).reset_index(drop=True)
