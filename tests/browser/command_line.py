"""What a command that succeeds prints."""

from __future__ import annotations

from pathlib import Path

from tests.analysis import command_line


def transfer(*arguments: object) -> str:
    ended = command_line.transfer(*arguments, cwd=Path.cwd())
    assert ended.returncode == 0, ended
    return ended.stdout
