"""``transfer transfer-metrics``: HAT, gap and τ by model and target set, beside the GLMM."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis import design as designs
from capability_transfer.analysis.commands import complete, options, output, reading
from capability_transfer.analysis.figures import (
    figure_hat,
    figure_on_the_line,
    figure_transfer_comparison,
    figure_transfer_profile,
)
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.engines import ENGINES
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.tables import (
    table_script_contrast,
    table_transfer_metrics,
)
from capability_transfer.analysis.transfer_metrics import bootstrap, comparison, report
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import write_table
from capability_transfer.features.languages import among

NO_ENGINE = "none"
DIGITS = 5
PROFILES = 6
"""Models whose transfer profiles are drawn, evenly spaced by HAT."""


EXAMPLES = {
    "The measures beside the GLMM": "transfer transfer-metrics",
    "From German, among themselves": "transfer transfer-metrics --source deu --engine none",
}


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    source: Annotated[
        str,
        typer.Option("--source", help="The source language.", autocompletion=complete.languages),
    ] = "eng",
    intersect: Annotated[
        bool,
        typer.Option("--intersect", help="Leave out items that not every language has."),
    ] = False,
    draws: Annotated[
        int, typer.Option("--draws", min=2, help="Bootstrap resamples of the items.")
    ] = bootstrap.DRAWS,
    formula: options.Formula = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            help=f"Of the GLMM in the comparison: {', '.join(ENGINES)}, or {NO_ENGINE} to "
            "compare the transfer metrics among themselves.",
            autocompletion=complete.engines_or_none,
        ),
    ] = "laplace",
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
) -> None:
    """Transfer from a source language by item pass rates, and whether the GLMM says the same.

    An item is a template, its pass rate that of its instances. A models file with a column cutoff
    (knowledge cut-off, YYYY-MM) adds the comparison of old and new models.
    """
    if engine not in (*ENGINES, NO_ENGINE):
        raise InputError(f"no engine {engine!r}; there are {', '.join(ENGINES)} and {NO_ENGINE}")
    say = output.current()
    directory = options.directory(out)
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    source = among(source, inputs.cells["language"].unique())
    fit, effects = None, None
    if engine != NO_ENGINE:
        fit, effects = _glmm(inputs, formula, engine, directory / "cache", say, drop_missing)
    with progress.working("measures and their bootstrap"):
        tables = report.transfer_tables(
            inputs.cells,
            inputs.features,
            source,
            "intersect" if intersect else "error",
            draws,
            seed,
            effects,
        )
    text = (
        f"{note(inputs.source, fit)} Source language {source}; {draws:,} bootstrap resamples of "
        f"the items (seed {seed}); items are templates."
    )
    write(tables, directory, text)
    show(tables, say)


def write(tables: dict[str, pd.DataFrame], directory: Path, text: str) -> list[Path]:
    """CSV files, tables, figures and the note on the data."""
    folder = directory / "transfer_metrics"
    paths = [
        write_table(table.round(DIGITS), folder / f"{name}.csv") for name, table in tables.items()
    ]
    listed = "".join(f"\n- {sentence}" for sentence in report.findings(tables))
    paths.append(write_note(folder, "Transfer metrics", f"{text}\n{listed}"))
    metrics = tables["metrics"]
    rendered = [table_transfer_metrics.build(metrics, text)]
    drawn = {"figure_hat": figure_hat.draw(metrics, text)}
    ordered = metrics.dropna(subset="hat_corrected").sort_values("hat_corrected", kind="stable")[
        "variant"
    ]
    places = {round(i * (len(ordered) - 1) / (PROFILES - 1)) for i in range(PROFILES)}
    if len(ordered):
        profiles = tables["profile"].set_index("variant")
        chosen = profiles.loc[[ordered.iloc[place] for place in sorted(places)]].reset_index()
        drawn["figure_transfer_profile"] = figure_transfer_profile.draw(chosen, metrics, text)
    if "script_contrast" in tables:
        rendered.append(table_script_contrast.build(tables["script_contrast"], text))
    if "comparison" in tables:
        both = tables["comparison"], tables["rank_correlations"]
        rendered.append(table_transfer_metrics.build_correlations(*both, text))
        drawn["figure_transfer_comparison"] = figure_transfer_comparison.draw(*both, text)
        drawn["figure_on_the_line"] = figure_on_the_line.draw(metrics, tables["line"], text)
    for table in rendered:
        paths += render.write(table, directory / "tables")
    for name, figure in drawn.items():
        paths += plots.save(figure, directory / "figures" / name)
    return paths


def show(tables: dict[str, pd.DataFrame], say: output.Output) -> None:
    """The gist of them; all of them for machines."""
    for name, table in tables.items():
        say.record(name, table)
    metrics = tables["metrics"].sort_values("hat_corrected", ascending=False, kind="stable")
    shown = pd.DataFrame({"": metrics["variant"]})
    shown["HAT"] = [f"{value:.3f}" for value in metrics["hat"]]
    shown["corrected"] = [f"{value:.3f}" for value in metrics["hat_corrected"]]
    ends = zip(metrics["hat_corrected_low"], metrics["hat_corrected_high"], strict=True)
    shown["95%"] = [f"[{low:.3f}, {high:.3f}]" for low, high in ends]
    shown["τ"] = [f"{value:.3f}" for value in metrics["transfer_score"]]
    shown["gap"] = [f"{value:.3f}" for value in metrics["xlt_gap"]]
    say.table("metrics", metrics, "Transfer by model", shown)
    if "line" in tables:
        line = tables["line"].iloc[0]
        say.line(
            f"Accuracy on the line: slope {line['slope']:.2f}, R² {line['r_squared']:.2f}",
        )
    for sentence in report.findings(tables):
        say.line(sentence)


def _glmm(
    inputs: Inputs,
    formula: str | None,
    engine: str,
    cache: Path,
    say: output.Output,
    drop_missing: bool,
) -> tuple[Fit, pd.DataFrame]:
    """The GLMM of the comparison and its effects by variant."""
    ours = comparison.SLOPES
    model, told = designs.chosen(formula, ours, inputs.cells, inputs.features, drop_missing)
    for text in told:
        say.note(text)
    wanted = designs.needed(model, inputs.features)
    built = designs.build(inputs.cells, inputs.features, wanted, drop_missing)
    reading.dropped(say, built)
    with progress.fitting("GLMM of the comparison") as tell:
        fit = cached_fit(
            engine, model, built.data, cache, provenance=inputs.provenance, progress=tell
        )
    for warning in fit.warnings():
        say.note(warning)
    return fit, comparison.glmm_effects(fit, built.data)
