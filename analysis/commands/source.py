"""What a command takes and is for, read from its source: nothing is imported.

Help lists every command, and completion has to answer within a key press; importing a command
costs seconds, since it brings what it runs.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

import typer
from capability_transfer.analysis.commands import complete

HERE = Path(__file__).parent


def described(name: str) -> Callable[..., None]:
    """A function with the options and the docstring of the command ``name``, to be shown only.

    Values are texts there, whatever their type, and defaults are not known; the names of options,
    their completions and which of them are flags are the command's.
    """
    function = _command(name)
    parameters = list(_parameters(function))

    def stand_in(**_: object) -> None:
        raise RuntimeError(f"{name} was described, not imported")

    stand_in.__doc__ = ast.get_docstring(function)
    stand_in.__signature__ = inspect.Signature(parameters)
    stand_in.__annotations__ = {one.name: one.annotation for one in parameters}
    return stand_in


def _command(name: str) -> ast.FunctionDef:
    for node in _tree(name.replace("-", "_")).body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            return node
    raise RuntimeError(f"capability_transfer.analysis.commands.{name} has no function command")


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse((HERE / f"{module}.py").read_bytes())


@cache
def _shared() -> dict[str, ast.expr]:
    """The option declarations of ``options.py`` by name."""
    return {
        node.targets[0].id: node.value
        for node in _tree("options").body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _parameters(function: ast.FunctionDef) -> Iterator[inspect.Parameter]:
    arguments = function.args.args
    required = len(arguments) - len(function.args.defaults)
    for position, argument in enumerate(arguments):
        node = argument.annotation
        if isinstance(node, ast.Attribute):
            node = _shared()[node.attr]
        kind, call = node.slice.elts  # of Annotated[kind, typer.Option(...)]
        text = ast.unparse(kind)
        flag = text.removesuffix(" | None") == "bool"
        plain = bool if flag else list[str] if text.startswith("list[") else str
        default = False if plain is bool else None
        yield inspect.Parameter(
            argument.arg,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if position < required else default,
            annotation=Annotated[plain, _declared(call)],
        )


def _declared(call: ast.Call) -> object:
    """``typer.Option`` or ``typer.Argument`` with the names, help and completion of the source."""
    names = [node.value for node in call.args if isinstance(node, ast.Constant)]
    known = {}
    for keyword in call.keywords:
        if keyword.arg == "help":
            known["help"] = _text(keyword.value)
        if keyword.arg == "autocompletion":
            known["autocompletion"] = getattr(complete, keyword.value.attr)
    return getattr(typer, call.func.attr)(*names, **known)


def _text(node: ast.expr) -> str:
    """A text's constant parts; what would have to be computed is left out."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)
