"""Logs of any known format to one file of outcomes: read, settle, write, and say what was there.

Samples are staged on disk as they are read, and settled there (``policies``), so that memory does
not grow with their number. The file that comes out has a row per outcome: variant, language,
template, split (if the logs state it), instance, correct, the benchmark that the name of its task
says, and where it comes from (model, log, run, sample, epoch).
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
from capability_transfer.analysis.outcomes import benchmark_names, crossing
from capability_transfer.analysis.outcomes import variants as naming
from capability_transfer.analysis.outcomes.formats import find
from capability_transfer.analysis.outcomes.mapping import Mapping, read_mapping
from capability_transfer.analysis.outcomes.policies import Counts, Policies, connect, quoted, settle
from capability_transfer.analysis.outcomes.samples import Format, Log, Request
from capability_transfer.analysis.outcomes.scores import check_choices
from capability_transfer.analysis.outcomes.staging import Measure, staging
from capability_transfer.common.encoding import refuse_pointer
from capability_transfer.common.errors import DamagedFile, InputError, name_some, option, spelled
from capability_transfer.common.files import replacing
from capability_transfer.common.tables import records
from capability_transfer.features import languages as language_registry

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[int], None]

_BY_SPLIT = (
    "CASE WHEN benchmark = 'mgsm_symbolic' AND split = 'original' THEN 'mgsm_original' "
    "ELSE benchmark END"
)
"""The study's task asks its original questions too; they are a benchmark of their own."""

DAMAGED = "damaged"
"""Status of a log that was left out."""

SCRIPTED = ("scripted/", "mockllm/")
"""Providers whose answers no model gave; whatever is made of them says so."""


@dataclass(frozen=True)
class Report:
    """What was understood of the logs, and what became of their samples.

    Attributes:
        logs: one for each file.
        others: files in the folders that are not logs.
        counts: of the samples.
        policies: see ``counts``.
        variants: model, reasoning, variant, base_model, mode, known, outcomes.
        languages: language, outcomes, registered.
        templates: numbers of them.
        cells: see ``templates``.
        splits: split → outcomes, empty if the logs state none.
        notes: sentences on what to look at.
    """

    logs: list[Log]
    others: list[Path]
    counts: Counts
    policies: Policies
    variants: pd.DataFrame
    languages: pd.DataFrame
    templates: int
    cells: int
    splits: dict[str, int]
    notes: list[str]

    @property
    def source(self) -> str:
        """In words, where the outcomes come from and what the policies did."""
        formats = Counter(log.format for log in self.logs if log.status != DAMAGED)
        told = ", ".join(f"{number} {name}" for name, number in formats.items())
        damaged = sum(log.status == DAMAGED for log in self.logs)
        left = [f"{damaged} damaged files left out"] if damaged else []
        left += [
            f"{number} {name}"
            for name, number in self.counts.as_dict().items()
            if number and name in ("unfinished", "copies", "retried", "duplicates")
        ]
        if self.counts.errors:
            done = {"wrong": "counted as wrong", "drop": "left out"}[self.policies.errors]
            left.append(f"{self.counts.errors} errors {done}")
        models = self.variants["model"].dropna()
        if (scripted := models[models.str.startswith(SCRIPTED)].nunique()) > 0:
            left.append(
                f"scripted answers for {scripted} of {models.nunique()} models, not their own"
            )
        return f"{self.counts.outcomes:,} outcomes of logs ({'; '.join([told, *left])})"

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "source": self.source,
            "policies": asdict(self.policies),
            "counts": self.counts.as_dict(),
            "logs": [asdict(log) for log in self.logs],
            "not_read": list(map(str, self.others)),
            "variants": records(self.variants),
            "languages": records(self.languages),
            "templates": self.templates,
            "cells": self.cells,
            "splits": self.splits,
            "notes": self.notes,
        }


