"""Options that several commands share, and where results go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete
from capability_transfer.analysis.commands.places import RESULTS as RESULTS
from capability_transfer.analysis.commands.places import USER_RESULTS as USER_RESULTS
from capability_transfer.analysis.commands.places import directory as directory
from capability_transfer.analysis.commands.places import training_directory as training_directory
from capability_transfer.common.seeds import DEFAULT_SEED as DEFAULT_SEED

Outcomes = Annotated[
    Path | None,
    typer.Option(
        "--outcomes",
        help="Your evaluations: CSV, Parquet or .jsonl, one row per instance (variant, language, "
        "template, instance, correct) or per cell (variant, language, template, n_correct, "
        "n_total), or logs as `transfer ingest` reads them. Default: the study's published "
        "counts.",
    ),
]
WithoutItems = Annotated[
    Path | None,
    typer.Option(
        "--without-items",
        help="Leave out these items: CSV with language and template, such as the items.csv of "
        "`transfer items`, of which the flagged ones count.",
    ),
]
"""Every command that reads outcomes has it (``cli.Command``)."""

Models = Annotated[
    Path | None,
    typer.Option(
        "--models",
        help="Your models: CSV with variant, base_model, family, params_b (billions), reasoning "
        "(on, off). They are added to the registered ones.",
    ),
]
Languages = Annotated[
    Path | None,
    typer.Option(
        "--languages",
        help="Your languages and their features: CSV with language and any of resource (log10 "
        "Common Crawl pages), distance (0-1).",
    ),
]
TokenizerCounts = Annotated[
    Path | None,
    typer.Option(
        "--tokenizer-counts",
        help="Token counts of your models' tokenizers, as `transfer features --tokenizer` "
        "writes them; they are added to the packaged ones.",
    ),
]
Formula = Annotated[
    str | None,
    typer.Option(
        "--formula",
        help="The model in lme4's syntax, '~ resource + size + (1 | variant) + (1 | language)'; "
        "default: the study's.",
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, help="Seed of every draw."),
]
DropMissing = Annotated[
    bool,
    typer.Option(
        "--drop-missing", help="Drop rows that lack a feature, and report them, instead of failing."
    ),
]
Workers = Annotated[
    int, typer.Option("--workers", min=1, help="Refits at once, each in its own process.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help=f"Where results go. Default: {RESULTS}/ for the study, {USER_RESULTS}/ for your own "
        "data or options.",
    ),
]
OutOfTraining = Annotated[
    Path | None,
    typer.Option(
        "--out",
        help=f"Folder whose cache/ keeps the fit. Default: {RESULTS}/, "
        f"or {USER_RESULTS}/ with --train.",
    ),
]
OutOfLogs = Annotated[
    Path | None, typer.Option("--out", help=f"Where results go. Default: {USER_RESULTS}/.")
]
Logs = Annotated[
    list[Path],
    typer.Argument(
        help="Files and folders: Inspect AI .eval and .json, lm-evaluation-harness "
        "samples_*.jsonl, Every Eval Ever .jsonl, tables (CSV, Parquet, .jsonl)."
    ),
]
Split = Annotated[
    str,
    typer.Option(
        "--split",
        help="Which split, where the logs state one: symbolic or original.",
        autocompletion=complete.splits,
    ),
]
Engine = Annotated[
    str,
    typer.Option("--engine", help="Engine, as for `transfer glmm`.", autocompletion=complete.modes),
]
MappingFile = Annotated[
    Path | None,
    typer.Option("--mapping", help="YAML: where in the logs language, template, … are found."),
]
Scorer = Annotated[
    list[str] | None,
    typer.Option(
        "--scorer",
        help="Which score, where logs have several (lm-evaluation-harness: metric,filter), or "
        "TASK=NAME for the tasks of a name or of a pattern such as mgsm_*; may be repeated.",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        help="Least partial credit (0-1) that is correct. Default: partial credit is refused.",
    ),
]
Errors = Annotated[
    str,
    typer.Option(
        "--errors",
        help="Samples without a score: fail, wrong or drop.",
        autocompletion=complete.error_policies,
    ),
]
Duplicates = Annotated[
    str,
    typer.Option(
        "--duplicates",
        help="The same question twice: fail or first.",
        autocompletion=complete.duplicate_policies,
    ),
]
SkipDamaged = Annotated[
    bool,
    typer.Option(
        "--skip-damaged",
        help="Leave out, and report, files that cannot be read to their end (cut off, not JSON, "
        "Git LFS pointers), instead of failing.",
    ),
]
