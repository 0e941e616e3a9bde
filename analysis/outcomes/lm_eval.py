"""lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, written with ``--log_samples``.

Versions before 0.4.3 wrote ``ARGUMENTS_TASK.jsonl``, which holds one array, and ``results.json``.

A line is one document under one filter. From version 0.4.7 it says which filter and what its
metrics are called. Before, metrics are the keys that are not standard, and a document's lines
follow the filters in the order in which ``results_DATE.json``, beside the file, has them (as
``METRIC,FILTER``); a document with one line needs no such file.

The model is named in that file too, else by the folder, where ``/`` is written ``__``. Lines are in
no order that matters, and a document that comes twice under one filter is a duplicate.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import escape
from itertools import product
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
from capability_transfer.common.encoding import utf8
from capability_transfer.common.errors import DamagedFile, InputError, name_some, option, suggest
from capability_transfer.common.tables import first_line, read_lines

NAME = re.compile(r"samples_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT[\d\-.:]+))?\.jsonl?")

STANDARD = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "error"),
}
"""Keys of a line that are not metrics."""

BEGINNING = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps")
"""Keys of every version."""

MODEL_ARGUMENTS = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Where the arguments of a model name it, as the harness itself looks for it."""


@dataclass(frozen=True)
class About:
    """What is known of a file of samples besides its lines.

    Attributes:
        task: of all lines.
        model: see ``task``.
        record: what mappings find under ``file``: the file's own, task, date, model and settings.
        folder: whether the model is named after the folder only.
        metrics: those of the task in the results; empty without results.
        filters: in the order of the results; empty without results.
        planned: documents that the run evaluated, None if nobody says.
    """

    task: str
    model: str
    record: dict
    folder: bool
    metrics: tuple[str, ...]
    filters: tuple[str, ...]
    planned: int | None


def recognises(path: Path) -> bool:
    """Whether a file is named as the harness names its samples, or begins with one.

    Published collections also call them ``.json``, which is what results are called too.
    """
    named = NAME.fullmatch(path.name) is not None
    if path.suffix == ".jsonl" and named:
        return True
    return (path.suffix == ".jsonl" or named) and set(BEGINNING) <= set(first_line(path))


def read(path: Path, mapping: Mapping, request: Request, log: Log) -> Iterator[Sample]:
    """The samples of one file, under the chosen filter and metric.

    A scorer is a metric, a filter, or both as the harness writes them
    (``exact_match,strict-match``). Raises InputError for several of either without a choice, for
    lines whose filter cannot be known, and for whatever is wrong with a line.
    """
    about = _about(path)
    log.model, log.planned, log.tasks = about.model, about.planned, [about.task]
    if about.folder:
        log.notes.append("the model is named after the folder, no results of its run are beside")
    scorer = request.scorer_of(about.task)
    filters = _Filters(path, about)
    options: set[str] = set()
    taken: set[str] = set()
    scored: dict[str, bool] = {}
    for where, line in read_lines(path):
        if "doc_id" not in line:
            raise DamagedFile(f"{where} is not an lm-evaluation-harness sample: it has no doc_id")
        metrics = _metrics(line, about)
        if not metrics:
            raise DamagedFile(f"{where} is not an lm-evaluation-harness sample: it has no metric")
        document, filtering = str(line["doc_id"]), filters.of(line)
        found = {_option(metric, filtering): metric for metric in metrics}
        options |= set(found)
        wanted = [name for name in found if _is_meant(name, scorer)]
        scored[document] = scored.get(document, False) or bool(wanted)
        if not wanted:
            continue
        taken |= set(wanted)
        if len(taken) > 1:
            known = options | {_option(*one) for one in product(about.metrics, about.filters)}
            rivals = sorted(name for name in known if _is_meant(name, scorer))
            raise InputError(
                f"{path} was scored by {name_some(rivals)}: choose one, "
                f"{option('scorer', rivals[0])}, or for this task only "
                f"{option('scorer', f'{about.task}={rivals[0]}')}"
            )
        log.read += 1
        record = {"file": about.record, "sample": line}
        error, metric = line.get("error"), found[wanted[0]]
        yield Sample(
            log=str(path),
            run=str(path),
            task=str(path),
            sample=document,
            epoch=1,
            uuid=None,
            **mapping.labels(record, where),
            correct=None if error else read_score(line.get(metric), where, request.threshold),
            error=None if error is None else str(error),
            response=_response(line, mapping, record) if request.responses else None,
        )
    filters.check()
    if not log.read:
        known = sorted(options)
        raise InputError(
            f"{path} has no score {scorer!r}; it has {name_some(known)}."
            f"{suggest(str(scorer), known)}"
        )
    if lost := sum(not one for one in scored.values()):
        log.notes.append(f"{lost} of {len(scored)} documents have no score {scorer!r}")


FORMAT = Format("lm-evaluation-harness", "samples_*.jsonl", recognises, read, "lm_eval")


