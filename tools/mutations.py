"""``make mutations``: plant known faults one by one, and see that the tests named with each fail.

The faults are data (``mutations.toml``): a text that stands once in a file, what takes its place,
and the tests that must notice. Planting happens in a copy of the project, never in the project.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("R", "analysis", "benchmarks", "capability_transfer", "common", "docs", "evaluation",
          "features", "tests", "tools", "pyproject.toml")  # fmt: skip
PASSED, FAILED, NONE = 0, (1, 2), 5  # pytest's exit status; 2: a file of tests cannot be read


@dataclass(frozen=True)
class Fault:
    """A fault to plant.

    Attributes:
        name: what goes wrong.
        file: where, below the project's root.
        text: what stands there, once.
        replacement: what takes its place.
        tests: files or folders of tests of which one must fail.
    """

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]

    def planted(self, root: Path) -> str:
        """The file's contents with the fault; raises ValueError unless the text stands once."""
        source = (root / self.file).read_text(encoding="utf-8")
        if (count := source.count(self.text)) != 1:
            raise ValueError(f"{self.name}: its text stands {count} times in {self.file}")
        return source.replace(self.text, self.replacement)


def faults(path: Path = LIST) -> list[Fault]:
    """The faults of a list."""
    with path.open("rb") as file:
        listed = tomllib.load(file)["fault"]
    return [Fault(**one | {"tests": tuple(one["tests"])}) for one in listed]


@contextmanager
def copied(root: Path = ROOT) -> Iterator[Path]:
    """A copy of what the tests need, for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        for name in COPIED:
            source, target = root / name, Path(folder) / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, target)
        yield Path(folder)


def run(root: Path, tests: Iterable[str]) -> int:
    """Exit status of the tests in a copy, up to the first that fails."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False,
                          env=os.environ | {"PYTHONPATH": str(root)})  # fmt: skip
    if done.returncode not in (PASSED, *FAILED, NONE):
        raise RuntimeError(f"pytest {' '.join(tests)} ended with {done.returncode}:\n{done.stdout}")
    return done.returncode


def is_caught(fault: Fault, root: Path) -> bool:
    """Whether a test fails in the copy with the fault, which is taken out again."""
    path = root / fault.file
    whole, wrong = path.read_bytes(), fault.planted(root)
    try:
        path.write_text(wrong, encoding="utf-8")
        return run(root, fault.tests) in FAILED
    finally:
        path.write_bytes(whole)


def main(arguments: list[str] | None = None) -> int:
    """Plant every fault whose name has one of the words given; 1 if any goes unnoticed."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutations", description=main.__doc__)
    parser.add_argument("word", nargs="*", help="of the names of the faults to plant")
    words = parser.parse_args(arguments).word
    chosen = [f for f in faults() if not words or any(word in f.name for word in words)]
    if not chosen:
        parser.error(f"no fault's name has {' or '.join(words)}")
    missed = 0
    with copied() as root:
        tests = sorted({test for fault in chosen for test in fault.tests})
        if run(root, tests) != PASSED:
            print("The tests fail as they are: mend that first.")
            return 1
        for fault in chosen:
            caught = is_caught(fault, root)
            missed += not caught
            print(f"{'caught' if caught else 'MISSED'}  {fault.name} ({fault.file})", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} planted faults are caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
