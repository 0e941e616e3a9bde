"""Run what is not up to date, several steps at once, each in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from capability_transfer.analysis.pipeline import stamps
from capability_transfer.analysis.pipeline.steps import Step


@dataclass(frozen=True)
class Outcome:
    """How a step ended: ``current`` (nothing to do), ``done`` or ``failed``, with its log."""

    step: Step
    state: str
    seconds: float
    log: Path


def run(
    steps: Sequence[Step],
    directory: Path,
    jobs: int,
    force: bool = False,
    began: Callable[[Step], None] = lambda step: None,
) -> Iterator[Outcome]:
    """Run the steps that are not up to date and yield each as it ends, current ones first.

    Steps that read results run when the others have ended. A step that fails stops no other. Output
    goes to ``cache/logs``. ``force`` runs all of them; ``began`` is called when one starts. An
    interrupt, or leaving the iterator, ends those that run and begins no other.
    """
    for reads_results in (False, True):
        own = [step for step in steps if step.reads_results == reads_results]
        yield from _side_by_side(own, directory, jobs, force, began)


def _side_by_side(
    steps: Sequence[Step],
    directory: Path,
    jobs: int,
    force: bool,
    began: Callable[[Step], None],
) -> Iterator[Outcome]:
    waiting = []
    for step in steps:
        if not force and stamps.is_current(step, directory):
            yield Outcome(step, "current", 0.0, log_path(step, directory))
        else:
            waiting.append(step)
    running: set[subprocess.Popen] = set()
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_run_one, step, directory, began, running) for step in waiting]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            for process in list(running):
                process.terminate()
            raise


def log_path(step: Step, directory: Path) -> Path:
    """Where a step's output goes."""
    return directory / "cache" / "logs" / f"{step.command}.log"


def _run_one(
    step: Step, directory: Path, began: Callable[[Step], None], running: set[subprocess.Popen]
) -> Outcome:
    began(step)
    clock = time.monotonic()
    log = log_path(step, directory)
    log.parent.mkdir(parents=True, exist_ok=True)
    options = json.dumps(step.options)
    one = [
        sys.executable,
        "-m",
        "capability_transfer.analysis.pipeline.one",
        step.command,
        str(directory),
        options,
    ]
    with (
        log.open("w", encoding="utf-8") as output,
        subprocess.Popen(one, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        running.add(process)
        failed = process.wait()
    running.discard(process)
    state = "failed" if failed else "done"
    return Outcome(step, state, time.monotonic() - clock, log)
