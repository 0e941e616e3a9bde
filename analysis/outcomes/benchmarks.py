"""Outcomes of several benchmarks as counts of models in languages, the embedded ones and a user's.

A benchmark has a *floor*: the share of its items that guessing gets right. Published results are
aggregates (``schema.KINDS``): how many of a benchmark's items a model got right in a language.
``benchmark_names`` knows some; another benchmark states its floor in a column.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis import published
from capability_transfer.analysis.outcomes import benchmark_names as names
from capability_transfer.analysis.outcomes.files import TABLES, read_outcomes
from capability_transfer.analysis.outcomes.formats import format_of
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.outcomes.rows import FORMAT as RECORDS
from capability_transfer.analysis.outcomes.schema import KINDS, pair_totals, validate
from capability_transfer.analysis.outcomes.study import study_cells
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.tables import (
    Column,
    check_columns,
    named,
    read_column,
    read_rows,
    read_table,
    refuse,
)
from capability_transfer.features import languages as language_registry
from capability_transfer.features import names as spelling

STUDY, MGSM_PRO = "mgsm_symbolic", "mgsm_pro"
QUESTIONS = 248
"""Of MGSM-Pro in each language, of which the original accuracies are shares."""

DESCRIBED = (
    Column("params_b", "number", "billions of parameters", required=False),
    Column("base_model", required=False),
    Column("family", required=False),
    Column("reasoning", required=False),
)
"""What a table of aggregates may say of its models."""

COUNTS = ["benchmark", "model", "language", "floor", "n_correct", "n_total"]


def embedded() -> pd.DataFrame:
    """The study's totals and MGSM-Pro's original questions, with what is known of the models.

    Returns ``COUNTS`` and params_b (NaN where it is not published), base_model, family, reasoning
    (on, off). Mode and size of MGSM-Pro's models are in ``analysis/data/mgsm_pro/README.md``.
    """
    from capability_transfer.features import models as model_registry

    totals = pair_totals(study_cells()).rename(columns={"variant": "model"})
    models = model_registry.registry().rename(columns={"variant": "model"})
    described = ["model", *(column.name for column in DESCRIBED)]
    ours = totals.merge(models[described], on="model", how="left", validate="many_to_one")
    scores = published.read("mgsm_pro/accuracy")
    scores = scores[(scores["table"] >= 8) & (scores["perturbation"] == "original")]
    correct = np.rint(scores["accuracy"] / 100 * QUESTIONS).astype("int64")
    theirs = scores.assign(benchmark=MGSM_PRO, n_correct=correct, n_total=QUESTIONS)
    known = published.read("mgsm_pro/models")
    theirs = theirs.merge(known, on="model", how="left", validate="many_to_one")
    theirs["model"] = theirs["variant"]
    theirs["language"] = theirs["language"].map(language_registry.resolve)
    table = pd.concat([ours.assign(benchmark=STUDY), theirs], ignore_index=True)
    table["floor"] = table["benchmark"].map(names.registry()["floor"])
    return table[[*COUNTS, *described[1:]]]


def read_counts(source: str | Path | pd.DataFrame, benchmark: str | None = None) -> pd.DataFrame:
    """A user's outcomes as counts of models in languages, by benchmark.

    Args:
        source: a table of aggregates (benchmark, model, language, n_correct, n_total, and prompt,
            floor, params_b, base_model, family, reasoning where they are known), or outcomes as
            ``read_outcomes`` takes them. Prompts and templates are added up.
        benchmark: the one that outcomes without a column ``benchmark`` are of.

    Returns ``COUNTS`` and the columns of ``DESCRIBED`` that are there.

    Raises InputError for what ``schema.validate`` refuses, for outcomes of no stated benchmark, for
    a benchmark that is not registered and states no floor, for one with two or with two spellings,
    and for a model that is described in two ways.
    """
    where = named(source, "outcomes")
    rows = _aggregates(source, where)
    if rows is None:
        rows = _of_cells(source, where, benchmark)
    rows["floor"] = _floors(rows, where)
    described = [column.name for column in DESCRIBED if column.name in rows.columns]
    key = ["benchmark", "model", "language"]
    sums = rows.groupby(key, sort=False)[["n_correct", "n_total"]].sum().reset_index()
    table = sums.join(rows.groupby("benchmark")["floor"].first(), on="benchmark")
    return table.join(_descriptions(rows, described, where), on="model")[[*COUNTS, *described]]


def _descriptions(rows: pd.DataFrame, columns: list[str], where: str) -> pd.DataFrame:
    """What any row of a model says of it, by model."""
    out = pd.DataFrame(index=rows["model"].unique())
    for name in columns:
        filled = rows[name].map(lambda value: value if str(value).strip() else None)
        said = filled.groupby(rows["model"])
        counts = said.nunique()
        if (twice := counts.index[counts > 1]).size:
            raise InputError(f"{where}: {name_some(twice)} has more than one {name}")
        out[name] = said.first()
    return out


def _one_spelling(benchmark: pd.Series, where: str) -> pd.Series:
    """Names of benchmarks, registered ones by their code."""
    spelt = benchmark.map(lambda name: names.registered(name) or name)
    found = [str(name) for name in spelt.unique()]
    for name in found:
        if len(alike := [one for one in found if spelling.same(one, name)]) > 1:
            raise InputError(
                f"{where}: are {name_some(alike)} one benchmark? Write it one way; two need names "
                "that differ in more than case and punctuation"
            )
    return spelt


def _aggregates(source: str | Path | pd.DataFrame, where: str) -> pd.DataFrame | None:
    """A table of aggregates, checked; None for outcomes of another kind."""
    if not isinstance(source, pd.DataFrame):
        path = Path(source)
        if path.is_dir() or path.suffix.casefold() not in (".csv", ".parquet", ".jsonl"):
            return None
    rows = read_rows(source, [], "outcomes")
    if "template" in rows.columns or "instance" in rows.columns:
        return None
    if "benchmark" not in rows.columns and "model" in rows.columns:
        raise InputError(
            f"{where} has no column 'benchmark': say of which benchmark each row is, since results "
            "of several are told apart by it alone"
        )
    check_columns(rows.columns, (*KINDS["aggregates"].columns, *DESCRIBED), where, "aggregates")
    rows["benchmark"] = _one_spelling(rows["benchmark"], where)
    checked = validate(rows, "aggregates", where)
    for column in DESCRIBED:
        if column.name in rows.columns:
            own = rows[column.name]
            if column.reads_as != "text":
                own = read_column(own, column, where)
                empty = "params_b is more than 0, and empty where it is not known"
                refuse(own <= 0, rows, where, empty)
            checked[column.name] = own.to_numpy()
    return checked


def _of_cells(source: str | Path | pd.DataFrame, where: str, benchmark: str | None) -> pd.DataFrame:
    """Counts of instances, cells or logs; ``benchmark`` is that of rows that state none."""
    with tempfile.TemporaryDirectory() as folder:
        rows = _stating_benchmarks(source, Path(folder))
    if rows is None:
        rows = read_outcomes(source).assign(benchmark="")
    rows["benchmark"] = rows["benchmark"].fillna("").astype(str).str.strip()
    unstated = rows["benchmark"] == ""
    if unstated.any() and benchmark is None:
        raise InputError(
            f"{where} does not say of which benchmark {'some' if (~unstated).any() else 'any'} of "
            "its outcomes are, and results of several are told apart by that alone: add a column "
            "'benchmark'"
        )
    rows.loc[unstated, "benchmark"] = benchmark
    rows["benchmark"] = _one_spelling(rows["benchmark"], where)
    counts = [
        read_outcomes(part.drop(columns="benchmark")).assign(benchmark=name)
        for name, part in rows.groupby("benchmark", sort=False)
    ]
    cells = pd.concat(counts).rename(columns={"variant": "model"})
    key = ["benchmark", "model", "language"]
    return cells.groupby(key, sort=False, as_index=False)[["n_correct", "n_total"]].sum()


def _stating_benchmarks(source: str | Path | pd.DataFrame, folder: Path) -> pd.DataFrame | None:
    """Instances or cells that have a column ``benchmark``, logs among them; None for others."""
    if isinstance(source, pd.DataFrame):
        rows = source
    else:
        path = Path(source)
        if path.is_dir() or (path.is_file() and format_of(path) not in (None, RECORDS)):
            path = folder / "outcomes.parquet"
            ingest([source], path)
        if path.suffix.casefold() not in TABLES or not path.is_file():
            return None
        rows = read_table(path)
    return rows.copy() if "benchmark" in rows.columns else None


def _floors(rows: pd.DataFrame, where: str) -> pd.Series:
    """The floor of every row: its own, else the registry's."""
    stated = rows["floor"] if "floor" in rows.columns else pd.Series(np.nan, rows.index)
    given = stated.groupby(rows["benchmark"]).nunique()
    if (twice := given.index[given > 1]).size:
        raise InputError(f"{where}: {name_some(twice)} has more than one floor")
    outside = stated.notna() & ~((stated >= 0) & (stated < 1))
    if outside.any():
        raise InputError(
            f"{where}: a floor is the share that guessing gets right, from 0 to below 1, not "
            f"{stated[outside].iloc[0]:g}"
        )
    known = stated.groupby(rows["benchmark"]).first()
    floors = known.fillna(pd.Series(names.registry()["floor"]).reindex(known.index))
    if (lacking := floors.index[floors.isna()]).size:
        raise InputError(
            f"{where}: what does guessing get right on {name_some(lacking)}? Add a column 'floor' "
            "(0.25 where one of four choices is right, 0 where nothing can be guessed)"
        )
    return rows["benchmark"].map(floors)
