"""Every Eval Ever, instance level: JSON Lines by the published schema (0.3.0).

The package that publishes the schema needs a newer NumPy than this project's compiled code allows,
so the fields are read here directly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from capability_transfer.analysis.outcomes.mapping import Mapping, about_file
from capability_transfer.analysis.outcomes.samples import (
    Format,
    Log,
    Request,
    Response,
    Sample,
)
from capability_transfer.analysis.outcomes.scores import read_score
from capability_transfer.common.errors import DamagedFile, InputError, name_some, option, suggest
from capability_transfer.common.tables import first_line, read_lines

REQUIRED = ("schema_version", "evaluation_id", "model_id", "sample_id", "evaluation")


HARNESS_FILTERS = {
    *("acp_grammar_parse", "create_test", "custom-extract", "default", "extract-yes-no"),
    *("extract_answer", "extract_code", "flexible-extract", "flexible_extract", "get-answer"),
    *("get-choice", "get_response", "maj@64", "maj@8", "mcq-extract", "none", "remove_whitespace"),
    *("sample_response", "score-first", "strict-match", "strict_match", "whitespaces"),
}
"""What the tasks of lm-evaluation-harness (0.4.13) call their filters."""


@dataclass(frozen=True)
class Result:
    """Which of a sample's results a line is.

    Attributes:
        task: the evaluation's name without the filter.
        evaluation: its name as it stands.
        id: ``evaluation_result_id``, or empty.
        filter: of an answer, where the name of the evaluation ends in one, or empty.
    """

    task: str
    evaluation: str
    id: str
    filter: str

    @property
    def name(self) -> str:
        """What to call it in ``--scorer``; empty if the line says nothing of it."""
        if self.id and self.filter and self.filter not in self.id:
            return f"{self.id},{self.filter}"
        return self.id or self.filter

    def is_meant(self, scorer: str | None) -> bool:
        """Whether a choice means it: by its name, or by a part (metric, filter) of it."""
        parts = re.split("[:,]", self.id) if self.id else []
        known = {self.name, self.id, self.filter, self.evaluation, ",".join(parts), *parts}
        return scorer is None or scorer in known


def recognises(path: Path) -> bool:
    """Whether a file is JSON Lines whose first object has the schema's required fields."""
    return path.suffix == ".jsonl" and set(REQUIRED) <= set(first_line(path))


def read(path: Path, mapping: Mapping, request: Request, log: Log) -> Iterator[Sample]:
    """The samples of one file.

    Where a sample has several results (``evaluation_result_id``, or a filter that the evaluation's
    name ends in, as in ``mgsm_direct_sw/flexible-extract``), ``request.scorer`` chooses one; every
    task that it is for must have it. Where ``score`` lies between 0 and 1, ``is_correct`` is some
    convention's; it is taken only with a threshold that the user gives. Raises InputError.
    """
    filtered, results = _survey(path)
    log.tasks = sorted({name for one in results for name in (one.task, one.evaluation)})
    chosen = {task: request.scorer_of(task) for task in sorted({one.task for one in results})}
    for task, scorer in chosen.items():
        _check(path, task, scorer, [one for one in results if one.task == task])
    several = len(results) > 1
    taken: dict[int, str] = {}
    seen: set[int] = set()
    about = about_file(path)
    for where, line in read_lines(path):
        if missing := _missing(line):
            raise DamagedFile(f"{where} has no {name_some(missing)}; Every Eval Ever requires it")
        result, run = _result(line, filtered), str(line["evaluation_id"])
        record = {"file": about | {"task": result.task}, "sample": line}
        labels, sample = mapping.labels(record, where), str(line["sample_id"])
        key = hash((run, result.task, sample, *labels.values())) if several else 0
        if several:
            seen.add(key)
        if not result.is_meant(chosen[result.task]):
            continue
        if several and (other := taken.setdefault(key, result.name)) != result.name:
            raise InputError(_rivals(path, sample, sorted([other, result.name]), result.task))
        log.read += 1
        log.model = str(line["model_id"])
        error = line.get("error")
        yield Sample(
            log=str(path),
            run=run,
            task=f"{run} {result.task}",
            sample=sample,
            epoch=1,
            uuid=None,
            **labels,
            correct=None if error else _score(line["evaluation"], where, request.threshold),
            error=None if not error else str(error),
            response=_response(line, mapping, record) if request.responses else None,
        )
    if lost := len(seen) - len(taken):
        log.notes.append(f"{lost} of {len(seen)} samples have no result of the chosen name")


