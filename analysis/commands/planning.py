"""Commands that plan an evaluation."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete, options
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


@command(
    {
        "Would 8 languages do, or 30?": "transfer power --n-languages 8 --n-languages 30",
        "An interaction half as large, a first look at 20 simulations": "transfer power "
        "--n-languages 15 --effect resource:size=-0.13 --simulations 20",
    }
)
def power(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    n_languages: Annotated[
        list[int] | None,
        typer.Option("--n-languages", min=4, help="Languages planned; repeatable."),
    ] = None,
    n_variants: Annotated[
        list[int] | None, typer.Option("--n-variants", min=4, help="Runs planned; repeatable.")
    ] = None,
    n_templates: Annotated[
        list[int] | None,
        typer.Option("--n-templates", min=2, help="Templates planned; repeatable."),
    ] = None,
    n_instances: Annotated[
        list[int] | None,
        typer.Option("--n-instances", min=1, help="Instances per template planned; repeatable."),
    ] = None,
    effect: Annotated[
        list[str] | None,
        typer.Option(
            "--effect",
            help="An effect to detect, term=log-odds per SD: resource:size=-0.1; repeatable.",
            autocompletion=complete.effects,
        ),
    ] = None,
    formula: options.Formula = None,
    level: Annotated[float, typer.Option("--level", help="Of the two-sided test (0-1).")] = 0.05,
    simulations: Annotated[
        int, typer.Option("--simulations", min=1, help="Of each plan; more add to those kept.")
    ] = 100,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Simulations at once.")] = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """What would a planned study detect? Simulates it from the model fitted to the outcomes.

    Every combination of the planned numbers is a plan. Effects not given are the fitted ones.
    Without numbers: 8, 15 and 30 languages, 46 runs, 50 templates, 10 instances.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies import power as p

    p.check_level(level)
    effects = dict(p.planned_effect(text) for text in effect or [])
    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    numbers = {
        "languages": n_languages,
        "variants": n_variants,
        "templates": n_templates,
        "instances": n_instances,
    }
    result = p.power(
        p.fitted(study, formula),
        **{name: values for name, values in numbers.items() if values},
        effects=effects,
        simulations=simulations,
        level=level,
        workers=workers,
    )
    deliver(result, directory)
