"""Folders as lm-evaluation-harness leaves them, of its versions from 0.4.3 to today.

Written from how its loggers order and name things: a file of samples per task with a line per
document and filter, filter by filter within each process; and one file of results per run, whose
keys are ``METRIC,FILTER`` in the order of the filters, with the mean of each.
"""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from statistics import fmean

DATE = "2026-11-01T10-00-00.000001"
FORMATS = ("new", "old", "old without hashes")
"""With filter and metrics in the lines (0.4.7 on), without them, and as some were published."""


@dataclass
class Task:
    """A task's scores: (metric, filter) → one number for each document."""

    name: str
    scores: dict[tuple[str, str], list[float]]
    docs: list[dict] = field(default_factory=list)
    processes: int = 1

    @property
    def metrics(self):
        return list(dict.fromkeys(metric for metric, _ in self.scores))

    @property
    def filters(self):
        return list(dict.fromkeys(filtering for _, filtering in self.scores))

    @property
    def documents(self):
        return len(next(iter(self.scores.values())))

    @property
    def means(self):
        return {f"{metric},{name}": fmean(all) for (metric, name), all in self.scores.items()}


def lines(task: Task, version: str):
    for process in range(task.processes):
        for filtering in task.filters:
            for number in range(process, task.documents, task.processes):
                doc = task.docs[number] if task.docs else {"question": f"{task.name} {number}"}
                yield line(task, number, filtering, doc, version)


def line(task: Task, number: int, filtering: str, doc: dict, version: str):
    facts = {
        "doc_id": number,
        "doc": doc,
        "target": "3",
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"until": ["\n"]}}},
        "resps": [["3"]],
        "filtered_resps": ["3"],
    }
    if version == "new":
        facts |= {"filter": filtering, "metrics": task.metrics}
    if version != "old without hashes":
        names = ("doc_hash", "prompt_hash", "target_hash")
        facts |= {name: sha256(f"{name}{number}".encode()).hexdigest() for name in names}
    return facts | {metric: task.scores[metric, filtering][number] for metric in task.metrics}


def results(model: str, tasks: list[Task], version: str):
    scores = {}
    for task in tasks:
        scores[task.name] = {"alias": task.name}
        for key, mean in task.means.items():
            metric, _, filtering = key.partition(",")
            scores[task.name] |= {key: mean, f"{metric}_stderr,{filtering}": 0.1}
    stated = {
        "results": scores,
        "group_subtasks": {task.name: [] for task in tasks},
        "n-samples": {
            task.name: dict.fromkeys(("original", "effective"), task.documents) for task in tasks
        },
        "config": {"model": "hf", "model_args": f"pretrained={model},dtype=auto"},
    }
    return stated | ({"model_name": model} if version == "new" else {})


def write(folder: Path, model: str, tasks: list[Task], version: str, date: str = DATE) -> Path:
    """A run's folder: its results, and the samples of every task."""
    place = folder / model.replace("/", "__")
    place.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        text = "".join(json.dumps(one) + "\n" for one in lines(task, version))
        (place / f"samples_{task.name}_{date}.jsonl").write_text(text)
    stated = results(model, tasks, version)
    (place / f"results_{date}.json").write_text(json.dumps(stated, indent=2))
    return place
