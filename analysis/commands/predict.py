"""``transfer predict``: the accuracy to expect of a model in any language, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console

from analysis.commands import options, show
from common.errors import InputError
from common.files import write_table

ITEMS = 2000


def command(
    language: Annotated[
        list[str],
        typer.Option(
            "--language", help="Code; repeatable. all: every language that there are templates in."
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", help="Variant, base model or hub id, e.g. Qwen/Qwen3-8B."),
    ] = None,
    params: Annotated[
        float | None, typer.Option("--params", help="Billions of parameters of another model.")
    ] = None,
    family: Annotated[
        str | None, typer.Option("--family", help="Family of another model, if it is known.")
    ] = None,
    reasoning: Annotated[
        str | None, typer.Option("--reasoning", help="on or off; needed where a model has both.")
    ] = None,
    target: Annotated[
        float | None, typer.Option("--target", help="Accuracy (0–1): what would have to change?")
    ] = None,
    outcomes: Annotated[
        Path | None,
        typer.Option("--outcomes", help="The few templates that you evaluated: they calibrate."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option("--train", help="Outcomes to learn from; the study's published ones without."),
    ] = None,
    models: options.Models = None,
    languages: options.Languages = None,
    items: Annotated[int, typer.Option("--items", help="Questions you would ask.")] = ITEMS,
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the predictions to this CSV file.")
    ] = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Predict a model's accuracy in languages, tested or not, with intervals.

    The first call fits the model (a minute at most) and keeps the fit in OUT/cache.
    """
    from analysis.unseen import anywhere

    console = Console()
    directory = options.directory(out, train)
    if items < 1:
        raise InputError(f"--items is a number of questions, not {items}")
    bundle = anywhere.bundle(
        anywhere.data_key([train, models, languages], seed),
        directory / "cache",
        lambda: _load(train, models, languages, seed),
    )
    chosen = anywhere.find_model(bundle, model, params, family, reasoning)
    rows, skipped = anywhere.find_languages(bundle, language)
    cells = None if outcomes is None else _cells(outcomes, chosen.variant, model, rows)
    table = anywhere.predict(bundle, chosen, rows, items, seed, cells)
    _show(console, bundle, chosen, table, skipped, items)
    if target is not None:
        _show_target(console, anywhere.what_reaches(bundle, chosen, rows, target), target)
    if save is not None:
        console.print(f"Wrote {write_table(table, save)}")


def _load(train: Path | None, models: Path | None, languages: Path | None, seed: int):
    from analysis.inputs import load

    return load(train, models, languages, seed)


def _cells(path: Path, variant: str, asked: str | None, rows: pd.DataFrame) -> pd.DataFrame:
    """The user's cells of the model, in the languages asked for."""
    from analysis.outcomes.files import read_outcomes
    from analysis.unseen.observed import of_model

    return of_model(read_outcomes(path), variant, asked, rows["language"], str(path))


def _show(console: Console, bundle, model, table: pd.DataFrame, skipped: list[str], items: int):
    from analysis.unseen import remarks

    console.print(remarks.about(model), highlight=False)
    console.print(f"Learned from: {bundle.source}", highlight=False)
    title = f"Predicted accuracy (%) on {items:,} questions"
    show.frame(console, title, remarks.in_percent(table))
    for line in remarks.remarks(table):
        console.print(f"[yellow]![/] {line}", highlight=False)
    for line in skipped:
        console.print(f"skipped: {line}", highlight=False)


def _show_target(console: Console, table: pd.DataFrame, target: float) -> None:
    from analysis.unseen import remarks

    for line in remarks.reaching(table, target):
        console.print(line, highlight=False)
