"""Whole files or none, and hashes of what went into them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.common import spreadsheets
from capability_transfer.common.errors import InputError

ROOT = Path(__file__).parents[1]
PACKAGES = ("analysis", "common", "evaluation", "features", "R")
"""All that results are computed with: the project's packages, below ``ROOT``."""

_records: list[list[Path]] = []


@contextmanager
def recording() -> Iterator[list[Path]]:
    """Collect the path of every file that this process writes whole while the block runs."""
    written: list[Path] = []
    _records.append(written)
    try:
        yield written
    finally:
        _records.remove(written)


def record(path: Path) -> None:
    """Tell whoever is ``recording`` of a file that was written otherwise than by this module."""
    for written in _records:
        written.append(path)


def folder_to_write(path: str | Path) -> Path:
    """The path of a folder that results can go to, made already or not, checked before the work.

    Raises InputError for a file in its place or on the way, and where nothing may be written.
    """
    there = next(one for one in (Path(path), *Path(path).absolute().parents) if one.exists())
    if not there.is_dir():
        raise InputError(f"results cannot go to {path}: {there} is a file; choose another folder")
    if not os.access(there, os.W_OK):
        raise InputError(f"results cannot go to {path}: {there} may not be written to")
    return Path(path)


def file_to_write(path: str | Path, *suffixes: str) -> Path:
    """The path of a file that can be written, with one of the suffixes if there are any.

    Raises InputError otherwise, before the work.
    """
    path = Path(path)
    if suffixes and path.suffix not in suffixes:
        raise InputError(f"{path}: give a name ending in {' or '.join(suffixes)}")
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file")
    folder_to_write(path.parent)
    return path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that takes its place only if the block succeeds.

    The temporary name keeps the suffix, since writers choose their format by it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
        record(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | Path) -> Path:
    """Write a text file, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return Path(path)


def write_table(table: pd.DataFrame, path: str | Path, float_format: str | None = None) -> Path:
    """Write a table as CSV or Parquet, by its suffix, whole or not at all.

    Parquet keeps full precision; CSV is for reading and comparing, so its numbers are ``steady``,
    unless ``float_format`` (``%.12g``) says otherwise. In CSV a text that a spreadsheet would run
    as a formula is guarded (``common.spreadsheets``).
    """
    with replacing(path) as temporary:
        if Path(path).suffix == ".parquet":
            table.to_parquet(temporary, index=False)
        else:
            told = spreadsheets.guarded(steady(table) if float_format is None else table)
            told.to_csv(temporary, index=False, float_format=float_format)
    return Path(path)


def read_table(path: str | Path) -> pd.DataFrame:
    """A CSV file of ``write_table``, its texts as they were.

    Raises InputError for a file that is not such a table.
    """
    try:
        return spreadsheets.unguarded(pd.read_csv(path))
    except (OSError, ValueError) as error:  # pandas' own errors are ValueErrors
        raise InputError(
            f"{path} is not a table of results ({str(error).strip()}): delete it, and make it again"
        ) from error


LIKELIHOODS = ("log_lik", "aic", "bic", "deviance")
LEFT_OVER = ("difference", "max_abs", "change")
AGREED = 12  # digits of a result that processors and libraries agree on


def steady(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its floats rounded to what any machine computes alike.

    Processors and linear algebra libraries differ from the twelfth digit or so of an estimate on.
    Numbers keep six decimals, or six digits where those are finer; what is below 1e-9 is noise
    about zero. Columns named after ``statistic`` keep six digits and those after ``p_value`` four
    however small, which is what standard errors by differences allow; log-likelihoods and their
    kin keep four decimals; ``difference…``, ``max_abs…`` and ``change…``, what is left of numbers
    that nearly cancel, six decimals.
    """
    result = table.copy()
    for place, name in enumerate(table.columns):
        column = table.iloc[:, place]
        if not pd.api.types.is_float_dtype(column):
            continue
        values = _to_digits(column.to_numpy(dtype=float), AGREED)  # halves are halves everywhere
        if name in LIKELIHOODS:
            values = values.round(4)
        elif str(name).startswith("p_value"):
            values = _to_digits(values, 4)
        elif str(name).startswith("statistic"):
            values = _to_digits(values, 6)
        elif str(name).startswith(LEFT_OVER):
            values = values.round(6)
        else:
            values = np.where(np.abs(values) < 1, _to_digits(values, 6), values.round(6))
            values[np.abs(values) < 1e-9] = 0.0
        result.isetitem(place, values + 0.0)  # no negative zero
    return result


