"""Commands leave a clone as it was: the same data and code write the same files."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("analysis", "features", "evaluation", "common", "benchmarks", "tools")

CHEAP = ["overview", "equivalence", "sample-size", "levers"]
"""Commands of a few seconds each."""

SLOW = ["outcomes", "features", "penalty", "glmm", "ceiling", "specifications", "transfer-metrics",
        "robustness", "hat-noise"]  # fmt: skip

OWN_OPTIONS = [
    ["sample-size", "--n-templates", "5"],
    ["equivalence", "--margin", "2"],
    ["glmm", "--engine", "laplace", "--formula", "~ size + (1 | variant)"],
]
OTHER_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR X86_V3",
}
"""Kernels of linear algebra and of NumPy as an older processor has them."""


def copy_to(folder: Path) -> Path:
    """The sources at hand in a repository of their own, with nothing of what commands keep."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    _git(folder, "init", "-q")
    commit(folder)
    return folder


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return copy_to(tmp_path_factory.mktemp("clean") / "clone")


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    return copy_to(tmp_path_factory.mktemp("committed") / "clone")


def commit(folder: Path) -> None:
    _git(folder, "add", "-A")
    who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    _git(folder, *who, "commit", "-qm", "as it is", "--allow-empty")


def _git(folder: Path, *words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=folder, text=True)


def run(folder: Path, *words: str, **environment: str) -> None:
    """A command of the clone's own code."""
    code = (
        "import sys; from capability_transfer.analysis.cli import main; "
        "sys.argv[0] = 'transfer'; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr


def changed(folder: Path) -> str:
    return _git(folder, "status", "--porcelain")


@pytest.mark.parametrize("words", OWN_OPTIONS, ids=" ".join)
@pytest.mark.heavy
def test_options_of_ones_own_leave_a_clone_as_it_was(words, clone):
    run(clone, *words)
    assert changed(clone) == ""
    assert (clone / "transfer-results").is_dir()


@pytest.mark.parametrize("name", [*CHEAP, *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)])
@pytest.mark.heavy
def test_a_command_writes_the_same_files_on_another_processor(name, clone):
    """Twice, from nothing: with this processor's kernels, then with those of another."""
    run(clone, name)
    commit(clone)
    shutil.rmtree(clone / "results" / "cache", ignore_errors=True)
    run(clone, name, **OTHER_PROCESSOR)
    assert changed(clone) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CHEAP, *SLOW])
def test_a_command_writes_what_is_committed(name, committed):
    run(committed, name)
    assert changed(committed) == "", f"the results are not those of this code: make {name}"


def _unstable(path: Path) -> list[str]:
    """Sorts whose order of equal values hangs on the processor: of one key, without a kind."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        several = node.args and isinstance(node.args[0], ast.List | ast.Call)
        kinds = {keyword.arg: keyword.value for keyword in node.keywords}
        if node.func.attr in ("sort_values", "argsort") and not several and "kind" not in kinds:
            found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def test_equal_values_are_sorted_alike_on_every_processor():
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(files) > 200
    assert [place for path in files for place in _unstable(path)] == []
