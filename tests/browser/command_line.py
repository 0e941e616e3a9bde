"""The command line in this process, and what it printed."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from io import StringIO
from unittest.mock import patch

from analysis.cli import main


def transfer(*arguments: object) -> str:
    out, code = StringIO(), 0
    with patch.object(sys, "argv", ["transfer", *map(str, arguments)]), redirect_stdout(out):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    assert code == 0, out.getvalue()
    return out.getvalue()
