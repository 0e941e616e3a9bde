"""``transfer outcomes``: the embedded or a user's outcomes as cells."""

from __future__ import annotations

import pandas as pd

from analysis.commands import options, output, reading
from analysis.outcomes.calibration import calibration
from analysis.outcomes.cells import pair_totals
from analysis.outcomes.study import study_cells, summary
from analysis.provenance import note, write_note
from common.files import write_table

EXAMPLES = {
    "The study's published counts as cells": "transfer outcomes --out /tmp/results",
    "Is my file read as I mean it?": "transfer outcomes --outcomes mine.csv",
}


def command(
    outcomes: options.Outcomes = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Bring outcomes into cells, one row per (variant, language, template).

    Without --outcomes: the study's published counts, spread over templates by the seeded
    reconstruction, with what that changed and how it matches the published template statistics.
    """
    say = output.current()
    directory = options.directory(out, outcomes)
    if outcomes is None:
        with say.working("reconstruction"):
            cells = study_cells(seed)
        table = summary(cells)
        _report(table, calibration(cells), say)
    else:
        cells = reading.cells(say, outcomes)
        table = pair_totals(cells)
    source = cells.attrs["data_source"]
    path = write_table(cells, directory / "cache" / "cells.parquet")
    write_table(table, directory / "outcomes" / "summary.csv")
    write_note(directory / "outcomes", "Outcomes", note(source))
    say.data(f"{len(cells):,} cells: {source}")
    say.record("summary", table)
    say.wrote(path)


def _report(table: pd.DataFrame, matched: pd.DataFrame, say: output.Output) -> None:
    """How the embedded outcomes differ from the published figures, in a few lines."""
    worst = table.loc[table["shift"].abs().idxmax()]
    say.line(
        f"{len(table):,} published (variant, language, split) totals; rescaling them to one "
        f"denominator moves none by more than {abs(worst['shift']):.3f} accuracy points "
        f"({worst['variant']}, {worst['language']}, {worst['split']})"
    )
    say.table("calibration", matched, "Template statistics")
