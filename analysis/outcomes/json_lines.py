"""JSON Lines, one object after another; a wrong line is named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capability_transfer.analysis.outcomes.samples import DamagedLog
from capability_transfer.common.encoding import utf8


def read_lines(path: Path) -> Iterator[tuple[str, dict]]:
    """Where each object stands (file and line), and the object; blank lines are passed over.

    A file whose first line is an opening bracket is one array of objects.

    Raises DamagedLog for a line that is not a JSON object, for text that is not UTF-8, and for a
    file without any object.
    """
    empty = True
    for where, found in _objects(path):
        if not isinstance(found, dict):
            raise DamagedLog(f"{where} is not a JSON object")
        empty = False
        yield where, found
    if empty:
        raise DamagedLog(f"{path} holds no sample")


def _objects(path: Path) -> Iterator[tuple[str, Any]]:
    first = True
    try:
        with utf8(path, DamagedLog), path.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                if first and line.strip() == "[":
                    yield from _array(path)
                    return
                first = False
                yield f"{path}, line {number}", _parsed(line, f"{path}, line {number}")
    except OSError as error:
        raise DamagedLog(f"{path} cannot be read: {error}") from error


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedLog(f"{where} is not JSON ({error}); was the file cut off?") from error


def _array(path: Path) -> Iterator[tuple[str, Any]]:
    """Members of a file that is one array in several lines, as some programs write .jsonl."""
    members = _parsed(path.read_text(encoding="utf-8-sig"), str(path))
    for number, found in enumerate(members, start=1):
        yield f"{path}, object {number}", found


def first_line(path: Path) -> dict:
    """The first line's object, or nothing if it is not an object."""
    try:
        return next(read_lines(path))[1]
    except (DamagedLog, StopIteration):
        return {}
