"""Work that is kept to be read again: plain data in one ``.npz`` file, and nothing that can run.

A results folder may come from anybody. So no file of it is unpickled: numbers stand as arrays,
everything else as JSON, and what is read is told from what was asked for by the file's own name,
which stands in it. A file that is damaged, or another one, is made again.
"""

from __future__ import annotations

import json
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import hash_project, hash_settings, replacing

FORMAT = 1
TREE = "tree"
TEXT = pd.Series(["text"]).dtype  # of text without missing values, in the pandas at hand
NULLABLE = {
    *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)),
    "Float32", "Float64", "boolean",
}  # fmt: skip
UNREADABLE = (
    OSError, EOFError, ValueError, TypeError, KeyError, IndexError, AttributeError, RuntimeError,
    SyntaxError, ArithmeticError, MemoryError, InputError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What reading a file of unknown origin can end in."""

Made = TypeVar("Made")


class Store:
    """Finished work below one folder, by kind and by what it was made from.

    A key is hashed together with all of the project's code and packaged data, so nothing is read
    that other code made. Without a folder nothing is kept.

    Args:
        folder: of a results directory's cache, or None.
    """

    def __init__(self, folder: str | Path | None):
        self.folder = None if folder is None else Path(folder)

    def path(self, kind: str, *key: object) -> Path | None:
        """Where work of a kind is kept; ``key`` is anything that ``hash_settings`` takes."""
        if self.folder is None:
            return None
        return self.folder / kind / f"{hash_settings(hash_project(), *key)}.npz"

    def find(
        self, kind: str, *key: object, of: Callable[[object], Made] = lambda value: value
    ) -> Made | None:
        """What is kept, or None; see ``get``."""
        return found(self.path(kind, *key), of)

    def get(
        self,
        kind: str,
        *key: object,
        make: Callable[[], Made],
        plain: Callable[[Made], object] = lambda made: made,
        of: Callable[[object], Made] = lambda value: value,
    ) -> Made:
        """What is kept, or what ``make`` gives, which is then kept.

        Args:
            kind: a word; the folder it is kept in.
            key: what it is made from.
            make: makes it.
            plain: turns it into what ``write`` can keep.
            of: undoes ``plain``; an error of ``UNREADABLE`` in it says that something else is kept.
        """
        if (at_hand := self.find(kind, *key, of=of)) is not None:
            return at_hand
        made = make()
        if (path := self.path(kind, *key)) is not None:
            write(plain(made), path)
        return made

    def pieces(self, kind: str, *key: object) -> Pieces:
        """Numbered pieces of one work, each kept as it ends."""
        path = self.path(kind, *key)
        return Pieces(None if path is None else path.with_suffix(""))


class Pieces:
    """Numbered pieces of one work (see ``Store.pieces``)."""

    def __init__(self, folder: Path | None):
        self.folder = folder

    def path(self, number: int) -> Path | None:
        """Where a piece is kept."""
        return None if self.folder is None else self.folder / f"{number:05d}.npz"

    def find(
        self, numbers: Iterable[int], of: Callable[[object], Made] = lambda value: value
    ) -> dict[int, Made]:
        """The pieces of these numbers that are kept; what cannot be read is warned about."""
        at_hand = {number: found(self.path(number), of) for number in numbers}
        return {number: piece for number, piece in at_hand.items() if piece is not None}

    def keep(self, number: int, piece: object) -> None:
        """Keep a finished piece."""
        path = self.path(number)
        if path is not None:
            write(piece, path)


def write(value: object, path: str | Path) -> Path:
    """Keep a value, whole or not at all.

    Args:
        value: None, booleans, numbers, text, arrays, Series and DataFrames (one level
            of index), and tuples, lists and dicts (text as keys) of such values; bytes.
        path: ends in ``.npz``.

    Raises TypeError for anything else.
    """
    path, arrays = Path(path), []
    tree = {"format": FORMAT, "name": _name(path), "value": _plain(value, arrays)}
    named = {str(number): array for number, array in enumerate(arrays)}
    text = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **{TREE: text}, **named)
    return path


def read(path: str | Path) -> object:
    """The value that ``write`` kept at this path.

    Raises InputError for a file that is damaged, of another kind, or kept under another name.
    """
    path = Path(path)
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as members:
            arrays = {
                name.removesuffix(".npy"): _array(members, name) for name in members.namelist()
            }
        tree = json.loads(arrays[TREE].tobytes())
        if (tree["format"], tree["name"]) != (FORMAT, _name(path)):
            raise ValueError(f"it is {tree['name']!r} in format {tree['format']}")
        return _value(tree["value"], arrays)
    except UNREADABLE as error:
        message = f"{path} is damaged, or was not written by this program: {error}"
        raise InputError(message) from error


def found(path: Path | None, of: Callable[[object], Made] = lambda value: value) -> Made | None:
    """What was kept at a path, or None where there is nothing, or nothing that can be read.

    Args:
        path: of ``write``; None where nothing is kept.
        of: makes of the value read what was kept.

    A file that cannot be read is warned about.
    """
    if path is None or not path.exists():
        return None
    try:
        return of(read(path))
    except UNREADABLE as error:
        told = error if isinstance(error, InputError) else f"{path} holds something else: {error}"
        warnings.warn(f"{told}; it is made again", stacklevel=2)
        return None


def _name(path: Path) -> str:
    """How a file knows what it was kept as: the last two parts of its path."""
    return "/".join(path.absolute().parts[-2:])


def _array(members: zipfile.ZipFile, name: str) -> np.ndarray:
    with members.open(name) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _plain(value: object, arrays: list[np.ndarray]) -> object:
    """A value as JSON; arrays go to ``arrays``, and their place there into the JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return {"bytes": _stored(np.frombuffer(value, dtype=np.uint8), arrays)}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_plain(one, arrays) for one in value]}
    if isinstance(value, dict):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"a key to keep is text, not {odd[0]!r}")
        return {"dict": {key: _plain(one, arrays) for key, one in value.items()}}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"an array of {value.dtype} cannot be kept")
        return {"array": _stored(value, arrays)}
    if isinstance(value, pd.Series):
        return {"series": [value.name, _index(value.index, arrays), _column(value, arrays)]}
    if isinstance(value, pd.DataFrame):
        return {"table": _table(value, arrays)}
    raise TypeError(f"a value of type {type(value).__name__} cannot be kept")


