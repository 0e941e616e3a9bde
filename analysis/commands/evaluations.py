"""Commands for your own evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete, options
from capability_transfer.analysis.commands.output import CACHE, current, deliver
from capability_transfer.analysis.commands.registry import command
from capability_transfer.common.errors import InputError

PANEL = "Your own evaluations"


@command(
    {
        "What is in these logs? Nothing is written": "transfer ingest logs/ --dry-run",
        "To outcomes, errored samples as wrong answers":
            "transfer ingest logs/ --out outcomes.parquet --errors wrong",
    }
)  # fmt: skip
def ingest(
    paths: options.Logs,
    out: Annotated[
        Path | None, typer.Option("--out", help="The Parquet file of outcomes to write.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and report only.")] = False,
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    skip_damaged: options.SkipDamaged = False,
) -> None:
    """Read logs of Inspect AI, lm-evaluation-harness, Every Eval Ever, and tables.

    Writes one row per outcome with its provenance, OUT.report.json, and, for models that the
    registry does not have, OUT.models.csv to complete and pass on as --models.
    """
    from capability_transfer.analysis.outcomes.policies import Policies
    from capability_transfer.analysis.outcomes.samples import Request
    from capability_transfer.analysis.studies.logs import ingest_to, models_to_complete
    from capability_transfer.common.files import file_to_write

    if out is None and not dry_run:
        raise InputError("give the file to write, --out outcomes.parquet, or --dry-run")
    if out is not None and not dry_run:
        file_to_write(out, ".parquet")
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    found = ingest_to(None if dry_run else out, paths, request, policies, skip_damaged)
    say = current()
    say.data(found.source, "Outcomes")
    deliver(found, None)
    if dry_run or out is None:
        say.line("Dry run: nothing was written")
    elif told := models_to_complete(found, out):
        say.note(told)


@command(
    {
        "The study's published cells": "transfer outcomes --out /tmp/results",
        "Is my file read as I mean it?": "transfer outcomes --outcomes mine.csv",
    }
)
def outcomes(outcomes: options.Outcomes = None, out: options.Out = None) -> None:
    """Bring outcomes into cells, one row per (variant, language, template).

    Without --outcomes: the study's published cells, their totals beside Table 12's.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.outcomes import totals

    directory = options.directory(out)
    data = None if outcomes is None else reading.outcomes(outcomes)
    result = totals(data)
    if data is None:
        current().data(result.source)
    deliver(result, directory)
    current().wrote(result.write_cells(directory / CACHE))


@command(
    {
        "The study's 48 runs and 15 languages": "transfer features",
        "Your own tokenizer, counted in every language of the study":
            "transfer features --tokenizer mine=path/to/tokenizer.json --models models.csv",
    }
)  # fmt: skip
def features(
    models: options.Models = None,
    languages: options.Languages = None,
    feature_set: Annotated[
        str,
        typer.Option(
            "--feature-set",
            help="URIEL feature set of the distance.",
            autocompletion=complete.feature_sets,
        ),
    ] = "syntax_knn",
    source_language: Annotated[
        str,
        typer.Option(
            "--source",
            help="Language that distances start from.",
            autocompletion=complete.languages,
        ),
    ] = "eng",
    refresh: Annotated[
        bool,
        typer.Option("--refresh", help="Download the current Common Crawl statistics first."),
    ] = False,
    tokenizer: Annotated[
        list[str] | None,
        typer.Option(
            "--tokenizer",
            help="Count a tokenizer on the template questions, as NAME=SPEC (repeatable): a "
            "Hugging Face tokenizer.json, tiktoken:NAME, tekken:FILE, qwen:MODEL. A models file "
            "names it in its column tokenizer.",
        ),
    ] = None,
    tokenizer_counts: options.TokenizerCounts = None,
    out: options.Out = None,
) -> None:
    """Build the features of languages, models and their pairs.

    Without options: the study's 48 runs and 15 languages, Common Crawl pages from the packaged
    snapshot.
    """
    from capability_transfer.analysis.presentation.provenance import write_note
    from capability_transfer.common import progress
    from capability_transfer.common.files import write_table
    from capability_transfer.features import fertility, resource
    from capability_transfer.features.languages import read_languages
    from capability_transfer.features.models import read_models
    from capability_transfer.features.table import build_all, describe, write

    directory = options.directory(out)
    model_rows = read_models(models) if models else None
    language_rows = read_languages(languages) if languages else None
    chosen = {"distance": {"feature_set": feature_set, "source": source_language}}
    if refresh:
        with progress.working("downloading Common Crawl's statistics"):
            pages = resource.refresh(directory / CACHE / "common_crawl")
        chosen["resource"] = {"pages": pages}
    counts = fertility.read_counts(tokenizer_counts) if tokenizer_counts else None
    if tokenizer:
        with progress.working("counting tokens") as tell:
            counted = fertility.count_all(tokenizer, language_rows, tell)
        counts = counted if counts is None else fertility.beside(counted, counts)
    if counts is not None:
        chosen["fertility"] = {"counts": fertility.with_packaged(counts)}
    with progress.working("features"):
        tables = build_all(models=model_rows, languages=language_rows, options=chosen)
    write(tables, directory / "features")
    if counts is not None:
        write_table(counts, directory / "features" / "tokenizer_counts.csv")
    write_note(directory / "features", "Features", describe(tables))
    say = current()
    say.data("published figures and public data")
    for name, table in vars(tables).items():
        say.record(name, table)
    say.line(
        f"{len(tables.languages)} languages, {len(tables.models)} variants, "
        f"{len(tables.pairs)} pairs"
    )


