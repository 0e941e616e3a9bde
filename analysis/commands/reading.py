"""What commands read, and what they say of it: outcomes with features, and responses in logs.

This module defines no command.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pandas as pd
from capability_transfer.analysis.commands import places
from capability_transfer.analysis.commands.output import CACHE, current
from capability_transfer.analysis.data import Outcomes, Study, read_cells
from capability_transfer.analysis.inputs import Inputs, load
from capability_transfer.analysis.items import lists
from capability_transfer.analysis.outcomes.formats import find
from capability_transfer.analysis.outcomes.ingest import Report
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.responses import response_cells
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.common import progress
from capability_transfer.common.seeds import DEFAULT_SEED

Read = TypeVar("Read", Study, Outcomes)


def study(
    directory: Path,
    outcomes: Path | None = None,
    models: Path | None = None,
    languages: Path | None = None,
    tokenizer_counts: Path | None = None,
    seed: int = DEFAULT_SEED,
    split: str | None = "symbolic",
) -> Study:
    """``load``, and a word on the data; finished fits are kept below the results."""
    with progress.working("reading"):
        found = load(outcomes, models, languages, seed, split, tokenizer_counts)
        read = items_left_out(Study(found, seed, directory / CACHE))
    _introduce(read.inputs)
    return read


def outcomes(path: Path, seed: int = DEFAULT_SEED) -> Outcomes:
    """A user's outcomes for what needs no features, and a word on them."""
    with progress.working("reading"):
        found = items_left_out(read_cells(path, seed))
    _introduce(found)
    return found


def responses(
    paths: list[Path],
    split: str,
    mapping: Path | None,
    scorer: list[str] | None,
    threshold: float | None,
    errors: str,
    duplicates: str,
    skip_damaged: bool,
) -> pd.DataFrame:
    """Cells of the responses of one split (all, if the logs state none)."""
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    with progress.counting("logs", len(find(paths)[0])) as tell:
        table, report = response_cells(paths, request, policies, tell, skip_damaged)
    if "split" in table.columns:
        source = table.attrs
        table = table[table["split"] == split].reset_index(drop=True)
        table.attrs = source
    _introduce(report)
    items = places.items_to_leave_out()
    if items is not None:
        table, _, notes = lists.without(table, items)
        for text in notes:
            current().note(text)
    return table


def items_left_out(read: Read) -> Read:
    """What was read, without the items of ``--without-items``."""
    items = places.items_to_leave_out()
    return read if items is None else read.without(items)


def _introduce(read: Inputs | Outcomes | Report) -> None:
    """Say which data were read, and what was decided about them."""
    say = current()
    say.data(read.source)
    for text in read.notes:
        say.note(text)
