"""Git LFS pointers among logs: found, so that a log that was not fetched is not passed over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from capability_transfer.analysis.outcomes.mapping import Mapping
from capability_transfer.analysis.outcomes.samples import DamagedLog, Format, Log, Request, Sample
from capability_transfer.common.pointers import is_pointer, told

SUFFIXES = (".eval", ".json", ".jsonl")
"""Of files that may be logs, which without their content nobody can tell."""


def recognises(path: Path) -> bool:
    """Whether a file that may be a log is a pointer."""
    return path.suffix in SUFFIXES and is_pointer(path)


def read(path: Path, mapping: Mapping, request: Request, log: Log) -> Iterator[Sample]:
    """Raises DamagedLog, saying how to get the file."""
    refuse(path)
    yield from ()


def refuse(path: Path) -> None:
    """Raise DamagedLog for a pointer."""
    if is_pointer(path):
        raise DamagedLog(told(path))


FORMAT = Format("Git LFS pointer", "", recognises, read, "rows")
