"""Every test is in one tier, and every tier but the full-size checks is run by CI."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.tiers import APART, QUICK, WHOLE, tier

HOME = Path(__file__).parents[1]
MAKEFILE = (HOME / "Makefile").read_text()
OPTIONS = tomllib.loads((HOME / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]


@pytest.mark.parametrize(
    ("path", "markers", "needs_r", "expected"),
    [
        ("analysis/test_levers.py", (), False, "unit"),
        ("analysis/test_levers.py", ("parametrize", "needs"), True, "lme4"),
        ("analysis/test_cli_output.py", (), False, "commands"),
        ("evaluation/test_commands.py", (), False, "commands"),
        ("analysis/studies/test_robustness_command.py", (), True, "commands"),
        ("analysis/outcomes/test_ingest_command.py", ("heavy",), False, "heavy"),
        ("analysis/test_climate.py", (), False, "unit"),
        ("docs/test_commands.py", (), False, "docs"),
        ("docs/test_snippets.py", ("slow",), True, "slow"),
        ("docs/test_figures.py", ("artefacts",), False, "artefacts"),
        ("notebooks/test_notebooks.py", (), False, "notebooks"),
        ("browser/test_report.py", ("browser",), False, "browser"),
        ("analysis/glmm/test_pymer4.py", ("needs", "pymer4"), True, "pymer4"),
    ],
)
def test_the_tier_of_a_test(path, markers, needs_r, expected):
    assert tier(Path(path), markers, needs_r) == expected


def test_markers_are_given_before_tests_are_chosen_by_them(request):
    for item in request.session.items:
        markers = {mark.name for mark in item.iter_markers()}
        found = tier(item.path.relative_to(HOME / "tests"), markers, "lme4" in markers)
        assert found in markers, item.nodeid
        assert ("quick" in markers) == (found in QUICK), item.nodeid


def test_every_tier_is_a_marker_that_is_explained():
    declared = {text.split(":")[0] for text in OPTIONS["markers"]}
    assert declared == {*QUICK, *WHOLE, *APART, "needs", "quick"}


def recipe(target: str) -> str:
    return re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.M)[1]


def test_ci_runs_every_tier_but_the_full_size_checks():
    """A tier that pytest alone leaves out has a target, and CI's target has that target."""
    assert (HOME / ".ci" / "run").read_text().splitlines()[-1] == "make test-all"
    left_out = re.search(r"-m '(.*)'", OPTIONS["addopts"])[1]
    assert left_out == " and ".join(f"not {name}" for name in ("slow", "browser", "pymer4"))
    assert sorted(APART) == ["browser", "pymer4", "slow"]
    whole = recipe("test-all")
    assert "\t$(pytest) $(ARGS)\n" in whole  # without -m: all that addopts leaves in
    options = re.search(r"^pytest := .venv/bin/python -m pytest (.*)$", MAKEFILE, re.M)[1]
    assert options == "--numprocesses $(WORKERS) --maxprocesses 4 --dist worksteal"
    make, *words = whole.splitlines()[-1].split()  # side by side: make fails if one of them does
    assert make == "$(MAKE)"
    assert {"test-wheel", "test-browser", "test-pymer4"} <= set(words)
    for name in ("browser", "pymer4"):
        assert f"pytest -m {name} tests/" in recipe(f"test-{name}")
    assert recipe("scale").endswith("pytest -m slow $(ARGS)\n")  # of all tests
    assert "-m quick" in recipe("test")
