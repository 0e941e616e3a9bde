"""Tables of declared columns, read one way: CSV, Parquet, JSON Lines and data frames.

A row keeps its place (``mine.csv, line 3``) for messages. Nothing is taken for a missing value or a
truth value on the way: ``nan`` is a language (Min Nan Chinese), and so is ``no`` (Norwegian).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from capability_transfer.common.encoding import refuse_pointer, utf8
from capability_transfer.common.errors import DamagedFile, InputError, name_some, suggest
from capability_transfer.common.spreadsheets import unguard

csv.field_size_limit(2**31 - 1)  # a reasoning trace may be longer than the 128 KB of the default
_SHOWN = 8  # wrong rows named in a message
PART = 100_000  # rows of CSV that are held as Python's objects at a time


@dataclass(frozen=True)
class Column:
    """One declared column.

    Attributes:
        name: in the header.
        reads_as: ``text`` (as it stands), ``label`` (text that must be there), ``score`` (0 or 1),
            ``count`` (a whole number), ``number`` (finite, or empty) or ``truth``.
        meaning: for messages.
        required: whether a table must have it.
        choices: the only labels allowed, if any.
    """

    name: str
    reads_as: str = "text"
    meaning: str = ""
    required: bool = True
    choices: tuple[str, ...] = ()


# rows of files


def stream(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each row of a file stands (file, and line, row or object), and the row.

    Rows come one after another, so that memory stays flat. A file is Parquet or JSON Lines by its
    suffix, and CSV else. Raises DamagedFile for a file that cannot be read as such.
    """
    path = Path(path)
    kinds = {".parquet": _parquet_rows, ".jsonl": read_lines}
    yield from kinds.get(path.suffix.casefold(), _csv_rows)(path)


def read_table(path: str | Path) -> pd.DataFrame:
    """All rows of a file (see ``stream``) as they stand, indexed by their ``line``, ``row`` …

    Cells of CSV are text; what a line of JSON leaves out is missing. Raises as ``stream`` does.
    """
    path = Path(path)
    suffix = path.suffix.casefold()
    if suffix == ".parquet":
        return _read_parquet(path)
    if suffix == ".jsonl":
        places, found = zip(*read_lines(path), strict=True)
        names = dict.fromkeys(name for row in found for name in row)
        columns = {name: [row.get(name) for row in found] for name in names}
        index = pd.Index([int(where.rpartition(" ")[2]) for where in places])
        index.name = places[0].rpartition(", ")[2].split()[0]
        return pd.DataFrame(columns, index=index, dtype=object)
    parts = list(csv_parts(path))
    return parts[0] if len(parts) == 1 else pd.concat(parts)


def csv_parts(path: Path) -> Iterator[pd.DataFrame]:
    """The rows of a CSV file as ``read_table`` gives them, ``PART`` at a time; one part at least.

    Raises as ``stream`` does.
    """
    lines = _csv_fields(path)
    _, names = next(lines)
    whole = True
    while whole:
        found = list(islice(lines, PART))
        texts: dict[str, str] = {}  # a text that recurs is held once
        rows = [[texts.setdefault(field, field) for field in row] for _, row in found]
        index = pd.Index([number for number, _ in found], name="line")
        yield pd.DataFrame(rows, index=index, columns=names, dtype=str)
        whole = len(found) == PART


def _csv_rows(path: Path) -> Iterator[tuple[str, dict]]:
    lines = _csv_fields(path)
    _, names = next(lines)
    for number, fields in lines:
        yield f"{path}, line {number}", dict(zip(names, fields, strict=True))


