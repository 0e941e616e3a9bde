"""``transfer outcomes``: the embedded or a user's outcomes as cells."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.outcomes.cells import pair_totals
from capability_transfer.analysis.outcomes.study import POOLED, study_cells, summary
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.common.files import write_table

EXAMPLES = {
    "The study's published cells": "transfer outcomes --out /tmp/results",
    "Is my file read as I mean it?": "transfer outcomes --outcomes mine.csv",
}


def command(
    outcomes: options.Outcomes = None,
    out: options.Out = None,
) -> None:
    """Bring outcomes into cells, one row per (variant, language, template).

    Without --outcomes: the study's published cells, their totals beside Table 12's.
    """
    say = output.current()
    directory = options.directory(out)
    if outcomes is None:
        cells, table = study_cells(), summary()
        _report(table, say)
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


def _report(table: pd.DataFrame, say: output.Output) -> None:
    """How the cells differ from Table 12's totals, in a line."""
    ours = table[table["source"] == "cells"]
    worst = ours.loc[ours["difference"].abs().idxmax()]
    say.line(
        f"{len(ours):,} symbolic totals: Table 12 prints the same but where it pools repeated runs "
        f"({', '.join(POOLED)}), by up to {abs(worst['difference']):.2f} accuracy points "
        f"({worst['variant']}, {worst['language']})"
    )
