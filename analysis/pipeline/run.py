"""Run what is not up to date, several steps at once, each in a process of its own (``ready``).

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
ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Steps run side by side, and a process with several threads cannot be forked safely."""


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
    starters = Starters()
    with starters, ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_run_one, step, directory, began, starters) for step in waiting]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            starters.stop()
            raise


class Starters:
    """Processes that start steps (``ready``), one for each that runs at a time."""

    def __init__(self) -> None:
        self.all: list[subprocess.Popen] = []
        self.idle: list[subprocess.Popen] = []

    def __enter__(self) -> Starters:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self.all:
            process.communicate()  # which closes what it reads from, and waits for its end

    def stop(self) -> None:
        """End the steps that run."""
        for process in self.all:
            process.terminate()

    def run(self, arguments: Sequence[str], out: Path, log: Path) -> tuple[int, float]:
        """The exit status and seconds of processor time of a command; its output goes to files."""
        try:
            process = self.idle.pop()
        except IndexError:
            line = [sys.executable, "-m", "capability_transfer.analysis.pipeline.ready"]
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                line, env={**ONE_THREAD, **os.environ}, stdin=pipe, stdout=pipe, text=True
            )
            self.all.append(process)
        request = {"arguments": arguments, "out": str(out), "log": str(log)}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:  # it was killed
            return process.wait(), 0.0
        self.idle.append(process)
        return tuple(json.loads(answer))


def log_path(step: Step, directory: Path) -> Path:
    """The file that a step's output goes to."""
    return directory / "cache" / "logs" / f"{step.command}.log"


def _run_one(
    step: Step, directory: Path, began: Callable[[Step], None], starters: Starters
) -> Outcome:
    began(step)
    clock = time.monotonic()
    before = fingerprint(step, directory)
    log = log_path(step, directory)
    said = log.with_suffix(".json")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    arguments = [step.command, *step.options, "--out", str(directory), "--json"]
    status, cpu = starters.run(arguments, said, log)
    if not status:
        document = json.loads(said.read_text(encoding="utf-8"))
        stamp(step, directory, before, map(Path, document["files"]))
    state = "failed" if status else "done"
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
