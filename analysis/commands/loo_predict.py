"""``transfer loo-predict``: what accuracy in a language is predicted without having tested it."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from analysis.commands import options
from analysis.glmm.engines import ENGINES
from analysis.inputs import load
from analysis.progress import counting
from analysis.provenance import note, write_note
from analysis.unseen import loo, scores
from analysis.unseen.predictors import PREDICTORS
from analysis.unseen.task import DRAWS, Task
from common.errors import InputError, suggest


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    engine: Annotated[
        str, typer.Option("--engine", help=f"Of the study's GLMMs: {', '.join(ENGINES)}.")
    ] = "laplace",
    predictor: Annotated[
        list[str] | None,
        typer.Option("--predictor", help=f"Repeatable; all without it: {', '.join(PREDICTORS)}."),
    ] = None,
    edges: Annotated[
        bool,
        typer.Option("--edges/--no-edges", help="Also hold out whole edges: the extrapolation."),
    ] = True,
    workers: Annotated[int, typer.Option("--workers", help="Folds at once.")] = 2,
    draws: Annotated[int, typer.Option("--draws", help="Of predictive distributions.")] = DRAWS,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Hold out each language in turn, and several at the edges, and predict every model there.

    Finished folds are kept in OUT/cache: an interrupted run goes on where it stopped.
    """
    if engine not in ENGINES:
        raise InputError(f"no engine {engine!r}; there are {', '.join(ENGINES)}."
                         f"{suggest(engine, ENGINES)}")  # fmt: skip
    console = Console()
    directory = options.directory(out, outcomes)
    inputs = load(outcomes, models, languages, seed)
    console.print(f"Data: {inputs.source}", highlight=False)
    joined, vectors = loo.prepare(inputs, drop_missing)
    task = Task(joined, vectors, engine, draws, seed, directory / "cache", workers)
    chosen = predictor or PREDICTORS
    result = loo.loo(inputs, task, partial(counting, console), chosen, edges)
    paths = write(result, directory, note(inputs.source))
    show(result, console)
    console.print(f"Wrote {len(paths)} files to {directory}/ (loo, tables, figures)")


def write(result: loo.LeaveOut, directory: options.Path, text: str) -> list[options.Path]:
    """Tables of the predictions and the note on the data beside them."""
    paths = loo.write(result, directory)
    paths.append(write_note(directory / "loo", "Predictions for held-out languages", text))
    return paths


def show(result: loo.LeaveOut, console: Console) -> None:
    """Errors by predictor on a terminal, beside the published ones."""
    for row in scores.summary(result.one).itertuples():
        covered = (
            "" if row.coverage_80 != row.coverage_80 else f", 80% covers {row.coverage_80:.0%}"
        )
        console.print(
            f"{row.level:8s} {row.predictor:15s} MAE {row.mae:5.2f}, r {row.pearson:.3f}{covered}",
            highlight=False,
        )
    if result.is_study:
        for row in result.beside_published().itertuples():
            console.print(
                f"published {row.level} {row.predictor} {row.statistic}: {row.published:g}, "
                f"ours {row.ours:.3f}",
                highlight=False,
            )
