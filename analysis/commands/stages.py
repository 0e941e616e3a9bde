"""``transfer stages``: how far answers get, Table 6 and Figures 3 and 17, from a user's logs."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer
from rich.console import Console

from analysis import stages as s
from analysis import study
from analysis.commands import options, responses
from analysis.figures import figure_03, figure_17, style
from analysis.glmm.formula import parse
from analysis.outcomes.policies import Policies
from analysis.outcomes.samples import Request
from analysis.progress import fitting
from analysis.provenance import note, write_note
from analysis.tables import render, table_06

NAMES = ("operands", "intermediates", "final")


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
    """Operands read, intermediate values reached, final answers: the same model for each.

    Needs logs with responses and with gold solutions that mark <<lhs=rhs>>.
    """
    console = Console()
    directory = out or options.USER_RESULTS
    request, policies = Request(mapping, scorer, threshold), Policies(errors, duplicates)
    cells, _ = responses.read(paths, request, policies, split, console)
    settings = s.Settings(formula, engine, models, languages, split, drop_missing)
    result = s.stages(cells, NAMES, settings, directory, partial(fitting, console))
    text = note(result.source)
    beside = s.published() if formula is None or parse(formula) == parse(study.MAIN) else None
    table = table_06.build(result.fixed, result.random, beside, text)
    console.print(table.display.to_string(index=False), highlight=False)
    written = s.write(result, directory)
    written += render.write(table, directory / "tables")
    written += style.save(figure_03.draw(result.rates, text), directory / "figures" / "figure_03")
    written += style.save(figure_17.draw(result.fixed, text), directory / "figures" / "figure_17")
    written.append(write_note(directory / "stages", "Stages of solutions", text))
    console.print(f"Wrote {len(written)} files to {directory}/ (stages, tables, figures)")
