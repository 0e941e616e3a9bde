"""``transfer predict``: the accuracy to expect of a model in any language, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console

from analysis.commands import options, show
from common.errors import InputError, name_some
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
    """The user's cells of the model, in the languages asked for.

    Raises InputError if the file has none.
    """
    from analysis.outcomes.files import read_outcomes
    from features.languages import resolve

    cells = read_outcomes(path)
    own = set(rows["language"])
    codes = {code: code if code in own else resolve(code) for code in cells["language"].unique()}
    cells["language"] = cells["language"].map(codes)
    labels = cells["variant"].unique()
    if not set(labels) & {variant, asked} and len(labels) > 1:
        raise InputError(f"{path} has no rows of {variant}; it has {name_some(labels)}")
    mine = cells["variant"].isin({variant, asked}) | (len(labels) == 1)
    kept = cells[mine & cells["language"].isin(own)]
    if kept.empty:
        raise InputError(f"{path} has no rows in {name_some(own)}: nothing to calibrate with")
    return kept


def _show(console: Console, bundle, model, table: pd.DataFrame, skipped: list[str], items: int):
    described = {
        "variant": "in the data",
        "base_model": "its base model is in the data, in the other mode",
        "family": "new; its family is in the data",
        "nothing": "new, and so is its family: a wide interval",
    }
    mode = "on" if model.reasoning else "off"
    console.print(
        f"{model.variant}: {2**model.size:g}B, reasoning {mode}, family "
        f"{model.family.removesuffix(' (new)')} ({described[model.known]})",
        highlight=False,
    )
    console.print(f"Learned from: {bundle.source}", highlight=False)
    show.frame(console, f"Predicted accuracy (%) on {items:,} questions", _display(table))
    for line in _remarks(table):
        console.print(f"[yellow]![/] {line}", highlight=False)
    for line in skipped:
        console.print(f"skipped: {line}", highlight=False)


def _display(table: pd.DataFrame) -> pd.DataFrame:
    """The predictions as strings, in percent."""
    display = pd.DataFrame({"": table["name"] + " (" + table["language"] + ")"})
    for point in ("plug_in", "integrated"):
        display[point.replace("_", "-")] = [f"{100 * value:.1f}" for value in table[point]]
    for level in (50, 80, 95):
        ends = zip(table[f"low_{level}"], table[f"high_{level}"], strict=True)
        display[f"{level}%"] = [f"{100 * low:.0f}–{100 * high:.0f}" for low, high in ends]
    display["log10 pages"] = [f"{value:.2f}" for value in table["resource"]]
    display["distance"] = [f"{value:.3f}" for value in table["distance"]]
    marks = table["fertility_source"].map({"data": "", "counted": "~", "unknown": "?"})
    values = zip(table["fertility"], marks, strict=True)
    display["fertility"] = [mark if mark == "?" else f"{mark}{v:+.2f}" for v, mark in values]
    return display


def _remarks(table: pd.DataFrame) -> list[str]:
    """What a reader must know: extrapolation, guesses, calibration, pairs in the data."""
    lines = []
    extremes = {
        ("resource", -1): "has less text than any language learned from",
        ("resource", 1): "has more text than any language learned from",
        ("distance", -1): "is closer to English than any language learned from",
        ("distance", 1): "is farther from English than any language learned from",
    }
    for (feature, sign), what in extremes.items():
        outside = sign * table[f"{feature}_outside"]
        for name, far in zip(table["name"][outside > 0], outside[outside > 0], strict=True):
            lines.append(f"extrapolation: {name} {what} ({far:.2f} SD outside)")
    if (table["fertility_source"] == "counted").any():
        lines.append("relative fertility marked ~ was counted with the model's tokenizer")
    if (table["fertility_source"] == "unknown").any():
        lines.append(
            "relative fertility that is not known (?) is taken as 0, an average tokenizer's; its "
            "spread is in the interval"
        )
    for row in table[table["templates"] > 0].itertuples():
        lines.append(f"{row.name}: calibrated with {row.templates} templates of yours")
    if table["seen"].any():
        lines.append(f"in the data already: {name_some(table['name'][table['seen']])}")
    return lines


def _show_target(console: Console, table: pd.DataFrame, target: float) -> None:
    """What reaches a target; InputError where nothing asked about does."""
    if table["params_b"].isna().all() and not (table["reasoning_on"] >= target).any():
        best = table.loc[table["best"].idxmax()]
        raise InputError(
            f"no size up to {table['limit_b'].iloc[0]:,.0f}B reaches {target:.0%} there: the best "
            f"prediction is {best['best']:.0%} ({best['language']})"
        )
    for row in table.itertuples():
        if row.params_b == row.params_b:
            text = f"about {row.params_b:.3g}B parameters in the same family and mode"
        else:
            text = f"no size up to {row.limit_b:,.0f}B (best: {row.best:.0%})"
        if row.reasoning_on == row.reasoning_on:
            text += f"; with reasoning on, this model: {row.reasoning_on:.0%}"
        console.print(f"{target:.0%} in {row.language}: {text}", highlight=False)
