"""Commands to start with: predictions, the whole study, and its report."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete, options, output
from capability_transfer.analysis.commands.output import deliver
from capability_transfer.analysis.commands.registry import command
from capability_transfer.analysis.glmm.engines import MODES
from capability_transfer.analysis.pipeline.steps import STEPS

PANEL = "Start here"


@command(
    {
        "Qwen3-8B with reasoning in Swahili and Yoruba": "transfer predict --model Qwen/Qwen3-8B "
        "--reasoning on --language swh --language yor",
        "What would reach 80% there?": "transfer predict --model Qwen/Qwen3-8B --reasoning off "
        "--language swh --target 0.8",
        "A model that is not in the data": "transfer predict --params 12 --family 'Gemma 3' "
        "--reasoning off --language all",
        "Calibrated with a few of your templates": "transfer predict --model Qwen/Qwen3-8B "
        "--reasoning on --language swh --outcomes few.csv",
        "On MGSM-Pro, with results of your own beside": "transfer predict --benchmark mgsm_pro "
        "--model gemma-3-27b-it --language yor --train mine.csv",
    }
)
def predict(
    language: Annotated[
        list[str],
        typer.Option(
            "--language",
            help="Code (swh) or name (Swahili); repeatable. all: every language with templates.",
            autocompletion=complete.languages_or_all,
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Variant, base model or hub id, e.g. Qwen/Qwen3-8B, in any case. For a "
            "model that is not in the data, size and family are read from the name unless given.",
            autocompletion=complete.models,
        ),
    ] = None,
    params: Annotated[
        float | None, typer.Option("--params", help="Billions of parameters of a new model.")
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            "--family",
            help="Family of a new model, if it is known.",
            autocompletion=complete.families,
        ),
    ] = None,
    reasoning: Annotated[
        str | None,
        typer.Option(
            "--reasoning",
            help="on or off; needed where a model has both.",
            autocompletion=complete.on_off,
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option("--target", help="Accuracy (0–1; 80% is 0.8): what would have to change?"),
    ] = None,
    outcomes: Annotated[
        Path | None,
        typer.Option("--outcomes", help="The few templates that you evaluated, to calibrate with."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            help="Outcomes to learn from. Default: the study's published ones. With --benchmark: "
            "yours, learned from beside the embedded ones (benchmark, model, language, n_correct, "
            "n_total).",
        ),
    ] = None,
    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            "--benchmark",
            help="Predict on a benchmark by the pooled model: mgsm_pro, mgsm_symbolic, one of "
            "--train, or with a wider interval mgsm or afrimgsm; repeatable. Every model that it "
            "has outcomes of unless --model says which.",
        ),
    ] = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    items: Annotated[
        int, typer.Option("--n-items", min=1, help="Number of questions asked.")
    ] = 2000,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Write the predictions to this file, .csv or .parquet."),
    ] = None,
    out: options.OutOfTraining = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Predict a model's accuracy in languages, tested or not, with intervals.

    The first call fits the model (some ten seconds) and keeps the fit in OUT/cache.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.predictions import predict
    from capability_transfer.common.files import file_to_write, write_table

    directory = options.training_directory(out, train)
    if save is not None:
        file_to_write(save, ".csv", ".parquet")
    learned = None if benchmark else train
    study = reading.study(directory, learned, models, languages, tokenizer_counts, seed)
    asked = [code for text in language for code in text.split(",")]
    found = predict(
        asked, model, reasoning=reasoning, params=params, family=family, target=target,
        outcomes=outcomes, study=study, items=items, benchmark=benchmark or None,
        train=train if benchmark else None,
    )  # fmt: skip
    if benchmark:
        output.current().data(found.source, "Learned from")
    elif found.calibrated:
        output.current().data(found.calibrated, "Calibrated with")
    deliver(found, None)
    if save is not None:
        write_table(found.table, save)


@command(
    {
        "The study's model on its published cells, without R": "transfer glmm --engine laplace",
        "Your own outcomes and a smaller model":
            "transfer glmm --outcomes mine.csv --models models.csv \\\n"
            "    --formula '~ resource + size + (1 | variant) + (1 | language) + (1 | template)'",
        "Profile intervals beside the Wald ones":
            "transfer glmm --engine laplace --intervals profile",
    }
)  # fmt: skip
def glmm(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    formula: options.Formula = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help="; ".join(f"{name}: {meaning}" for name, meaning in MODES.items()) + ".",
            autocompletion=complete.modes,
        ),
    ] = "lme4",
    cold_start: Annotated[
        bool, typer.Option("--cold-start", help="lme4 alone, from nothing: --engine lme4-cold.")
    ] = False,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
    intervals: Annotated[
        str | None,
        typer.Option(
            "--intervals",
            help="Also 95% intervals by: wald, t (for few levels), profile or bootstrap.",
            autocompletion=complete.intervals,
        ),
    ] = None,
    replicates: Annotated[
        int,
        typer.Option("--replicates", min=2, help="Refits of the bootstrap, drawn from --seed."),
    ] = 500,
    laplace: Annotated[
        bool,
        typer.Option(
            "--check-laplace",
            help="Estimate the approximation's error by importance sampling, and the bias of the "
            "SDs by the bootstrap.",
        ),
    ] = False,
    observation_level: Annotated[
        bool,
        typer.Option(
            "--observation-level",
            help="Also fit a random effect per row, and compare the standard errors.",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option("--workers", help="Processes; -1 is one per core.")] = -1,
) -> None:
    """Fit the crossed random-effects logistic GLMM and show what determines capability.

    Without --outcomes the study's published cells are fitted and its published estimates stand
    beside ours. Finished fits are kept in OUT/cache and reused while data and model are the same.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.inference import Request
    from capability_transfer.analysis.studies.main_model import check_asked, fit

    directory = options.directory(out, same={"engine": "laplace"})
    engine = "lme4-cold" if cold_start else engine
    check_asked(formula, engine)
    request = Request(intervals, replicates, seed, laplace, observation_level, jobs)
    study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
    deliver(fit(study, formula, engine, drop_missing=drop_missing, request=request), directory)


