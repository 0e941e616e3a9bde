"""Run what is not up to date, several steps at once, each in its own process.

Whether a step is up to date is told by the contents of what went in and of what came out.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from capability_transfer.analysis.pipeline.steps import Step
from capability_transfer.common.files import ROOT, hash_project, hash_settings, write_text

LOCK = "requirements.lock"


@dataclass(frozen=True)
class Outcome:
    """How a step ended: ``current`` (nothing to do), ``done`` or ``failed``, with its log.

    ``cpu`` is the processor time, in seconds, of the step and of the processes that it started.
    """

    step: Step
    state: str
    seconds: float
    log: Path
    cpu: float = 0.0


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
        if not force and is_current(step, directory):
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
    """The file that a step's output goes to."""
    return directory / "cache" / "logs" / f"{step.command}.log"


def _run_one(
    step: Step, directory: Path, began: Callable[[Step], None], running: set[subprocess.Popen]
) -> Outcome:
    began(step)
    clock = time.monotonic()
    before = fingerprint(step, directory)
    log = log_path(step, directory)
    log.parent.mkdir(parents=True, exist_ok=True)
    line = [sys.executable, "-m", "capability_transfer.analysis.cli", step.command]
    line += [*step.options, "--out", str(directory), "--json"]
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        running.add(process)
        document = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    running.discard(process)
    state = "failed" if process.returncode else "done"
    if not process.returncode:
        stamp(step, directory, before, map(Path, json.loads(document)["files"]))
    cpu = usage.ru_utime + usage.ru_stime
    return Outcome(step, state, time.monotonic() - clock, log, cpu)


def fingerprint(step: Step, directory: Path) -> str:
    """Hash of a step's options, of the project's code and data, and of the lock.

    A step that reads results has those of ``directory`` behind it too.
    """
    lock = ROOT / LOCK
    behind = [(LOCK, digest(lock))] if lock.is_file() else []
    if step.reads_results:
        results = sorted([*directory.glob("*/*.csv"), *directory.glob("*/provenance.json")])
        behind += [(str(path.relative_to(directory)), digest(path)) for path in results]
    return hash_settings(hash_project(), step.command, step.options, behind)


def digest(path: Path) -> str:
    """SHA-256 of a file's contents, first 16 hex digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def stamp_path(step: Step, directory: Path) -> Path:
    """Where a step's stamp lies under the results directory."""
    return directory / "cache" / "stamps" / f"{step.command}.json"


def is_current(step: Step, directory: Path) -> bool:
    """Whether the step ran on the same sources and everything that it wrote is still as it was."""
    kept = read(step, directory)
    if kept.get("fingerprint") != fingerprint(step, directory):
        return False
    return all(
        (directory / name).is_file() and digest(directory / name) == value
        for name, value in kept["outputs"].items()
    )


def read(step: Step, directory: Path) -> dict:
    """A step's stamp, empty if it never finished or what is there is no stamp."""
    try:
        kept = json.loads(stamp_path(step, directory).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    whole = isinstance(kept, dict) and isinstance(kept.get("outputs"), dict)
    return kept if whole else {}


def stamp(step: Step, directory: Path, before: str, written: Iterable[Path]) -> Path:
    """Record a finished step: the fingerprint that it started with, and its outputs' digests.

    Files in the cache do not count as outputs: they can be made again and never go stale.
    """
    cache = (directory / "cache").resolve()
    outputs = {path.resolve() for path in written}
    kept = sorted(path for path in outputs if path.is_file() and cache not in path.parents)
    names = {str(path.relative_to(directory.resolve())): digest(path) for path in kept}
    text = json.dumps({"fingerprint": before, "outputs": names}, indent=1)
    return write_text(text + "\n", stamp_path(step, directory))
