"""``transfer penalty``: original against symbolic questions, Figures 10 and 11."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import penalty as p
from capability_transfer.analysis.commands import options, output, reading
from capability_transfer.analysis.figures import figure_10, figure_11
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.outcomes.study import TABLE_12, table_12_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import table_penalty

EXAMPLES = {"Original against symbolic questions": "transfer penalty"}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Are symbolic variants harder than the original questions, and is that so by language?

    Outcomes need a column split with the values original and symbolic.
    """
    say = output.current()
    directory = options.directory(out)
    inputs = reading.inputs(say, outcomes, models, languages, seed, split=None)
    pairs = table_12_counts(include_excluded=True) if inputs.is_study else inputs.cells
    result = p.penalty(inputs, pairs, say.fits(2), directory / "cache")
    text = note(inputs.source, result.fit)
    p.write(result, directory)
    draw(result, directory, note(_counted(inputs)))
    table = table_penalty.build(
        result.fixed_effects(), result.random_effects(), result.test_table(), text
    )
    render.write(table, directory / "tables")
    write_note(directory / "penalty", "The symbolic penalty", text)
    say.table("fixed_effects", result.fixed_effects(), table.caption, table.display)
    say.record("random_effects", result.random_effects())
    say.record("test", result.test_table())
    say.record("overall", result.overall)
    say.record("by_language", result.languages())
    overall = result.overall.iloc[0]
    say.line(
        f"Original minus symbolic: {overall['gap']:.2f} points [{overall['conf_low']:.2f}, "
        f"{overall['conf_high']:.2f}] over {overall['pairs']:.0f} pairs",
    )
    for warning in result.fit.warnings():
        say.note(warning)


def draw(result: p.Penalty, directory: options.Path, counted: str) -> None:
    """Figures 10 and 11, which use pair totals only."""
    languages: pd.DataFrame = result.languages()
    for figure, name in (
        (figure_10.draw(languages, result.overall, counted), "figure_10"),
        (figure_11.draw(result.gaps, result.overall, counted), "figure_11"),
    ):
        plots.save(figure, directory / "figures" / name)


def _counted(inputs: Inputs) -> str:
    """What the plain differences rest on: totals."""
    if inputs.is_study:
        return f"{TABLE_12}, all 48 runs"
    return inputs.source