@command({"The study at a glance; no model is fitted": "transfer overview --out /tmp/results"})
def overview(out: options.Out = None) -> None:
    """The study's outcomes, models and languages described: Tables 8-12, Figures 12 and 16."""
    from capability_transfer.analysis.studies.overview import overview

    directory = options.directory(out)
    result = overview()
    output.current().data(result.provenance.data)
    deliver(result, directory)


@command(
    {
        "Everything, two steps at once; what is up to date is skipped": "transfer all",
        "The tables only, elsewhere": "transfer all --tables --out /tmp/results",
        "Everything, without R": "transfer all --engine laplace",
        "One step": "transfer all --only overview",
    }
)
def all_(
    tables: Annotated[bool, typer.Option("--tables", help="Only what makes the tables.")] = False,
    figures: Annotated[
        bool, typer.Option("--figures", help="Only what makes the figures.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help=f"Only this step; repeatable: {', '.join(step.command for step in STEPS)}.",
            autocompletion=complete.steps,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--workers", "-j", min=1, help="Steps at once.")] = 2,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            help="Engine of the study's model, as for `transfer glmm`; laplace needs no R.",
            autocompletion=complete.modes,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also run what is up to date.")] = False,
    out: options.Out = None,
) -> None:
    """Run every analysis on the embedded data and index the results.

    A step runs again when its sources, its data or one of its files changed; finished fits are
    kept, so an interrupted run goes on. Ends with status 1 if a step failed.
    """
    import pandas as pd
    from capability_transfer.analysis.pipeline import index, run
    from capability_transfer.analysis.pipeline.index import steps_of
    from capability_transfer.analysis.pipeline.steps import choose, with_engine
    from capability_transfer.common import progress
    from capability_transfer.common.errors import InputError

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
            took = f"{outcome.seconds:.0f} s, of a processor {outcome.cpu:.0f} s"
            took = "up to date" if outcome.state == "current" else took
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
            [(one.step.command, one.state, one.seconds, one.cpu, str(one.log)) for one in ended],
            columns=["step", "state", "seconds", "cpu", "log"],
        ),
    )
    say.line(
        f"{len(ended) - len(failed)} of {len(ended)} steps in order after "
        f"{time.monotonic() - began:.0f} s, {sum(one.cpu for one in ended):.0f} s of a processor"
    )
    if failed:
        raise typer.Exit(1)


@command(
    {
        "The study on one page: results/report/index.html": "transfer report",
        "Your own results": "transfer report --outcomes mine.csv --models models.csv",
    }
)
def report(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes.")] = 2,
) -> None:
    """Write the results of a folder as one page, OUT/report/index.html.

    It shows what other commands wrote to OUT, and predictions to explore, which are computed here
    (minutes, once: they are kept in OUT/cache). The page of the study needs all of its results; a
    page of your own results shows those that are there. The explorer learns from --outcomes, or
    from the study.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.prediction import describe, new_language
    from capability_transfer.analysis.report import explorer, page
    from capability_transfer.analysis.report.results import Results
    from capability_transfer.common import progress
    from capability_transfer.common.errors import InputError

    say = output.current()
    directory = options.directory(out)
    results = Results(directory)
    absent = page.missing(results)
    if absent and directory == options.RESULTS:
        raise InputError(
            f"{directory} lacks results: run {', '.join(f'`make {name}`' for name in absent)}, "
            "or `make all` for everything"
        )
    page.check(results)
    try:
        study = reading.study(directory, outcomes, models, languages, tokenizer_counts, seed)
        with progress.working("the model (fitted at the first call, then kept)"):
            bundle = study.bundle
    except InputError as error:
        if outcomes is None:
            raise
        raise InputError(
            f"the explorer cannot learn from {outcomes}: {error}. "
            "Without --outcomes it learns from the study"
        ) from error
    grid = explorer.grid(bundle, study.key, new_language.ITEMS, seed, study.cache, workers)
    path = directory / "report" / "index.html"
    page.write(
        results, explorer.payload(bundle, grid, new_language.ITEMS, seed), study.source, path
    )
    if "fertility" not in bundle.fitted.fit.formula.variables():
        say.note(describe.WITHOUT_FERTILITY)
    say.line(f"{len(grid.languages)} languages to explore, {path.stat().st_size / 1e6:.1f} MB")
