"""``transfer ceiling``: the main model without saturated cells, Table 7."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis import design, study
from capability_transfer.analysis.ablations import ceiling as c
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.figures import figure_ceiling
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import table_07
from capability_transfer.common.files import write_table

EXAMPLES = {
    "The study's thresholds": "transfer ceiling",
    "Runs below 85% in English only": "transfer ceiling --english 0.85",
}


def command(
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

    Without thresholds, the study's: English below .95 and .90, cells of at most .90.
    """
    say = output.current()
    directory = options.directory(out)
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    given = english is not None or cells is not None
    own = tuple(english or ()) if given else c.ENGLISH
    pairs = tuple(cells or ()) if given else c.CELLS
    for text in design.chosen(formula, study.MAIN, inputs.cells, inputs.features)[1]:
        say.note(text)
    table = c.ceiling(
        inputs,
        progress.fits(1 + len(own) + len(pairs)),
        directory / "cache",
        own,
        pairs,
        formula,
    )
    text = note(inputs.source) + " Fit: laplace, Laplace approximation."
    write_table(table, directory / "ceiling" / "table.csv")
    write_note(directory / "ceiling", "The model without saturated cells", text)
    built = table_07.build(table, text)
    render.write(built, directory / "tables")
    plots.save(figure_ceiling.draw(table, text), directory / "figures" / "figure_ceiling")
    say.table("ceiling", table, built.caption, built.display)
