"""What commands read, and what they say of it: outcomes with features, and responses in logs.

This module defines no command.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from capability_transfer.analysis.commands.output import CACHE, Output, current
from capability_transfer.analysis.data import Outcomes, Study, read_cells
from capability_transfer.analysis.design import Design
from capability_transfer.analysis.inputs import Inputs, load
from capability_transfer.analysis.outcomes.formats import find
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.responses import response_cells
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.seeds import DEFAULT_SEED


def study(
    directory: Path,
    outcomes: Path | None = None,
    models: Path | None = None,
    languages: Path | None = None,
    tokenizer_counts: Path | None = None,
    seed: int = DEFAULT_SEED,
    split: str | None = "symbolic",
) -> Study:
    """``load`` as the command line does it: finished fits are kept below the results."""
    say = current()
    found = inputs(say, outcomes, models, languages, seed, split, tokenizer_counts)
    return Study(found, seed, directory / CACHE)


def inputs(
    say: Output,
    outcomes: Path | None,
    models: Path | None,
    languages: Path | None,
    seed: int,
    split: str | None = "symbolic",
    tokenizer_counts: Path | None = None,
) -> Inputs:
    """``analysis.inputs.load``, and a word on the data and on what was decided about them."""
    with progress.working("reading"):
        loaded = load(outcomes, models, languages, seed, split, tokenizer_counts)
    say.data(loaded.source)
    for text in loaded.notes:
        say.note(text)
    return loaded


def outcomes(path: Path, seed: int = DEFAULT_SEED) -> Outcomes:
    """A user's outcomes for what needs no features, and a word on them."""
    say = current()
    with progress.working("reading"):
        found = read_cells(path, seed)
    say.data(found.source)
    for text in found.notes:
        say.note(text)
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
    say = current()
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    with progress.counting("logs", len(find(paths)[0])) as tell:
        table, report = response_cells(paths, request, policies, tell, skip_damaged)
    if "split" in table.columns:
        source = table.attrs
        table = table[table["split"] == split].reset_index(drop=True)
        table.attrs = source
    say.data(report.source)
    for text in report.notes:
        say.note(text)
    return table


def dropped(say: Output, built: Design) -> None:
    """Say what was left out for lack of a feature."""
    for text in built.omissions():
        say.note(text)
