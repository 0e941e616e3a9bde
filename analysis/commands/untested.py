"""Commands on languages that nobody tested."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete, options
from capability_transfer.analysis.commands.output import deliver
from capability_transfer.analysis.commands.registry import command

PANEL = "Languages that nobody tested"


@command(
    {
        "Every predictor on every held-out language": "transfer loo-predict",
        "And the predictor chosen without each language": "transfer loo-predict --nested",
        "The study's model and ours, languages only": "transfer loo-predict --predictor study "
        "--predictor smooth --no-edges",
    }
)
def loo_predict(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="Engine of the study's GLMMs: lme4 or laplace.",
            autocompletion=complete.engines,
        ),
    ] = "laplace",
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor",
            help=f"Predictor to evaluate; repeatable. Default: all of "
            f"{', '.join(complete.PREDICTORS)}, with intervals where they are shown. Figures 5, 6 "
            "and 14 show study and smooth.",
            autocompletion=complete.predictors,
        ),
    ] = None,
    edges: Annotated[
        bool,
        typer.Option(
            "--edges/--no-edges",
            help="Also hold out whole edges of the data together, to test extrapolation.",
        ),
    ] = True,
    nest: Annotated[
        bool,
        typer.Option(
            "--nested",
            help="Also choose the predictor for each language by the others alone (minutes).",
        ),
    ] = False,
    workers: options.Workers = 2,
    draws: Annotated[
        int, typer.Option("--draws", min=2, help="Draws of each predictive distribution.")
    ] = 1000,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Hold out each language in turn, and several at the edges, and predict every model there.

    Finished folds are kept in OUT/cache: an interrupted run goes on where it stopped.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.held_out import hold_out

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    found = hold_out(
        study, predictor or "all", edges=edges, nested=nest, shape=True, engine=engine,
        draws=draws, workers=workers, drop_missing=drop_missing,
    )  # fmt: skip
    deliver(found, directory)


@command(
    {
        "One and five templates, three shuffles":
            "transfer few-templates --n-templates 1 --n-templates 5 --draws 3"
    },
)  # fmt: skip
def few_templates(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    k: Annotated[
        list[int] | None,
        typer.Option(
            "--n-templates",
            min=0,
            help="Templates seen; repeatable. Default: 0, 1, 2, 5, 10 and 20, as far as "
            "there are more.",
        ),
    ] = None,
    draws: Annotated[int, typer.Option("--draws", min=1, help="Shuffles of the templates.")] = 20,
    workers: options.Workers = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Predict a held-out language after k of its templates were seen (Table 5).

    By the study's method, which refits each time, and by ours, which updates the language alone.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.prediction.few_templates import PREDICTORS
    from capability_transfer.analysis.studies.few_templates import few_templates

    directory = options.directory(out)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    found = few_templates(
        study, PREDICTORS, budgets=sorted(set(k)) if k else None, draws=draws, workers=workers,
        drop_missing=drop_missing,
    )  # fmt: skip
    deliver(found, directory)


@command({"Ten simulated languages, a first look": "transfer interval-check --simulations 10"})
def interval_check(
    worlds: Annotated[int, typer.Option("--simulations", min=2, help="Simulated data sets.")] = 240,
    workers: options.Workers = 2,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Count how often intervals for a held-out language cover the truth, in simulated data.

    Finished worlds are kept in OUT/cache.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.interval_check import interval_check

    directory = options.directory(out)
    deliver(interval_check(reading.study(directory, seed=seed), worlds, workers), directory)


@command({"Languages alone": "transfer pooled-check --held language"})
def pooled_check(
    held: Annotated[
        list[str] | None,
        typer.Option(
            "--held",
            help="What to hold out: language, family, benchmark; repeatable. Default: all.",
        ),
    ] = None,
    draws: Annotated[
        int, typer.Option("--draws", min=2, help="Draws of each predictive distribution.")
    ] = 500,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Hold languages, families and benchmarks out of all benchmarks, and predict every pair there.

    The pooled predictor beside the study alone, a model's mean and the nearest language.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.pooled import HELD, pooled_errors

    directory = options.directory(out)
    study = reading.study(directory, seed=seed)
    deliver(pooled_errors(study, held or HELD, draws), directory)
