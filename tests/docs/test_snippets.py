"""Every command and every piece of Python that a page prints runs as printed, in a clone.

A page's blocks run in order in one folder that looks like a fresh clone after set-up: the sources,
``.venv/bin`` with the programs, and nothing else but the files that the page says to write and the
lines that it says to enter. Blocks that take more than some fifteen seconds are slow (``make
scale``); the few that cannot run in a test are listed with the reason.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Block, every_block

ELSEWHERE = {
    "make glmm     #": "`make test` is this suite; `make glmm` runs from questions.md",
    "make test-all    #": "this suite",
    "make all ": "runs every analysis (an hour); test_clean_tree runs its steps",
    "git clone ADDRESS": "the address is the reader's, and cloning needs a network",
    "inspect eval evaluation/task.py --model vllm/": "needs a GPU and the weights of a model",
    "-m pytest tests/features": "these tests are part of this suite",
    "from pymer4.models": "pymer4 has an environment of its own, where test_pymer4 fits with it",
}
"""Blocks that are not run here, by a text that only they have, and why."""

SLOW = (
    "make glmm\n",
    "transfer predict --model",
    "transfer predict --params",
    "transfer sample-size",  # with predictions in one block
    "transfer few-templates\n",
    "glmm                      #",
    "--intervals profile",
    "--engine laplace --out transfer-results \\",
    "transfer transfer-metrics",
    "transfer instances",
    "found = ct.items()",
    "inspect eval",
    "from capability_transfer import",
)
"""Blocks of more than some fifteen seconds, by a text in them."""

NEEDS = {
    "glmm --outcomes": ("R",),
    "make glmm": ("R",),
    "glmm                      #": ("R",),
    "--tokenizer ": ("templates", "tokenizers"),
    "transfer templates": ("templates",),
    "transfer instances": ("templates",),
    "inspect eval": ("evaluation",),
}
STATUS = {"transfer templates --language dan": 1}
"""Commands whose status is another than 0, as the page says."""

FRAGMENTS = {"docs/add-an-engine.md": "def fit(formula, data, *, start=None"}
"""Python that shows a signature, and does nothing."""

FEATURE, ITEM, STEP, PREDICTOR = "(Feature(", "(Item(", "(Step(", "PairModel("
"""Lines to enter in a list, which test_examples.py holds to what they are made of."""

BLOCKS = [
    block for block in every_block() if block.language in ("sh", "python") and not block.title
]


def _enter(path: Path, *replacements: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in replacements:
        assert text.count(old) == 1, f"{path}: {old}"
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def _assignment(path: Path, name: str) -> str:
    """The statement of a source file that gives a name its value."""
    text = path.read_text(encoding="utf-8")
    (found,) = (
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in ast.unparse(node).split("=")[0]
    )
    return ast.get_source_segment(text, found)


def enter(block: Block, clone: Path) -> None:
    """Write what a block of Python says to enter in a registry of the clone."""
    line = block.text.strip()
    if line.startswith(FEATURE):
        _enter(
            clone / "features/table.py",
            ("features import articles,", "features import latin, articles,"),
            ("\nFEATURES = (\n", f"\nFEATURES = (\n    {line[1:-1]}\n"),
        )
    elif line.startswith(PREDICTOR):
        path = clone / "analysis/prediction/predictors.py"
        _enter(path, ("\nMODELS = (\n", f"\nMODELS = (\n{line},\n"))
    elif line.startswith("FORMATS"):
        path = clone / "analysis/outcomes/formats.py"
        imports = "from capability_transfer.analysis.outcomes import (\n"
        _enter(
            path, (imports, f"{imports}    answer_sheets,\n"), (_assignment(path, "FORMATS"), line)
        )
    elif line.startswith("ENGINES"):
        path = clone / "analysis/glmm/engines.py"
        _enter(path, (_assignment(path, "ENGINES"), line))


def is_entered(block: Block) -> bool:
    return block.text.startswith((FEATURE, ITEM, STEP, PREDICTOR, "FORMATS", "ENGINES"))


def _named(block: Block, texts) -> list[str]:
    return [text for text in texts if text in block.text]


def _run_here() -> list:
    """The blocks as parameters; one that several pages print in the same words runs once."""
    found, seen = [], set()
    for block in BLOCKS:
        if block.text in seen:
            continue
        seen.add(block.text)
        if is_entered(block) or _named(block, ELSEWHERE) or _named(block, FRAGMENTS.values()):
            continue
        needs = sorted({name for text in _named(block, NEEDS) for name in NEEDS[text]})
        marks = [pytest.mark.needs(*needs)] if needs else []
        marks += [pytest.mark.slow] if _named(block, SLOW) else []
        first = block.text.strip().splitlines()[0].removeprefix(".venv/bin/")
        found.append(pytest.param(block, marks=marks, id=f"{block.page}: {first}"[:100]))
    return found


def _program(block: Block) -> str:
    """A block of Python as a program: one that imports nothing of ours goes on from the last that
    does."""
    if "capability_transfer" in block.text:
        return block.text
    of_page = [one for one in BLOCKS if one.page == block.page and one.language == "python"]
    before = of_page[: of_page.index(block)]
    begun = [one.text for one in before if "capability_transfer" in one.text]
    return "\n".join([*begun[-1:], block.text])


def _copy(folder: Path) -> Path:
    """The sources, the set-up done, and programs that run the copy's own code."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / "tools/setup.sh").write_text("#!/bin/sh\n", encoding="utf-8")
    programs = folder / ".venv/bin"
    programs.mkdir(parents=True)
    for name in ("python", "transfer", "inspect"):
        script = "" if name == "python" else f' "{Path(sys.executable).parent / name}"'
        path = programs / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}"{script} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def clone_of(tmp_path_factory):
    """A clone for every page, where finished fits are shared."""
    made: dict[str, Path] = {}
    kept = tmp_path_factory.mktemp("kept")

    def clone(page: str) -> Path:
        if page not in made:
            folder = made[page] = _copy(tmp_path_factory.mktemp("page") / "clone")
            (folder / "results/cache").symlink_to(kept)
            for block in every_block():
                if block.page == page and block.title:
                    (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
                    (folder / block.title).write_text(block.text, encoding="utf-8")
                elif block.page == page and block.language == "python":
                    enter(block, folder)
        return made[page]

    return clone


@pytest.mark.parametrize("block", _run_here())
def test_runs_as_printed(block, clone_of):
    clone = clone_of(block.page)
    if block.language == "python":
        (clone / "first.py").write_text(_program(block), encoding="utf-8")
        words = [".venv/bin/python", "first.py"]
    else:
        words = ["bash", "-euo", "pipefail", "-c", block.text]
    ended = subprocess.run(
        words,
        cwd=clone,
        env=os.environ | {"PYTHONPATH": str(clone), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
    )
    (status,) = {STATUS[text] for text in _named(block, STATUS)} or {0}
    assert ended.returncode == status, ended.stdout[-2000:] + ended.stderr[-4000:]


@pytest.mark.parametrize("text", [*ELSEWHERE, *SLOW, *NEEDS, *STATUS, *FRAGMENTS.values()])
def test_what_is_listed_is_printed(text):
    """A list that names what no page prints any more would excuse the next block by mistake."""
    assert [block for block in BLOCKS if text in block.text]


def test_no_command_hides_in_a_block_without_a_language():
    for block in every_block():
        assert block.language, f"{block.page}: {block.text[:60]}"