class _Filters:
    """The filter of each line: as it says, or from its place among the lines of its document."""

    def __init__(self, path: Path, about: About) -> None:
        self.path = path
        self.known = about.filters
        self.lines: Counter[str] = Counter()

    def of(self, line: dict) -> str | None:
        """The line's filter; None if it is the document's only line and nobody says."""
        if "filter" in line:
            return str(line["filter"])
        document = str(line["doc_id"])
        place = self.lines[document]
        self.lines[document] += 1
        if len(self.known) == 1:
            return self.known[0]
        if place < len(self.known):
            return self.known[place]
        if place == 0:
            return None
        raise InputError(
            f"{self.path} has several lines of document {document} and does not say which filter "
            f"each is under: put the results file of the same date and task beside it, from which "
            f"their order is known"
            if not self.known
            else self._told(document)
        )

    def check(self) -> None:
        """Raise DamagedFile if a document has not one line for each of several filters."""
        for document, number in self.lines.items():
            if len(self.known) > 1 and number != len(self.known):
                raise DamagedFile(self._told(document))

    def _told(self, document: str) -> str:
        return (
            f"{self.path} has {self.lines[document]} lines of document {document}, and the results "
            f"beside it name {len(self.known)} filters ({name_some(self.known)}): which line is "
            "under which cannot be known; was the file cut off, or written twice?"
        )


def _metrics(line: dict, about: About) -> list[str]:
    """What the line's metrics are called."""
    stated = line.get("metrics")
    if isinstance(stated, list):
        return [str(one) for one in stated]
    own = [name for name in line if name not in STANDARD]
    return [name for name in own if name in about.metrics] or own


def _option(metric: str, filtering: str | None) -> str:
    """A metric under a filter, as the harness writes it."""
    return metric if filtering is None else f"{metric},{filtering}"


def _is_meant(option: str, scorer: str | None) -> bool:
    """Whether a metric under a filter is what was chosen: both, either of them, or nothing."""
    return scorer is None or scorer in (option, *option.rsplit(",", 1))


def _about(path: Path) -> About:
    """Task of a file, and the rest from the results beside it."""
    named = NAME.fullmatch(path.name)
    date = named and named["date"]
    results = _beside(path, date)
    stated = {} if results is None else _results(results)
    task = named["task"] if named else _task(path.stem, _part(stated, "results"))
    named_by = _model(stated)
    # not the place that a link leads to: caches keep files under other names
    model = named_by or path.absolute().parent.name.replace("__", "/")
    scores = [
        key.rpartition(",")
        for key in _part(_part(stated, "results"), task)
        if "," in key and not key.rpartition(",")[0].endswith("_stderr")
    ]
    planned = _part(_part(stated, "n-samples"), task).get("effective")
    return About(
        task=task,
        model=model,
        record=about_file(path)
        | {"task": task, "date": date, "model": model}
        | _settings(stated, task),
        folder=not named_by,
        metrics=tuple(dict.fromkeys(metric for metric, _, _ in scores)),
        filters=tuple(dict.fromkeys(filtering for _, _, filtering in scores)),
        planned=planned if isinstance(planned, int) else None,
    )


def _task(name: str, known: Iterable[str]) -> str:
    """The task that a file's name ends in; the whole name if it ends in none that is known."""
    ends = [task for task in known if f"_{name}".endswith(f"_{task}")]
    return max(ends, key=len, default=name)


def _model(stated: dict) -> str:
    """The model as a file of results names it, itself or in the model's arguments, or nothing."""
    arguments = _part(stated, "config").get("model_args")
    if not isinstance(arguments, dict):
        pairs = (one.partition("=") for one in str(arguments or "").split(","))
        arguments = {name.strip(): value.strip() for name, _, value in pairs}
    listed = (str(arguments[name]) for name in MODEL_ARGUMENTS if arguments.get(name))
    return str(stated.get("model_name") or next(listed, ""))


def _settings(stated: dict, task: str) -> dict:
    """Settings of a run and of one of its tasks, for mappings."""
    config, own = _part(stated, "config"), _part(_part(stated, "configs"), task)
    return {
        "model_args": _arguments(config.get("model_args")),
        "num_fewshot": _part(stated, "n-shot").get(task, own.get("num_fewshot")),
        "gen_kwargs": _arguments(config.get("gen_kwargs") or own.get("generation_kwargs")),
        "config": config,
        "task_config": own,
    }


def _arguments(stated: object) -> object:
    """Settings as the harness writes them on a command line: ``temperature=0.6,top_p=0.95``."""
    if isinstance(stated, dict):
        return ",".join(f"{name}={value}" for name, value in stated.items())
    return stated


def _beside(path: Path, date: str | None) -> Path | None:
    """The results of a file's run: of its date, else the only ones without a date."""
    dated = path.with_name(f"results_{date}.json")
    if date and dated.is_file():
        return dated
    if date and (found := sorted(path.parent.glob(f"*_{escape(date)}.json"))):
        return found[0]  # where the harness was given a file's name for its results
    plain = path.with_name("results.json")
    return plain if plain.is_file() else None


def _results(path: Path) -> dict:
    try:
        with utf8(path):
            stated = json.loads(path.read_text(encoding="utf-8-sig"))
    except DamagedFile:
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFile(f"{path} is not JSON: {error}") from error
    return stated if isinstance(stated, dict) else {}


def _part(stated: dict, name: str) -> dict:
    """What stands under a name, or under what the harness makes of it in a file's name."""
    found = stated.get(name)
    if found is None:
        found = next((part for key, part in stated.items() if re.sub(r"\W", "_", key) == name), {})
    return found if isinstance(found, dict) else {}


def _response(line: dict, mapping: Mapping, record: dict) -> Response:
    found: object = line.get("resps", "")
    while isinstance(found, list) and found:
        found = found[0]
    solution = mapping.pick("solution", record)
    return Response(str(found), None if solution is None else str(solution))
