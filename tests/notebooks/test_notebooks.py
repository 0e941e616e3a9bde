"""The notebooks run, say what they are kept as saying, and the tool fails where it must."""

import os
import re
import sys
import textwrap
from pathlib import Path

import nbformat
import pytest

from tools import notebooks

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e-?\d+)?"
HEAD = """---
jupyter:
  kernelspec:
    display_name: Python 3
    language: python
    name: python3
---

"""


def runnable():
    """The notebooks; the one that draws instances and evaluates needs the extra for it."""
    for text in notebooks.texts():
        needs = [pytest.mark.needs("evaluation")] if text.stem.startswith("03") else []
        yield pytest.param(text, id=text.stem, marks=needs)


@pytest.mark.parametrize("text", runnable())
def test_a_notebook_runs_from_nothing_without_a_warning(text, tmp_path):
    executed = notebooks.execute(text, tmp_path)
    kept = nbformat.read(text.with_suffix(".ipynb"), as_version=4)
    assert [cell.source for cell in kept.cells] == [cell.source for cell in executed.cells]
    for cell, other in zip(kept.cells, executed.cells, strict=True):
        assert _kinds(cell) == _kinds(other), cell.source
        words, numbers = _said(cell)
        assert _said(other)[0] == words, "run `make notebooks`"
        assert _said(other)[1] == pytest.approx(numbers, rel=0.03, abs=0.03), "`make notebooks`"
    last = [cell for cell in executed.cells if cell.cell_type == "code"][-1]
    assert any("image/png" in kinds for kinds in _kinds(last))  # a figure worth keeping
    assert "savefig" in last.source
    assert "## Things to try" in executed.cells[-1].source


@pytest.mark.parametrize("text", notebooks.texts(), ids=lambda text: text.stem)
def test_a_notebook_is_kept_as_its_text_says_and_names_no_machine(text):
    assert notebooks.in_step(text)
    kept = nbformat.read(text.with_suffix(".ipynb"), as_version=4)
    assert kept.metadata == notebooks.METADATA
    assert all(cell.metadata == {} for cell in kept.cells)
    numbers = [cell.execution_count for cell in kept.cells if cell.cell_type == "code"]
    assert numbers == list(range(1, len(numbers) + 1))
    for private in (str(Path.home()), str(notebooks.HOME), "/tmp/"):
        assert private not in text.with_suffix(".ipynb").read_text(encoding="utf-8")


@pytest.fixture
def written(tmp_path):
    def write(code: str) -> Path:
        text = tmp_path / "01_short.md"
        text.write_text(f"{HEAD}# Short\n\n```python\n{code}\n```\n", encoding="utf-8")
        return text

    return write


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import warnings\nwarnings.warn('mind this')", "wrote to stderr:\n.*mind this"),
        ("import sys\nprint('aside', file=sys.stderr)", "wrote to stderr:\naside"),
    ],
)
def test_errors_and_warnings_fail_and_leave_nothing(written, code, message):
    text = written(code)
    with pytest.raises(notebooks.NotebookError, match=f"(?s){message}"):
        notebooks.make(text)
    assert not text.with_suffix(".ipynb").exists()


def test_the_kernel_is_this_environments_and_runs_make_the_same_file(written):
    text = written("import sys\nprint(sys.prefix)")
    first = notebooks.make(text).read_bytes()
    assert f"{sys.prefix}\\n".encode() in first
    assert notebooks.make(text).read_bytes() == first


def test_no_kernel_is_left(written, tmp_path):
    executed = notebooks.execute(written("import os\nprint(os.getpid())"), tmp_path)
    with pytest.raises(ProcessLookupError):
        os.kill(int(executed.cells[-1].outputs[0]["text"]), 0)


def test_how_long_work_takes_is_not_in_a_notebook(written, tmp_path):
    code = """
        import time
        from capability_transfer.common import progress
        progress.EVERY = 0.02
        with progress.working("slow"):
            time.sleep(0.3)
        """
    assert notebooks.execute(written(textwrap.dedent(code)), tmp_path).cells[-1].outputs == []


def test_an_edited_notebook_is_not_written_over(written):
    text = written("1 + 1")
    pair = notebooks.make(text)
    assert notebooks.in_step(text)
    edited = nbformat.read(pair, as_version=4)
    edited.cells[-1].source = "1 + 2"
    nbformat.write(edited, pair)
    os.utime(pair, (text.stat().st_mtime + 9,) * 2)
    assert not notebooks.in_step(text)
    with pytest.raises(notebooks.NotebookError, match="edited after 01_short.md"):
        notebooks.make(text)


def _said(cell) -> tuple[str, list[float]]:
    """A cell's text without its numbers and spaces, and the numbers."""
    outputs = cell.get("outputs", [])
    text = "".join(out.get("text", out.get("data", {}).get("text/plain", "")) for out in outputs)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("−", "-"))
    numbers = re.findall(NUMBER, text)
    return re.sub(rf"{NUMBER}|[-+\s]", "", text), [float(number) for number in numbers]


def _kinds(cell) -> list[set[str]]:
    """What a cell puts out: the kinds of its outputs."""
    return [set(output.get("data", [output.output_type])) for output in cell.get("outputs", [])]
