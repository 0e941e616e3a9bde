"""A user's rows as text, from a CSV file or a data frame, checked before use."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path

import pandas as pd
from capability_transfer.common.encoding import utf8
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.pointers import is_pointer, told
from capability_transfer.common.spreadsheets import unguarded


def named(source: str | Path | pd.DataFrame, table: str) -> str:
    """What messages call rows: the file, or ``the table of models`` for a data frame."""
    return f"the table of {table}" if isinstance(source, pd.DataFrame) else str(source)


def read_rows(
    source: str | Path | pd.DataFrame,
    required: Collection[str],
    known: Collection[str],
    table: str = "rows",
) -> pd.DataFrame:
    """The rows of a CSV file or a data frame, every cell a stripped string, an empty one ``""``.

    Nothing in a file is taken for a missing value or a boolean: ``nan`` stays Min Nan Chinese,
    ``no`` stays Norwegian. An apostrophe before what a spreadsheet would run goes
    (``common.spreadsheets``). The index is the place for messages: the ``line`` in the file,
    counted from the header's 1 (exact unless a quoted cell spans lines), or the data frame's
    ``row``. ``table`` says what a data frame holds.

    Raises InputError for a file that cannot be read, is empty, lacks a ``required`` column, or has
    a column that looks like a misspelt ``known`` one. Other columns are kept.
    """
    framed = isinstance(source, pd.DataFrame)
    rows = _as_text(source) if framed else _read_csv(source)
    rows = rows[(rows != "").any(axis=1)]
    where = named(source, table)
    check_columns(rows, required, known, where)
    if rows.empty:
        raise InputError(f"{where} has {'' if framed else 'a header but '}no rows")
    return rows


def _as_text(table: pd.DataFrame) -> pd.DataFrame:
    rows = table.astype(object).where(table.notna(), "").astype(str)
    rows = rows.apply(lambda column: column.str.strip())
    return rows.set_axis(rows.columns.astype(str), axis=1).rename_axis(index="row")


def _read_csv(path: str | Path) -> pd.DataFrame:
    if is_pointer(path):
        raise InputError(told(path))
    try:
        with utf8(path):
            cells = pd.read_csv(
                path,
                header=None,  # else pandas takes surplus cells for an index
                dtype=str,
                keep_default_na=False,
                encoding="utf-8-sig",
                skip_blank_lines=False,
            )
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except (OSError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise InputError(f"{path} cannot be read as CSV: {error}") from error
    cells = unguarded(cells.fillna("").apply(lambda column: column.str.strip()))
    cells.index = (cells.index + 1).rename("line")
    return cells.iloc[1:].set_axis(cells.iloc[0].tolist(), axis=1)


def check_columns(
    rows: pd.DataFrame, required: Collection[str], known: Collection[str], where: str
) -> None:
    """Raise InputError for a required column that is absent or a known one that is misspelt."""
    if twice := rows.columns[rows.columns.duplicated()].tolist():
        raise InputError(f"{where} has the column {name_some(twice)} more than once")
    if absent := [name for name in required if name not in rows.columns]:
        near = suggest(absent[0], rows.columns).replace("Did you mean", "Is it meant by")
        raise InputError(
            f"{where} lacks the column {name_some(absent)}.{near} "
            f"It has {name_some(rows.columns, 20)}"
        )
    check_spelling(rows.columns, known, where)


def check_spelling(columns: Iterable[str], known: Collection[str], where: str) -> None:
    """Raise InputError for a column that looks like a misspelt known one that is absent."""
    for name in sorted(set(columns) - set(known)):
        near = get_close_matches(name.casefold(), set(known) - set(columns), 1, 0.87)
        if near:
            raise InputError(f"{where} has a column {name!r}: write {near[0]!r}, or rename it")


def numbers(rows: pd.DataFrame, column: str, where: str) -> pd.Series:
    """A text column as floats, an empty cell as NaN.

    Raises InputError naming the first cell that is not a finite number by its line (the index), or
    by the index's name and label where it has a name.
    """
    text = rows[column].astype(str).str.strip()
    filled = text.where(~text.isin(["", "nan", "None", "<NA>"]))
    values = pd.to_numeric(filled, errors="coerce").replace([float("inf"), -float("inf")], None)
    bad = filled.notna() & values.isna()
    if bad.any():
        at = f"{rows.index.name or 'line'} {rows.index[bad][0]}"
        raise InputError(f"{where}, {at}: {column} is {text[bad].iloc[0]!r}, not a finite number")
    return values.astype(float)


def truth(text: str, column: str, where: str) -> bool:
    """``true`` or ``false`` as a bool; raises InputError for anything else."""
    if text.casefold() not in ("true", "false"):
        raise InputError(f"{where}: {column} is {text!r}; write true or false")
    return text.casefold() == "true"
