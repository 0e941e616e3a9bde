"""``transfer power``: what a planned study would detect, by simulation."""

from __future__ import annotations

from itertools import product
from typing import Annotated

import typer
from capability_transfer.analysis import design, study
from capability_transfer.analysis.ablations import power as p
from capability_transfer.analysis.commands import complete, options, output, reading
from capability_transfer.analysis.figures import figure_power
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import table_power
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import write_table

EXAMPLES = {
    "Would 8 languages do, or 30?": "transfer power --n-languages 8 --n-languages 30",
    "An interaction half as large, a first look at 20 simulations": "transfer power "
    "--n-languages 15 --effect resource:size=-0.13 --simulations 20",
}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    n_languages: Annotated[
        list[int] | None, typer.Option("--n-languages", help="Languages planned; repeatable.")
    ] = None,
    n_variants: Annotated[
        list[int] | None, typer.Option("--n-variants", help="Runs planned; repeatable.")
    ] = None,
    n_templates: Annotated[
        list[int] | None, typer.Option("--n-templates", help="Templates planned; repeatable.")
    ] = None,
    n_instances: Annotated[
        list[int] | None,
        typer.Option("--n-instances", help="Instances per template planned; repeatable."),
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
    level: Annotated[float, typer.Option("--level", help="Of the two-sided test (0-1).")] = p.LEVEL,
    simulations: Annotated[
        int, typer.Option("--simulations", min=1, help="Of each plan; more add to those kept.")
    ] = p.SIMULATIONS,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Simulations at once.")] = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """What would a planned study detect? Simulates it from the model fitted to the outcomes.

    Every combination of the planned numbers is a plan. Effects not given are the fitted ones.
    Without numbers: 8, 15 and 30 languages, 46 runs, 50 templates, 10 instances.
    """
    say = output.current()
    if not 0 < level < 1:
        raise InputError(f"--level is a share between 0 and 1, such as 0.05, not {level:g}")
    directory = options.directory(out)
    plans = [
        p.Plan(*numbers)
        for numbers in product(
            n_languages or (8, 15, 30),
            n_variants or (46,),
            n_templates or (50,),
            n_instances or (10,),
        )
    ]
    effects = dict(_effect(text) for text in effect or [])
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    model, told = design.chosen(formula, study.MAIN, inputs.cells, inputs.features)
    for note_text in told:
        say.note(note_text)
    wanted = design.needed(model, inputs.features)
    built = design.build(inputs.cells, inputs.features, wanted)
    with progress.fitting("main model") as tell:
        fit = cached_fit(
            "laplace", model, built.data, directory / "cache",
            provenance=inputs.provenance, progress=tell,
        )  # fmt: skip
    population = p.population(built, fit, effects)
    tables = {
        plan: p.simulations(
            population,
            plan,
            seed,
            simulations,
            directory / "cache",
            progress.counting,
            workers,
        )
        for plan in plans
    }
    result = p.power(tables, population, level)
    text = note(inputs.source, fit)
    write_table(result, directory / "power" / "power.csv")
    write_note(directory / "power", "Power of planned studies", f"Simulated from a fit. {text}")
    built_table = table_power.build(result, text)
    render.write(built_table, directory / "tables")
    plots.save(figure_power.draw(result, text), directory / "figures" / "figure_power")
    say.table("power", result, built_table.caption, built_table.display)


def _effect(text: str) -> tuple[str, float]:
    """``term=value``; InputError for anything else."""
    term, equals, value = text.partition("=")
    try:
        if not equals:
            raise ValueError
        return term.strip(), float(value)
    except ValueError:
        raise InputError(
            f"an effect is written term=value, like resource:size=-0.1, not {text!r}"
        ) from None
