"""``make bench``: every engine on the main design at several sizes -> results/bench/."""

from __future__ import annotations

import os
import pickle
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from rich.console import Console

from analysis.figures import style
from analysis.glmm.laplace import Model
from analysis.outcomes.reconstruction import DEFAULT_SEED
from analysis.outcomes.study import data_source
from analysis.provenance import write_note
from benchmarks import picture, warm
from benchmarks.apart import run_apart
from benchmarks.designs import TEMPLATES, main_design, main_model
from benchmarks.engines import ENGINES
from common.errors import InputError
from common.files import write_table

COLUMNS = [
    "engine", "version", "templates", "cells", "seconds", "cpu_seconds", "base_mb", "peak_mb",
    "evaluations", "log_lik", "log_lik_at_estimates",
    "max_abs_beta_difference", "status",
]  # fmt: skip


def compare(templates: list[int], engines: list[str], limit: float, seed: int, say) -> pd.DataFrame:
    """One row per engine and size, ``COLUMNS``; ``laplace`` first, as the others are compared."""
    rows = []
    for size in templates:
        data = main_design(size, seed)
        model = Model(main_model(), data)
        reference: dict[str, float] = {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "design.pickle"
            path.write_bytes(pickle.dumps((main_model(), data)))
            for engine in engines:
                found = run_apart("benchmarks.child", engine, str(path), limit=limit)
                beta = found.get("beta", {})
                if engine.startswith("laplace") and beta:
                    reference = reference or beta
                row = found | {"engine": engine, "templates": size, "cells": len(data)}
                row["max_abs_beta_difference"] = _largest_difference(beta, reference)
                row["log_lik_at_estimates"] = _judged(model, found)
                rows.append(row)
                say(f"{size} templates, {engine}: {_describe(row)}")
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def _largest_difference(beta: dict[str, float], reference: dict[str, float]) -> float:
    """The largest difference of a fixed effect (log-odds) from our engine's."""
    if not beta or not reference:
        return np.nan
    return max(abs(beta[name] - value) for name, value in reference.items())


def _judged(model: Model, found: dict) -> float:
    """Our Laplace log-likelihood at an engine's estimates: engines drop different constants."""
    if not found.get("beta"):
        return np.nan
    theta = [found["sd"][term.group] for term in model.formula.random]
    beta = [found["beta"][name] for name in model.design.names]
    return model.log_likelihood(np.array(theta), np.array(beta))


def _describe(row: dict) -> str:
    if "seconds" not in row:
        return row["status"]
    return f"{row['seconds']:.2f} s, {row['peak_mb']:.0f} MB, {row['status']}"


def main(
    out: Annotated[Path, typer.Option(help="Where the tables go.")] = Path("results/bench"),
    templates: Annotated[list[int] | None, typer.Option(help="Sizes; 25, 100 and 400.")] = None,
    engines: Annotated[list[str] | None, typer.Option(help="Names; all of them.")] = None,
    limit: Annotated[float, typer.Option(help="Seconds after which an engine is stopped.")] = 900,
    seed: Annotated[int, typer.Option(help="Of the template layer and of draws.")] = DEFAULT_SEED,
) -> None:
    """Time every engine once, one thread each, and warm refits of ours."""
    console = Console()
    names = engines or list(ENGINES)
    if unknown := sorted(set(names) - set(ENGINES)):
        raise InputError(f"no engine {', '.join(unknown)}; there are {', '.join(ENGINES)}")
    names.sort(key=lambda name: not name.startswith("laplace"))

    def say(text: str) -> None:
        console.print(text, highlight=False)

    table = compare(templates or list(TEMPLATES), names, limit, seed, say)
    write_table(table, out / "engines.csv")
    refits = warm.measure_apart(limit, seed)
    write_table(refits, out / "warm.csv")
    for kind, group in refits.groupby("refit", sort=False):
        say(f"warm {kind}: median {group['seconds'].median():.2f} s of {len(group)} refits")
    source = data_source(seed)
    hollow = f" Hollow: stopped after {limit:g} s."
    style.save(picture.draw(table, limit, f"Data: {source}.{hollow}"), out / "engines")
    write_note(out, "Engines side by side", _note(source, limit))


def _note(source: str, limit: float) -> str:
    return (
        f"Data: {source}; more than 100 templates are simulated from the main model's fit. "
        "One run of every engine, one thread each, in a process of its own; imports and R's start "
        "are not timed, fits include standard errors where the engine makes them by default "
        f"(lme4: without its Hessian). Engines were stopped after {limit:g} s. `peak_mb` is the "
        "whole process, `base_mb` of it Python, R and the data before the fit. "
        "`log_lik` is the engine's own; "
        "`log_lik_at_estimates` is our Laplace log-likelihood at its estimates, comparable over "
        "engines that drop constants or approximate otherwise. `max_abs_beta_difference` is from "
        "our engine's fixed effects (log-odds). `warm.csv`: refits of our engine started at the "
        "full fit.\n\n"
        f"Machine: {os.cpu_count()} cores, {platform.machine()}, {platform.system()}, Python "
        f"{platform.python_version()}, NumPy {version('numpy')}."
    )


if __name__ == "__main__":
    typer.run(main)
