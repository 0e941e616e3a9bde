"""Samples on disk while they are read: Parquet, in batches, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from capability_transfer.analysis.outcomes.samples import Sample

BATCH = 20_000

TEXT, COUNT, FLAG = pa.string(), pa.int64(), pa.bool_()
SCHEMA = pa.schema(
    [
        *((name, TEXT) for name in ("log", "run", "task", "sample")),
        ("epoch", pa.int32()),
        *((name, TEXT) for name in ("uuid", "model", "variant", "reasoning")),
        *((name, TEXT) for name in ("language", "template", "split", "instance")),
        *(("correct", FLAG), ("error", TEXT), ("unfinished", FLAG)),
    ]
)
"""Columns of staged samples: those of ``Sample`` but its response."""

Measure = Callable[[Sample], dict[str, Any]]
"""What is kept of a sample's response: column → value."""


@contextmanager
def staging(
    path: Path, measure: Measure | None = None, measures: Iterable[tuple[str, pa.DataType]] = ()
) -> Iterator[Callable[[Sample], None]]:
    """Yield a function that adds a sample to the file.

    Args:
        path: of the file to write.
        measure: what to keep of responses.
        measures: the columns that this gives.
    """
    schema = pa.schema([*SCHEMA, *measures])
    rows: list[dict] = []
    with pq.ParquetWriter(path, schema) as writer:

        def flush() -> None:
            try:
                table = pa.Table.from_pylist(rows, schema)
            except UnicodeEncodeError:  # half of a surrogate pair, which JSON lets through
                table = pa.Table.from_pylist([_encodable(row) for row in rows], schema)
            writer.write_table(table)
            rows.clear()

        def add(sample: Sample) -> None:
            row = {name: getattr(sample, name) for name in SCHEMA.names}
            if measure is not None:
                row |= measure(sample)
            rows.append(row)
            if len(rows) >= BATCH:
                flush()

        yield add
        flush()


def _encodable(row: dict) -> dict:
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }
