"""``transfer templates``: quality checks on the templates of a language or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from common.errors import name_some
from common.files import write_table
from evaluation.folders import find_folder
from evaluation.quality import CHECKS, check, instruction_problem, shared_ids


def command(
    language: Annotated[
        str,
        typer.Option(
            "--language",
            help="A language of multilingual-gsm-symbolic (dan) or the path of a template folder.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Also write every check as CSV or Parquet.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Time limit of one template's draws.")
    ] = 20.0,
) -> None:
    """Check a folder of templates: texts, conditions, solutions, ids, prompt.

    Exits with status 1 if a check fails. ``loads``: the file can be read; ``id``: English has the
    same problem under the same id; ``question``, ``answer``: default values reproduce the original
    text; ``conditions``: default values satisfy them; ``solution``: the answer is the solution's
    last value; ``instances``: some can be drawn, are complete, and agree with their solutions.
    """
    console = Console(soft_wrap=True)
    folder = find_folder(language)
    results = check(folder, seconds)
    failed = results[~results["passed"]]
    summary = Table("check", "passed", "failed", box=None)
    for name in ("loads", *CHECKS):
        outcomes = results.loc[results["check"] == name, "passed"]
        summary.add_row(name, str(int(outcomes.sum())), str(int((~outcomes).sum())))
    console.print(f"{folder.path} ({len(folder.files)} templates)", highlight=False)
    console.print(summary)
    for row in failed.itertuples(index=False):
        text = f"{row.check}: template {row.template}: {row.detail}"
        console.print(text, markup=False, highlight=False)
    shared, lacking = shared_ids(folder)
    console.print(f"{len(shared)} template ids are shared with English", highlight=False)
    if lacking:
        console.print(f"not shared: {name_some(lacking, 100)}", highlight=False)
    prompt = instruction_problem(folder)
    if prompt:
        console.print(f"prompt: {prompt}", markup=False, highlight=False)
    if out:
        console.print(f"Wrote {write_table(results, out)}")
    if prompt or not failed.empty:
        raise typer.Exit(1)
