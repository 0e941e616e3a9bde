"""Tiers of tests: which of them ``make test`` runs and which ``make test-all`` adds.

Every test belongs to exactly one tier: that of its marker, of its folder, of what it needs, or of
its file's name; any other is a unit test. ``docs/testing.md`` says what each tier proves.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

QUICK = ("unit", "lme4", "commands")
"""Tiers that ``make test`` runs; such tests have the marker ``quick``."""

WHOLE = ("artefacts", "docs", "notebooks", "heavy")
"""Tiers that ``make test-all`` runs besides."""

APART = ("browser", "pymer4", "slow")
"""Tiers with targets of their own, which ``pytest`` alone leaves out."""

FOLDERS = ("browser", "docs", "notebooks")
"""Folders of tests that are a tier each."""

COMMANDS = re.compile(r"test_(\w+_)?(cli|commands?)(_\w+)?")
"""Names of the files that run commands."""


def tier(path: Path, markers: Collection[str], needs_r: bool = False) -> str:
    """The tier of a test.

    Args:
        path: its file, relative to the folder of tests.
        markers: names of all its markers.
        needs_r: whether it compares with lme4 in R.
    """
    for name in (*APART, *WHOLE):
        if name in markers or (name in FOLDERS and path.parts[0] == name):
            return name
    if COMMANDS.fullmatch(path.stem):
        return "commands"
    return "lme4" if needs_r else "unit"
