"""``transfer glmm``: features and outcomes to the study's GLMM, Tables 3 and 4 and Figure 2."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Panel

from analysis import determinants as d
from analysis import inference, labels
from analysis.commands import options
from analysis.figures import figure_02, style
from analysis.inputs import load
from analysis.progress import counting, fitting
from analysis.provenance import note, write_note
from analysis.tables import render, table_03, table_04
from analysis.tables.render import number, p_value

ENGINE_HELP = "; ".join(f"{name}: {meaning}" for name, meaning in d.MODES.items()) + "."


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    formula: options.Formula = None,
    engine: Annotated[str, typer.Option("--engine", help=ENGINE_HELP)] = "lme4",
    cold_start: Annotated[
        bool, typer.Option("--cold-start", help="lme4 alone, from nothing: --engine lme4-cold.")
    ] = False,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
    intervals: Annotated[
        str | None,
        typer.Option("--intervals", help="Also intervals by: wald, profile or bootstrap."),
    ] = None,
    replicates: Annotated[
        int, typer.Option("--replicates", help="Refits of the bootstrap, drawn from --seed.")
    ] = 500,
    laplace: Annotated[
        bool,
        typer.Option(
            "--check-laplace",
            help="Estimate the approximation's error by importance sampling, and the bias of the "
            "SDs by the bootstrap.",
        ),
    ] = False,
    observation_level: Annotated[
        bool,
        typer.Option(
            "--observation-level",
            help="Also fit a random effect of every row, and compare the standard errors.",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; -1 is one per core.")] = -1,
) -> None:
    """Fit the crossed random-effects logistic GLMM and show what determines capability.

    Without --outcomes the study's published counts are fitted and its published estimates stand
    beside ours. Finished fits are kept in OUT/cache and reused while data and model are the same.
    """
    console = Console()
    directory = options.directory(out, outcomes)
    request = inference.Request(intervals, replicates, seed, laplace, observation_level, jobs)
    inputs = load(outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts)
    console.print(f"Data: {inputs.source}", highlight=False)
    for text in inputs.notes:
        console.print(f"[yellow]![/] {text}", highlight=False)
    result = d.determinants(
        inputs,
        formula,
        "lme4-cold" if cold_start else engine,
        directory / "cache",
        partial(fitting, console),
        drop_missing,
        tell=lambda text: console.print(f"[yellow]![/] {text}", highlight=False),
    )
    findings = inference.infer(
        result.fit,
        result.design.data,
        None if result.baseline is None else result.baseline.formula,
        request,
        directory / "cache",
        partial(counting, console),
    )
    result = replace(result, intervals=findings.intervals)
    show(result, console)
    show_findings(findings, console)
    paths = write(result, directory, note(inputs.source, result.fit))
    paths += inference.write(findings, directory)
    console.print(f"Wrote {len(paths)} files to {directory}/ (glmm, tables, figures)")


def write(result: d.Determinants, directory: options.Path, text: str) -> list[options.Path]:
    """CSV files of the fit, Tables 3 and 4, Figure 2, and the note on the data beside them."""
    paths = d.write(result, directory)
    fixed, random = result.fixed_effects(), result.random_effects()
    rx = None if result.judgement is None else result.judgement.std_error_rx()
    paths += render.write(
        table_03.build(fixed, random, text, rx, result.fit.correlations), directory / "tables"
    )
    paths += render.write(table_04.build(result.standardisation(), text), directory / "tables")
    paths += style.save(figure_02.draw(fixed, text), directory / "figures" / "figure_02")
    paths.append(write_note(directory / "glmm", "Fit of `transfer glmm`", text))
    return paths


def show(result: d.Determinants, console: Console) -> None:
    """The fit on a terminal: ours, the published one where there is one, the difference."""
    fit = result.fit
    for row in result.design.dropped.itertuples():
        console.print(f"dropped {row.rows} rows: {row.kind} {row.name} has no {row.feature}")
    rx = None if result.judgement is None else result.judgement.std_error_rx()
    columns = ("estimate", "SE", *(() if rx is None else ("SE (RX)",)), "p")
    table = _panel("Fixed effects (log-odds per SD)", columns, result.is_study)
    for row in result.fixed_effects().itertuples():
        cells = [number(row.estimate, 3), number(row.std_error, 3)]
        cells += [] if rx is None else [number(rx[row.term], 3)]
        cells.append(p_value(row.p_value))
        table.add_row(labels.term(row.term), *cells, *_beside(row, result.is_study))
    console.print(table)
    table = _panel("Random effects", ("levels", "SD"), result.is_study)
    for row in result.random_effects().itertuples():
        label = labels.group(row.group)
        if getattr(row, "term", "(Intercept)") != "(Intercept)":
            label += f", {labels.term(row.term)}"
        cells = [str(row.levels), number(row.sd, 3)]
        table.add_row(label, *cells, *_beside(row, result.is_study))
    console.print(table)
    for row in fit.correlations.itertuples():
        pair = f"{labels.term(row.term_1)} and {labels.term(row.term_2)}"
        correlation = number(row.correlation, 3)
        console.print(f"correlation within {labels.group(row.group)}, {pair}: {correlation}")
    explained = result.variance_explained()
    if not explained.empty:
        title = "Variance explained, against size alone"
        table = _panel(title, ("SD size only", "SD", "explained"), result.is_study)
        for row in explained.itertuples():
            cells = [number(row.sd_baseline, 3), number(row.sd, 3), _percent(row.explained)]
            beside = [_percent(row.published), _percent(row.difference)]
            table.add_row(labels.group(row.group), *cells, *(beside if result.is_study else []))
        console.print(table)
    record = fit.optimisation
    console.print(
        f"{fit.engine} {fit.versions.get(fit.engine, '')}: {fit.nobs:,} rows, {fit.trials:,} "
        f"trials, logLik {fit.log_lik:.2f}, AIC {fit.aic:.1f}; {record.optimizer}, "
        f"{record.evaluations} evaluations, {record.seconds:.1f} s, standard errors: "
        f"{record.hessian} Hessian, {'converged' if record.converged else 'NOT CONVERGED'}",
        highlight=False,
    )
    if result.judgement is not None:
        theirs = result.judgement.theirs
        console.print(
            f"lme4 {theirs.versions['lme4']} at this optimum: logLik {theirs.log_lik:.6f}, ours "
            f"minus lme4's {result.judgement.log_lik_difference:.1e}; conditional modes within "
            f"{result.judgement.max_mode_difference:.1e}",
            highlight=False,
        )
    for label, which in (("main model", fit), ("size-only baseline", result.baseline)):
        for warning in which.warnings() if which else []:
            console.print(f"[yellow]![/] {label}: {warning}", highlight=False)


def show_findings(findings: inference.Findings, console: Console) -> None:
    """Intervals and checks, where they were asked for."""
    if findings.intervals is not None:
        method = findings.intervals["method"].iloc[0]
        table = _panel(f"95% intervals ({method})", ("estimate", "low", "high"), False)
        for row in findings.intervals.itertuples():
            label = labels.term(row.term) if row.kind == "fixed" else labels.group(row.group)
            label += {"fixed": "", "sd": " (SD)", "explained": " (explained)"}[row.kind]
            if row.kind == "sd" and row.term != "(Intercept)":
                label += f", {labels.term(row.term)}"
            ends = (row.estimate, row.conf_low, row.conf_high)
            table.add_row(label, *(number(value, 3) for value in ends))
        console.print(table)
    for text in findings.notes:
        console.print(text, highlight=False)


def _panel(title: str, columns: tuple[str, ...], published: bool) -> Panel:
    table = Panel(
        title=title, title_justify="left", box=None, padding=(0, 1, 0, 0), title_style="bold"
    )
    table.add_column("", no_wrap=True)
    for name in (*columns, *(("published", "diff.") if published else ())):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _beside(row: object, published: bool) -> list[str]:
    return [number(row.published, 3), number(row.difference, 3)] if published else []


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)}%"
