"""JSON Lines, one object after another; a wrong line is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from analysis.outcomes.samples import DamagedLog


def read_lines(path: Path) -> Iterator[tuple[str, dict]]:
    """Where each object stands (file and line), and the object; blank lines are passed over.

    Raises DamagedLog for a line that is no JSON object, for text that is not UTF-8, and for a file
    without any object.
    """
    number = 0
    try:
        with path.open(encoding="utf-8-sig") as stream:
            empty = True
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                try:
                    found = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DamagedLog(
                        f"{path}, line {number} is no JSON ({error}); was the file cut off?"
                    ) from error
                if not isinstance(found, dict):
                    raise DamagedLog(f"{path}, line {number} is no JSON object")
                empty = False
                yield f"{path}, line {number}", found
    except UnicodeDecodeError as error:
        raise DamagedLog(f"{path}, after line {number}: not UTF-8 text: {error}") from error
    if empty:
        raise DamagedLog(f"{path} holds no sample")


def first_line(path: Path) -> dict:
    """The first line's object, or nothing if it is none."""
    try:
        return next(read_lines(path))[1]
    except (DamagedLog, StopIteration):
        return {}
