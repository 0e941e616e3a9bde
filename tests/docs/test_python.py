"""The Python that the README and the pages for newcomers print, run as it is printed."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from tests.docs.pages import ROOT, blocks


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder that looks like a clone to the snippets, and takes what they write."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")


def run(page: str) -> dict:
    """Execute a page's Python blocks in order, in one namespace."""
    names: dict = {}
    for block in blocks(ROOT / page):
        if block.language == "python":
            exec(compile(block.text, page, "exec"), names)
    return names


def test_readme(clone, capsys):
    names = run("README.md")
    said = capsys.readouterr().out
    assert re.search(r"^Model size +1\.768 ", said, re.M)  # the published estimate
    assert "Swahili" in said
    assert names["own"].fixed_effects["term"].tolist() == [
        *("(Intercept)", "resource", "size", "reasoning")
    ]
    assert (clone / "effects.png").stat().st_size > 10_000


def test_cells_for_r(clone):
    run("docs/for-r-users.md")
    cells = pd.read_csv(clone / "cells.csv")
    assert len(cells) == 69_000
    assert {"n_correct", "n_total", "resource", "family"} <= set(cells)
