"""Every Eval Ever, instance level: JSON Lines by the published schema (0.3.0).

The package that publishes the schema needs a newer NumPy than this project's compiled code allows,
so the fields are read here directly.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from analysis.outcomes.json_lines import first_line, read_lines
from analysis.outcomes.mapping import Mapping, about_file
from analysis.outcomes.samples import Format, Log, Request, Response, Sample
from analysis.outcomes.scores import read_score
from common.errors import InputError, name_some, suggest

REQUIRED = ("schema_version", "evaluation_id", "model_id", "sample_id", "evaluation")


def recognises(path: Path) -> bool:
    """Whether a file is JSON Lines whose first object has the schema's required fields."""
    return path.suffix == ".jsonl" and set(REQUIRED) <= set(first_line(path))


def read(path: Path, mapping: Mapping, request: Request, log: Log) -> Iterator[Sample]:
    """The samples of one file.

    A sample with several results (``evaluation_result_id``) needs the choice of one:
    ``request.scorer``. Where ``score`` lies between 0 and 1, ``is_correct`` is some convention's;
    it is taken only with a threshold of one's own. Raises InputError.
    """
    results: set[str] = set()
    scorer = request.scorer
    about = about_file(path)
    for where, line in read_lines(path):
        if missing := [name for name in REQUIRED if name not in line]:
            raise InputError(f"{where} has no {name_some(missing)}; Every Eval Ever requires it")
        result = str(line.get("evaluation_result_id") or "")
        results.add(result)
        if scorer is not None and result and result != scorer:
            continue
        if scorer is None and len(results) > 1:
            names = sorted(results)
            raise InputError(
                f"{path} was scored by {name_some(names)}: choose one, --scorer '{names[-1]}'"
            )
        log.read += 1
        log.model = str(line["model_id"])
        record = {"file": about, "sample": line}
        error = line.get("error")
        run = str(line["evaluation_id"])
        yield Sample(
            log=str(path),
            run=run,
            task=run,
            sample=str(line["sample_id"]),
            epoch=1,
            uuid=None,
            **mapping.labels(record, where),
            correct=None if error else _score(line["evaluation"], where, request.threshold),
            error=None if not error else str(error),
            response=_response(line, mapping, record) if request.responses else None,
        )
    if not log.read:
        raise InputError(
            f"{path} has no result {scorer!r}; it has {name_some(sorted(results))}."
            f"{suggest(str(scorer), results)}"
        )


FORMAT = Format("Every Eval Ever", "*.jsonl", recognises, read, "every_eval_ever")


def _score(evaluation: object, where: str, threshold: float | None) -> bool | None:
    if not isinstance(evaluation, dict) or "is_correct" not in evaluation:
        raise InputError(f"{where} has no evaluation.is_correct; Every Eval Ever requires it")
    score, stated = evaluation.get("score"), evaluation["is_correct"]
    if isinstance(score, int | float) and not isinstance(score, bool) and 0 < score < 1:
        return read_score(score, where, threshold)
    if stated is not None and not isinstance(stated, bool):
        raise InputError(f"{where}: is_correct is {stated!r:.80}, no truth value")
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
