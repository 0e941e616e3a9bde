"""``transfer compliance``: who answers in the format that was asked for, by language."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from analysis import labels
from analysis import stages as s
from analysis.commands import options, responses
from analysis.figures import figure_compliance, style
from analysis.outcomes.policies import Policies
from analysis.outcomes.samples import Request
from analysis.progress import fitting
from analysis.provenance import note, write_note


def command(
    paths: options.Logs,
    models: options.Models = None,
    languages: options.Languages = None,
    formula: options.Formula = None,
    engine: Annotated[str, typer.Option("--engine", help="As for `transfer glmm`.")] = "laplace",
    split: options.Split = "symbolic",
    mapping: options.MappingFile = None,
    scorer: options.Scorer = None,
    threshold: options.Threshold = None,
    errors: options.Errors = "fail",
    duplicates: options.Duplicates = "fail",
    drop_missing: options.DropMissing = False,
    out: options.Out = None,
) -> None:
    r"""The share of responses with a \boxed{}, by language, and the GLMM of it."""
    console = Console()
    directory = out or options.USER_RESULTS
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    cells, _ = responses.read(paths, request, policies, split, console)
    settings = s.Settings(formula, engine, models, languages, split, drop_missing)
    result = s.stages(cells, ["compliance"], settings, directory, partial(fitting, console))
    text = note(result.source)
    for row in result.rates.sort_values("rate", ascending=False).itertuples():
        name = labels.language(row.language)
        console.print(f"{name:20s} {row.rate:6.1%} of {row.n}", highlight=False)
    for row in result.fixed.itertuples():
        console.print(
            f"{labels.term(row.term):28s} {row.estimate:7.3f} (SE {row.std_error:.3f})",
            highlight=False,
        )
    written = s.write(result, directory, "compliance")
    figure = figure_compliance.draw(result.rates, text)
    written += style.save(figure, directory / "figures" / "figure_compliance")
    written.append(write_note(directory / "compliance", "Compliance with the format", text))
    console.print(f"Wrote {len(written)} files to {directory}/ (compliance, figures)")
