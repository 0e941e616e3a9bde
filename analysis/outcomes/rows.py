"""CSV, Parquet and JSON Lines with a column mapping: a row is a sample, columns of any names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from capability_transfer.analysis.outcomes.mapping import Mapping, about_file
from capability_transfer.analysis.outcomes.samples import Format, Log, Request, Response, Sample
from capability_transfer.common.errors import InputError, name_some, option, suggest
from capability_transfer.common.tables import count, first_line, label, score, stream

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
    about = about_file(path)
    for where, row in stream(path):
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
                f"{where} has no column {scorer!r} for {option('scorer')}; its columns are "
                f"{name_some(known, 12)}.{suggest(scorer, known)}",
                parameter="scorer",
            )
        placed = any(one.is_in(record) for one in mapping.column("score"))
        if error is None and scorer is None and not placed:
            raise InputError(
                f"{path} has no score: looked in {mapping.places('score')}; its columns are "
                f"{name_some(row, 12)}. Say which with {option('mapping')}, such as "
                "`score: row.correct`"
            )
        stated = mapping.pick("score", record) if scorer is None else row[scorer]
        yield Sample(
            log=str(path),
            run=run,
            task=task or run,
            sample=mapping.label("sample", record, where) or where.rpartition(", ")[2],
            epoch=_count(mapping, "epoch", record, where) or 1,
            uuid=None,
            **labels,
            correct=None if error else _score(stated, where),
            error=error,
            response=_response(mapping, record, where) if request.responses else None,
        )
    log.tasks = sorted(task for task in chosen if task is not None)
    if not log.read:
        raise InputError(f"{path} has no rows")


FORMAT = Format("table", "*.csv, *.parquet, *.jsonl", recognises, read, "rows")


def _score(value: object, where: str) -> bool | None:
    """A score of a table; None if empty. Raises InputError for any other value."""
    found = score(value)
    if found is None and label(value) is not None:
        raise InputError(
            f"{where}: the score is {value!r:.80}; a table's scores are 0 and 1 or true and false"
        )
    return found


def _count(mapping: Mapping, column: str, record: dict, where: str) -> int | None:
    text = mapping.label(column, record, where)
    found = None if text is None else count(text)
    if text is not None and (found is None or found >= 10**9):
        raise InputError(f"{where}: {column} is {text!r:.80}, not a whole number below a billion")
    return found


def _response(mapping: Mapping, record: dict, where: str) -> Response:
    names = ("input_tokens", "output_tokens", "reasoning_tokens")
    counts = (_count(mapping, name, record, where) for name in names)
    text = mapping.label("response", record, where) or ""
    return Response(text, mapping.label("solution", record, where), *counts)
