"""``transfer export``: outcomes as a response matrix, fits under broom's names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from analysis import export
from common.errors import InputError


def command(
    outcomes: Annotated[
        Path | None, typer.Option("--outcomes", help="Parquet of instances, from `ingest`.")
    ] = None,
    irt: Annotated[
        Path | None, typer.Option("--irt", help="Write the outcomes as py-irt JSON Lines.")
    ] = None,
    fit: Annotated[
        Path | None, typer.Option("--fit", help="A fit's directory, such as results/glmm.")
    ] = None,
    tidy: Annotated[
        Path | None, typer.Option("--tidy", help="Write the fit as tidy.csv and glance.csv here.")
    ] = None,
) -> None:
    """Write --outcomes as a response matrix (--irt), a --fit as broom's tables (--tidy), or both.

    Outcomes with their provenance (log, sample id) are what `transfer ingest` writes.
    """
    pairs = (("--outcomes", outcomes, "--irt", irt), ("--fit", fit, "--tidy", tidy))
    for one, given, other, target in pairs:
        if (given is None) != (target is None):
            raise InputError(f"{one} and {other} go together: what to export, and where to")
    if outcomes is None and fit is None:
        raise InputError("give --outcomes FILE --irt FILE, or --fit DIR --tidy DIR")
    console = Console()
    if outcomes is not None:
        lines = export.response_matrix(outcomes, irt)
        console.print(f"Wrote {irt} ({lines} subjects)", highlight=False)
    if fit is not None:
        for path in export.write_tidy(fit, tidy):
            console.print(f"Wrote {path}", highlight=False)
