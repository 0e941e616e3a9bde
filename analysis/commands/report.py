"""``transfer report``: the results as one page that needs no network, predictions in it."""

from __future__ import annotations

from typing import Annotated

import typer
from capability_transfer.analysis.commands import options, output
from capability_transfer.analysis.inputs import load
from capability_transfer.analysis.prediction import describe, new_language, store
from capability_transfer.analysis.presentation import progress
from capability_transfer.analysis.report import explorer, page
from capability_transfer.analysis.report.results import Results
from capability_transfer.common.errors import InputError

EXAMPLES = {
    "The study on one page: results/report/index.html": "transfer report",
    "Of your own results": "transfer report --outcomes mine.csv --models models.csv",
}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes.")] = 2,
) -> None:
    """Write the results of a folder as one page, OUT/report/index.html.

    It shows what other commands wrote to OUT, and predictions to explore, which are computed here
    (minutes, once: they are kept in OUT/cache). The page of the study needs all of its results; one
    of your own shows those that are there. The explorer learns from --outcomes, or from the study.
    """
    say = output.current()
    directory = options.directory(out)
    results = Results(directory)
    absent = page.missing(results)
    if absent and directory == options.RESULTS:
        raise InputError(
            f"{directory} lacks results: run {', '.join(f'`make {name}`' for name in absent)}, "
            "or `make all` for everything"
        )
    page.check(results)
    files = outcomes, models, languages
    key = store.data_key([*files, tokenizer_counts])
    cache = directory / "cache"
    try:
        with progress.working("the model (fitted at the first call, then kept)"):
            bundle = store.load_or_build(
                key, cache, lambda: load(*files, seed, tokenizer_counts=tokenizer_counts)
            )
    except InputError as error:
        if outcomes is None:
            raise
        raise InputError(
            f"the explorer cannot learn from {outcomes}: {error}. "
            "Without --outcomes it learns from the study"
        ) from error
    grid = explorer.grid(bundle, key, new_language.ITEMS, seed, cache, progress.counting, workers)
    path = directory / "report" / "index.html"
    page.write(
        results, explorer.payload(bundle, grid, new_language.ITEMS, seed), bundle.source, path
    )
    say.data(bundle.source, "Learned from")
    if "fertility" not in bundle.fitted.fit.formula.variables():
        say.note(describe.WITHOUT_FERTILITY)
    say.line(f"{len(grid.languages)} languages to explore, {path.stat().st_size / 1e6:.1f} MB")
