"""Every command line in the documentation names what there is: targets, commands, options."""

from __future__ import annotations

import re

import pytest
import typer
from capability_transfer.analysis.cli import build

from tests.docs.pages import PAGES, ROOT, every_block, titled

SHELL = [block for block in every_block() if block.language in ("sh", "")]
LINES = [
    pytest.param(words, id=f"{block.page}: {' '.join(words)}"[:110])
    for block in SHELL
    for words in block.commands()
]
TARGETS = set(re.findall(r"^([a-z][a-z0-9-]*):", (ROOT / "Makefile").read_text(), re.M))
VARIABLES = set(re.findall(r"^([A-Z]+)\s*\?=", (ROOT / "Makefile").read_text(), re.M))
MENTION = re.compile(r"`(make|transfer) ([a-z][a-z0-9-]+)\b")
OTHERS = {"git", "cd"}
WRITTEN = {"export.py"}  # that a page says to write


@pytest.fixture(scope="module")
def transfer():
    return typer.main.get_command(build())


def test_there_are_commands_to_check():
    assert len(LINES) > 40


@pytest.mark.parametrize("words", LINES)
def test_command(words, transfer):
    program, *arguments = words
    if program == "make":
        assert {word for word in arguments if "=" not in word} <= TARGETS
        assert {word.split("=")[0] for word in arguments if "=" in word} <= VARIABLES
    elif program in ("transfer", ".venv/bin/transfer"):
        context = transfer.make_context("transfer", arguments)
        name, command, rest = transfer.resolve_command(context, context._protected_args)
        rest = [*rest, *context.args]
        if "--help" not in rest:
            command.make_context(name, rest, parent=context)  # raises for what is not an option
    elif program == ".venv/bin/python":
        assert arguments[-1] in WRITTEN or (ROOT / arguments[-1]).exists()
    elif program == ".venv/bin/inspect":
        assert arguments[0] == "eval"
        assert (ROOT / arguments[1]).exists()
    else:
        assert program in OTHERS


INLINE = [
    pytest.param(words, id=f"{path.relative_to(ROOT)}: {' '.join(words)}")
    for path in PAGES
    for words in sorted(set(MENTION.findall(path.read_text(encoding="utf-8"))))
]


@pytest.mark.parametrize("words", INLINE)
def test_mention(words, transfer):
    """What is named in running text exists as well."""
    program, name = words
    written = {file for page in (ROOT / "docs").glob("*.md") for file in titled(page.name)}
    if f"analysis/commands/{name}.py" not in written:
        assert name in (TARGETS if program == "make" else transfer.commands)
