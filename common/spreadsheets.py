"""Text in CSV files that no spreadsheet takes for a formula, and back.

Excel, LibreOffice and Google Sheets run a cell that begins with ``=``, ``+``, ``-`` or ``@``, or
with a tab or carriage return before one. So such a text is written with an apostrophe before it,
the sign by which they know text themselves, and read without it. A text that has apostrophes
before such a sign gets one more, so that every text comes back as it was. Numbers are never
changed, nor texts that are one.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas as pd

_FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-](?:inf|nan)", re.ASCII)


def guard(value: object) -> object:
    """A cell for a CSV file: text that would be a formula with an apostrophe before it.

    Anything but text stays as it is.
    """
    if not isinstance(value, str) or not _FORMULA.match(value) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def unguard(value: object) -> object:
    """A cell of a CSV file as it was before ``guard``."""
    return value[1:] if isinstance(value, str) and _GUARDED.match(value) else value


def guarded(table: pd.DataFrame) -> pd.DataFrame:
    """A table with every text and every column's name guarded."""
    return _each(table, guard)


def unguarded(table: pd.DataFrame) -> pd.DataFrame:
    """A table that was read, as it was before it was guarded."""
    return _each(table, unguard)


def _each(table: pd.DataFrame, change: Callable[[object], object]) -> pd.DataFrame:
    """The table with its texts changed; a column where nothing changes keeps its type."""
    made = table.set_axis(range(table.shape[1]), axis=1)
    for place in made.columns:
        column = made[place]
        if pd.api.types.is_numeric_dtype(column):
            continue
        changed = {text: new for text in column.unique() if (new := change(text)) is not text}
        if changed:
            texts = column.astype(object)
            made[place] = texts.map(lambda text, changed=changed: changed.get(text, text))
    return made.set_axis([change(name) for name in table.columns], axis=1)
