"""Outcome files of any known format, as validated cells.

Tables of the declared columns are read as they are; logs go through ``ingest`` with its strictest
policies. A further format of logs is one file and one line in ``formats.FORMATS``.

Instances in Parquet and in large CSV files are added up by DuckDB: no more than a part of them is
held in Python. The same checks and the same cells as ``schema.validate`` and ``schema.to_cells``
give, made on distinct values. Memory is bounded (``policies.MEMORY``); what does not fit is spilled
to disk.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from capability_transfer.analysis.outcomes import rows
from capability_transfer.analysis.outcomes.formats import format_of
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.policies import connect, quoted
from capability_transfer.analysis.outcomes.schema import KINDS, Kind, kind_of, to_cells, validate
from capability_transfer.common.encoding import refuse_pointer
from capability_transfer.common.errors import InputError, name_some, parameters
from capability_transfer.common.tables import check_columns, csv_parts, named, read_table

TABLES = (".csv", ".parquet", ".jsonl")
"""Suffixes of tables of instances or of cells (``common.tables.read_table``)."""

LARGE = 2**25
"""Bytes of a CSV file up to which its rows are held in memory."""

SHOWN = 8
ROW = "file_row_number"
"""What DuckDB calls the number of a row in its file; no column may have this name."""

LINE = "line"
"""Where a staged row stands in its CSV file."""


def read_outcomes(path: str | Path | pd.DataFrame) -> pd.DataFrame:
    """Instances or cells, or logs, as cells: variant, language, template, … counts.

    A path or a data frame; messages name a file's lines and a data frame's index. Which of the two
    a table holds is told by its columns (``schema.KINDS``). Instances in Parquet, and in CSV of
    more than ``LARGE`` bytes, are added up without holding them in memory. A folder or a log is
    read as ``ingest`` does, and refused where samples ended in errors. Rows are sorted by their
    key. ``attrs["data_source"]`` says in words where the cells come from.

    Raises InputError for a path that does not exist, a suffix without a reader, and whatever
    ``schema.validate`` and ``ingest`` refuse.
    """
    if isinstance(path, pd.DataFrame):
        where = named(path, "outcomes")
        return _cells(path, where, where)
    path = Path(path)
    suffix = path.suffix.casefold()
    refuse_pointer(path)
    if path.is_dir() or (path.is_file() and format_of(path) not in (None, rows.FORMAT)):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "outcomes.parquet"
            try:
                report = ingest([path], target)
            except InputError as error:
                message = error.message
                raise type(error)(f"{message}{_whose_options(message)}") from error
            return _sourced(cells_of_instances(target), report.source)
    if not path.is_file():
        raise InputError(f"{path} is not a file" if path.exists() else f"there is no file {path}")
    if suffix not in TABLES:
        raise InputError(
            f"{path}: no reader for {path.suffix or 'a file without suffix'}; "
            f"outcomes are read from {name_some(TABLES)} and from logs (`transfer ingest`)"
        )
    if suffix == ".parquet" and (source := _source_of_instances(path)) is not None:
        return _sourced(cells_of_instances(path), source)
    if suffix == ".csv" and path.stat().st_size > LARGE:
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "instances.parquet"
            if (unused := _staged(path, target)) is not None:
                cells = _sourced(cells_of_instances(target, path), f"instances of {path.name}")
                cells.attrs["unused_columns"] = unused
                return cells
    return _cells(read_table(path), str(path), path.name)


def _staged(path: Path, target: Path) -> list[str] | None:
    """Write the instances of a CSV file as Parquet, texts as they are, with the line of each.

    Returns the columns that are not used, or None where the file holds no instances.
    """
    kind = KINDS["instances"]
    writer, names = None, []
    for part in csv_parts(path):
        if writer is None:
            if kind_of(part, str(path)) != kind.name:
                return None
            check_columns(part.columns, kind.columns, str(path), kind.name)
            names = [column.name for column in kind.columns if column.name in part.columns]
            schema = pa.schema([*((name, pa.string()) for name in names), (LINE, pa.int64())])
            writer = pq.ParquetWriter(target, schema)
        rows = part[names].assign(**{LINE: part.index})
        writer.write_table(pa.Table.from_pandas(rows, schema, preserve_index=False))
    writer.close()
    return [name for name in part.columns if name not in names]


def place(outcomes: str | Path | pd.DataFrame, column: str, values: Collection[object]) -> str:
    """Where a table of outcomes has some values: ``mine.csv, line 12 and 3 more rows: ``.

    For messages, so logs, whose columns are found by a mapping, have no place: nothing.
    """
    if isinstance(outcomes, pd.DataFrame):
        table, name, row = outcomes, named(outcomes, "outcomes"), "index"
    elif Path(outcomes).suffix.casefold() not in TABLES:
        return ""
    else:
        table, name = read_table(outcomes), str(outcomes)
        row = table.index.name
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
    if not parameters(message):
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


def cells_of_instances(path: Path, of: Path | None = None) -> pd.DataFrame:
    """The cells of a Parquet file whose columns are those of ``instances``.

    Raises InputError as ``schema.validate`` does, naming rows by their number from 1, or by their
    ``LINE`` in the file ``of`` that they were staged from; of rows that are wrong in the same way
    within a cell the first is named.
    """
    kind = KINDS["instances"]
    number, word = (f"{ROW} + 1", "row") if of is None else (LINE, LINE)
    with tempfile.TemporaryDirectory() as folder, connect(Path(folder)) as database:
        database.execute("SET preserve_insertion_order = false")
        names = {
            row[0]: row[1]
            for row in database.execute(
                "DESCRIBE SELECT * FROM read_parquet(?)", [str(path)]
            ).fetchall()
        }
        key = [name for name in kind.key if name in names]
        labels = ", ".join(_label(name, names[name]) for name in key)
        database.execute(
            f"CREATE TEMP VIEW rows AS SELECT {labels}, correct, {number} AS row "
            f"FROM read_parquet({quoted(str(path))}, file_row_number = true)"
        )
        cell = ", ".join(f'"{name}"' for name in key if name != "instance")
        groups = database.execute(
            f"SELECT {cell}, correct, count(*) AS n, min(row) AS row, "
            f"min(row) FILTER (WHERE instance IS NULL OR instance = '') AS lost "
            f"FROM rows GROUP BY {cell}, correct ORDER BY min(row)"
        ).df()
        _refuse_repeated(database, key, of or path, word)
    return _added(groups, kind, of or path, word)


def _label(name: str, dtype: str) -> str:
    """A column as text: without surrounding space, whole numbers without a decimal point."""
    column = f'"{name}"'
    if dtype in ("DOUBLE", "FLOAT"):
        column = (
            f"CASE WHEN {column} = floor({column}) AND abs({column}) < 1e15 "
            f"THEN CAST(CAST({column} AS BIGINT) AS VARCHAR) ELSE CAST({column} AS VARCHAR) END"
        )
    return f'trim(CAST({column} AS VARCHAR)) AS "{name}"'


def _refuse_repeated(database, key: list[str], path: Path, word: str) -> None:
    """Raise InputError for rows with one key; keys are compared by their 64-bit hashes first."""
    listed = ", ".join(f'"{name}"' for name in key)
    total, distinct = database.execute(
        f"SELECT count(*), count(DISTINCT hash({listed})) FROM rows"
    ).fetchone()
    if total == distinct:
        return
    found = database.execute(
        f"SELECT language, list_sort(list(row)) FROM rows GROUP BY {listed} HAVING count(*) > 1 "
        f"ORDER BY min(row) LIMIT {SHOWN}"
    ).fetchall()
    if found:
        told = "; ".join(
            f"{word} {number} ({language})" for language, rows in found for number in rows[:SHOWN]
        )
        raise InputError(f"{path}: the same {', '.join(key)} more than once: {told}")


def _added(groups: pd.DataFrame, kind: Kind, path: Path, word: str) -> pd.DataFrame:
    """Groups of equal rows, validated as if each were one row, and added up."""
    lost = groups["lost"].dropna().astype(int)
    if len(lost):
        raise InputError(
            f"{path}: column 'instance' is empty or missing: "
            + "; ".join(f"{word} {number}" for number in lost[:SHOWN])
        )
    index = pd.Index(groups["row"], name=word)
    rows = groups.drop(columns=["n", "row", "lost"]).set_index(index)
    # An instance of its own for each group: repeated keys were looked for among all rows.
    valid = validate(rows.assign(instance=range(len(rows))), kind.name, str(path))
    valid["n"] = groups["n"].to_numpy()
    cell = [name for name in kind.key if name in valid.columns and name != "instance"]
    valid["n_correct"] = valid["n"] * valid["correct"]
    added = valid.groupby(cell, sort=True, as_index=False)[["n_correct", "n"]].sum()
    return added.rename(columns={"n": "n_total"}).astype({"n_correct": "int64", "n_total": "int64"})