@command(
    {
        "A fit under the names of R's broom": "transfer export --fit results/glmm --tidy tidy/",
        "Outcomes for py-irt": "transfer export --outcomes outcomes.parquet --irt outcomes.jsonl",
    }
)
def export(
    outcomes: Annotated[
        Path | None, typer.Option("--outcomes", help="Parquet of instances, from `ingest`.")
    ] = None,
    irt: Annotated[
        Path | None, typer.Option("--irt", help="Write the outcomes as py-irt JSON Lines.")
    ] = None,
    fit: Annotated[
        Path | None, typer.Option("--fit", help="A fit's directory, such as results/glmm.")
    ] = None,
    tidy: Annotated[
        Path | None, typer.Option("--tidy", help="Write the fit as tidy.csv and glance.csv here.")
    ] = None,
) -> None:
    """Write --outcomes as a response matrix (--irt), a --fit as broom's tables (--tidy), or both.

    Outcomes with their provenance (log, sample id) are what `transfer ingest` writes.
    """
    from capability_transfer.analysis.export import response_matrix, write_tidy
    from capability_transfer.common import progress
    from capability_transfer.common.files import file_to_write, folder_to_write

    pairs = (("--outcomes", outcomes, "--irt", irt), ("--fit", fit, "--tidy", tidy))
    for one, given, other, target in pairs:
        if (given is None) != (target is None):
            raise InputError(f"{one} and {other} go together: what to export, and where to")
    if outcomes is None and fit is None:
        raise InputError("give --outcomes FILE --irt FILE, or --fit DIR --tidy DIR")
    if irt is not None:
        file_to_write(irt)
    if tidy is not None:
        folder_to_write(tidy)
    if outcomes is not None:
        with progress.working("outcomes"):
            lines = response_matrix(outcomes, irt)
        current().line(f"{lines} subjects in {irt}")
    if fit is not None:
        write_tidy(fit, tidy)


@command(
    {
        "Where solutions go wrong, from a folder of logs":
            "transfer stages logs/ --models models.csv",
    }
)  # fmt: skip
def stages(
    paths: options.Logs,
    models: options.Models = None,
    languages: options.Languages = None,
    formula: options.Formula = None,
    engine: options.Engine = "laplace",
    split: options.Split = "symbolic",
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    skip_damaged: options.SkipDamaged = False,
    drop_missing: options.DropMissing = False,
    out: options.OutOfLogs = None,
) -> None:
    """Operands read, intermediate values reached, final answers: the same model for each.

    Needs logs with responses and with gold solutions that mark <<lhs=rhs>>.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.stages import Settings, stages

    directory = options.directory(out or options.USER_RESULTS)
    kept = directory / CACHE
    settings = Settings(kept, formula, engine, models, languages, split, drop_missing)
    cells = reading.responses(
        paths, split, mapping, scorer, threshold, errors, duplicates, skip_damaged
    )
    deliver(stages(cells, settings), directory)


@command(
    {
        "Who boxes the answer, from a folder of logs":
            "transfer compliance logs/ --models models.csv",
    }
)  # fmt: skip
def compliance(
    paths: options.Logs,
    models: options.Models = None,
    languages: options.Languages = None,
    formula: options.Formula = None,
    engine: options.Engine = "laplace",
    split: options.Split = "symbolic",
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    skip_damaged: options.SkipDamaged = False,
    drop_missing: options.DropMissing = False,
    out: options.OutOfLogs = None,
) -> None:
    r"""The share of responses with a \boxed{}, by language, and the GLMM of it."""
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.stages import Settings, compliance

    directory = options.directory(out or options.USER_RESULTS)
    kept = directory / CACHE
    settings = Settings(kept, formula, engine, models, languages, split, drop_missing)
    cells = reading.responses(
        paths, split, mapping, scorer, threshold, errors, duplicates, skip_damaged
    )
    deliver(compliance(cells, settings), directory)


@command({"Tokens and operations of every model, from a folder of logs": "transfer compute logs/"})
def compute(
    paths: options.Logs,
    models: options.Models = None,
    split: options.Split = "symbolic",
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    skip_damaged: options.SkipDamaged = False,
    out: options.OutOfLogs = None,
) -> None:
    """Tokens per response and the compute they take, against the gap to English.

    Compute is 2 · parameters · output tokens; needs logs that count tokens.
    """
    from capability_transfer.analysis.commands import reading
    from capability_transfer.analysis.studies.stages import compute

    directory = options.directory(out or options.USER_RESULTS)
    cells = reading.responses(
        paths, split, mapping, scorer, threshold, errors, duplicates, skip_damaged
    )
    deliver(compute(cells, models), directory)
