"""Which package may import which, as docs/design.md draws it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = "capability_transfer"
PACKAGES = ("analysis", "common", "evaluation", "features", "R", OURS)

COMMAND_LINE = ("analysis.cli", "analysis.commands", "analysis.pipeline")
SHOWN = (
    "analysis.presentation",
    "common.progress",
    "analysis.studies",
    "analysis.report",
    *COMMAND_LINE,
)


def imports(path: Path) -> set[str]:
    """Modules of ours, and names in them, that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name.removeprefix(f"{OURS}.") for name in found if name.startswith(f"{OURS}.")}


def files(folder: str) -> list[Path]:
    """The source files below a folder."""
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found
    return found


def within(name: str, packages: tuple[str, ...]) -> bool:
    """Whether a module or a name in it belongs to one of some packages or modules."""
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


def against(folder: str, banned: tuple[str, ...], allowed: tuple[str, ...] = ()) -> list[str]:
    """Files below a folder, and what they import of ``banned`` besides ``allowed``."""
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files(folder)
        for name in sorted(imports(path))
        if within(name, banned) and not within(name, allowed)
    ]


@pytest.mark.parametrize(
    ("folder", "banned"),
    [
        ("common", ("features", "evaluation", "analysis")),
        ("features", ("evaluation", "analysis")),
        ("evaluation", ("analysis",)),
        ("analysis/outcomes", SHOWN),
        ("analysis/prediction", SHOWN),
        ("analysis/transfer_metrics", SHOWN),
        ("analysis/robustness", SHOWN),
        ("analysis/items", SHOWN),
        ("analysis/presentation", ("analysis.studies", "analysis.report", *COMMAND_LINE)),
        ("analysis/studies", ("analysis.report", *COMMAND_LINE)),
        ("analysis/report", COMMAND_LINE),
    ],
)
def test_a_package_knows_none_above(folder, banned):
    assert against(folder, banned) == []


def test_the_engine_knows_common_only():
    everything = ("analysis", "common", "evaluation", "features", "R")
    assert against("analysis/glmm", everything, ("analysis.glmm", "common")) == []


def test_analysis_and_evaluation_meet_in_how_answers_are_read():
    apart = against("analysis", ("evaluation",), ("evaluation.answers",))
    assert apart  # commands draw and check templates
    assert [line for line in apart if not line.startswith("analysis/commands/")] == []


def private(path: Path) -> list[str]:
    """Private names of other modules of ours that a file imports, or reads off a module."""
    tree = ast.parse(path.read_bytes())
    ours = {
        name.asname or name.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
        if f"{getattr(node, 'module', None) or name.name}.".startswith(f"{OURS}.")
    }
    read = [
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id in ours
    ]
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for name in sorted({*imports(path), *read})
        if any(part.startswith("_") and not part.startswith("__") for part in name.split("."))
    ]


def test_no_module_uses_a_private_name_of_another():
    assert [line for package in PACKAGES for path in files(package) for line in private(path)] == []
