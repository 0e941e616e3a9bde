"""``transfer equivalence``: two versions of a language, Figures 8 and 19 (7 and 18)."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis import equivalence as e
from capability_transfer.analysis.commands import complete, options, output, reading
from capability_transfer.analysis.figures import figure_19
from capability_transfer.analysis.outcomes.published import STUDY_LANGUAGES
from capability_transfer.analysis.outcomes.study import study_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import table_equivalence
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import write_table

EXAMPLES = {
    "Metric against imperial English": "transfer equivalence",
    "Human and machine translation of your own": "transfer equivalence --outcomes mine.csv "
    "--first isl --second isl_machine --margin 2",
}
EMBEDDED = "the study's published cells, and Table 12 for what they lack; all 48 runs"
FIGURES = {
    e.STUDY_PAIR: ("figure_19", "figure_08"),
    ("isl", "isl_machine"): ("figure_18", "figure_07"),
}
"""All runs, and three of them, as numbered in the study."""


def command(
    outcomes: options.Outcomes = None,
    first: Annotated[
        str,
        typer.Option(
            "--first",
            help="A language of the outcomes, the reference.",
            autocompletion=complete.languages,
        ),
    ] = e.STUDY_PAIR[0],
    second: Annotated[
        str,
        typer.Option(
            "--second",
            help="The language to compare with it.",
            autocompletion=complete.languages,
        ),
    ] = e.STUDY_PAIR[1],
    margin: Annotated[
        float, typer.Option("--margin", help="Equivalence margin, accuracy points.")
    ] = e.MARGIN,
    out: options.Out = None,
) -> None:
    """Are two versions of a language equally hard? Two one-sided t-tests over runs.

    Embedded: English with imperial against metric units. Human against machine-translated
    Icelandic needs your outcomes, with language isl and, for instance, isl_machine.
    """
    say = output.current()
    directory = options.directory(out)
    source, table = _load(say, outcomes, first, second)
    say.data(source)
    runs = e.accuracies(table, first, second)
    test = e.equivalence(runs, first, second, margin)
    text = note(source)
    if runs.attrs["lacking"]:
        say.note(f"left out, only one of the two: {', '.join(runs.attrs['lacking'])}")
    write_table(test, directory / "equivalence" / "table.csv")
    write_table(runs, directory / "equivalence" / "runs.csv")
    write_note(directory / "equivalence", f"Equivalence of {first} and {second}", text)
    built = table_equivalence.build(test, first, second, text)
    render.write(built, directory / "tables")
    default = ("figure_equivalence", "figure_equivalence_selected")
    every, selected = FIGURES.get((first, second), default)
    chosen = e.quartiles(runs)
    for name, part, remark in (
        (every, runs, text),
        (selected, chosen, f"{text} The runs at the quartiles of accuracy."),
    ):
        figure = figure_19.draw(part, test, first, second, remark)
        plots.save(figure, directory / "figures" / name)
    say.table("equivalence", test, built.caption, built.display)
    say.record("runs", runs)


def _load(
    say: output.Output, outcomes: options.Path | None, first: str, second: str
) -> tuple[str, pd.DataFrame]:
    """Where the outcomes come from, and their symbolic rows."""
    if outcomes is None:
        known = dict.fromkeys((*STUDY_LANGUAGES, *e.STUDY_PAIR))
        if absent := [name for name in (first, second) if name not in known]:
            raise InputError(
                f"the study tabulates no scores of {absent[0]}.{suggest(absent[0], known)} It has "
                f"{name_some(known, 20)}; for others give --outcomes with both languages"
            )
        languages = dict.fromkeys((first, second))
        return EMBEDDED, study_counts(["symbolic"], languages, include_excluded=True)
    table = reading.cells(say, outcomes)
    source = table.attrs["data_source"]
    if "split" in table.columns:
        table = table[table["split"] == "symbolic"]
    return source, table
