"""``transfer penalty``: original against symbolic questions, Figures 10 and 11."""

from __future__ import annotations

from functools import partial

import pandas as pd
from rich.console import Console

from analysis import penalty as p
from analysis.commands import options, show
from analysis.figures import figure_10, figure_11, style
from analysis.inputs import load
from analysis.outcomes.study import study_counts
from analysis.progress import fitting
from analysis.provenance import note, write_note
from analysis.tables import render, table_penalty


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
    console = Console()
    directory = options.directory(out, outcomes)
    inputs = load(outcomes, models, languages, seed, split=None)
    console.print(f"Data: {inputs.source}", highlight=False)
    pairs = study_counts(include_excluded=True) if inputs.is_study else inputs.cells
    result = p.penalty(inputs, pairs, partial(fitting, console), directory / "cache")
    text = note(inputs.source, result.fit)
    paths = p.write(result, directory)
    paths += draw(result, directory, text, note(_counted(inputs)))
    table = table_penalty.build(
        result.fixed_effects(), result.random_effects(), result.test_table(), text
    )
    paths += render.write(table, directory / "tables")
    paths.append(write_note(directory / "penalty", "The symbolic penalty", text))
    show.frame(console, table.caption, table.display)
    overall = result.overall.iloc[0]
    console.print(
        f"Original minus symbolic: {overall['gap']:.2f} points [{overall['conf_low']:.2f}, "
        f"{overall['conf_high']:.2f}] over {overall['pairs']:.0f} pairs",
        highlight=False,
    )
    for warning in result.fit.warnings():
        console.print(f"[yellow]![/] {warning}", highlight=False)
    console.print(f"Wrote {len(paths)} files to {directory}/ (penalty, tables, figures)")


def draw(result: p.Penalty, directory: options.Path, text: str, counted: str) -> list[options.Path]:
    """Figures 10 and 11, which use pair totals only."""
    languages: pd.DataFrame = result.languages()
    return [
        *style.save(
            figure_10.draw(languages, result.overall, counted), directory / "figures" / "figure_10"
        ),
        *style.save(
            figure_11.draw(result.gaps, result.overall, counted),
            directory / "figures" / "figure_11",
        ),
    ]


def _counted(inputs) -> str:
    """What the plain differences rest on: totals, of which none is reconstructed."""
    if inputs.is_study:
        return "published pair counts (Table 12), all 48 runs; no template layer is used"
    return inputs.source
