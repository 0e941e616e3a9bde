"""Commands that plan an evaluation."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis.commands import options
from capability_transfer.analysis.commands.output import deliver
from capability_transfer.analysis.commands.registry import command


@command(
    {
        "The study's outcomes": "transfer sample-size",
        "How many templates for a standard error of 2 points?": "transfer sample-size --wanted 2",
    }
)
def sample_size(
    outcomes: options.Outcomes = None,
    templates: Annotated[
        list[int] | None, typer.Option("--templates", min=1, help="A template budget; repeatable.")
    ] = None,
    instances: Annotated[
        list[int] | None,
        typer.Option("--instances", min=1, help="An instance budget; repeatable."),
    ] = None,
    wanted: Annotated[
        list[float] | None,
        typer.Option("--wanted", help="How many templates for this standard error (points)?"),
    ] = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """How precise is a score, and how stable a ranking, on fewer templates or instances?"""
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies import sample_size as s

    directory = options.directory(out)
    if outcomes is None:
        data = reading.study(directory, seed=seed, split=None)
    else:
        data = reading.outcomes(outcomes, seed)
    result = s.sample_size(
        data,
        templates=templates or s.TEMPLATES,
        instances=instances or s.INSTANCES,
        wanted=wanted or s.WANTED,
    )
    deliver(result, directory)
