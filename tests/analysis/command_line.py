"""The command line in this process, since starting one costs seconds."""

from __future__ import annotations

import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from capability_transfer.analysis.cli import main


def is_filled(path: Path) -> bool:
    """Whether a result has content: a table rows, any other file more than a hundred bytes."""
    if path.suffix == ".csv":
        return len(path.read_text(encoding="utf-8").splitlines()) > 1
    return path.stat().st_size > 100


class Result(NamedTuple):
    """How a command ended and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def transfer(*arguments: object, cwd: Path) -> Result:
    """Run the command line as a shell would in the folder ``cwd``."""
    out, err, code = StringIO(), StringIO(), 0
    argv = ["transfer", *map(str, arguments)]
    with chdir(cwd), patch.object(sys, "argv", argv), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    return Result(code, out.getvalue(), err.getvalue())
