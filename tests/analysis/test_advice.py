"""Messages name options that there are, of the command that prints them."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
import typer
from capability_transfer.analysis import cli

ROOT = Path(cli.__file__).parents[1]
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
COMMAND = re.compile(r"`transfer ([a-z-]+)([^`]*)`")
OF_LOGS = ("ingest", "stages", "compliance", "compute")
"""The commands that read logs, all of which can print whatever a reader says."""

READERS = [
    *sorted((ROOT / "analysis" / "outcomes").glob("*.py")),
    *sorted((ROOT / "analysis" / "responses").glob("*.py")),
]
OTHERS = sorted(
    path
    for package in ("analysis", "features", "common")
    for path in (ROOT / package).rglob("*.py")
    if path not in READERS and path.parent.name != "report" and path.name != "cli.py"
)


def options():
    """Options by command; those of ``transfer`` itself under its name."""
    group = typer.main.get_command(cli.build())
    listed = {name: group.get_command(None, name) for name in group.list_commands(None)}
    return {
        name: {text for one in command.params for text in (*one.opts, *one.secondary_opts)}
        for name, command in ({"transfer": group} | listed).items()
    }


OPTIONS = options()


@cache
def nodes(path):
    """Everything that a module's source says, read once."""
    return list(ast.walk(ast.parse(path.read_text())))


def references(path):
    """The options that a module's messages refer to by ``option(…)``, with their lines."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "option":
            name = node.args[0]
            if isinstance(name, ast.Constant):  # a variable is a parameter's name by its value
                yield node.lineno, f"--{name.value.replace('_', '-')}"


def texts(path):
    """The texts of a module with their lines, but for docstrings; fields of f-strings left out."""
    parts = {
        id(part)
        for node in nodes(path)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    parts |= {id(node.value) for node in nodes(path) if isinstance(node, ast.Expr)}
    for node in nodes(path):
        if id(node) in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            constants = (one.value for one in node.values if isinstance(one, ast.Constant))
            yield node.lineno, " ".join(constants)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def unknown(path, anywhere):
    """Options that a module's texts name, with their places, and that no such command has."""
    for line, option in references(path):
        if not is_there(option, path, anywhere):
            yield path.name, line, option
    for line, text in texts(path):
        for name, rest in COMMAND.findall(text):
            yield from (
                (path.name, line, option)
                for option in OPTION.findall(rest)
                if option not in OPTIONS[name]
            )
        for option in OPTION.findall(COMMAND.sub("", text)):
            if not is_there(option, path, anywhere):
                yield path.name, line, option


def is_there(option, path, anywhere):
    """Whether all commands that can print what a reader says have an option; any, for others."""
    having = [option in known for known in anywhere]
    return any(having) if path in OTHERS else all(having)


def test_messages_refer_to_options_instead_of_spelling_them():
    """But for commands, which are told on the command line alone, and shell code in backticks."""
    spelt = [
        (path.name, line, option)
        for path in (*READERS, *OTHERS)
        if path.parent.name not in ("commands", "pipeline")
        for line, text in texts(path)
        if not OPTION.fullmatch(text)  # an argument to a program
        for option in OPTION.findall(re.sub("`[^`]*`", "", text))
    ]
    assert spelt == []
    assert sum(1 for path in (*READERS, *OTHERS) for _ in references(path)) > 50


def test_what_readers_of_logs_advise_is_there_wherever_logs_are_read():
    found = [one for path in READERS for one in unknown(path, [OPTIONS[n] for n in OF_LOGS])]
    assert found == []


def test_every_option_that_is_named_is_one():
    assert [one for path in OTHERS for one in unknown(path, OPTIONS.values())] == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('f"{x}: choose one, --scorer {y}"', []),
        ("f\"{x}: choose one, {option('scorer', y)}\"", []),
        ("f\"with {option('skip_damaged', True)}\"", []),
        ("option('drop_missing', True)", ["--drop-missing"]),  # ingest has none
        ('"a " "--scorers b"', ["--scorers"]),
        ('"--models"', ["--models"]),  # ingest has none
        ('"`transfer glmm --models FILE`"', []),
        ('"`transfer ingest --models FILE`"', ["--models"]),
    ],
)
def test_the_check_itself(tmp_path, text, wrong):
    path = tmp_path / "module.py"
    path.write_text(f'"""--docstring"""\nraise ValueError({text})\n')
    found = unknown(path, [OPTIONS[name] for name in OF_LOGS])
    assert [option for *_, option in found] == wrong