def _stored(array: np.ndarray, arrays: list[np.ndarray]) -> int:
    arrays.append(np.asarray(array, order="C"))
    return len(arrays) - 1


def _table(table: pd.DataFrame, arrays: list[np.ndarray]) -> dict:
    """Numbers of one type stand in one array: a file of few members is read quickly."""
    columns = [table.iloc[:, place] for place in range(table.shape[1])]
    blocks: dict[str, list[int]] = {}
    others: list[list] = []
    for place, column in enumerate(columns):
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
            blocks.setdefault(column.dtype.str, []).append(place)
        else:
            others.append([place, _column(column, arrays)])
    numbers = [
        [places, _stored(np.stack([columns[place].to_numpy() for place in places]), arrays)]
        for places in blocks.values()
    ]
    names, index = _index(table.columns, arrays), _index(table.index, arrays)
    return {"columns": names, "index": index, "numbers": numbers, "others": others}


def _index(index: pd.Index, arrays: list[np.ndarray]) -> object:
    if isinstance(index, pd.MultiIndex):
        raise TypeError("a table with several levels of index cannot be kept")
    if isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1):
        return [index.name, len(index)]
    return [index.name, _column(index.to_series(), arrays)]


def _column(column: pd.Series, arrays: list[np.ndarray]) -> dict:
    kind = column.dtype
    if isinstance(kind, np.dtype) and kind.kind in "biuf":
        return {"numbers": _stored(column.to_numpy(), arrays)}
    if isinstance(kind, pd.CategoricalDtype):
        codes = _stored(column.cat.codes.to_numpy(), arrays)
        levels = _column(column.cat.categories.to_series(), arrays)
        return {"codes": codes, "levels": levels, "ordered": bool(kind.ordered)}
    missing = column.isna()
    values = [
        None if gone else _plain(one, arrays) for one, gone in zip(column, missing, strict=True)
    ]
    if isinstance(kind, pd.StringDtype):
        return {"text": values}
    if kind == np.dtype(object):
        return {"objects": values}
    if kind.name in NULLABLE:
        return {"nullable": kind.name, "values": values}
    raise TypeError(f"a column of {kind} cannot be kept")


def _value(plain: object, arrays: dict[str, np.ndarray]) -> object:
    """``_plain`` undone."""
    if not isinstance(plain, dict):
        return plain
    ((kind, own),) = plain.items()
    match kind:
        case "bytes":
            return arrays[str(own)].tobytes()
        case "tuple":
            return tuple(_value(one, arrays) for one in own)
        case "list":
            return [_value(one, arrays) for one in own]
        case "dict":
            return {key: _value(one, arrays) for key, one in own.items()}
        case "array":
            return arrays[str(own)]
        case "series":
            name, index, column = own
            return _as_column(column, arrays).set_axis(_as_index(index, arrays)).rename(name)
        case "table":
            return _as_table(own, arrays)
    raise ValueError(f"nothing is kept as {kind!r}")


def _as_table(plain: dict, arrays: dict[str, np.ndarray]) -> pd.DataFrame:
    index, names = (_as_index(plain[part], arrays) for part in ("index", "columns"))
    columns = {place: _as_column(own, arrays).set_axis(index) for place, own in plain["others"]}
    for places, stored in plain["numbers"]:
        columns |= dict(zip(places, arrays[str(stored)], strict=True))
    if sorted(columns) != list(range(len(names))):
        raise ValueError("a table lacks columns")
    columns = {place: columns[place] for place in range(len(names))}
    return pd.DataFrame(columns, index=index).set_axis(names, axis=1)


def _as_index(plain: list, arrays: dict[str, np.ndarray]) -> pd.Index:
    name, own = plain
    if isinstance(own, int):
        return pd.RangeIndex(own, name=name)
    return pd.Index(_as_column(own, arrays), name=name)


def _as_column(plain: dict, arrays: dict[str, np.ndarray]) -> pd.Series:
    if "numbers" in plain:
        return pd.Series(arrays[str(plain["numbers"])])
    if "codes" in plain:
        levels = pd.Index(_as_column(plain["levels"], arrays))
        codes = arrays[str(plain["codes"])]
        return pd.Series(pd.Categorical.from_codes(codes, levels, ordered=plain["ordered"]))
    if "nullable" in plain:
        if plain["nullable"] not in NULLABLE:
            raise ValueError(f"no column is kept as {plain['nullable']!r}")
        return pd.Series(plain["values"], dtype=plain["nullable"])
    if "text" in plain:
        return pd.Series(plain["text"], dtype=TEXT)
    return pd.Series([_value(one, arrays) for one in plain["objects"]], dtype=object)
