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

from tools.random_faults import Drawn, draw

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("R", "analysis", "benchmarks", "capability_transfer", "common", "docs", "evaluation",
          "features", "tests", "tools", "pyproject.toml")  # fmt: skip
LONGEST = 1800  # seconds of a run of tests
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


def run(root: Path, tests: Iterable[str], *options: str) -> int:
    """Exit status of the tests in a copy, up to the first that fails or never ends."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *options]
    try:
        done = subprocess.run(
            [*command, *tests], cwd=root, capture_output=True, text=True, check=False,
            env=os.environ | {"PYTHONPATH": str(root)}, timeout=LONGEST,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return FAILED[0]
    if done.returncode not in (PASSED, *FAILED, NONE):
        raise RuntimeError(f"pytest {' '.join(tests)} ended with {done.returncode}:\n{done.stdout}")
    return done.returncode


def is_caught(fault: Fault | Drawn, root: Path, *options: str) -> bool:
    """Whether a test fails in the copy with the fault, which is taken out again."""
    path = root / fault.file
    whole, wrong = path.read_bytes(), fault.planted(root)
    try:
        path.write_text(wrong, encoding="utf-8")
        return run(root, fault.tests, *options) in FAILED
    finally:
        path.write_bytes(whole)


def main(arguments: list[str] | None = None) -> int:
    """Plant every fault whose name has one of the words given, or faults drawn at random; 1 if any
    goes unnoticed."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutations", description=main.__doc__)
    parser.add_argument("word", nargs="*", help="of the names of the faults to plant")
    parser.add_argument("--random", type=int, metavar="N", help="plant N faults drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    given = parser.parse_args(arguments)
    if given.random:
        chosen, options = draw(ROOT, given.random, given.seed), ("-m", "quick")
    else:
        chosen, options = faults(), ()
    words = given.word
    chosen = [f for f in chosen if not words or any(word in f.name for word in words)]
    if not chosen:
        parser.error(f"no fault's name has {' or '.join(words)}")
    missed = 0
    with copied() as root:
        tests = sorted({test for fault in chosen for test in fault.tests})
        if run(root, tests, *options) != PASSED:
            print("The tests fail as they are: mend that first.")
            return 1
        for fault in chosen:
            caught = is_caught(fault, root, *options)
            missed += not caught
            print(f"{'caught' if caught else 'MISSED'}  {fault.name} ({fault.file})", flush=True)
    drawn = f", drawn with seed {given.seed}," if given.random else ""
    print(f"{len(chosen) - missed} of {len(chosen)} planted faults{drawn} are caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
