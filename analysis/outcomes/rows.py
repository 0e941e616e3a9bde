"""CSV, Parquet and JSON Lines with a column mapping: a row is a sample, columns of any names."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from capability_transfer.analysis.outcomes.json_lines import first_line, read_lines
from capability_transfer.analysis.outcomes.mapping import Mapping, about_file
from capability_transfer.analysis.outcomes.samples import (
    DamagedLog,
    Format,
    Log,
    Request,
    Response,
    Sample,
)
from capability_transfer.analysis.outcomes.scores import read_binary
from capability_transfer.common.encoding import utf8
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.spreadsheets import unguard

SUFFIXES = (".csv", ".parquet")


def recognises(path: Path) -> bool:
    """Whether a file is CSV or Parquet, by its suffix, or JSON Lines, by its first line."""
    suffix = path.suffix.casefold()
    return suffix in SUFFIXES or (suffix == ".jsonl" and bool(first_line(path)))


def read(path: Path, mapping: Mapping, request: Request, log: Log) -> Iterator[Sample]:
    """The rows of a file; scores are 0, 1, true or false. A scorer is a column of them.

    Raises InputError for a file that cannot be read, and for rows without what is needed.
    """
    chosen: dict[str | None, str | None] = {}
    readers = {".csv": _csv, ".parquet": _parquet, ".jsonl": read_lines}
    rows = readers[path.suffix.casefold()](path)
    about = about_file(path)
    for where, row in rows:
        if {"n_correct", "n_total"} <= set(row) and "correct" not in row:
            raise InputError(
                f"{path} holds counts of cells, not answers: it needs no ingest, give it to the "
                "analyses as it is (`transfer glmm --outcomes FILE`)"
            )
        log.read += 1
        record = {"file": about, "row": row}
        labels = mapping.labels(record, where)
        run = mapping.label("run", record, where) or str(path)
        task = mapping.label("task", record, where)
        error = mapping.label("error", record, where)
        if task not in chosen:
            chosen[task] = request.scorer_of(*([] if task is None else [task]))
        scorer = chosen[task]
        if scorer is not None and scorer not in row:
            known = sorted(row)
            raise InputError(
                f"{where} has no column {scorer!r} for --scorer; its columns are "
                f"{name_some(known, 12)}.{suggest(scorer, known)}"
            )
        placed = any(one.is_in(record) for one in mapping.column("score"))
        if error is None and scorer is None and not placed:
            raise InputError(
                f"{path} has no score: looked in {mapping.places('score')}; its columns are "
                f"{name_some(row, 12)}. Say which with --mapping, such as `score: row.correct`"
            )
        score = mapping.pick("score", record) if scorer is None else row[scorer]
        yield Sample(
            log=str(path),
            run=run,
            task=task or run,
            sample=mapping.label("sample", record, where) or where.rpartition(", ")[2],
            epoch=_count(mapping, "epoch", record, where) or 1,
            uuid=None,
            **labels,
            correct=None if error else read_binary(score, where),
            error=error,
            response=_response(mapping, record, where) if request.responses else None,
        )
    log.tasks = sorted(task for task in chosen if task is not None)
    if not log.read:
        raise InputError(f"{path} has no rows")


FORMAT = Format("table", "*.csv, *.parquet, *.jsonl", recognises, read, "rows")


def _csv(path: Path) -> Iterator[tuple[str, dict]]:
    try:
        with utf8(path, DamagedLog), path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            names = [unguard(name) for name in next(reader, ())]
            if not names:
                raise DamagedLog(f"{path} is empty; a header line and rows are needed")
            if len(set(names)) < len(names):
                raise InputError(f"{path} names a column twice: {name_some(names, 20)}")
            for fields in reader:
                if not any(fields):
                    continue
                where = f"{path}, line {reader.line_num}"
                if len(fields) != len(names):
                    raise DamagedLog(f"{where} has {len(fields)} fields, the header {len(names)}")
                yield where, dict(zip(names, map(unguard, fields), strict=True))
    except csv.Error as error:
        raise DamagedLog(f"{path} is not a comma-separated table: {error}") from error
    except OSError as error:
        raise DamagedLog(f"{path} cannot be read: {error}") from error


def _parquet(path: Path) -> Iterator[tuple[str, dict]]:
    number = 0
    try:
        for batch in pq.ParquetFile(path).iter_batches(10_000):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}, row {number}", row
    except (pa.ArrowException, OSError) as error:
        raise DamagedLog(f"{path} is not a Parquet file: {error}") from error


def _count(mapping: Mapping, column: str, record: dict, where: str) -> int | None:
    text = mapping.label(column, record, where)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"{where}: {column} is {text!r:.80}, not a whole number below a billion")
    return int(text)


def _response(mapping: Mapping, record: dict, where: str) -> Response:
    names = ("input_tokens", "output_tokens", "reasoning_tokens")
    counts = (_count(mapping, name, record, where) for name in names)
    text = mapping.label("response", record, where) or ""
    return Response(text, mapping.label("solution", record, where), *counts)
