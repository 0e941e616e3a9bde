"""Which package may import which: what is known before an evaluation knows no analysis."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = "capability_transfer."


def imported(path: Path) -> set[str]:
    """Modules of ours that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name.removeprefix(OURS) for name in found if name.startswith(OURS)}


def against(folder: str, banned: str, apart: str = "", allowed: str = "") -> list[str]:
    """Files below a folder, and what they import of ``banned`` besides ``allowed``."""
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        if not apart or not path.is_relative_to(ROOT / apart)
        for name in sorted(imported(path))
        if f"{name}.".startswith(f"{banned}.") and name != banned
        if not allowed or not f"{name}.".startswith(f"{allowed}.")
    ]


@pytest.mark.parametrize(
    ("folder", "banned"),
    [
        ("common", "features"),
        ("common", "evaluation"),
        ("common", "analysis"),
        ("features", "evaluation"),
        ("features", "analysis"),
        ("evaluation", "analysis"),
    ],
)
def test_a_package_below_knows_none_above(folder, banned):
    assert against(folder, banned) == []


def test_analysis_and_evaluation_meet_in_how_answers_are_read():
    assert against("analysis", "evaluation", "analysis/commands", "evaluation.answers") == []
    assert against("analysis", "evaluation", "analysis/commands")  # which it does read