def ingest(
    paths: Iterable[str | Path],
    out: str | Path | None = None,
    request: Request = Request(),  # noqa: B008 (frozen)
    policies: Policies = Policies(),  # noqa: B008 (frozen)
    measure: Measure | None = None,
    measures: Iterable[tuple[str, pa.DataType]] = (),
    progress: Progress | None = None,
    skip_damaged: bool = False,
) -> Report:
    """Read logs and write their outcomes.

    Args:
        paths: files and folders.
        out: the Parquet file to write, whole or not at all; None only reports.
        request: mapping, scorer, threshold; ``responses`` for ``measure``.
        policies: on errors and duplicates.
        measure: what to keep of a response, as further columns.
        measures: their names and types.
        progress: called with the number of files newly read.
        skip_damaged: leave out files that cannot be read to their end, whole, and say so (it reads
            every file twice).

    Raises InputError, naming file and sample, for whatever cannot be read or placed, and for what
    the policies refuse.
    """
    files, others = find(paths)
    logs: list[Log] = []
    mappings = {kind: read_mapping(kind.default, request.mapping) for _, kind in files}
    renamed = {name: to for mapping in mappings.values() for name, to in mapping.models.items()}
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / "samples.parquet"
        with staging(staged, measure, measures) as add:
            for path, kind in files:
                reading = path, kind, mappings[kind], request
                problem = _damage(*reading) if skip_damaged else None
                if problem is None:
                    logs.append(_read_or_advise(*reading, add, one_of_many=len(files) > 1))
                else:
                    logs.append(Log(str(path), kind.name, DAMAGED, notes=[str(problem)]))
                if progress is not None:
                    progress(1)
        if all(log.status == DAMAGED for log in logs):
            problems = name_some((note for log in logs for note in log.notes), 5)
            raise InputError(f"every file is damaged: {problems}")
        check_choices(request.scorer, (task for log in logs for task in log.tasks))
        with connect(Path(folder)) as database:
            variants = _variants(database, staged, renamed)
            codes = _languages(database, staged)
            again = " or ".join(sorted({kind.again for _, kind in files} - {""}))
            counts = settle(database, staged, variants, codes, policies, again)
            if not counts.outcomes:
                raise InputError(
                    f"of {counts.samples} samples in {len(logs)} files none is an outcome: "
                    + ", ".join(f"{n} {name}" for name, n in counts.as_dict().items() if n)
                )
            report = _report(database, logs, others, counts, policies, variants, codes)
            if out is not None:
                _write(database, Path(out), report)
    return report


def _read(path: Path, kind: Format, mapping: Mapping, request: Request, add: Callable) -> Log:
    log = Log(str(path), kind.name)
    refuse_pointer(path)
    for sample in kind.read(path, mapping, request, log):
        add(sample)
    return log


def _read_or_advise(*reading: Any, one_of_many: bool) -> Log:
    """``_read``; where other files remain, a damaged one is said to be no reason to give up."""
    try:
        return _read(*reading)
    except DamagedFile as error:
        if not one_of_many:
            raise
        raise DamagedFile(
            f"{error.message} ({option('skip_damaged', True)} leaves such files out)"
        ) from error


def _damage(path: Path, kind: Format, mapping: Mapping, request: Request) -> DamagedFile | None:
    """What is wrong with a file that cannot be read to its end; None for one that can."""
    try:
        _read(path, kind, mapping, request, lambda sample: None)
    except DamagedFile as error:
        return error
    return None


def _variants(
    database: duckdb.DuckDBPyConnection, staged: Path, renamed: dict[str, str]
) -> pd.DataFrame:
    seen = database.execute(
        "SELECT DISTINCT model, variant, reasoning FROM read_parquet(?) ORDER BY ALL", [str(staged)]
    ).fetchall()
    if not seen:
        raise InputError("the logs hold no sample")
    return naming.resolve(seen, renamed)


def _languages(database: duckdb.DuckDBPyConnection, staged: Path) -> dict[str, str]:
    """Codes of the samples and the registry's codes for them; unregistered ones as they stand."""
    found = database.execute("SELECT DISTINCT language FROM read_parquet(?)", [str(staged)])
    return {code: _registered(code) or code for (code,) in found.fetchall()}