def _to_digits(values: np.ndarray, digits: int) -> np.ndarray:
    """Floats rounded to significant digits, by way of their text: alike on every machine."""
    distinct, place = np.unique(values, return_inverse=True)
    return np.array([float(f"{value:.{digits}g}") for value in distinct])[place]


def rounded(table: pd.DataFrame, decimals: int) -> pd.DataFrame:
    """The table with its floats rounded to ``decimals``, halves alike on every machine."""
    floats = table.select_dtypes("float").columns
    return table.assign(**{
        name: _to_digits(table[name].to_numpy(dtype=float), AGREED).round(decimals)
        for name in floats
    })  # fmt: skip


def agreed(value: float) -> float:
    """A float without its last digits, which differ by machine: what a half is rounded from."""
    return float(f"{value:.{AGREED}g}")


def hash_table(table: pd.DataFrame) -> str:
    """SHA-256 (first 16 hex digits) of a table's column names, types and values, in order.

    Text is one type, however pandas holds it (object, str, string, category). Floats count to ten
    digits: processors differ in the last ones of a logarithm, and a hash of the same data would.
    """
    digest = hashlib.sha256()
    for name in table.columns:
        column = table[name]
        if pd.api.types.is_float_dtype(column):
            kind, hashes = "float64", _hashes(_to_digits(column.to_numpy(dtype=float), 10))
        elif pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
            kind, hashes = str(column.dtype), _hashes(column.to_numpy())
        elif isinstance(column.dtype, pd.StringDtype | pd.CategoricalDtype):
            codes, distinct = pd.factorize(column, use_na_sentinel=False)
            kind, hashes = "object", _hashes(_texts(distinct))[codes]
        else:
            kind, hashes = "object", _hashes(_texts(column))
        digest.update(f"{name}:{kind}".encode())
        digest.update(hashes.tobytes())
    return digest.hexdigest()[:16]


def _hashes(values: np.ndarray) -> np.ndarray:
    return pd.util.hash_array(values, categorize=True)


def _texts(values: Iterable) -> np.ndarray:
    return np.array([str(value) for value in values], dtype=object)


def hash_settings(*parts: object) -> str:
    """SHA-256 (first 16 hex digits) of settings: plain values, paths, dataclasses, arrays, tables.

    Raises TypeError for anything else, rather than hash a text that may leave values out.
    """
    text = json.dumps(parts, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"type": type(value).__name__, **named}
    if isinstance(value, pd.DataFrame):
        return hash_table(value)
    if isinstance(value, np.ndarray):
        data = np.ascontiguousarray(value)
        if data.dtype == object:
            return data.tolist()
        return [str(data.dtype), data.shape, hashlib.sha256(data.tobytes()).hexdigest()]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"settings of type {type(value).__name__} cannot be hashed")


@cache
def hash_project() -> str:
    """Hash (16 hex digits) of all the project's own code and packaged data.

    In the key of whatever is kept, so that no run ever reads what other code or other data
    computed, wherever the change was made.
    """
    return hash_tree(ROOT, PACKAGES)


def hash_tree(root: Path, folders: Iterable[str]) -> str:
    """SHA-256 (first 16 hex digits) of every file's path below ``root``, and of its contents.

    Byte code and hidden files are left out. Raises ValueError for a folder without files.
    """
    digest = hashlib.sha256()
    for folder in sorted(folders):
        inside = {path.relative_to(root): path for path in (root / folder).rglob("*")}
        kept = {
            place.as_posix(): path
            for place, path in inside.items()
            if path.is_file()
            and not any(part.startswith((".", "__pycache__")) for part in place.parts)
        }
        if not kept:
            raise ValueError(f"there are no files in {root / folder}")
        for place in sorted(kept):
            content = hashlib.sha256(kept[place].read_bytes()).hexdigest()
            digest.update(f"{place}\n{content}\n".encode())
    return digest.hexdigest()[:16]
