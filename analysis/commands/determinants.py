"""Commands on what determines transfer."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete, options
from capability_transfer.analysis.commands.output import current, deliver
from capability_transfer.analysis.commands.registry import command
from capability_transfer.analysis.study import SPECIFICATIONS

PANEL = "What determines transfer"


@command({"The gap to English by size and reasoning": "transfer levers"})
def levers(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """What narrows the gap to English, and what a language costs in model size: Figures 4, 15."""
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.levers import levers

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    deliver(levers(study, drop_missing), directory)


@command({"Original against symbolic questions": "transfer penalty"})
def penalty(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Are symbolic variants harder than the original questions, and is that so by language?

    Outcomes need a column split with the values original and symbolic.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.penalty import penalty

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, seed=seed, split=None)
    deliver(penalty(study), directory)


@command(
    {
        "The study's thresholds": "transfer ceiling",
        "Runs below 85% in English only": "transfer ceiling --english 0.85",
    }
)
def ceiling(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    english: Annotated[
        list[float] | None,
        typer.Option("--english", help="Keep runs below this English accuracy (0-1); repeatable."),
    ] = None,
    cells: Annotated[
        list[float] | None,
        typer.Option("--cells", help="Keep cells of at most this accuracy (0-1); repeatable."),
    ] = None,
    formula: options.Formula = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Refit the model without saturated cells: is the size effect a ceiling artefact?

    Default thresholds are the study's: English below .95 and .90, cells of at most .90.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.ceiling import ceiling

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    thresholds = {}
    if english is not None or cells is not None:
        thresholds = {"english": english or (), "cells": cells or ()}
    deliver(ceiling(study, formula=formula, **thresholds), directory)


@command(
    {
        "Metric against imperial English": "transfer equivalence",
        "Your own human and machine translations": "transfer equivalence --outcomes mine.csv "
        "--first isl --second isl_machine --margin 2",
    }
)
def equivalence(
    outcomes: options.Outcomes = None,
    first: Annotated[
        str,
        typer.Option(
            "--first",
            help="A language of the outcomes, the reference.",
            autocompletion=complete.languages,
        ),
    ] = "eng",
    second: Annotated[
        str,
        typer.Option(
            "--second",
            help="The language to compare with it.",
            autocompletion=complete.languages,
        ),
    ] = "eng_metric",
    margin: Annotated[
        float, typer.Option("--margin", help="Equivalence margin, accuracy points.")
    ] = 1.0,
    out: options.Out = None,
) -> None:
    """Are two versions of a language equally hard? Two one-sided t-tests over runs.

    Embedded: English with imperial against metric units. Human against machine-translated
    Icelandic needs your outcomes, with language isl and, for instance, isl_machine.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.equivalence import equivalence

    directory = options.directory(out)
    data = None if outcomes is None else reading.outcomes(outcomes)
    result = equivalence(data, first, second, margin)
    if data is None:
        current().data(result.source)
    deliver(result, directory)


@command({"One alternative beside the main model": "transfer specifications --only script"})
def specifications(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="Fit these beside the main model; repeatable: "
            f"{', '.join(each.name for each in SPECIFICATIONS)}.",
            autocompletion=complete.specifications,
        ),
    ] = None,
    formula: options.Formula = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Would another specification have found the same determinants?"""
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.specifications import specifications

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    deliver(specifications(study, only, formula), directory)
