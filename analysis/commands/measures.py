"""Commands on other measures of transfer, and on robustness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete, options
from capability_transfer.analysis.commands.output import CACHE, current, deliver
from capability_transfer.analysis.commands.registry import command
from capability_transfer.common.errors import InputError

PANEL = "Other measures"

NO_ENGINE = "none"


@command(
    {
        "The measures beside the GLMM": "transfer transfer-metrics",
        "From German, among themselves": "transfer transfer-metrics --source deu --engine none",
    }
)
def transfer_metrics(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    source: Annotated[
        str,
        typer.Option("--source", help="The source language.", autocompletion=complete.languages),
    ] = "eng",
    intersect: Annotated[
        bool,
        typer.Option("--intersect", help="Leave out items that not every language has."),
    ] = False,
    draws: Annotated[
        int,
        typer.Option("--replicates", min=2, help="Bootstrap resamples of the items."),
    ] = 1000,
    formula: options.Formula = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="Engine of the GLMM in the comparison: lme4, laplace, or none to compare the "
            "transfer metrics among themselves.",
            autocompletion=complete.engines_or_none,
        ),
    ] = "laplace",
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Transfer from a source language by item pass rates, and whether the GLMM says the same.

    An item is a template; its pass rate is the share of its instances that are correct. A models
    file with a column cutoff (knowledge cut-off, YYYY-MM) adds the comparison of old and new
    models.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.transfer_metrics import SLOPES, measures

    check_engine(engine)
    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    model = None if engine == NO_ENGINE else SLOPES if formula is None else formula
    found = measures(
        study,
        source=source,
        intersect=intersect,
        draws=draws,
        formula=model,
        engine=engine,
        drop_missing=drop_missing,
    )
    deliver(found, directory)


@command(
    {
        "Two models of one size": "transfer compare --first Qwen2.5-7B-Instruct "
        "--second Olmo-3-7B-Instruct",
        "Reasoning on against off": "transfer compare --first 'Qwen3-8B (reasoning on)' "
        "--second 'Qwen3-8B (reasoning off)'",
    }
)
def compare(
    first: Annotated[
        str,
        typer.Option("--first", help="A variant of the outcomes.", autocompletion=complete.models),
    ],
    second: Annotated[
        str,
        typer.Option("--second", help="The variant to subtract.", autocompletion=complete.models),
    ],
    outcomes: options.Outcomes = None,
    out: options.Out = None,
) -> None:
    """Two models on the same items: paired differences by language, with intervals and tests."""
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.comparison import compare

    directory = options.directory(out)
    data = reading.outcomes(outcomes) if outcomes else None
    deliver(compare(first, second, data), directory)


@command({"A quick look": "transfer hat-noise --simulations 20 --out /tmp/results"})
def hat_noise(
    repeats: Annotated[
        int,
        typer.Option("--simulations", min=2, help="Simulated models of each number of passes."),
    ] = 2000,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Bias of plain and noise-corrected HAT, and coverage of their intervals, by passes per item.

    All data are simulated: a linear profile of known slope, 100 items, 10 target languages.
    """
    from capability_transfer.analysis.studies.hat_noise import hat_noise

    directory = options.directory(out)
    found = hat_noise(repeats, seed)
    current().data(found.provenance.data)
    deliver(found, directory)


@command(
    {
        "The study's questions and MGSM-Pro's": "transfer robustness",
        "Your accuracies on perturbed questions":
            "transfer robustness --scores scores.csv --engine none",
    }
)  # fmt: skip
def robustness(
    outcomes: options.Outcomes = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--scores",
            help="Accuracies on perturbed questions: CSV with variant, language, perturbation, "
            "accuracy (or n_correct, n_total), and instance where there are several.",
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="Engine of the drop model: lme4, laplace, or none.",
            autocompletion=complete.engines_or_none,
        ),
    ] = "laplace",
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Robustness to symbolic variation: drops, rankings, their stability, and the drop as a GLMM.

    Without --outcomes and --scores: MGSM-Pro's published tables, checked against each other, and
    the study's original against its symbolic questions.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.robustness import robustness

    check_engine(engine)
    directory = options.directory(out)
    own = reading.outcomes(outcomes, seed) if outcomes else None
    used = None if engine == NO_ENGINE else engine
    found = robustness(own, scores, used, seed, directory / CACHE)
    if not outcomes:
        for one in found.sources:
            current().data(one.source, one.name)
    deliver(found, directory)


def check_engine(name: str) -> None:
    """Raise InputError for what is neither an engine nor none."""
    from capability_transfer.analysis.glmm.engines import ENGINES

    if name not in (*ENGINES, NO_ENGINE):
        raise InputError(f"no engine {name!r}; there are {', '.join(ENGINES)} and {NO_ENGINE}")