def _report(
    database: duckdb.DuckDBPyConnection,
    logs: list[Log],
    others: list[Path],
    counts: Counts,
    policies: Policies,
    variants: pd.DataFrame,
    codes: dict[str, str],
) -> Report:
    def by(column: str) -> dict[str, int]:
        query = f"SELECT {column}, count(*) FROM outcomes GROUP BY 1 ORDER BY 1"
        return dict(database.execute(query).fetchall())

    splits = by("split")
    if None in splits and len(splits) > 1:
        raise InputError(
            f"{splits[None]} outcomes state no split and {counts.outcomes - splits[None]} do: map "
            f"split for all of them ({option('mapping')})"
        )
    each = by("variant")
    languages = by("language")
    known = {code: _registered(code) is not None for code in languages}
    templates, cells = database.execute(
        "SELECT count(DISTINCT template), count(DISTINCT (variant, language, template, split)) "
        "FROM outcomes"
    ).fetchone()
    kept = variants.assign(outcomes=[each.get(name, 0) for name in variants["variant"]])
    return Report(
        logs,
        others,
        counts,
        policies,
        kept.drop(columns="stated"),
        pd.DataFrame(
            [
                {"language": code, "outcomes": number, "registered": known[code]}
                for code, number in languages.items()
            ]
        ),
        templates,
        cells,
        {} if None in splits else splits,
        _notes(logs, variants, known, codes) + crossing.notes(database, logs),
    )


def _notes(
    logs: list[Log], variants: pd.DataFrame, known: dict[str, bool], codes: dict[str, str]
) -> list[str]:
    notes = []
    if damaged := [log for log in logs if log.status == DAMAGED]:
        notes.append(
            f"{len(damaged)} of {len(logs)} files are damaged and left out: "
            + "; ".join(note for log in damaged for note in log.notes)
        )
    told_of: dict[str, list[str]] = {}
    for log in logs:
        if log.status == DAMAGED:
            continue
        lost = max(0, (log.planned or 0) - log.read)
        if log.status not in ("success", "read"):
            told = f"; {lost} of {log.planned} samples were not run" if lost else ""
            notes.append(f"{log.path} ended in status {log.status}{told}")
        elif lost and log.status == "read":
            notes.append(f"{log.path}: {lost} of {log.planned} samples of its run are not in it")
        for note in log.notes:
            told_of.setdefault(note, []).append(log.path)
    notes += [f"{note}: {name_some(paths)}" for note, paths in sorted(told_of.items())]
    notes += naming.several_providers(variants)
    if unknown := variants.loc[~variants["known"], "variant"].unique().tolist():
        notes.append(
            f"not in the model registry: {name_some(unknown)}; describe them in a models file "
            "(`transfer glmm --models FILE`)"
        )
    if renamed := [f"{code} as {name}" for code, name in sorted(codes.items()) if code != name]:
        notes.append(f"languages under the registry's codes: {name_some(renamed, 20)}")
    if strange := [code for code, registered in known.items() if not registered]:
        notes.append(
            spelled(
                f"no registered languages: {name_some(strange)}; map them ({option('mapping')}), "
                "or describe them in a languages file (`transfer glmm --languages FILE`)"
            )
        )
    return notes


def _registered(code: str) -> str | None:
    try:
        return language_registry.resolve(code)
    except InputError:
        return None


def _write(database: duckdb.DuckDBPyConnection, out: Path, report: Report) -> None:
    """The outcomes as Parquet, with the report's counts in the file itself."""
    if out.suffix != ".parquet":
        raise InputError(f"{out}: outcomes are written as Parquet; give a name ending in .parquet")
    leave = "" if report.splits else "EXCLUDE (split)"
    database.register("known", _benchmarks(database, report.logs))
    attrs = {"data_source": report.source, "counts": report.counts.as_dict()}
    about = json.dumps(attrs | {"policies": asdict(report.policies)})
    with replacing(out) as temporary:
        database.execute(
            f"COPY (SELECT * {leave} REPLACE ({_BY_SPLIT} AS benchmark) "
            f"FROM outcomes LEFT JOIN known USING (log, language)) TO {quoted(str(temporary))} "
            f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{PANDAS_ATTRS: {quoted(about)}}})"
        )


def _benchmarks(database: duckdb.DuckDBPyConnection, logs: list[Log]) -> pd.DataFrame:
    """log, language and the benchmark of its task; logs of several tasks do not tell."""
    task = {log.path: log.tasks[0] for log in logs if len(log.tasks) == 1}
    pairs = database.execute("SELECT DISTINCT log, language FROM outcomes ORDER BY ALL").fetchall()
    rows = [(log, language, benchmark_names.of_task(task[log], language))
            for log, language in pairs if log in task]  # fmt: skip
    return pd.DataFrame(rows, columns=["log", "language", "benchmark"], dtype=str)
