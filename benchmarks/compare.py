"""``make bench``: every engine on the main design at several sizes -> results/bench/."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from capability_transfer.analysis.commands.places import USER_RESULTS
from capability_transfer.analysis.glmm.laplace import Model, report
from capability_transfer.analysis.outcomes.study import data_source
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import write_note
from capability_transfer.common import kept
from capability_transfer.common.errors import InputError
from capability_transfer.common.files import write_table
from capability_transfer.common.seeds import DEFAULT_SEED
from rich.console import Console

from benchmarks import growth, picture, study, warm
from benchmarks.apart import run_apart
from benchmarks.designs import TEMPLATES, main_design, main_model
from benchmarks.engines import ENGINES

KINDS = ("engines", "warm", "study", "growth")
"""What is timed."""

COLUMNS = [
    "engine", "version", "templates", "cells", "seconds", "cpu_seconds", "limit_cpu_seconds",
    "base_mb", "peak_mb",
    "evaluations", "log_lik", "log_lik_at_estimates",
    "max_abs_beta_difference", "status", "blas",
]  # fmt: skip


def compare(templates: list[int], engines: list[str], limit: float, seed: int) -> Iterator[dict]:
    """One row per size and engine as they finish, with ``COLUMNS`` among its keys."""
    formula = main_model()
    for size in templates:
        data = main_design(size, seed)
        model = Model(formula, data)
        reference = report(model, model.optimise()).coefficients
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "design.npz"
            kept.write((str(formula), data), path)
            for engine in engines:
                found = run_apart("benchmarks.child", engine, str(path), limit=limit)
                row = {"engine": engine, "templates": size, "cells": len(data)}
                yield row | _against(found, model, reference) | found


def _against(found: dict, model: Model, reference: pd.Series) -> dict:
    """What an engine found beside ours: its largest difference, and its estimates judged.

    Engines drop different constants, so our log-likelihood is evaluated at their estimates.
    """
    if "beta" not in found:
        return {}
    beta = pd.Series(found["beta"])
    theta = [found["sd"][term.group] for term in model.formula.random]
    judged = model.log_likelihood(np.array(theta), beta[model.design.names].to_numpy())
    difference = float((beta - reference).abs().max())
    return {"max_abs_beta_difference": difference, "log_lik_at_estimates": judged}


def update(path: Path, row: dict) -> pd.DataFrame:
    """Put a row into the table at ``path``, in the place of an earlier run of the same."""
    table = pd.DataFrame([row]).reindex(columns=COLUMNS)
    if path.exists():
        old = pd.read_csv(path)
        same = (old["engine"] == row["engine"]) & (old["templates"] == row["templates"])
        rows = [*old[~same].to_dict("records"), *table.to_dict("records")]
        table = pd.DataFrame(rows, columns=COLUMNS)
    order = {name: place for place, name in enumerate(ENGINES)}
    table = table.sort_values("engine", key=lambda names: names.map(order), kind="stable")
    table = table.sort_values("templates", kind="stable", ignore_index=True)
    write_table(table, path)
    return table


def ratios(table: pd.DataFrame) -> list[str]:
    """By size, how many times our processor seconds glmmTMB took, and what evaluations alone do."""
    told = []
    for size, rows in table.groupby("templates"):
        spent = rows.set_index("engine")["cpu_seconds"].dropna()
        if not {"laplace", "glmmTMB"} <= set(spent.index):
            continue
        limit = rows.set_index("engine")["limit_cpu_seconds"]["laplace"]
        if pd.isna(limit):  # of an earlier run
            continue
        told.append(
            f"{size} templates: glmmTMB {spent['glmmTMB'] / spent['laplace']:.1f} times ours "
            f"({spent['laplace']:.2f} s of a processor, evaluations alone {limit:.2f} s)"
        )
    return told


def _describe(row: dict) -> str:
    if "seconds" not in row:
        return row["status"]
    return f"{row['seconds']:.2f} s, {row['peak_mb']:.0f} MB, {row['status']}"


def main(
    out: Annotated[Path, typer.Option(help="Where the tables go.")] = USER_RESULTS / "bench",
    templates: Annotated[list[int] | None, typer.Option(help="Sizes; 25, 100 and 400.")] = None,
    engines: Annotated[list[str] | None, typer.Option(help="Names; all of them.")] = None,
    limit: Annotated[float, typer.Option(help="Seconds after which an engine is stopped.")] = 900,
    seed: Annotated[int, typer.Option(help="Of draws.")] = DEFAULT_SEED,
    only: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(KINDS)}; all.")] = None,
) -> None:
    """Time every engine once, one thread each; warm refits of ours, all fits of the study, and how
    a fit's cost grows with templates, variants and languages.

    Times are of this machine, so they go beside the study's (results/bench), not in their place.
    Rows of engines.csv that are not asked for stay as they are.
    """
    console = Console()
    names = engines or list(ENGINES)
    if unknown := sorted(set(names) - set(ENGINES)):
        raise InputError(f"no engine {', '.join(unknown)}; there are {', '.join(ENGINES)}")
    if unknown := sorted(set(only or []) - set(KINDS)):
        raise InputError(f"nothing to time is named {', '.join(unknown)}; {', '.join(KINDS)} are")
    wanted = only or KINDS

    def say(text: str) -> None:
        console.print(text, highlight=False)

    source = data_source()
    if "engines" in wanted:
        for row in compare(templates or list(TEMPLATES), names, limit, seed):
            table = update(out / "engines.csv", row)
            say(f"{row['templates']} templates, {row['engine']}: {_describe(row)}")
        for text in ratios(table):
            say(text)
        hollow = "Hollow: stopped after the seconds at which it stands."
        plots.save(picture.draw(table, f"Data: {source}. {hollow}"), out / "engines")
    write_note(out, "Engines side by side", _note(source))
    if "warm" in wanted:
        refits = warm.measure_apart(seed)
        write_table(refits, out / "warm.csv")
        for kind, group in refits.groupby("refit", sort=False):
            say(f"warm {kind}: median {group['seconds'].median():.2f} s of {len(group)} refits")
    if "study" in wanted:
        found = study.measure_apart(seed)
        write_table(found, out / "study.csv")
        for row in found.itertuples():
            say(f"{row.part}: {row.cpu_seconds:.1f} s of a processor, {row.fits} fits")
    if "growth" in wanted:
        rows = []
        for row in growth.measure(seed, limit):
            rows.append(row)
            say(f"{row['grown']} × {row['times']}: {_describe(row)}")
        table = growth.with_exponents(rows)
        write_table(table, out / "growth.csv")
        plots.save(growth.draw(table, f"Data: {source}, multiplied."), out / "growth")


def _note(source: str) -> str:
    return (
        f"Data: {source}; more than 100 templates are simulated from the main model's fit. "
        "One run of every engine, one thread each, in a process of its own; imports and R's start "
        "are not timed, fits include standard errors where the engine makes them by default "
        "(`RX`: those that take the SDs as known, without a Hessian). Engines stand as stopped "
        "after the limit of their run. `peak_mb` is the whole process, `base_mb` of it Python, R "
        "and the data before the fit. "
        "`limit_cpu_seconds` is the sum of our "
        "engine's evaluations of likelihood and gradient, those of the information matrix at the "
        "end among them: the rest of `cpu_seconds` finds the structure of the data and steps. "
        "`log_lik` is the engine's own; "
        "`log_lik_at_estimates` is our Laplace log-likelihood at its estimates, comparable over "
        "engines that drop constants or approximate otherwise. `max_abs_beta_difference` is from "
        "our engine's fixed effects (log-odds). `blas` is the linear algebra that the process "
        "computed with; R's reference BLAS, Debian's default, is several times slower than "
        "OpenBLAS where matrices are dense, which is no merit of the other engines. `warm.csv`: "
        "refits of our engine started at the full fit. `study.csv`: all fits of the study, part "
        "by part, in seconds of a processor. `growth.csv`: our engine on the cells with as many "
        "copies of their templates, variants or languages; `exponent` is the slope "
        "of log seconds on log size. `public.csv` (`python -m benchmarks.public`): InstEval of R's "
        "lme4 (ratings of 4 or 5 by students and lecturers) and VerbAgg, the study's main model, "
        "and simulated designs of two factors that cross at random, each engine once, stopped "
        "after the CPU seconds that its row says.\n\n"
        f"Machine: {os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python "
        f"{platform.python_version()}, NumPy {version('numpy')}."
    )


if __name__ == "__main__":
    try:
        typer.run(main)
    except InputError as error:
        sys.exit(f"error: {error}")
