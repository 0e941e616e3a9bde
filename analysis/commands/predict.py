"""``transfer predict``: the accuracy to expect of a model in any language, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import complete, options, output
from capability_transfer.analysis.inputs import Inputs, load
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.prediction import describe, loo, new_language, new_model, store
from capability_transfer.analysis.prediction.new_model import select_cells
from capability_transfer.analysis.presentation import progress
from capability_transfer.common.files import file_to_write, write_table

EXAMPLES = {
    "Qwen3-8B with reasoning in Swahili and Yoruba":
        "transfer predict --model Qwen/Qwen3-8B --reasoning on --language swh --language yor",
    "What would reach 80% there?":
        "transfer predict --model Qwen/Qwen3-8B --reasoning off --language swh --target 0.8",
    "A model that is not in the data":
        "transfer predict --params 12 --family 'Gemma 3' --reasoning off --language all",
    "Calibrated with a few templates of yours":
        "transfer predict --model Qwen/Qwen3-8B --reasoning on --language swh "
        "--outcomes few.csv",
}  # fmt: skip


def command(
    language: Annotated[
        list[str],
        typer.Option(
            "--language",
            help="Code (swh) or name (Swahili); repeatable. all: every language that there are "
            "templates in.",
            autocompletion=complete.languages_or_all,
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="Variant, base model or hub id, e.g. Qwen/Qwen3-8B, in any case. Of another "
            "model size and family are read from the name, unless they are given.",
            autocompletion=complete.models,
        ),
    ] = None,
    params: Annotated[
        float | None, typer.Option("--params", help="Billions of parameters of another model.")
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            "--family",
            help="Family of another model, if it is known.",
            autocompletion=complete.families,
        ),
    ] = None,
    reasoning: Annotated[
        str | None,
        typer.Option(
            "--reasoning",
            help="on or off; needed where a model has both.",
            autocompletion=complete.on_off,
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option("--target", help="Accuracy (0–1; 80% is 0.8): what would have to change?"),
    ] = None,
    outcomes: Annotated[
        Path | None,
        typer.Option("--outcomes", help="The few templates that you evaluated, to calibrate with."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train", help="Outcomes to learn from. Without it: the study's published ones."
        ),
    ] = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    items: Annotated[
        int, typer.Option("--items", min=1, help="Questions you would ask.")
    ] = new_language.ITEMS,
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Write the predictions to this file, .csv or .parquet."),
    ] = None,
    out: options.OutOfTraining = None,
    seed: options.Seed = options.DEFAULT_SEED,
) -> None:
    """Predict a model's accuracy in languages, tested or not, with intervals.

    The first call fits the model (a minute at most) and keeps the fit in OUT/cache.
    """
    say = output.current()
    cache = options.training_cache(out, train)
    new_language.check_items(items)
    if target is not None:
        new_language.check_target(target)
    if save is not None:
        file_to_write(save, ".csv", ".parquet")
    files = train, models, languages, tokenizer_counts
    key = store.data_key(files)
    codes = [code for text in language for code in text.split(",")]
    own = None if outcomes is None else read_outcomes(outcomes)

    def question(known: store.Bundle | store.Catalogue) -> tuple:
        """The model, the languages, those skipped, and the cells that calibrate."""
        chosen = new_model.find_model(known, model, params, family, reasoning)
        rows, skipped = new_language.find_languages(known, codes)
        cells = None
        if own is not None:
            cells = select_cells(own, chosen.variant, model, rows["language"], str(outcomes))
        return chosen, rows, skipped, cells

    with progress.working("the model (fitted at the first call, then kept)"):
        bundle = store.load_or_build(key, cache, lambda: _load(say, *files, seed), check=question)
    chosen, rows, skipped, cells = question(bundle)
    tables, sizes = [], []
    with progress.counting("languages", len(rows)) as tell:
        for place in range(len(rows)):  # one by one: a language does not depend on the others
            one = rows.iloc[[place]]
            tables.append(new_language.predict(bundle, chosen, one, items, seed, cells))
            if target is not None:
                sizes.append(new_language.what_reaches(bundle, chosen, one, target))
            tell(1)
    table = pd.concat(tables, ignore_index=True)
    reaches = pd.concat(sizes, ignore_index=True) if sizes else None
    told = [] if reaches is None else describe.target_lines(reaches, target)
    say.line(describe.model_line(chosen))
    for text in chosen.notes:
        say.note(text)
    say.data(bundle.source, "Learned from")
    title = f"Predicted accuracy (%) on {items:,} questions"
    say.table("predictions", table, title, describe.in_percent(table))
    say.line(f"× size: {describe.MULTIPLE}")
    for text in describe.remarks(table):
        say.note(text)
    for text in skipped:
        say.line(f"skipped: {text}")
    if reaches is not None:
        say.record("target", reaches)
    for text in told:
        say.line(text)
    if save is not None:
        write_table(table, save)


def _load(
    say: output.Output,
    train: Path | None,
    models: Path | None,
    languages: Path | None,
    tokenizer_counts: Path | None,
    seed: int,
) -> Inputs:
    loaded = load(train, models, languages, seed, tokenizer_counts=tokenizer_counts)
    for text in (*loaded.notes, *loo.describe_left_out(loaded)):
        say.note(text)
    return loaded
