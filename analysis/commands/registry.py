"""How a function becomes a command of ``transfer``.

Modules of commands are imported at every start, help and completion included. So they import
what an analysis needs inside the functions, not above them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Function = Callable[..., None]


@dataclass(frozen=True)
class Command:
    """A function with Typer's options, and worked examples by what they do."""

    function: Function
    examples: Mapping[str, str] = field(default_factory=dict)


COMMANDS: dict[str, Command] = {}
"""Commands by name, filled as their modules are imported."""


def command(examples: Mapping[str, str] | None = None) -> Callable[[Function], Function]:
    """Register a function as the command of its name, underscores as hyphens."""

    def register(function: Function) -> Function:
        name = function.__name__.rstrip("_").replace("_", "-")
        COMMANDS[name] = Command(function, examples or {})
        return function

    return register


def names(module: str) -> tuple[str, ...]:
    """The commands that a module defines, in its order."""
    return tuple(name for name, one in COMMANDS.items() if one.function.__module__ == module)
