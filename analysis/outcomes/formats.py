"""The formats of logs, and the files of a path that each of them reads.

A further format is one file with a ``FORMAT`` and one entry here.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from analysis.outcomes import every_eval_ever, inspect_logs, lm_eval, rows
from analysis.outcomes.samples import Format
from common.errors import InputError, name_some

FORMATS: tuple[Format, ...] = (
    inspect_logs.FORMAT,
    lm_eval.FORMAT,
    every_eval_ever.FORMAT,
    rows.FORMAT,
)
"""Asked in this order."""


def format_of(path: Path) -> Format | None:
    """The format of a file, or None."""
    return next((one for one in FORMATS if one.recognises(path)), None)


def find(paths: Iterable[str | Path]) -> tuple[list[tuple[Path, Format]], list[Path]]:
    """The logs of files and folders, in order of the paths and then of names, and what is none.

    In a folder tables are read only where nothing else is: among logs they are notes and results.

    Raises InputError for a path that does not exist, a given file of no known format, and a
    folder without a log.
    """
    logs: list[tuple[Path, Format]] = []
    others: list[Path] = []
    for path in map(Path, paths):
        if path.is_file():
            kind = format_of(path)
            if kind is None:
                raise InputError(f"{path} is of no known format; {_known()}")
            logs.append((path, kind))
        elif path.is_dir():
            found = [(file, format_of(file)) for file in sorted(path.rglob("*")) if file.is_file()]
            if not any(kind for _, kind in found):
                raise InputError(f"the folder {path} holds no evaluation log; {_known()}")
            kinds = {kind for _, kind in found if kind} - {rows.FORMAT} or {rows.FORMAT}
            logs += [(file, kind) for file, kind in found if kind in kinds]
            others += [file for file, kind in found if kind not in kinds]
        else:
            raise InputError(f"there is no file or folder {path}")
    if not logs:
        raise InputError(f"no path is given; {_known()}")
    return list(dict.fromkeys(logs)), others


def _known() -> str:
    return "read are " + name_some(f"{one.name} ({one.files})" for one in FORMATS)
