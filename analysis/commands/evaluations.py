"""Commands for your own evaluations."""

from __future__ import annotations

from capability_transfer.analysis.commands import options
from capability_transfer.analysis.commands.output import CACHE, deliver
from capability_transfer.analysis.commands.registry import command


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
    from capability_transfer.analysis.determinants import check_asked
    from capability_transfer.analysis.studies.stages import Settings, stages

    directory = options.directory(out or options.USER_RESULTS)
    check_asked(formula, engine)
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
    from capability_transfer.analysis.determinants import check_asked
    from capability_transfer.analysis.studies.stages import Settings, compliance

    directory = options.directory(out or options.USER_RESULTS)
    check_asked(formula, engine)
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
