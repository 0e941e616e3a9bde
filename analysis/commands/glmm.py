"""``transfer glmm``: features and outcomes to the study's GLMM, Tables 3 and 4 and Figure 2."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import pandas as pd
import typer
from capability_transfer.analysis import determinants as d
from capability_transfer.analysis import inference, labels
from capability_transfer.analysis.commands import complete, options, output, reading
from capability_transfer.analysis.figures import figure_02
from capability_transfer.analysis.presentation import plots, progress
from capability_transfer.analysis.presentation import tables as render
from capability_transfer.analysis.presentation.provenance import note, write_note
from capability_transfer.analysis.presentation.tables import number, p_value
from capability_transfer.analysis.tables import table_03, table_04
from capability_transfer.analysis.variance import unexplained

ENGINE_HELP = "; ".join(f"{name}: {meaning}" for name, meaning in d.MODES.items()) + "."

NO_SLOPE = "(Intercept)"

EXAMPLES = {
    "The study's model on its published cells, without R": "transfer glmm --engine laplace",
    "Your own outcomes and a smaller model":
        "transfer glmm --outcomes mine.csv --models models.csv \\\n"
        "    --formula '~ resource + size + (1 | variant) + (1 | language) + (1 | template)'",
    "Profile intervals beside the Wald ones":
        "transfer glmm --engine laplace --intervals profile",
}  # fmt: skip


def command(
    outcomes: options.Outcomes = None,
    models: options.Models = None,
    languages: options.Languages = None,
    tokenizer_counts: options.TokenizerCounts = None,
    formula: options.Formula = None,
    engine: Annotated[
        str, typer.Option("--engine", help=ENGINE_HELP, autocompletion=complete.modes)
    ] = "lme4",
    cold_start: Annotated[
        bool, typer.Option("--cold-start", help="lme4 alone, from nothing: --engine lme4-cold.")
    ] = False,
    out: options.Out = None,
    seed: options.Seed = options.DEFAULT_SEED,
    drop_missing: options.DropMissing = False,
    intervals: Annotated[
        str | None,
        typer.Option(
            "--intervals",
            help="Also 95% intervals by: wald, profile or bootstrap.",
            autocompletion=complete.intervals,
        ),
    ] = None,
    replicates: Annotated[
        int,
        typer.Option("--replicates", min=2, help="Refits of the bootstrap, drawn from --seed."),
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

    Without --outcomes the study's published cells are fitted and its published estimates stand
    beside ours. Finished fits are kept in OUT/cache and reused while data and model are the same.
    """
    say = output.current()
    directory = options.directory(out, same={"engine": "laplace"})
    engine = "lme4-cold" if cold_start else engine
    d.check_asked(formula, engine)
    request = inference.Request(intervals, replicates, seed, laplace, observation_level, jobs)
    inputs = reading.inputs(
        say, outcomes, models, languages, seed, tokenizer_counts=tokenizer_counts
    )
    result = d.determinants(
        inputs,
        formula,
        engine,
        directory / "cache",
        progress.fits(2),
        drop_missing,
        tell=say.note,
    )
    findings = inference.infer(
        result.fit,
        result.design.data,
        None if result.baseline is None else result.baseline.formula,
        request,
        directory / "cache",
        progress.counting,
    )
    result = replace(result, intervals=findings.intervals)
    show(result, say)
    show_findings(findings, say)
    write(result, directory, note(inputs.source, result.fit))
    inference.write(findings, directory)


def write(result: d.Determinants, directory: options.Path, text: str) -> None:
    """CSV files of the fit, Tables 3 and 4, Figure 2, and the note on the data beside them."""
    d.write(result, directory)
    fixed, random = result.fixed_effects(), result.random_effects()
    rx = d.written_std_error_rx(directory)
    effects = table_03.build(fixed, random, text, rx, result.fit.correlations, result.unit())
    render.write(effects, directory / "tables")
    render.write(table_04.build(result.standardisation(), text), directory / "tables")
    levels = "".join(f" Levels of {name} against the first." for name in result.factors())
    plots.save(figure_02.draw(fixed, text + levels), directory / "figures" / "figure_02")
    write_note(directory / "glmm", "Fit of `transfer glmm`", text)


