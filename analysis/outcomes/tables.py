"""Readers of outcome tables: CSV, Parquet and JSON Lines.

A reader takes a path and returns the rows as they stand, with an index that says where each row
is in the file. Whether they hold instances or cells, and whether they are right, is not its
business.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pandas as pd
import pyarrow as pa
from capability_transfer.analysis.outcomes.json_lines import read_lines
from capability_transfer.analysis.outcomes.schema import KINDS
from capability_transfer.common.encoding import utf8
from capability_transfer.common.errors import InputError
from capability_transfer.common.spreadsheets import unguarded


def read_csv(path: Path) -> pd.DataFrame:
    """Every field of a comma-separated file as text, rows indexed by their line in the file.

    Nothing is taken for a missing value, since ``nan`` is a language (Min Nan Chinese); what guards
    a text from spreadsheets goes (``common.spreadsheets``). Blank
    lines are passed over. Raises InputError for an empty file, for lines with more or fewer
    fields than the header, and for text that is not UTF-8.
    """
    try:
        with warnings.catch_warnings(), utf8(path):
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                path,
                dtype=str,
                na_filter=False,
                skip_blank_lines=False,
                index_col=False,
                encoding="utf-8-sig",
            )
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    except pd.errors.EmptyDataError:
        raise InputError(f"{path} is empty; a header line and rows are needed") from None
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        problem = "a line has more fields than the header" if "Length" in str(error) else error
        raise InputError(f"{path} is not a comma-separated table: {problem}") from error
    table = unguarded(table)
    table.columns = table.columns.str.strip()
    if len(table.columns) == 1 and (sign := re.search("[;\t|]", table.columns[0])):
        raise InputError(f"{path} is separated by {sign.group()!r}; fields are separated by commas")
    table.index = pd.RangeIndex(2, len(table) + 2, name="line")
    return table[(table != "").any(axis=1)]


def read_parquet(path: Path) -> pd.DataFrame:
    """The rows of a Parquet file, indexed by their number from 1.

    Raises InputError for a file that is not a Parquet file.
    """
    try:
        table = pd.read_parquet(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is not a Parquet file: {error}") from error
    if table.index.names != [None]:
        table = table.reset_index()
    return table.set_index(pd.RangeIndex(1, len(table) + 1, name="row"))


def read_jsonl(path: Path) -> pd.DataFrame:
    """The objects of a JSON Lines file as rows, indexed by their line in the file.

    A value that is absent or null is missing; numbers, truth values and texts stay what they are.
    Raises InputError for a line that is not a JSON object, and for a declared column that holds an
    object or a list.
    """
    lines = [(int(where.rpartition(" ")[2]), line) for where, line in read_lines(path)]
    declared = {column.name for kind in KINDS.values() for column in kind.columns}
    for number, line in lines:
        for name in declared.intersection(line):
            if isinstance(line[name], dict | list):
                raise InputError(
                    f"{path}, line {number}: {name} is {line[name]!r:.80}; it must be one value"
                )
    names = dict.fromkeys(name for _, line in lines for name in line)
    columns = {name: [line.get(name) for _, line in lines] for name in names}
    index = pd.Index([number for number, _ in lines], name="line")
    return pd.DataFrame(columns, index=index, dtype=object)
