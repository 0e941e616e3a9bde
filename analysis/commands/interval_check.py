"""``transfer interval-check``: intervals on simulated languages, whose truth is known."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from analysis.commands import options
from analysis.inputs import load
from analysis.progress import counting
from analysis.unseen import loo, simulation
from analysis.unseen.task import Task
from common.errors import InputError
from common.files import write_table

PREDICTORS = ("study_pairs", "smooth")


def command(
    worlds: Annotated[int, typer.Option("--worlds", help="Simulated languages.")] = 150,
    workers: Annotated[int, typer.Option("--workers", help="Refits at once.")] = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Simulate languages from the fitted models, hold each out, and count what intervals cover."""
    if worlds < 2:
        raise InputError(f"--worlds is a number of simulated languages from 2 up, not {worlds}")
    console = Console()
    directory = options.directory(out, None)
    joined, vectors = loo.prepare(load(None, None, None, seed))
    task = Task(joined, vectors, seed=seed, workers=workers)
    table = simulation.coverage(task, PREDICTORS, worlds, partial(counting, console))
    for row in table.itertuples():
        console.print(
            f"{row.predictor:12s} {row.level:9s} {row.nominal:.0%} intervals cover "
            f"{row.coverage:.1%} ± {row.std_error:.1%}",
            highlight=False,
        )
    path = write_table(table.round(6), directory / "loo" / "simulated_coverage.csv")
    console.print(f"Wrote {path}")
