"""A results folder as the report reads it: tables by name, what they rest on, and their hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.presentation.provenance import RECORD, Provenance
from capability_transfer.common.errors import InputError, option
from capability_transfer.common.files import read_table

TARGETS = {
    "loo/few_templates.csv": "few-templates",
    "loo": "loo-predict",
    "pooled": "pooled-check",
    "sample_size": "sample-size",
    "transfer_metrics": "transfer-metrics",
}
"""What makes a file or a folder, where the folder's name does not say it."""


def target(name: str) -> str:
    """The Make target and command that writes a results file."""
    folder = name.split("/")[0]
    return TARGETS.get(name) or TARGETS.get(folder, folder)


class Results:
    """Tables under a results directory; remembers which were read."""

    def __init__(self, directory: Path):
        self.directory = Path(directory)
        self._tables: dict[str, pd.DataFrame] = {}

    def missing(self, names: tuple[str, ...]) -> list[str]:
        """Those of ``names`` that are not there."""
        return [name for name in names if not (self.directory / name).is_file()]

    def lacking(self, rows: Iterable[tuple[str, str, tuple]]) -> list[str]:
        """Those of ``rows`` (file, column, values) that are not there, in words."""
        found = []
        for name, column, values in rows:
            known = set(self.table(name)[column])
            if lacking := [str(value) for value in values if value not in known]:
                found.append(f"{column} {', '.join(lacking)} in {name}")
        return found

    def table(self, name: str) -> pd.DataFrame:
        """A CSV file, read once; InputError for one that is not a table of results or has no
        row."""
        if name not in self._tables:
            table = read_table(self.directory / name)
            if table.empty:
                raise InputError(
                    f"{self.directory / name} has a header and no rows: write it again with "
                    f"`transfer {target(name)}` and {option('out', self.directory)}"
                )
            self._tables[name] = table
        return self._tables[name].copy()

    def note(self, folder: str) -> str:
        """What the results of a folder rest on, in a sentence or two; empty without a record."""
        path = self.directory / folder / RECORD
        return Provenance.read(path).note if path.is_file() else ""

    def digests(self) -> dict[str, str]:
        """SHA-256 (first 16 hex digits) of every file read so far, by name."""
        return {
            name: hashlib.sha256((self.directory / name).read_bytes()).hexdigest()[:16]
            for name in sorted(self._tables)
        }
