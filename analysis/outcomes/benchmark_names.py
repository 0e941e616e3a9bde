"""Benchmarks by name: those that are registered, and which one a task of a log is of."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd
from capability_transfer.analysis.outcomes import task_names
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.tables import Column, read_column, read_rows
from capability_transfer.features import names

REGISTRY = Path(__file__).parent / "data" / "benchmarks.csv"


@cache
def _registry() -> pd.DataFrame:
    columns = ["benchmark", "name", Column("floor", "number"), "answers", "suite"]
    rows = read_rows(REGISTRY, columns)
    rows["floor"] = read_column(rows["floor"], Column("floor", "number"), str(REGISTRY))
    return rows.set_index("benchmark")


def registry() -> pd.DataFrame:
    """name, floor (0–1), kind of answers, and the suite in whose tasks' names the benchmark is
    found (``suites``), of the benchmarks that are known, by benchmark."""
    return _registry().copy()


def registered(benchmark: str) -> str | None:
    """The registry's name of a benchmark, in any case and spelling; None for another one."""
    for code, name in _registry()["name"].items():
        if names.same(code, benchmark) or names.same(name, benchmark):
            return code
    return None


def of_task(task: str, language: str | None = None) -> str:
    """The benchmark that a task of an evaluation log is of, by the task's name.

    ``mgsm_native_cot_sw`` is of mgsm, ``belebele_swh_prompt_1`` of belebele: what begins like a
    registered benchmark is of it. Any other task is a benchmark of its own, without its language.
    """
    suites = _registry()["suite"]
    named = task_names.by_suite(task)
    written = task_names.benchmark(task, language)
    found = suites.index[(suites != "") & suites.isin([named and named.suite, written])]
    if len(found):
        return found[0]
    begun = [code for code in suites.index if f"{written}_".startswith(f"{code}_")]
    return max(begun, key=len, default=registered(written) or written)


def find(benchmark: str, known: list[str]) -> str:
    """The benchmark among ``known`` that is meant; InputError, with near matches, for none."""
    meant = registered(benchmark) or benchmark
    if found := names.matching(meant, known):
        return found[0]
    raise InputError(
        f"there are no outcomes of a benchmark {benchmark!r}: they are of {name_some(known, 12)}."
        f"{suggest(benchmark, known)}",
        parameter="benchmark",
    )
