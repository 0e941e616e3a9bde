"""Large Parquet files of instances to cells, added up by DuckDB: no row is held in Python.

The same checks and the same cells as ``schema.validate`` and ``cells.to_cells`` give, made on
distinct values. Memory is bounded (``policies.MEMORY``); what does not fit is spilled to disk.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.outcomes.policies import connect, quoted
from capability_transfer.analysis.outcomes.schema import KINDS, Kind, validate
from capability_transfer.common.errors import InputError

SHOWN = 8
ROW = "file_row_number"
"""What DuckDB calls the number of a row in its file; no column may have this name."""


def cells_of_instances(path: Path) -> pd.DataFrame:
    """The cells of a Parquet file whose columns are those of ``instances``.

    Raises InputError as ``schema.validate`` does, naming rows by their number from 1; of rows that
    are wrong in the same way within a cell the first is named.
    """
    kind = KINDS["instances"]
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
            f"CREATE TEMP VIEW rows AS SELECT {labels}, correct, file_row_number + 1 AS row "
            f"FROM read_parquet({quoted(str(path))}, file_row_number = true)"
        )
        cell = ", ".join(f'"{name}"' for name in key if name != "instance")
        groups = database.execute(
            f"SELECT {cell}, correct, count(*) AS n, min(row) AS row, "
            f"min(row) FILTER (WHERE instance IS NULL OR instance = '') AS lost "
            f"FROM rows GROUP BY {cell}, correct ORDER BY min(row)"
        ).df()
        _refuse_repeated(database, key, path)
    return _added(groups, kind, path)


def _label(name: str, dtype: str) -> str:
    """A column as text: without surrounding space, whole numbers without a decimal point."""
    column = f'"{name}"'
    if dtype in ("DOUBLE", "FLOAT"):
        column = (
            f"CASE WHEN {column} = floor({column}) AND abs({column}) < 1e15 "
            f"THEN CAST(CAST({column} AS BIGINT) AS VARCHAR) ELSE CAST({column} AS VARCHAR) END"
        )
    return f'trim(CAST({column} AS VARCHAR)) AS "{name}"'


def _refuse_repeated(database, key: list[str], path: Path) -> None:
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
            f"rows {', '.join(map(str, rows[:SHOWN]))} ({language})" for language, rows in found
        )
        raise InputError(f"{path}: the same {', '.join(key)} more than once: {told}")


def _added(groups: pd.DataFrame, kind: Kind, path: Path) -> pd.DataFrame:
    """Groups of equal rows, validated as if each were one row, and added up."""
    lost = groups["lost"].dropna().astype(int)
    if len(lost):
        raise InputError(
            f"{path}: column 'instance' is empty or missing: row "
            + "; row ".join(map(str, lost[:SHOWN]))
        )
    index = pd.Index(groups["row"], name="row")
    rows = groups.drop(columns=["n", "row", "lost"]).set_index(index)
    # An instance of its own for each group: repeated keys were looked for among all rows.
    valid = validate(rows.assign(instance=range(len(rows))), kind.name, str(path))
    valid["n"] = groups["n"].to_numpy()
    cell = [name for name in kind.key if name in valid.columns and name != "instance"]
    valid["n_correct"] = valid["n"] * valid["correct"]
    added = valid.groupby(cell, sort=True, as_index=False)[["n_correct", "n"]].sum()
    return added.rename(columns={"n": "n_total"}).astype({"n_correct": "int64", "n_total": "int64"})
