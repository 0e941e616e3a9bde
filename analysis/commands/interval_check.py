"""``transfer interval-check``: intervals on simulated languages, whose truth is known."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.prediction import loo, simulation
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.files import write_table

PREDICTORS = ("study_pairs", "smooth")


EXAMPLES = {"Ten simulated languages, a first look": "transfer interval-check --worlds 10"}


def command(
    worlds: Annotated[int, typer.Option("--worlds", min=2, help="Simulated data sets.")] = 240,
    workers: options.Workers = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Simulate data from the fitted models, predict a language held out, and count what is covered.

    Finished worlds are kept in OUT/cache.
    """
    say = output.current()
    directory = options.directory(out)
    joined, vectors = loo.prepare(reading.inputs(say, None, None, None, seed))
    task = Task(joined, vectors, seed=seed, cache=directory / "cache", workers=workers)
    table = simulation.coverage(task, PREDICTORS, worlds, progress.counting)
    shown = table[["predictor", "level"]].copy()
    shown["nominal"] = [f"{value:.0%}" for value in table["nominal"]]
    shown["covers"] = [f"{value:.1%}" for value in table["coverage"]]
    shown["±"] = [f"{value:.1%}" for value in table["std_error"]]
    say.table("coverage", table, "What predictive intervals cover", shown)
    write_table(table.round(6), directory / "loo" / "simulated_coverage.csv")
