"""``transfer few-templates``: what a few templates in a language add to its prediction."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis import study
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.prediction import few_templates as few
from capability_transfer.analysis.prediction import loo
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.presentation import progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note
from capability_transfer.analysis.tables import table_05

EXAMPLES = {
    "One and five templates, three shuffles": "transfer few-templates --k 1 --k 5 --draws 3",
}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    k: Annotated[
        list[int] | None,
        typer.Option("--k", min=0, help=f"Templates seen; repeatable. Without: {few.BUDGETS}."),
    ] = None,
    draws: Annotated[
        int, typer.Option("--draws", min=1, help="Shuffles of the templates.")
    ] = few.MANY_DRAWS,
    workers: options.Workers = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Predict a held-out language after k of its templates were seen (Table 5).

    The study's method, a refit each, and ours, an update of the language alone.
    """
    say = output.current()
    directory = options.directory(out)
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    for text in loo.describe_left_out(inputs, drop_missing):
        say.note(text)
    joined, vectors = loo.prepare(inputs, drop_missing)
    task = Task(joined, vectors, seed=seed, cache=directory / "cache", workers=workers)
    budgets = sorted(set(k)) if k else few.BUDGETS
    errors = few.few_templates(task, progress.counting, budgets=budgets, draws=draws)
    few.write(errors, directory, seed)
    table = few.summarise(errors, seed)
    known = study.published_predictions() if inputs.is_study else study.published_predictions()[:0]
    built = table_05.build(table, known, note(inputs.source))
    render.write(built, directory / "tables")
    say.table("few_templates", table, built.caption, built.display)
