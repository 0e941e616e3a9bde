"""``transfer export``: outcomes as a response matrix, fits under broom's names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from capability_transfer.analysis import export
from capability_transfer.analysis.commands import output
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import file_to_write, folder_to_write

EXAMPLES = {
    "A fit under the names of R's broom": "transfer export --fit results/glmm --tidy tidy/",
    "Outcomes for py-irt": "transfer export --outcomes outcomes.parquet --irt outcomes.jsonl",
}


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
    if irt is not None:
        file_to_write(irt)
    if tidy is not None:
        folder_to_write(tidy)
    say = output.current()
    if outcomes is not None:
        with progress.working("outcomes"):
            lines = export.response_matrix(outcomes, irt)
        say.line(f"{lines} subjects in {irt}")
    if fit is not None:
        export.write_tidy(fit, tidy)
