"""Engines on public and on sparse crossed data, each in CPU seconds -> results/bench/public.csv.

InstEval comes with R's lme4: 73,421 ratings of 1,128 lecturers by 2,972 students, here whether a
rating is 4 or 5. So does VerbAgg: 316 persons' answers to 24 items about verbal aggression. The
study is its main model. The others are simulated: every row draws a level of each of two factors,
so that no order of elimination leaves the system matrix sparse.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer
from capability_transfer.analysis.commands.places import USER_RESULTS
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.r_session import from_r_frame, session
from capability_transfer.analysis.presentation import plots
from capability_transfer.common import kept
from capability_transfer.common.files import write_table
from capability_transfer.common.seeds import DEFAULT_SEED
from scipy.special import expit

from benchmarks import picture
from benchmarks.apart import run_apart
from benchmarks.designs import main_design, main_model

COLUMNS = [
    "design", "rows", "levels", "engine", "version", "cpu_seconds", "peak_mb", "evaluations",
    "log_lik", "intercept", "sd_1", "sd_2", "status", "blas",
]  # fmt: skip
ENGINES = ("laplace", "glmmTMB", "lme4 nAGQ=1")
SIZES = ((500, 5_000), (1_000, 10_000), (2_000, 20_000), (4_100, 41_000), (8_000, 80_000),
         (2_000, 40_000), (2_000, 80_000), (20_000, 200_000))  # fmt: skip
"""Levels of each factor, rows."""


def crossed(levels: int, rows: int, seed: int) -> tuple[str, pd.DataFrame]:
    """Answers of 0 and 1 with a covariate and two crossed factors, of SDs 1 and 0.7."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, levels, (2, rows))
    x = rng.normal(size=rows)
    eta = 0.3 + 0.5 * x + rng.normal(0, 1.0, levels)[first] + rng.normal(0, 0.7, levels)[second]
    names = [np.char.add("ab"[place], (first, second)[place].astype(str)) for place in (0, 1)]
    data = pd.DataFrame({"y": rng.binomial(1, expit(eta)), "x": x, "a": names[0], "b": names[1]})
    return "y ~ x + (1 | a) + (1 | b)", data


def insteval(seed: int) -> tuple[str, pd.DataFrame]:
    """Whether a lecture was rated 4 or 5 (R's lme4)."""
    frame = _of_r(
        "transform(lme4::InstEval, y = as.numeric(y >= 4), s = paste0('s', s), d = paste0('d', d), "
        "studage = paste0('t', studage), lectage = paste0('t', lectage), "
        "service = as.numeric(service == '1'))"
    )
    formula = "y ~ service + studage + lectage + (1 | s) + (1 | d)"
    return formula, frame[["y", "s", "d", "studage", "lectage", "service"]]


def verbagg(seed: int) -> tuple[str, pd.DataFrame]:
    """Whether a person would curse, scold or shout (R's lme4)."""
    frame = _of_r(
        "transform(lme4::VerbAgg, y = as.numeric(r2 == 'Y'), id = as.character(id), "
        "item = as.character(item), Gender = as.character(Gender), btype = as.character(btype), "
        "situ = as.character(situ))"
    )
    formula = "y ~ (Anger + Gender + btype + situ)^2 + (1 | id) + (1 | item)"
    return formula, frame[["y", "Anger", "Gender", "btype", "situ", "id", "item"]]


def _of_r(expression: str) -> pd.DataFrame:
    return from_r_frame(session().robjects.r(expression))


def main_fit(seed: int) -> tuple[str, pd.DataFrame]:
    """The study's main model on its cells."""
    return str(main_model()), main_design(100, seed)


DATA: dict[str, Callable[[int], tuple[str, pd.DataFrame]]] = {
    "InstEval": insteval,
    "VerbAgg": verbagg,
    "the study": main_fit,
}


def measure(
    design: dict, formula: str, data: pd.DataFrame, engine: str, limit: int, memory: float
) -> dict:
    """A row of the table: what of ``design`` goes into it, and what the engine found."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "design.npz"
        kept.write((formula, data), path)
        found = run_apart(
            "benchmarks.child", engine, str(path), limit=60 * limit, cpu=limit, memory=memory
        )
    row = design | {"rows": len(data), "engine": engine} | found
    if "beta" in found:
        row["intercept"] = found["beta"]["(Intercept)"]
        sds = [found["sd"][term.group] for term in parse(formula).random]
        row |= dict(zip(("sd_1", "sd_2"), sds, strict=False))
    return row


def update(path: Path, row: dict) -> pd.DataFrame:
    """Put a row into the table at ``path``, in the place of an earlier run of the same."""
    table = pd.DataFrame([row]).reindex(columns=COLUMNS)
    if path.exists():
        old = pd.read_csv(path)
        same = (old["design"] == row["design"]) & (old["engine"] == row["engine"])
        table = pd.DataFrame([*old[~same].to_dict("records"), *table.to_dict("records")])
    order = {name: place for place, name in enumerate(ENGINES)}
    table = table.sort_values("engine", key=lambda names: names.map(order), kind="stable")
    table = table.sort_values(["levels", "rows"], kind="stable", ignore_index=True)
    write_table(table, path)
    return table


def draw(table: pd.DataFrame, out: Path) -> None:
    """The figure beside the table, if it has designs of several sizes."""
    if table["levels"].isna().all():
        return
    note = "Simulated answers of 0 and 1. Hollow: stopped at that time."
    plots.save(picture.by_size(table, note), out / "public")


def main(
    out: Annotated[Path, typer.Option(help="Where the table goes.")] = USER_RESULTS / "bench",
    engines: Annotated[list[str] | None, typer.Option(help="Names; three of them.")] = None,
    levels: Annotated[list[int] | None, typer.Option(help="Of simulated designs.")] = None,
    data: Annotated[list[str] | None, typer.Option(help="Names of public data.")] = None,
    limit: Annotated[int, typer.Option(help="CPU seconds after which one is stopped.")] = 600,
    memory: Annotated[float, typer.Option(help="GB of addresses that one may take.")] = 9.0,
    seed: Annotated[int, typer.Option(help="Of draws.")] = DEFAULT_SEED,
) -> None:
    """Time engines once each, one thread; rows that are not asked for stay as they are."""
    everything = levels is None and data is None
    designs: list[tuple[dict, Callable[[], tuple[str, pd.DataFrame]]]] = [
        ({"design": name}, partial(make, seed))
        for name, make in DATA.items() if everything or name in (data or ())
    ]  # fmt: skip
    for count, rows in SIZES:
        if everything or count in (levels or ()):
            name = {"design": f"{count:,} × {count:,}, {rows:,} rows", "levels": count}
            designs.append((name, partial(crossed, count, rows, seed)))
    for design, make in designs:
        formula, cells = make()
        for engine in engines or ENGINES:
            row = measure(design, formula, cells, engine, limit, memory)
            table = update(out / "public.csv", row)
            print(row["design"], engine, row.get("cpu_seconds"), row["status"], flush=True)
    draw(table, out)


if __name__ == "__main__":
    typer.run(main)
