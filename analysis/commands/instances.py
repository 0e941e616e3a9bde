"""``transfer instances``: questions of the multilingual templates, drawn once and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import complete, output
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.files import file_to_write
from capability_transfer.evaluation.instances import SECONDS, generate, write_instances

EXAMPLES = {
    "One instance of each of the first three templates":
        "transfer instances eng dan --templates :3 --per-template 1 --out few.jsonl",
}  # fmt: skip


def command(
    languages: Annotated[
        list[str],
        typer.Argument(
            help="Languages of multilingual-gsm-symbolic (eng dan) or template folders.",
            autocompletion=complete.template_languages,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The instance file to write (JSON Lines).")
    ] = Path("instances.jsonl"),
    per_template: Annotated[
        int, typer.Option("--per-template", min=1, help="Symbolic instances per template.")
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the instances.")] = 1,
    split: Annotated[
        str,
        typer.Option(
            "--split",
            help="symbolic, original, or symbolic,original.",
            autocompletion=complete.splits,
        ),
    ] = "symbolic",
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates", help="Only these template ids, with commas; or :N, the first N."
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option("--seconds", min=0, help="Time limit of one template's instances (seconds)."),
    ] = SECONDS,
    workers: Annotated[int, typer.Option("--workers", help="Processes; -1 is one per core.")] = -1,
) -> None:
    """Draw instances of every template, in parallel, into a file that evaluations can share.

    An instance depends on the seed, its template and its index only. Templates that give none are
    named with the reason, here and in the file's first line.
    """
    say = output.current()
    file_to_write(out)
    chosen: int | list[str] | None = templates.split(",") if templates else None
    if templates and templates.startswith(":") and templates[1:].isdecimal():
        chosen = int(templates[1:])
    given = [code for text in languages for code in text.split(",")]
    with progress.fraction("templates") as tell:
        found, provenance = generate(
            given, per_template, seed, split.split(","), chosen, seconds, workers, tell
        )
    rows = []
    for name in provenance.languages:
        for part in provenance.splits:
            here = [one for one in found if (one.templates, one.split) == (name, part)]
            rows.append((name, part, len({one.template for one in here}), len(here)))
    counts = pd.DataFrame(rows, columns=["language", "split", "templates", "instances"])
    say.table("instances", counts, "Instances drawn")
    for lost in provenance.missing:
        say.note(f"no instance: {lost}")
    write_instances(found, provenance, out)
