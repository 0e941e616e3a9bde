"""lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, written with ``--log_samples``.

A line is one document under one filter. The model is named in ``results_DATE.json`` beside the
file, else by its folder, where ``/`` is written ``__``. Lines are in no order that matters, and a
document that comes twice under one filter is a duplicate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from analysis.outcomes.json_lines import read_lines
from analysis.outcomes.mapping import Mapping, about_file
from analysis.outcomes.samples import Format, Log, Request, Response, Sample
from analysis.outcomes.scores import read_score
from common.errors import InputError, name_some

NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+))?\.jsonl")


def recognises(path: Path) -> bool:
    """Whether a file is named as the harness names its samples."""
    return NAME.fullmatch(path.name) is not None


def read(path: Path, mapping: Mapping, request: Request, log: Log) -> Iterator[Sample]:
    """The samples of one file, under the chosen filter and metric.

    ``request.scorer`` is a metric, a filter, or both as the harness writes them
    (``exact_match,strict-match``). Raises InputError for several of either without a choice, and
    for whatever is wrong with a line.
    """
    about = _about(path)
    log.model = about["model"]
    filters: set[str] = set()
    taken: set[str] = set()
    for where, line in read_lines(path):
        filtering, metrics = str(line.get("filter", "none")), line.get("metrics")
        if not isinstance(metrics, list) or not metrics or "doc_id" not in line:
            raise InputError(f"{where} is no lm-evaluation-harness sample: no doc_id or metrics")
        wanted = _choice(request.scorer, metrics, filtering)
        filters.add(filtering)
        if wanted is None:
            continue
        taken.add(filtering)
        if len(wanted) > 1 or len(taken) > 1:
            options = [f"{metric},{one}" for metric in metrics for one in sorted(filters)]
            raise InputError(
                f"{path} was scored by {name_some(options)}: choose one, --scorer {options[0]}"
            )
        log.read += 1
        record = {"file": about, "sample": line}
        error = line.get("error")
        yield Sample(
            log=str(path),
            run=str(path),
            task=str(path),
            sample=str(line["doc_id"]),
            epoch=1,
            uuid=None,
            **mapping.labels(record, where),
            correct=None if error else read_score(line.get(wanted[0]), where, request.threshold),
            error=None if error is None else str(error),
            response=_response(line, mapping, record) if request.responses else None,
        )
    if not log.read:
        raise InputError(f"{path} has no score {request.scorer!r}; filters: {name_some(filters)}")


FORMAT = Format("lm-evaluation-harness", "samples_*.jsonl", recognises, read, "lm_eval")


def _about(path: Path) -> dict:
    """A file's own, its task and date, and model and settings from the results beside it."""
    named = NAME.fullmatch(path.name)
    date = named and named["date"]
    results = path.with_name(f"results_{date}.json") if date else None
    stated: dict = {}
    if results is not None and results.is_file():
        try:
            stated = json.loads(results.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{results} is no JSON: {error}") from error
    stated = stated if isinstance(stated, dict) else {}
    task = named["task"] if named else path.stem
    config, own = _part(stated, "config"), _part(_part(stated, "configs"), task)
    shots = _part(stated, "n-shot").get(task, own.get("num_fewshot"))
    return about_file(path) | {
        "task": task,
        "date": date,
        "model": str(stated.get("model_name") or path.resolve().parent.name.replace("__", "/")),
        "model_args": _arguments(config.get("model_args")),
        "num_fewshot": shots,
        "gen_kwargs": _arguments(config.get("gen_kwargs") or own.get("generation_kwargs")),
        "config": config,
        "task_config": own,
    }


def _part(stated: dict, name: str) -> dict:
    found = stated.get(name)
    return found if isinstance(found, dict) else {}


def _arguments(stated: object) -> object:
    """Settings as the harness writes them on a command line: ``temperature=0.6,top_p=0.95``."""
    if isinstance(stated, dict):
        return ",".join(f"{name}={value}" for name, value in stated.items())
    return stated


def _choice(scorer: str | None, metrics: list, filtering: str) -> list[str] | None:
    """The metrics of a line that are meant; None if its filter is not."""
    known = [str(metric) for metric in metrics]
    if scorer is None:
        return known
    metric, _, wanted = scorer.partition(",")
    if scorer == filtering:
        return known
    if metric not in known or (wanted and wanted != filtering):
        return None
    return [metric]


def _response(line: dict, mapping: Mapping, record: dict) -> Response:
    found: object = line.get("resps", "")
    while isinstance(found, list) and found:
        found = found[0]
    solution = mapping.pick("solution", record)
    return Response(str(found), None if solution is None else str(solution))
