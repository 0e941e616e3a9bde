"""``transfer sample-size``: how many templates and instances are enough, Table 2, Figure 9."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis.ablations import sample_size as s
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.figures import figure_09
from capability_transfer.analysis.outcomes.study import study_cells
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.presentation.tables import number
from capability_transfer.analysis.tables import table_02
from capability_transfer.analysis.tables.table_02 import SPLITS

EXAMPLES = {
    "The study's outcomes": "transfer sample-size",
    "How many templates for a standard error of 2 points?": "transfer sample-size --wanted 2",
}


def command(
    outcomes: options.Outcomes = None,
    templates: Annotated[
        list[int] | None, typer.Option("--templates", help="A template budget; repeatable.")
    ] = None,
    instances: Annotated[
        list[int] | None, typer.Option("--instances", help="An instance budget; repeatable.")
    ] = None,
    wanted: Annotated[
        list[float] | None,
        typer.Option("--wanted", help="How many templates for this standard error (points)?"),
    ] = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """How precise is a score, and how stable a ranking, on fewer templates or instances?"""
    say = output.current()
    directory = options.directory(out)
    cells = study_cells(SPLITS, seed=seed) if outcomes is None else reading.cells(say, outcomes)
    source = cells.attrs["data_source"]
    say.data(source)
    with progress.working("resampling"):
        result = s.sample_size(
            cells,
            seed,
            templates or s.TEMPLATES,
            instances or s.INSTANCES,
            wanted or s.WANTED,
            beside=outcomes is None,
        )
    text = note(source)
    s.write(result, directory)
    table = table_02.build(result.templates, text)
    render.write(table, directory / "tables")
    figure = figure_09.draw(result.templates, result.instances, text)
    plots.save(figure, directory / "figures" / "figure_09")
    write_note(directory / "sample_size", "Sample size", text)
    say.table("templates", result.templates, table.caption, table.display)
    for name in ("instances", "claims", "needed"):
        say.record(name, getattr(result, name))
    for row in result.claims.itertuples():
        beside = "" if row.published != row.published else f" (published {row.published:g})"
        label = row.statistic.replace("_", " ")
        say.line(f"  {label}: {number(row.value, 3)}{beside}")
    for row in result.needed.itertuples():
        say.line(
            f"  {row.templates} {row.split} templates for a standard error of {row.std_error:g}",
        )
