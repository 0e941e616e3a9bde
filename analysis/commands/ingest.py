"""``transfer ingest``: evaluation logs to outcomes, with a report of what was understood."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import options, output
from capability_transfer.analysis.outcomes import variants
from capability_transfer.analysis.outcomes.formats import find
from capability_transfer.analysis.outcomes.ingest import Report, ingest
from capability_transfer.analysis.outcomes.policies import Policies
from capability_transfer.analysis.outcomes.samples import Request
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.files import file_to_write, write_text
from capability_transfer.common.tables import records

EXAMPLES = {
    "What is in these logs? Nothing is written": "transfer ingest logs/ --dry-run",
    "To outcomes, errored samples as wrong answers":
        "transfer ingest logs/ --out outcomes.parquet --errors wrong",
}  # fmt: skip


def command(
    paths: options.Logs,
    out: Annotated[
        Path | None, typer.Option("--out", help="The Parquet file of outcomes to write.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and report only.")] = False,
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    skip_damaged: options.SkipDamaged = False,
) -> None:
    """Read logs of Inspect AI, lm-evaluation-harness, Every Eval Ever, and tables.

    Writes one row per outcome with its provenance, OUT.report.json, and, for models that the
    registry does not have, OUT.models.csv to complete and pass on as --models.
    """
    if out is None and not dry_run:
        raise InputError("give the file to write, --out outcomes.parquet, or --dry-run")
    if out is not None and not dry_run:
        file_to_write(out, ".parquet")
    say = output.current()
    with progress.counting("logs", len(find(paths)[0])) as tell:
        report = ingest(
            paths,
            None if dry_run else out,
            Request(mapping, scorer, threshold),
            Policies(errors, duplicates),
            progress=tell,
            skip_damaged=skip_damaged,
        )
    show(report, say)
    if dry_run or out is None:
        say.line("Dry run: nothing was written")
        return
    told = json.dumps(report.as_dict(), indent=1, ensure_ascii=False, default=str)
    write_text(told, out.with_suffix(".report.json"))
    if not report.variants["known"].all():
        models = out.with_suffix(".models.csv")
        if models.exists():
            say.note(f"kept {models} as it is; it must describe the models named above")
        else:
            variants.stub(report.variants, models)
            say.note(f"complete {models}, then pass it on as --models")


def show(report: Report, front: output.Output) -> None:
    """The report in words, its tables for machines."""
    say = front.line
    formats = Counter((log.format, log.status) for log in report.logs)
    told = ", ".join(
        f"{number} {name}" + ("" if status == "read" else f" ({status})")
        for (name, status), number in formats.items()
    )
    say(f"Files: {len(report.logs)}: {told}")
    if report.others:
        say(f"  not read: {name_some(report.others)}")
    say(f"Models: {len(report.variants)}")
    for row in records(report.variants):
        name = row["model"] or row["variant"]
        known = row["variant"] if row["known"] else f"{row['variant']}, not in the registry"
        mode = f", reasoning {row['mode']}" if row["mode"] else ""
        say(f"  {name}{mode}: {known}: {row['outcomes']:,}")
    each = (f"{row.language} {row.outcomes:,}" for row in report.languages.itertuples())
    say(f"Languages: {len(report.languages)}: {name_some(each, 30)}")
    splits = ", ".join(f"{name} {number:,}" for name, number in report.splits.items()) or "none"
    say(f"Templates: {report.templates}; cells: {report.cells:,}; splits: {splits}")
    counts = report.counts
    done = {"wrong": "counted as wrong", "drop": "left out", "fail": "refused"}
    say(
        f"Samples: {counts.samples:,}; outcomes: {counts.outcomes:,}, {counts.epochs:,} of them of "
        f"second or later epochs\n"
        f"  errors: {counts.errors:,} ({done[report.policies.errors]}); retried: {counts.retried:,}"
        f"; duplicates: {counts.duplicates + counts.copies:,} (the first counts); unfinished: "
        f"{counts.unfinished:,}"
    )
    for note in report.notes:
        front.note(note)
    front.data(report.source, "Outcomes")
    front.record("models", report.variants)
    front.record("languages", report.languages)
    front.record("counts", pd.DataFrame([report.counts.as_dict()]))
