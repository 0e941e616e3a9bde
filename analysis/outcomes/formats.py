"""The formats of logs, and the files of a path that each of them reads.

A further format is one file with a ``FORMAT`` and one entry here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from capability_transfer.analysis.outcomes import (
    every_eval_ever,
    inspect_logs,
    lm_eval,
    rows,
)
from capability_transfer.analysis.outcomes.samples import Format
from capability_transfer.common.encoding import check_utf8, is_pointer, refuse_pointer
from capability_transfer.common.errors import InputError, name_some

TEXTS = (".json", ".jsonl")
"""Of logs that no format recognises where they are in another encoding than UTF-8."""

POINTER = Format(
    "Git LFS pointer",
    "",
    lambda path: path.suffix in (".eval", *TEXTS) and is_pointer(path),
    lambda path, *_: iter(refuse_pointer(path) or ()),
    "rows",
)
"""A log that was not fetched: found, so that it is not passed over."""

FORMATS: tuple[Format, ...] = (
    inspect_logs.FORMAT,
    lm_eval.FORMAT,
    every_eval_ever.FORMAT,
    POINTER,
    rows.FORMAT,
)
"""Asked in this order: a table is whatever nothing else is."""


def format_of(path: Path) -> Format | None:
    """The format of a file, or None."""
    return next((one for one in FORMATS if one.recognises(path)), None)


def find(paths: Iterable[str | Path]) -> tuple[list[tuple[Path, Format]], list[Path]]:
    """The logs of files and folders, in order of the paths and then of names, and the files that
    are not logs.

    In a folder tables are read only where nothing else is: among logs they are notes and results.
    Folders that are links are entered, each folder and file once, whatever leads to it.

    Raises InputError for a path that does not exist, a given file of no known format, and a
    folder without a log.
    """
    logs: list[tuple[Path, Format]] = []
    others: list[Path] = []
    for path in map(Path, paths):
        if path.is_file():
            kind = format_of(path)
            if kind is None and not os.access(path, os.R_OK):
                raise InputError(f"{path} may not be read: its permissions forbid it")
            if kind is None:
                if path.suffix in TEXTS:
                    check_utf8(path)
                raise InputError(f"{path} is of no known format; {_known()}")
            logs.append((path, kind))
        elif path.is_dir():
            found = [(file, format_of(file)) for file in sorted(_files(path))]
            if not any(kind for _, kind in found):
                raise InputError(f"the folder {path} holds no evaluation log; {_known()}")
            kinds = {kind for _, kind in found if kind}
            if kinds - {rows.FORMAT, POINTER}:
                kinds.discard(rows.FORMAT)
            logs += [(file, kind) for file, kind in found if kind in kinds]
            others += [file for file, kind in found if kind not in kinds]
        else:
            raise InputError(f"there is no file or folder {path}")
    if not logs:
        raise InputError(f"no path is given; {_known()}")
    return _once(logs), others


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder, links to folders followed but no folder entered twice."""
    entered: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        if (real := os.path.realpath(place)) in entered:
            folders.clear()
            continue
        entered.add(real)
        folders.sort()
        yield from (file for name in names if (file := Path(place, name)).is_file())


def _once(logs: list[tuple[Path, Format]]) -> list[tuple[Path, Format]]:
    """Each file once, under its own name where that is there, else under its first link's."""
    known: dict[str, tuple[Path, Format]] = {}
    for path, kind in logs:
        real = os.path.realpath(path)
        if real not in known or (known[real][0].is_symlink() and not path.is_symlink()):
            known[real] = (path, kind)
    return list(known.values())


def _known() -> str:
    return "read are " + name_some(
        f"{one.name} ({one.files})" for one in FORMATS if one is not POINTER
    )
