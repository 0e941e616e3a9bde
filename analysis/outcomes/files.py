"""Outcome files of any known format, as validated cells.

Tables of the declared columns are read as they are; logs go through ``ingest`` with its strictest
policies. A further table format is one reader and one line in ``TABLES``; a further format of logs
one file and one line in ``formats.FORMATS``.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from capability_transfer.analysis.outcomes import rows
from capability_transfer.analysis.outcomes.cells import to_cells
from capability_transfer.analysis.outcomes.formats import format_of
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.instance_files import ROW, cells_of_instances
from capability_transfer.analysis.outcomes.schema import KINDS, kind_of, validate
from capability_transfer.analysis.outcomes.tables import read_csv, read_jsonl, read_parquet
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.pointers import is_pointer, told
from capability_transfer.features.reading import named

TABLES: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".jsonl": read_jsonl,
}
"""Reader of each table, by the suffix of the file: path → rows of instances or of cells."""


def read_outcomes(path: str | Path | pd.DataFrame) -> pd.DataFrame:
    """Instances or cells, or logs, as cells: variant, language, template, … counts.

    A path or a data frame; messages name a file's lines and a data frame's index. Which of the two
    a table holds is told by its columns (``schema.KINDS``). Instances in Parquet
    are added up without holding them in memory. A folder or a log is read as ``ingest`` does, and
    refused where samples ended in errors. Rows are sorted by their key. ``attrs["data_source"]``
    says in words where the cells come from.

    Raises InputError for a path that does not exist, a suffix without a reader, and whatever
    ``schema.validate`` and ``ingest`` refuse.
    """
    if isinstance(path, pd.DataFrame):
        where = named(path, "outcomes")
        return _cells(path, where, where)
    path = Path(path)
    reader = TABLES.get(path.suffix.casefold())
    if is_pointer(path):
        raise InputError(told(path))
    if path.is_dir() or (path.is_file() and format_of(path) not in (None, rows.FORMAT)):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "outcomes.parquet"
            try:
                report = ingest([path], target)
            except InputError as error:
                raise type(error)(f"{error}{_whose_options(str(error))}") from error
            return _sourced(cells_of_instances(target), report.source)
    if not path.is_file():
        raise InputError(f"{path} is not a file" if path.exists() else f"there is no file {path}")
    if reader is None:
        raise InputError(
            f"{path}: no reader for {path.suffix or 'a file without suffix'}; "
            f"outcomes are read from {name_some(TABLES)} and from logs (`transfer ingest`)"
        )
    if reader is read_parquet and (source := _source_of_instances(path)) is not None:
        return _sourced(cells_of_instances(path), source)
    return _cells(reader(path), str(path), path.name)


def place(outcomes: str | Path | pd.DataFrame, column: str, values: Collection[object]) -> str:
    """Where a table of outcomes has some values: ``mine.csv, line 12 and 3 more rows: ``.

    For messages, so logs, whose columns are found by a mapping, have no place: nothing.
    """
    if isinstance(outcomes, pd.DataFrame):
        table, name, row = outcomes, named(outcomes, "outcomes"), "index"
    else:
        reader, name = TABLES.get(Path(outcomes).suffix.casefold()), str(outcomes)
        if reader is None:
            return ""
        table, row = reader(Path(outcomes)), "row" if reader is read_parquet else "line"
    if column not in table.columns:
        return ""
    wanted = {str(value) for value in values}
    found = table.index[table[column].astype(str).str.strip().isin(wanted)]
    if found.empty:
        return ""
    others = len(found) - 1
    more = f" and {others:,} more row{'s' * (others > 1)}" if others else ""
    return f"{name}, {row} {found[0]}{more}: "


def _whose_options(message: str) -> str:
    """Of a message about logs that names options: whose they are, since here are none of them."""
    if "--" not in message:
        return ""
    return (
        ". (Those options are `transfer ingest`'s, and ingest()'s in Python; the outcomes that it "
        "makes of the logs can be given in their place)"
    )


def _cells(table: pd.DataFrame, where: str, name: str) -> pd.DataFrame:
    """A table of instances or of cells as cells; ``where`` is for messages, ``name`` the source."""
    kind = kind_of(table, where)
    checked = validate(table, kind, where)
    if kind == "instances":
        cells = to_cells(checked)
    else:
        cells = checked.sort_values(list(checked.columns[:-2]), ignore_index=True)
    # Cells that this toolkit wrote say themselves where they come from.
    cells.attrs = {"data_source": f"{kind} of {name}"} | table.attrs
    cells.attrs["unused_columns"] = [str(name) for name in table if name not in checked.columns]
    return cells


def _source_of_instances(path: Path) -> str | None:
    """Where the instances of a Parquet file come from; None if it holds anything else."""
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is not a Parquet file: {error}") from error
    names, instances = set(schema.names), set(KINDS["instances"].required)
    if not instances <= names or len(names) < len(schema.names):
        return None
    if set(KINDS["cells"].required) & names - instances or ROW in names:
        return None
    stated = json.loads((schema.metadata or {}).get(b"PANDAS_ATTRS", b"{}"))
    return stated.get("data_source", f"instances of {path.name}")


def _sourced(cells: pd.DataFrame, source: str) -> pd.DataFrame:
    cells.attrs = {"data_source": source}
    return cells