def _csv_fields(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of the header, and then of each row; blank rows are passed over.

    Surrounding space goes, and so does what guards a text from spreadsheets
    (``common.spreadsheets``).
    """
    names: list[str] = []
    try:
        with utf8(path), path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, strict=True)
            number = 1
            for fields in lines:
                at, number = number, lines.line_num + 1
                fields = [unguard(one) if one[:1] == "'" else one for one in map(str.strip, fields)]
                if not any(fields):
                    continue
                if not names:
                    fields = names = _header(fields, path)
                if len(fields) != len(names):
                    raise DamagedFile(
                        f"{path}, line {at} has {len(fields)} fields, the header {len(names)}"
                    )
                yield at, fields
    except csv.Error as error:
        raise DamagedFile(f"{path} is not a comma-separated table: {error}") from error
    except FileNotFoundError:
        raise DamagedFile(f"{path}: there is no such file") from None
    except OSError as error:
        raise DamagedFile(f"{path} cannot be read: {error}") from error
    if not names:
        raise DamagedFile(f"{path} is empty; a header line and rows are needed")


def _header(names: list[str], path: Path) -> list[str]:
    if len(names) == 1 and (sign := re.search("[;\t|]", names[0])):
        raise InputError(f"{path} is separated by {sign.group()!r}; fields are separated by commas")
    _refuse_twice(filter(None, names), str(path))
    return [name or f"unnamed {place}" for place, name in enumerate(names, start=1)]


def _parquet_rows(path: Path) -> Iterator[tuple[str, dict]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    refuse_pointer(path)
    number = 0
    try:
        for batch in pq.ParquetFile(path).iter_batches(10_000):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}, row {number}", row
    except (pa.ArrowException, OSError) as error:
        raise DamagedFile(f"{path} is not a Parquet file: {error}") from error


def _read_parquet(path: Path) -> pd.DataFrame:
    import pyarrow as pa

    refuse_pointer(path)
    try:
        table = pd.read_parquet(path)
    except (pa.ArrowException, OSError) as error:
        raise DamagedFile(f"{path} is not a Parquet file: {error}") from error
    if table.index.names != [None]:
        table = table.reset_index()
    return table.set_index(pd.RangeIndex(1, len(table) + 1, name="row"))


def read_lines(path: Path) -> Iterator[tuple[str, dict]]:
    """Where each object of JSON Lines stands, and the object; blank lines are passed over.

    A file whose first line is an opening bracket is one array of objects.

    Raises DamagedFile for a line that is not a JSON object, for text that is not UTF-8, and for a
    file without any object.
    """
    empty = True
    for where, found in _objects(path):
        if not isinstance(found, dict):
            raise DamagedFile(f"{where} is not a JSON object")
        empty = False
        yield where, found
    if empty:
        raise DamagedFile(f"{path} holds no sample")


def first_line(path: Path) -> dict:
    """The first object of JSON Lines, or nothing if there is none."""
    try:
        return next(read_lines(path))[1]
    except (DamagedFile, StopIteration):
        return {}


def _objects(path: Path) -> Iterator[tuple[str, Any]]:
    first = True
    try:
        with utf8(path), path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                if first and line.strip() == "[":  # one array, as some programs write .jsonl
                    members = _parsed(path.read_text(encoding="utf-8-sig"), str(path))
                    for place, found in enumerate(members, start=1):
                        yield f"{path}, object {place}", found
                    return
                first = False
                yield f"{path}, line {number}", _parsed(line, f"{path}, line {number}")
    except OSError as error:
        raise DamagedFile(f"{path} cannot be read: {error}") from error


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{where} is not JSON ({error}); was the file cut off?") from error


def records(table: pd.DataFrame) -> list[dict]:
    """A table's rows as plain values, a missing value as None whatever the column's type.

    pandas keeps missing text as NaN, which is true, and which JSON does not have.
    """
    return table.astype(object).where(table.notna(), None).to_dict("records")


# rows of users' files, and their columns


def named(source: str | Path | pd.DataFrame, table: str) -> str:
    """What messages call rows: the file, or ``the table of models`` for a data frame."""
    return f"the table of {table}" if isinstance(source, pd.DataFrame) else str(source)


def read_rows(
    source: str | Path | pd.DataFrame, columns: Iterable[Column | str], table: str = "rows"
) -> pd.DataFrame:
    """The rows of a file or a data frame, every cell a stripped string, an empty one ``""``.

    The index is the place for messages: the ``line`` in a file, counted from the header's 1, or the
    ``row`` of a data frame. ``table`` says what the rows are. Columns that are not declared are
    kept.

    Raises InputError for a file that cannot be read, and as ``check_columns`` does.
    """
    where = named(source, table)
    rows = source.rename_axis(index="row") if isinstance(source, pd.DataFrame) else source
    if not isinstance(rows, pd.DataFrame):
        rows = read_table(rows)
    rows = rows.set_axis(rows.columns.astype(str), axis=1)
    rows = rows.astype(object).map(lambda value: label(value) or "").astype(str)
    rows = rows[(rows != "").any(axis=1)]
    check_columns(rows.columns, columns, where, table)
    if rows.empty:
        raise InputError(f"{where} has no rows")
    return rows


def check_columns(
    names: Iterable[object], columns: Iterable[Column | str], where: str, table: str = "rows"
) -> None:
    """Raise InputError for columns that are twice there, required and absent, or misspelt.

    A name among the declared columns is a required one of text.
    """
    columns = [one if isinstance(one, Column) else Column(one) for one in columns]
    there = [str(name) for name in names]
    _refuse_twice(there, where)
    declared = [column.name for column in columns]
    unknown = [name for name in there if name not in declared]
    problems = [
        f"no column {column.name!r}{column.meaning and f' ({column.meaning})'}."
        f"{suggest(column.name, unknown)}"
        for column in columns
        if column.required and column.name not in there
    ]
    if problems:
        raise InputError(
            f"{where} has {' It has '.join(problems)} The columns of {table} are "
            f"{', '.join(declared)}; these are there: {name_some(there or ['none'], 12)}"
        )
    check_spelling(there, declared, where)


def check_spelling(names: Iterable[str], known: Collection[str], where: str) -> None:
    """Raise InputError for a column that looks like a misspelt known one that is absent."""
    absent = set(known) - set(names)
    folded = {_fold(name): [name] for name in absent}
    for name in sorted(set(names) - set(known)):
        near = folded.get(_fold(name)) or get_close_matches(name.casefold(), absent, 1, 0.87)
        if near:
            raise InputError(f"{where} has a column {name!r}: write {near[0]!r}, or rename it")


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _refuse_twice(names: Iterable[str], where: str) -> None:
    names = list(names)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{where} has the column {name_some(twice)} more than once")


# values


def read_column(
    values: pd.Series, column: Column, where: str, beside: pd.DataFrame | None = None
) -> pd.Series:
    """A column as declared: labels str, scores and truth values bool, counts int64, numbers float.

    Args:
        values: indexed by their rows' places, as ``read_table`` and ``read_rows`` give them.
        column: the declaration.
        where: the file or whatever else they came from, for messages.
        beside: columns that are already read; a ``language`` is named with a wrong row.

    Raises InputError, naming the first rows, for values that the declaration does not allow.
    """
    beside = pd.DataFrame(index=values.index) if beside is None else beside
    objects = values.astype(object)
    if values.dtype == object:
        nested = [isinstance(value, dict | list | np.ndarray) for value in values]
        refuse(nested, beside, where, f"column {column.name!r} must hold one value", values)
    parse, dtype, advice = _READERS[column.reads_as]
    codes, distinct = pd.factorize(objects, use_na_sentinel=False)
    parsed = [parse(value) for value in distinct]

    def bad(wrong: Iterable[bool], advice: str) -> None:
        rows = np.array(list(wrong), dtype=bool)[codes]
        refuse(rows, beside, where, f"column {column.name!r} {advice}", values)

    bad((value is None for value in parsed), advice)
    if column.name == "language":
        lost = (str(value).casefold() in ("true", "false") for value in parsed)
        bad(lost, "is a truth value: YAML reads the code no as one, quote it")
    if column.choices:
        other = (value not in column.choices for value in parsed)
        bad(other, f"is not one of {', '.join(column.choices)}")
    return pd.Series(np.array(parsed, dtype=dtype)[codes], index=values.index)


def label(value: object) -> str | None:
    """A value as text without surrounding space, whole numbers without a point; None if empty."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float | np.floating):
        if value != value:
            return None
        value = int(value) if float(value).is_integer() else value
    return str(value).strip() or None


def score(value: object) -> bool | None:
    """0, 1, true or false in any case, as number, bool or text; None for anything else."""
    return _SCORES.get(str(value).strip().casefold())


def count(value: object) -> int | None:
    """A whole number from 0 up, as number or text; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return None
    text = str(value).strip()
    return int(float(text)) if re.fullmatch(r"\d{1,15}(\.0*)?", text, re.ASCII) else None


def _number(value: object) -> float | None:
    text = label(value)
    if text in (None, "nan", "None", "<NA>"):
        return np.nan
    read = pd.to_numeric(text, errors="coerce")
    return float(read) if np.isfinite(read) else None


def _truth(value: object) -> bool | None:
    return {"true": True, "false": False}.get(str(value).strip().casefold())


_SCORES = {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}
_READERS: dict[str, tuple[Callable[[object], object], type, str]] = {
    "label": (
        label,
        object,
        "is empty or missing (if the language code nan, Min Nan Chinese, was meant, the program "
        "that wrote the table took it for a missing value: write the code as text)",
    ),
    "score": (
        score,
        bool,
        "is neither 0/1 nor true/false: write 1 for a correct answer and 0 for a wrong one, and "
        "leave unscored answers out; letters and fractions are not coded by guess",
    ),
    "count": (count, np.int64, "is not a whole number from 0 up"),
    "number": (_number, float, "is not a finite number"),
    "truth": (_truth, bool, "is neither true nor false: write true or false"),
}


def refuse(
    wrong: Collection[bool],
    rows: pd.DataFrame,
    where: str,
    problem: str,
    values: pd.Series | None = None,
) -> None:
    """Raise InputError if any row is wrong, naming the first of them and their languages."""
    found = np.flatnonzero(wrong)
    if not found.size:
        return
    word = rows.index.name or "row"
    places = []
    for row in found[:_SHOWN]:
        about = [rows["language"].iloc[row]] if "language" in rows.columns else []
        about += [_shown(values.iloc[row])] if values is not None else []
        places.append(f"{word} {rows.index[row]}" + (f" ({', '.join(about)})" if about else ""))
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise InputError(f"{where}: {problem}: {'; '.join(places)}{more}")


def _shown(value: object) -> str:
    return f"{value.item() if isinstance(value, np.generic) else value!r:.80}"
