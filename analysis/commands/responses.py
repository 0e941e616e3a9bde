"""What the three commands on responses share: reading logs with progress, and saying what they are.

This module has no command of its own.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from rich.console import Console

from analysis.outcomes.formats import find
from analysis.outcomes.ingest import Report
from analysis.outcomes.policies import Policies
from analysis.outcomes.samples import Request
from analysis.progress import counting
from analysis.responses.cells import response_cells


def read(
    paths: list[Path], request: Request, policies: Policies, split: str, console: Console
) -> tuple[pd.DataFrame, Report]:
    """Cells of the responses of one split (all, if the logs state none), and the report."""
    with counting(console, "logs", len(find(paths)[0])) as progress:
        cells, report = response_cells(paths, request, policies, progress)
    if "split" in cells.columns:
        source = cells.attrs
        cells = cells[cells["split"] == split].reset_index(drop=True)
        cells.attrs = source
    console.print(f"Data: {report.source}", highlight=False)
    return cells, report
