"""``transfer few-templates``: what a few templates in a language add to its prediction."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from analysis import study
from analysis.commands import options
from analysis.inputs import load
from analysis.progress import counting
from analysis.provenance import note
from analysis.tables import render, table_05
from analysis.unseen import few_templates as few
from analysis.unseen import loo
from analysis.unseen.task import Task


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    k: Annotated[
        list[int] | None,
        typer.Option("--k", help=f"Templates seen; repeatable. Without it: {few.BUDGETS}."),
    ] = None,
    draws: Annotated[int, typer.Option("--draws", help="Shuffles.")] = few.MANY_DRAWS,
    workers: Annotated[int, typer.Option("--workers", help="Refits at once.")] = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Predict a held-out language after k of its templates were seen (Table 5).

    The study's method, a refit each, and ours, an update of the language alone.
    """
    console = Console()
    directory = options.directory(out, outcomes)
    inputs = load(outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts)
    console.print(f"Data: {inputs.source}", highlight=False)
    joined, vectors = loo.prepare(inputs, drop_missing)
    task = Task(joined, vectors, seed=seed, cache=directory / "cache", workers=workers)
    budgets = sorted(set(k)) if k else few.BUDGETS
    errors = few.few_templates(task, partial(counting, console), budgets=budgets, draws=draws)
    paths = few.write(errors, directory, seed)
    table = few.summarise(errors, seed)
    known = study.published_predictions() if inputs.is_study else study.published_predictions()[:0]
    built = table_05.build(table, known, note(inputs.source))
    paths += render.write(built, directory / "tables")
    console.print(built.display.to_string(index=False), highlight=False)
    console.print(f"Wrote {len(paths)} files to {directory}/ (loo, tables)")
