"""``transfer all``: the whole study from nothing, skipping what is up to date."""

from __future__ import annotations

import time
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import complete, options, output
from capability_transfer.analysis.determinants import MODES
from capability_transfer.analysis.pipeline import index, run
from capability_transfer.analysis.pipeline.index import steps_of
from capability_transfer.analysis.pipeline.steps import STEPS, choose, with_engine
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.errors import InputError

EXAMPLES = {
    "Everything, two steps at once; what is up to date is skipped": "transfer all",
    "The tables only, elsewhere": "transfer all --tables --out /tmp/results",
    "Everything, without R": "transfer all --engine laplace",
    "One step": "transfer all --only overview",
}


def command(
    tables: Annotated[bool, typer.Option("--tables", help="Only what makes the tables.")] = False,
    figures: Annotated[
        bool, typer.Option("--figures", help="Only what makes the figures.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help=f"Only this step; repeatable: {', '.join(s.command for s in STEPS)}.",
            autocompletion=complete.steps,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Steps at once.")] = 2,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            help="Of the study's model, as for `transfer glmm`; laplace needs no R.",
            autocompletion=complete.modes,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Run what is up to date too.")] = False,
    out: options.Out = None,
) -> None:
    """Run every analysis on the embedded data and index the results.

    A step runs again when its sources, its data or one of its files changed; finished fits are
    kept, so an interrupted run goes on. Ends with status 1 if a step failed.
    """
    say = output.current()
    directory = options.directory(
        out, parts=("tables", "figures", "only", "force"), same={"engine": "laplace"}
    )
    names = list(only or [])
    names += steps_of("table") if tables else []
    names += steps_of("figure") if figures else []
    if engine is not None and engine not in MODES:
        raise InputError(f"no engine {engine!r}; there are {', '.join(MODES)}")
    chosen = with_engine(choose(names) if names else STEPS, engine)
    began, ended = time.monotonic(), []
    with progress.counting("steps", len(chosen)) as tell:
        for outcome in run.run(chosen, directory, jobs, force):
            ended.append(outcome)
            tell(1)
            took = "up to date" if outcome.state == "current" else f"{outcome.seconds:.0f} s"
            mark = {"failed": "FAILED"}.get(outcome.state, outcome.state)
            say.line(f"[{len(ended)}/{len(chosen)}] {outcome.step.command}: {mark}, {took}")
            if outcome.state == "failed":
                tail = outcome.log.read_text(encoding="utf-8").strip().splitlines()[-3:]
                for text in [*tail, f"all of it: {outcome.log}"]:
                    say.line(f"    {text}")
    index.write(directory)
    failed = [outcome.step.command for outcome in ended if outcome.state == "failed"]
    say.record(
        "steps",
        pd.DataFrame(
            [(one.step.command, one.state, one.seconds, str(one.log)) for one in ended],
            columns=["step", "state", "seconds", "log"],
        ),
    )
    say.line(
        f"{len(ended) - len(failed)} of {len(ended)} steps in order after "
        f"{time.monotonic() - began:.0f} s"
    )
    if failed:
        raise typer.Exit(1)
