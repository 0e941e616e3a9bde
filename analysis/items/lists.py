"""Lists of items, a row per language and template, and outcomes without them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.tables import Column, named, read_column, read_rows
from capability_transfer.features.languages import resolve

KEY = ["language", "template"]
COLUMNS = (
    Column("language", "label", "as in the outcomes"),
    Column("template", "label", "as in the outcomes"),
    Column("flagged", "truth", "whether the item counts", required=False),
)
SAID = ("judgement", "reason")
"""What a list may say of its items: what a reader found, and why, in words."""


def read_items(source: str | Path | pd.DataFrame) -> pd.DataFrame:
    """A list of items, once each: language and template, and ``SAID`` where the list has them.

    Args:
        source: a file or a data frame with both columns, such as ``items.csv`` of ``transfer
            items``. Where it has a column ``flagged``, only the rows with true are taken.

    Raises InputError, naming file, column and row, for what is not such a list.
    """
    rows, where = read_rows(source, COLUMNS, "items"), named(source, "items")
    read = pd.DataFrame(
        {one.name: read_column(rows[one.name], one, where) for one in COLUMNS if one.name in rows}
    )
    told = [name for name in SAID if name in rows]
    read = read.join(rows[told])
    if "flagged" in read:
        read = read[read["flagged"]]
    return read[[*KEY, *told]].drop_duplicates(KEY).reset_index(drop=True)


def without(
    cells: pd.DataFrame, source: str | Path | pd.DataFrame
) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """Outcomes without the items of a list.

    Args:
        cells: language, template, and whatever else.
        source: see ``read_items``.

    Returns the cells that stay, how many items were left out, and notes on the work. Raises
    InputError as ``read_items`` does, and where the outcomes have none of the items, or no other.
    """
    items, where = as_in(read_items(source)[KEY], cells), named(source, "items")
    listed = pd.MultiIndex.from_frame(items)
    here = pd.MultiIndex.from_frame(cells[KEY])
    out = here.isin(listed)
    known = listed.isin(here[out])
    if not out.any():
        raise InputError(
            f"{where}: the outcomes have none of its {len(items)} items "
            f"({name_some(_told(listed), 4)}): language and template are matched as they stand in "
            "the outcomes"
        )
    if out.all():
        raise InputError(f"{where} lists every item of the outcomes: nothing is left")
    notes = [f"{known.sum()} items ({out.sum():,} of {len(cells):,} rows) left out as {where} says"]
    notes += absent(items, cells, where)
    kept = cells[~out].reset_index(drop=True)
    kept.attrs = cells.attrs
    return kept, int(known.sum()), tuple(notes)


def as_in(items: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """Items with their languages named as the outcomes name them."""
    codes = set(cells["language"])
    return items.assign(
        language=[one if one in codes else _resolved(one) for one in items["language"]]
    )


def absent(items: pd.DataFrame, cells: pd.DataFrame, where: str) -> list[str]:
    """A sentence that names the items of a list that the outcomes do not have, if there are."""
    listed = pd.MultiIndex.from_frame(items[KEY])
    lost = listed[~listed.isin(pd.MultiIndex.from_frame(cells[KEY]))]
    if lost.empty:
        return []
    return [f"{len(lost)} items of {where} are not in the outcomes: {name_some(_told(lost))}"]


def _resolved(code: str) -> str:
    """A code as the registry's, since outcomes may have been read so; unknown ones stand."""
    try:
        return resolve(code)
    except InputError:
        return code


def _told(items: pd.MultiIndex) -> list[str]:
    return [f"{language} {template}" for language, template in items]
