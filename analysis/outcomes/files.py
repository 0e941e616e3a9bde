"""Outcome files of any known format, as validated cells.

A further format is one file with a reader and one line in ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from analysis.outcomes.cells import to_cells
from analysis.outcomes.schema import kind_of, validate
from analysis.outcomes.tables import read_csv, read_parquet
from common.errors import InputError, name_some

FORMATS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": read_csv,
    ".parquet": read_parquet,
}
"""Reader of each format, by the suffix of the file: path → rows of instances or of cells."""


def read_outcomes(path: str | Path) -> pd.DataFrame:
    """A file of instances or of cells as cells: variant, language, template[, split], counts.

    Which of the two it holds is told by its columns (``schema.KINDS``). Rows are sorted by their
    key. ``attrs["data_source"]`` says in words where the cells come from.

    Raises InputError for a file that does not exist, a suffix without a reader, and whatever
    ``schema.validate`` refuses.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    reader = FORMATS.get(path.suffix.casefold())
    if reader is None:
        raise InputError(
            f"{path}: no reader for {path.suffix or 'a file without suffix'}; "
            f"outcomes are read from {name_some(FORMATS)}"
        )
    table = reader(path)
    kind = kind_of(table, str(path))
    rows = validate(table, kind, str(path))
    if kind == "instances":
        cells = to_cells(rows)
    else:
        cells = rows.sort_values(list(rows.columns[:-2]), ignore_index=True)
    # Cells that this toolkit wrote say themselves where they come from.
    cells.attrs = {"data_source": f"{kind} of {path.name}"} | table.attrs
    return cells
