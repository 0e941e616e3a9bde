"""``transfer outcomes``: the embedded or a user's outcomes as cells."""

from __future__ import annotations

import pandas as pd
from rich.console import Console

from analysis.commands import options
from analysis.outcomes.calibration import calibration
from analysis.outcomes.cells import pair_totals
from analysis.outcomes.files import read_outcomes
from analysis.outcomes.study import study_cells, summary
from analysis.provenance import note, write_note
from common.files import write_table


def command(
    outcomes: options.Outcomes = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Bring outcomes into cells, one row per (variant, language, template).

    Without --outcomes: the study's published counts, spread over templates by the seeded
    reconstruction, with what that changed and how it matches the published template statistics.
    """
    console = Console()
    directory = options.directory(out, outcomes)
    if outcomes is None:
        cells = study_cells(seed)
        table = summary(cells)
        _report(table, calibration(cells), console)
    else:
        cells = read_outcomes(outcomes)
        table = pair_totals(cells)
    source = cells.attrs["data_source"]
    paths = [
        write_table(cells, directory / "cache" / "cells.parquet"),
        write_table(table, directory / "outcomes" / "summary.csv"),
        write_note(directory / "outcomes", "Outcomes", note(source)),
    ]
    console.print(f"{len(cells):,} cells: {source}", highlight=False)
    for path in paths:
        console.print(f"Wrote {path}")


def _report(table: pd.DataFrame, matched: pd.DataFrame, console: Console) -> None:
    """How the embedded outcomes differ from the published figures, in a few lines."""
    worst = table.loc[table["shift"].abs().idxmax()]
    console.print(
        f"{len(table):,} published (variant, language, split) totals; rescaling them to one "
        f"denominator moves none by more than {abs(worst['shift']):.3f} accuracy points "
        f"({worst['variant']}, {worst['language']}, {worst['split']})",
        highlight=False,
    )
    for row in matched.itertuples():
        published = f"{row.published:g}"
        console.print(f"  {row.statistic}: {row.value:.3f}, published {published}", highlight=False)