def show(result: d.Determinants, say: output.Output) -> None:
    """The fit: ours, the published one where there is one, the difference."""
    fit = result.fit
    reading.dropped(say, result.design)
    rx = None if result.judgement is None else result.judgement.std_error_rx()
    table = result.fixed_effects()
    columns = {"estimate": ("estimate", 3), "std_error": ("SE", 3)}
    if rx is not None:
        table = table.assign(std_error_rx=table["term"].map(rx))
        columns["std_error_rx"] = ("SE (RX)", 3)
    shown = _display(table["term"].map(labels.term), table, columns)
    shown["p"] = table["p_value"].map(p_value)
    shown = shown.join(_beside(table, result.is_study))
    say.table("fixed_effects", table, f"Fixed effects ({result.unit()})", shown)
    table = result.random_effects()
    names = [_effect(*row) for row in zip(table["group"], _terms(table), strict=True)]
    shown = _display(pd.Series(names), table, {"levels": ("levels", 0), "sd": ("SD", 3)})
    shown = shown.join(_beside(table, result.is_study))
    say.table("random_effects", table, "Random effects (log-odds)", shown)
    for row in fit.correlations.itertuples():
        pair = f"{labels.term(row.term_1)} and {labels.term(row.term_2)}"
        correlation = number(row.correlation, 3)
        say.line(f"correlation within {labels.group(row.group)}, {pair}: {correlation}")
    explained = result.variance_explained()
    if not explained.empty:
        columns = {"sd_baseline": ("SD size only", 3), "sd": ("SD", 3)}
        shown = _display(explained["group"].map(labels.group), explained, columns)
        shown["explained"] = explained["explained"].map(_percent)
        if result.is_study:
            shown["published"] = explained["published"].map(_percent)
            shown["diff."] = explained["difference"].map(_percent)
        say.table("variance_explained", explained, "Variance explained, against size alone", shown)
        for text in unexplained(explained):
            say.note(text)
    record = fit.optimisation
    say.line(
        f"{fit.engine} {fit.versions.get(fit.engine, '')}: {fit.nobs:,} rows, {fit.trials:,} "
        f"trials, logLik {fit.log_lik:.2f}, AIC {fit.aic:.1f}; {record.optimizer}, "
        f"{record.evaluations} evaluations, {record.seconds:.1f} s, standard errors: "
        f"{record.hessian} Hessian, {'converged' if record.converged else 'NOT CONVERGED'}"
    )
    if result.judgement is not None:
        theirs = result.judgement.theirs
        say.line(
            f"lme4 {theirs.versions['lme4']} at this optimum: logLik {theirs.log_lik:.6f}, ours "
            f"minus lme4's {result.judgement.log_lik_difference:.1e}; conditional modes within "
            f"{result.judgement.max_mode_difference:.1e}"
        )
        say.record("lme4_check", result.lme4_check())
    say.record("standardisation", result.standardisation())
    say.record("glance", fit.glance())
    if not fit.correlations.empty:
        say.record("correlations", fit.correlations)
    for label, which in (("main model", fit), ("size-only baseline", result.baseline)):
        for warning in which.warnings() if which else []:
            say.note(f"{label}: {warning}")


def show_findings(findings: inference.Findings, say: output.Output) -> None:
    """Intervals and checks, where they were asked for."""
    for name, table in findings.tables().items():
        say.record(name, table)
    if findings.intervals is not None:
        table = findings.intervals
        kinds = {"fixed": "", "sd": " (SD)", "explained": " (explained)"}
        names = [
            labels.term(row.term)
            if row.kind == "fixed"
            else f"{labels.group(row.group)}{kinds[row.kind]}"
            + (f", {labels.term(row.term)}" if row.kind == "sd" and row.term != NO_SLOPE else "")
            for row in table.itertuples()
        ]
        columns = {"estimate": ("estimate", 3), "conf_low": ("low", 3), "conf_high": ("high", 3)}
        title = f"95% intervals ({table['method'].iloc[0]})"
        say.table("intervals", table, title, _display(pd.Series(names), table, columns))
    for text in findings.notes:
        say.line(text)


def _terms(table: pd.DataFrame) -> pd.Series:
    return table["term"] if "term" in table.columns else pd.Series(NO_SLOPE, index=table.index)


def _effect(group: str, term: str) -> str:
    return labels.group(group) + ("" if term == NO_SLOPE else f", {labels.term(term)}")


def _display(
    names: pd.Series, table: pd.DataFrame, columns: dict[str, tuple[str, int]]
) -> pd.DataFrame:
    """Names, and columns of a table with their heading and decimals, as strings."""
    shown = {"": names.to_numpy()}
    for column, (heading, digits) in columns.items():
        shown[heading] = [number(value, digits) for value in table[column]]
    return pd.DataFrame(shown)


def _beside(table: pd.DataFrame, published: bool) -> pd.DataFrame:
    columns = {"published": ("published", 3), "difference": ("diff.", 3)} if published else {}
    return _display(pd.Series([""] * len(table)), table, columns).drop(columns="")


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)}%" if share == share else "–"