FORMAT = Format("Every Eval Ever", "*.jsonl", recognises, read, "every_eval_ever")


def _missing(line: dict) -> list[str]:
    return [name for name in REQUIRED if name not in line]


def _survey(path: Path) -> tuple[set[str], set[Result]]:
    """Names before a slash of which what comes after is a filter, and the results of a file.

    Those are names under which one question, with the same input, has several endings: filters
    look at one answer, and two tasks do not ask the same.
    """
    endings: dict[int, str] = {}
    filtered: set[str] = set()
    lines = {}
    for _, line in read_lines(path):
        result = _result(line, filtered)
        lines[result] = line
        stem, slash, ending = result.evaluation.rpartition("/")
        if not slash or result.filter:
            continue
        asked = json.dumps([line.get("sample_id"), line.get("sample_hash"), line.get("input")])
        if endings.setdefault(hash((stem, asked)), ending) != ending:
            filtered.add(stem)
    return filtered, {_result(line, filtered) for line in lines.values()}


def _result(line: dict, filtered: set[str]) -> Result:
    evaluation, metadata = str(line.get("evaluation_name") or ""), line.get("metadata")
    stated = metadata.get("filter") if isinstance(metadata, dict) else None
    stem, slash, ending = evaluation.rpartition("/")
    is_filter = slash and (ending in HARNESS_FILTERS or ending == stated or stem in filtered)
    task, filtering = (stem, ending) if is_filter else (evaluation, "")
    return Result(task, evaluation, str(line.get("evaluation_result_id") or ""), filtering)


def _check(path: Path, task: str, scorer: str | None, results: list[Result]) -> None:
    """Raise InputError if a task has nothing of the chosen name."""
    if any(one.is_meant(scorer) for one in results):
        return
    known = sorted({one.name for one in results if one.name})
    told = f"it has {name_some(known)}" if known else "it has one result without a name"
    raise InputError(
        f"{path}: the task {task or 'without a name'} has no result {scorer!r}; {told}."
        f"{suggest(str(scorer), known)} Scorers of single tasks are chosen as "
        f"{option('scorer', 'TASK=NAME')}"
    )


def _rivals(path: Path, sample: str, names: list[str], task: str) -> str:
    shown = [name or "a result without a name" for name in names]
    choice = names[-1]
    return (
        f"{path}: sample {sample} was scored by {name_some(shown)}: choose one, "
        f"{option('scorer', choice, quoted=True)}, or for this task only "
        f"{option('scorer', f'{task}={choice}', quoted=True)}"
    )


def _score(evaluation: object, where: str, threshold: float | None) -> bool | None:
    if not isinstance(evaluation, dict) or "is_correct" not in evaluation:
        raise DamagedFile(f"{where} has no evaluation.is_correct; Every Eval Ever requires it")
    score, stated = evaluation.get("score"), evaluation["is_correct"]
    if isinstance(score, int | float) and not isinstance(score, bool) and 0 < score < 1:
        return read_score(score, where, threshold)
    if stated is not None and not isinstance(stated, bool):
        raise InputError(f"{where}: is_correct is {stated!r:.80}, not a truth value")
    return stated


def _response(line: dict, mapping: Mapping, record: dict) -> Response:
    output, usage = line.get("output"), line.get("token_usage")
    raw = output.get("raw") if isinstance(output, dict) else None
    usage = usage if isinstance(usage, dict) else {}
    solution = mapping.pick("solution", record)
    named = (usage.get(name) for name in ("input_tokens", "output_tokens", "reasoning_tokens"))
    counts = (count if isinstance(count, int) and 0 <= count < 10**9 else None for count in named)
    return Response(
        str(raw[0]) if isinstance(raw, list) and raw else "",
        None if solution is None else str(solution),
        *counts,
    )
