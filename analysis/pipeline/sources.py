"""What a step is made from: the project's own modules that it imports, their data, the locks."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGES = ("analysis", "common", "evaluation", "features", "R")
ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-r.lock")


def modules(name: str) -> set[str]:
    """Every module of the project that ``name`` imports, itself included, directly or not.

    Read from the source, nothing is run. A module named in a string counts as imported, since
    engines and commands are loaded by name.
    """
    found: set[str] = set()
    waiting = [name]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        waiting += _mentioned(module)
    return found


def files(name: str) -> list[Path]:
    """The files behind ``name``: modules, R code, the data of every package touched, the locks."""
    touched = modules(name)
    found = {path for module in touched if (path := _path(module)) is not None}
    for folder in {path.parent for path in found}:
        for kept in ("data", "page"):
            found |= {path for path in folder.glob(f"{kept}/**/*") if path.is_file()}
    found |= set((ROOT / "R").glob("*.R"))
    found |= {ROOT / lock for lock in LOCKS}
    return sorted(path for path in found if path.is_file() and path.suffix != ".pyc")


@cache
def _mentioned(module: str) -> tuple[str, ...]:
    path = _path(module)
    if path is None:
        return ()
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
    own = {name for name in names if name.split(".")[0] in PACKAGES and _path(name) is not None}
    parents = {".".join(name.split(".")[:i]) for name in own for i in range(1, name.count(".") + 1)}
    return tuple(sorted(own | parents))


@cache
def _path(module: str) -> Path | None:
    """The source file of a module of the project; None for anything else."""
    if not all(part.isidentifier() for part in module.split(".")):
        return None
    base = ROOT.joinpath(*module.split("."))
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None
