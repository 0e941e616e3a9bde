"""Whether a step is up to date, by the contents of what went in and of what came out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from capability_transfer.analysis.pipeline.steps import Step
from capability_transfer.common.files import ROOT, hash_project, hash_settings, write_text

LOCK = "requirements.lock"


def fingerprint(step: Step, directory: Path) -> str:
    """Hash of a step's options, of the project's code and data, and of the lock.

    A step that reads results has those of ``directory`` behind it too.
    """
    lock = ROOT / LOCK
    behind = [(LOCK, digest(lock))] if lock.is_file() else []
    if step.reads_results:
        results = sorted(directory.glob("*/*.csv"))
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
    stamp = read(step, directory)
    if stamp.get("fingerprint") != fingerprint(step, directory):
        return False
    return all(
        (directory / name).is_file() and digest(directory / name) == value
        for name, value in stamp["outputs"].items()
    )


def read(step: Step, directory: Path) -> dict:
    """A step's stamp, empty if it never finished or what is there is no stamp."""
    try:
        stamp = json.loads(stamp_path(step, directory).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    whole = isinstance(stamp, dict) and isinstance(stamp.get("outputs"), dict)
    return stamp if whole else {}


def write(step: Step, directory: Path, before: str, written: Iterable[Path]) -> Path:
    """Record a finished step: the fingerprint that it started with, and its outputs' digests.

    Files in the cache are no outputs: they can be made again and never go stale.
    """
    cache = (directory / "cache").resolve()
    outputs = {path.resolve() for path in written}
    kept = sorted(path for path in outputs if path.is_file() and cache not in path.parents)
    names = {str(path.relative_to(directory.resolve())): digest(path) for path in kept}
    text = json.dumps({"fingerprint": before, "outputs": names}, indent=1)
    return write_text(text + "\n", stamp_path(step, directory))
