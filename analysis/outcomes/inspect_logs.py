"""Inspect AI logs, ``.eval`` and ``.json``, through inspect_ai's own functions.

Of an ``.eval`` file the sample summaries are read, one log at a time, and single samples in full
only where a summary cut a field that the mapping needs, or where responses are wanted. A ``.json``
log can only be read whole. Logs that failed or were cut short give the samples that they have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from capability_transfer.analysis.outcomes.mapping import LABELS, Mapping, about_file
from capability_transfer.analysis.outcomes.samples import (
    Format,
    Log,
    Request,
    Response,
    Sample,
)
from capability_transfer.analysis.outcomes.scores import read_score
from capability_transfer.common import extras
from capability_transfer.common.errors import DamagedFile, InputError, name_some, option, suggest

LEFT_OUT = {"events", "store", "timelines"}
"""Parts of a sample that nobody here reads and that can be large."""

BEGINNING = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"')
"""Of a log in JSON."""

REMOVED = "Key removed from summary (> 1k)"


def read(path: Path, mapping: Mapping, request: Request, log: Log) -> Iterator[Sample]:
    """The samples of a log, in its order.

    Raises InputError, naming file and sample, for a file that is not a readable log, for a log of
    several scorers of which none was chosen, for values that are not scores, and for labels that
    are missing.
    """
    header = _reading(path, "read_eval_log", header_only=True)
    spec = header.eval
    log.status, log.model, log.tasks = header.status, spec.model, [spec.task]
    if spec.dataset.sample_ids is not None:
        log.planned = len(spec.dataset.sample_ids) * (spec.config.epochs or 1)
    stated = {
        "file": about_file(path),
        "eval": spec.model_dump(exclude={"scorers"}),
        "plan": header.plan.model_dump(include={"config"}),
    }
    whole = path.suffix == ".json"
    samples = (
        _reading(path, "read_eval_log", resolve_attachments="core").samples or []
        if whole
        else _reading(path, "read_eval_log_sample_summaries")
    )
    scorer = _scorer(samples, path, request.scorer_of(spec.task), spec.task)
    for brief in samples:
        log.read += 1
        where = f"{path}, sample {brief.id}"
        record = stated | {"sample": _facts(brief)}
        sample = brief
        if not whole and (request.responses or header.invalidated or _is_cut(mapping, record)):
            sample = _reading(
                path,
                "read_eval_log_sample",
                id=brief.id,
                epoch=brief.epoch,
                resolve_attachments="core",
                exclude_fields=LEFT_OUT,
            )
            record["sample"] = _facts(sample)
        error = sample.error if isinstance(sample.error, str | None) else sample.error.message
        yield Sample(
            log=str(path),
            run=spec.eval_id,
            task=spec.task_id or spec.eval_id,
            sample=str(sample.id),
            epoch=sample.epoch,
            uuid=sample.uuid,
            **mapping.labels(record, where),
            correct=None if error else _score(sample, scorer, where, request.threshold),
            error=error,
            unfinished=_is_unfinished(sample, error),
            response=_response(sample, spec.model, mapping, record) if request.responses else None,
        )


def recognises(path: Path) -> bool:
    """Whether a file is an Inspect log: ``.eval``, or ``.json`` that begins like one."""
    if path.suffix == ".eval":
        return True
    if path.suffix != ".json":
        return False
    try:
        with path.open("rb") as stream:  # not Inspect's manifests, which hold headers of logs
            return BEGINNING.match(stream.read(200)) is not None
    except OSError:
        return False


FORMAT = Format("Inspect AI", "*.eval, *.json", recognises, read, "inspect", "`inspect eval-retry`")


def _reading(path: Path, function: str, **options: object) -> Any:
    """Call one of inspect_ai's functions on a file; whatever it raises says what the file is."""
    api = extras.load("inspect_ai.log", "logs")
    try:
        return getattr(api, function)(str(path), **options)
    except Exception as error:  # zip, JSON and validation errors of many kinds
        raise DamagedFile(
            f"{path} is not a readable Inspect log ({type(error).__name__}: {error!s:.200}). If it "
            "was cut off, `inspect log recover` may bring it back; else evaluate again"
        ) from error


def _facts(sample: Any) -> dict:
    return {"id": sample.id, "epoch": sample.epoch, "metadata": sample.metadata or {}} | {
        "target": sample.target if isinstance(sample.target, str) else None
    }


def _is_cut(mapping: Mapping, record: dict) -> bool:
    """Whether a summary shortened something that is needed: it then ends in dots or is removed."""
    for column in LABELS:
        for source in mapping.column(column):
            found = source.raw(record)
            if found == REMOVED or (isinstance(found, str) and found.endswith("...")):
                return True
    return False


def _scorer(
    samples: list, path: Path, wanted: str | None, task: str
) -> tuple[str, str | None] | None:
    """The score to take, and which of its values where it has several; None if there is none."""
    names = sorted({name for one in samples for name in one.scores or {}})
    if not names:
        return None
    if wanted is None and len(names) > 1:
        raise InputError(
            f"{path} was scored by {name_some(names)}: choose one, {option('scorer', names[0])}, "
            f"or for this task only {option('scorer', f'{task}={names[0]}')}"
        )
    if wanted is None or wanted in names:
        return wanted or names[0], None
    name, _, value = wanted.rpartition(".")
    if name not in names:
        raise InputError(
            f"{path} has no scorer {wanted!r}; it has {name_some(names)}.{suggest(wanted, names)}"
        )
    return name, value


def _score(
    sample: Any, scorer: tuple[str, str | None] | None, where: str, threshold: float | None
) -> bool | None:
    name, part = scorer or (None, None)
    score = (sample.scores or {}).get(name)
    if score is None:
        return None
    value = score.value
    if isinstance(value, dict):
        if part not in value:
            known = sorted(f"{name}.{key}" for key in value)
            raise InputError(
                f"{where}: {name} has several values: choose one with {option('scorer')}, of "
                f"{name_some(known)}"
            )
        value = value[part]
    elif part is not None:
        raise InputError(f"{where}: {name} has one value only: {option('scorer', name)}")
    return read_score(value, where, threshold, letters=True)


def _is_unfinished(sample: Any, error: str | None) -> bool:
    return bool(getattr(sample, "invalidation", None)) or (error or "").startswith("CancelledError")


def _response(sample: Any, model: str, mapping: Mapping, record: dict) -> Response:
    """The final answer; tokens are those of the evaluated model, not of one that graded it."""
    usage = sample.model_usage.get(model)

    def count(name: str) -> int | None:
        return None if usage is None else getattr(usage, name)

    return Response(
        text=sample.output.completion,
        solution=mapping.label("solution", record, "solution"),
        input_tokens=count("input_tokens"),
        output_tokens=count("output_tokens"),
        reasoning_tokens=count("reasoning_tokens"),
    )
