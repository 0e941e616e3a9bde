"""Run the notebooks top to bottom and keep their outputs: ``make notebooks``.

A notebook is a pair: ``NN_name.md`` is what one edits and reviews, ``NN_name.ipynb`` is made of it,
with outputs. Execution is in a fresh kernel of this environment, in an empty folder. Anything on
stderr, a warning above all, fails like an error does; then nothing is written.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import jupytext
import nbformat
from capability_transfer.common.files import write_text
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode

HOME = Path(__file__).parents[1]
FOLDER = HOME / "notebooks"
SECONDS = 600
METADATA = {
    "jupytext": {"formats": "ipynb,md"},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
"""What a notebook says of itself, whatever machine executed it."""

QUIET = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "TRANSFER_PROGRESS": "off",  # which says how slow a machine is
}


class NotebookError(Exception):
    """A notebook that failed, or warned, or is not what its text says."""


def texts() -> list[Path]:
    """The notebooks' texts, in order."""
    return sorted(FOLDER.glob("[0-9][0-9]_*.md"))


def read(text: Path) -> NotebookNode:
    """A text as a notebook without outputs, its cells numbered."""
    notebook = jupytext.read(text)
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number:02}", nbformat.from_dict({})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def in_step(text: Path) -> bool:
    """Whether the notebook beside a text has the text's cells."""
    pair = text.with_suffix(".ipynb")
    return pair.exists() and _sources(read(text)) == _sources(nbformat.read(pair, as_version=4))


def execute(text: Path, folder: Path) -> NotebookNode:
    """The executed notebook of a text, in a new kernel of this environment, run in ``folder``.

    Raises NotebookError for an error, for any output on stderr, and after ``SECONDS`` in one cell.
    """
    notebook = read(text)
    kernels = KernelSpecManager(kernel_dirs=[str(Path(sys.prefix) / "share/jupyter/kernels")])
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=kernels)
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=SECONDS,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # else it warns of its open sockets
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,
    )
    with tempfile.TemporaryDirectory() as profile:
        surroundings = os.environ | QUIET | {"IPYTHONDIR": profile}
        try:
            client.execute(env=surroundings, cleanup_kc=True)  # the kernel, too
        except (CellExecutionError, CellTimeoutError) as error:
            raise NotebookError(f"{text.name}: {error}") from None
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise NotebookError(f"{text.name}, {cell.id} wrote to stderr:\n{output.text}")
    return notebook


def write(notebook: NotebookNode, path: Path) -> Path:
    """A notebook as a file, whole or not at all."""
    nbformat.validate(notebook)
    return write_text(nbformat.writes(notebook) + "\n", path)


def make(text: Path) -> Path:
    """Execute a text and write its notebook.

    Raises NotebookError where the notebook was edited after the text and says something else.
    """
    pair = text.with_suffix(".ipynb")
    edited = pair.exists() and pair.stat().st_mtime > text.stat().st_mtime
    if edited and not in_step(text):
        raise NotebookError(
            f"{pair.name} was edited after {text.name}: `jupytext --sync {pair.name}` takes the "
            f"edit into the text; `touch {text.name}` gives it up"
        )
    with tempfile.TemporaryDirectory() as folder:
        return write(execute(text, Path(folder)), pair)


def main(names: list[str]) -> int:
    """Make the notebooks whose file names begin with one of ``names``; all of them without."""
    chosen = [text for text in texts() if not names or text.name.startswith(tuple(names))]
    if not chosen:
        print(f"no notebook is called {', '.join(names)}", file=sys.stderr)
        return 2
    for number, text in enumerate(chosen, 1):
        print(f"{number}/{len(chosen)} {text.stem} …", end=" ", flush=True)
        began = time.monotonic()
        try:
            make(text)
        except NotebookError as error:
            print("failed")
            print(error, file=sys.stderr)
            return 1
        print(f"{time.monotonic() - began:.0f} s")
    return 0


def _sources(notebook: NotebookNode) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
