"""``transfer instances``: questions of the multilingual templates, drawn once and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from evaluation.instances import SECONDS, generate, write_instances
from evaluation.progress import counting


def command(
    languages: Annotated[
        list[str],
        typer.Argument(
            help="Languages of multilingual-gsm-symbolic (eng dan) or template folders."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The instance file to write (JSON Lines).")
    ] = Path("instances.jsonl"),
    per_template: Annotated[
        int, typer.Option("--per-template", help="Symbolic instances of a template.")
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the instances.")] = 1,
    split: Annotated[
        str, typer.Option("--split", help="symbolic, original, or symbolic,original.")
    ] = "symbolic",
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates", help="Only these template ids, with commas; or :N, the first N."
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Time limit of one template's instances.")
    ] = SECONDS,
    workers: Annotated[
        int, typer.Option("--workers", help="Processes; -1 for one a processor.")
    ] = -1,
) -> None:
    """Draw instances of every template, in parallel, into a file that evaluations can share.

    An instance depends on the seed, its template and its index only. Templates that give none are
    named with the reason, here and in the file's first line.
    """
    console = Console(soft_wrap=True)
    chosen: int | list[str] | None = templates.split(",") if templates else None
    if templates and templates.startswith(":") and templates[1:].isdecimal():
        chosen = int(templates[1:])
    given = [code for text in languages for code in text.split(",")]
    with counting("templates") as progress:
        found, provenance = generate(
            given, per_template, seed, split.split(","), chosen, seconds, workers, progress
        )
    counts = Table("language", "split", "templates", "instances", box=None)
    for name in provenance.languages:
        for part in provenance.splits:
            here = [one for one in found if (one.templates, one.split) == (name, part)]
            counts.add_row(name, part, str(len({one.template for one in here})), str(len(here)))
    console.print(counts)
    for lost in provenance.missing:
        console.print(f"no instance: {lost}", markup=False, highlight=False)
    console.print(f"Wrote {write_instances(found, provenance, out)}")
