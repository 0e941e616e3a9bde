"""``transfer features``: what is known of languages and models before any evaluation."""

from __future__ import annotations

from rich.console import Console

from analysis.commands import options
from features import languages as language_registry
from features import models as model_registry
from features.table import build_all, write


def command(
    models: options.Models = None,
    languages: options.Languages = None,
    out: options.Out = None,
) -> None:
    """Build the features of languages, models and their pairs."""
    console = Console()
    directory = out or options.RESULTS
    tables = build_all(
        models=model_registry.read_models(models) if models else None,
        languages=language_registry.read_languages(languages) if languages else None,
    )
    paths = write(tables, directory / "features")
    for path in paths:
        console.print(f"Wrote {path}")
