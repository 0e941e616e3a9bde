"""``transfer features``: what is known of languages and models before any evaluation."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from analysis.commands import options
from analysis.provenance import write_note
from features import languages as language_registry
from features import models as model_registry
from features import resource
from features.table import Tables, build_all, write


def command(
    models: options.Models = None,
    languages: options.Languages = None,
    feature_set: Annotated[
        str, typer.Option("--feature-set", help="URIEL feature set of the distance.")
    ] = "syntax_knn",
    source_language: Annotated[
        str, typer.Option("--source-language", help="Language that distances start from.")
    ] = "eng",
    refresh: Annotated[
        bool,
        typer.Option("--refresh", help="Download the current Common Crawl statistics first."),
    ] = False,
    out: options.Out = None,
) -> None:
    """Build the features of languages, models and their pairs.

    Without options: the study's 48 runs and 15 languages, Common Crawl pages from the packaged
    snapshot.
    """
    console = Console()
    directory = out or (options.USER_RESULTS if models or languages or refresh else options.RESULTS)
    chosen = {"distance": {"feature_set": feature_set, "source": source_language}}
    if refresh:
        chosen["resource"] = {"pages": resource.refresh(directory / "cache" / "common_crawl")}
    tables = build_all(
        models=model_registry.read_models(models) if models else None,
        languages=language_registry.read_languages(languages) if languages else None,
        options=chosen,
    )
    paths = write(tables, directory / "features")
    paths.append(write_note(directory / "features", "Features", describe(tables)))
    for path in paths:
        console.print(f"Wrote {path}")


def describe(tables: Tables) -> str:
    """What the three files hold and where it comes from."""
    crawls = ", ".join(sorted(tables.languages["crawl"].dropna().astype(str).unique()))
    return (
        f"`languages.csv`: resource (log10 Common Crawl pages; {crawls}) and distance (URIEL "
        "cosine distance, with the number of observed features).\n\n"
        "`models.csv`: size (log2 billions of parameters) and reasoning (1 is on).\n\n"
        "`pairs.csv`: tokens per non-whitespace character, their ratio to English "
        "(`fertility_ratio`) and its deviation from the language's mean (`fertility`).\n\n"
        "All are published figures or computed from public data; nothing here is reconstructed."
    )
