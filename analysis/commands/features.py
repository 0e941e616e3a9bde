"""``transfer features``: what is known of languages and models before any evaluation."""

from __future__ import annotations

from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis.commands import complete, options, output
from capability_transfer.analysis.presentation import progress
from capability_transfer.analysis.presentation.provenance import write_note
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import write_table
from capability_transfer.features import fertility, resource
from capability_transfer.features import languages as language_registry
from capability_transfer.features import models as model_registry
from capability_transfer.features.table import Tables, build_all, write

EXAMPLES = {
    "The study's 48 runs and 15 languages": "transfer features",
    "A tokenizer of your own, counted in every language of the study":
        "transfer features --tokenizer mine=path/to/tokenizer.json --models models.csv",
}  # fmt: skip


def command(
    models: options.Models = None,
    languages: options.Languages = None,
    feature_set: Annotated[
        str,
        typer.Option(
            "--feature-set",
            help="URIEL feature set of the distance.",
            autocompletion=complete.feature_sets,
        ),
    ] = "syntax_knn",
    source_language: Annotated[
        str,
        typer.Option(
            "--source-language",
            help="Language that distances start from.",
            autocompletion=complete.languages,
        ),
    ] = "eng",
    refresh: Annotated[
        bool,
        typer.Option("--refresh", help="Download the current Common Crawl statistics first."),
    ] = False,
    tokenizer: Annotated[
        list[str] | None,
        typer.Option(
            "--tokenizer",
            help="Count a tokenizer on the template questions, as NAME=SPEC (repeatable): a "
            "Hugging Face tokenizer.json, tiktoken:NAME, tekken:FILE, qwen:MODEL. A models file "
            "names it in its column tokenizer.",
        ),
    ] = None,
    tokenizer_counts: options.TokenizerCounts = None,
    out: options.Out = None,
) -> None:
    """Build the features of languages, models and their pairs.

    Without options: the study's 48 runs and 15 languages, Common Crawl pages from the packaged
    snapshot.
    """
    say = output.current()
    directory = options.directory(out)
    model_rows = model_registry.read_models(models) if models else None
    language_rows = language_registry.read_languages(languages) if languages else None
    chosen = {"distance": {"feature_set": feature_set, "source": source_language}}
    if refresh:
        with progress.working("downloading Common Crawl's statistics"):
            pages = resource.refresh(directory / "cache" / "common_crawl")
        chosen["resource"] = {"pages": pages}
    counts = fertility.read_counts(tokenizer_counts) if tokenizer_counts else None
    if tokenizer:
        counted = _count(tokenizer, language_rows, say)
        counts = counted if counts is None else fertility.beside(counted, counts)
    if counts is not None:
        chosen["fertility"] = {"counts": fertility.with_packaged(counts)}
    with progress.working("features"):
        tables = build_all(models=model_rows, languages=language_rows, options=chosen)
    write(tables, directory / "features")
    if counts is not None:
        write_table(counts, directory / "features" / "tokenizer_counts.csv")
    write_note(directory / "features", "Features", describe(tables))
    say.data("published figures and public data")
    for name in ("languages", "models", "pairs"):
        say.record(name, getattr(tables, name))
    say.line(
        f"{len(tables.languages)} languages, {len(tables.models)} variants, "
        f"{len(tables.pairs)} pairs"
    )


def _count(specs: list[str], languages: pd.DataFrame | None, say: output.Output) -> pd.DataFrame:
    """Token counts of every NAME=SPEC in the given languages and English."""
    codes = list(language_registry.table(languages)["language"])
    codes += [] if fertility.REFERENCE in codes else [fertility.REFERENCE]
    tables = []
    for text in specs:
        name, equals, spec = text.partition("=")
        if not (name and equals and spec):
            raise InputError(f"--tokenizer takes NAME=SPEC, such as mine=tokenizer.json: {text!r}")
        with progress.working(f"counting {name} in {len(codes)} languages"):
            tables.append(fertility.count(spec, codes, name=name))
    return pd.concat(tables, ignore_index=True)


def describe(tables: Tables) -> str:
    """What the three files hold and where it comes from."""
    crawls = ", ".join(sorted(tables.languages["crawl"].dropna().astype(str).unique()))
    return (
        f"`languages.csv`: resource (log10 Common Crawl pages; {crawls}) and distance (URIEL "
        "cosine distance, with the number of observed features).\n\n"
        "`models.csv`: size (log2 billions of parameters) and reasoning (1 is on).\n\n"
        "`pairs.csv`: tokens per non-whitespace character, their ratio to English "
        "(`fertility_ratio`) and its deviation from the language's mean (`fertility`).\n\n"
        "All are published figures or computed from public data."
    )
