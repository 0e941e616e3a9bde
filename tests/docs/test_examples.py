"""The code that the pages on extending show, run as a reader would enter it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import import_module

import pandas as pd
import pytest
import typer
from capability_transfer.analysis.commands import output, registry
from capability_transfer.analysis.data import load, read_cells
from capability_transfer.analysis.glmm import engines
from capability_transfer.analysis.outcomes import formats, mapping
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.analysis.pipeline import index, steps
from capability_transfer.analysis.studies.items import items
from capability_transfer.analysis.studies.main_model import fit
from capability_transfer.features import table
from typer.testing import CliRunner

from tests.docs.pages import ROOT, every_block, titled

EXAMPLES = ROOT / "docs" / "examples"
FORMULA = "~ resource + size + reasoning + (1 | variant) + (1 | language) + (1 | template)"


@pytest.fixture
def entered(tmp_path, monkeypatch):
    """A page's file as a module, its other files written below ``tmp_path``."""

    def enter(page: str, module: str):
        for name, text in titled(page).items():
            target = tmp_path / name.removeprefix("analysis/outcomes/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        (path,) = tmp_path.rglob(f"{module}.py")
        monkeypatch.syspath_prepend(path.parent)
        monkeypatch.delitem(sys.modules, module, raising=False)
        return import_module(module)

    return enter


@pytest.fixture(scope="module")
def example():
    return load(EXAMPLES / "outcomes.csv", EXAMPLES / "models.csv")


def test_an_engine(entered, monkeypatch, example):
    entered("add-an-engine.md", "variational")
    monkeypatch.setitem(engines.ENGINES, "variational", "variational")
    ours = fit(example, FORMULA)
    theirs = engines.engine("variational")(ours.formula, ours.data)
    effects = ours.fixed_effects.merge(theirs.fixed_effects, on="term")
    assert (effects["estimate_x"] - effects["estimate_y"]).abs().max() < 0.005
    errors = effects.set_index("term")[["std_error_x", "std_error_y"]].round(3)
    page = (ROOT / "docs" / "add-an-engine.md").read_text(encoding="utf-8")
    for stated in errors.loc[["resource", "(Intercept)"]].to_numpy().ravel():
        assert f"{stated:.3f}" in page
    assert theirs.modes["level"].nunique() == 24


def test_a_log_format(entered, monkeypatch, tmp_path):
    module = entered("add-a-log-format.md", "answer_sheets")
    monkeypatch.setattr(formats, "FORMATS", (module.FORMAT, *formats.FORMATS))
    monkeypatch.setattr(mapping, "files", lambda package: tmp_path)
    report = ingest([tmp_path / "sheets"], tmp_path / "outcomes.parquet")
    assert report.variants["variant"].tolist() == ["Qwen3-8B (reasoning off)"]
    assert report.languages["language"].tolist() == ["deu"]
    assert report.templates == 2
    assert pd.read_parquet(tmp_path / "outcomes.parquet")["correct"].tolist() == [True, False, True]


def test_a_feature(entered, monkeypatch):
    module = entered("add-a-feature-or-table.md", "latin")
    feature = table.Feature("latin", "language", module.build, ("latin",))
    monkeypatch.setattr(table, "FEATURES", (*table.FEATURES, feature))
    built = table.build_all(languages=["dan", "rus"]).languages
    assert built["latin"].tolist() == [1, 0]


def test_an_analysis_with_its_command(entered, monkeypatch, tmp_path):
    study = entered("add-a-feature-or-table.md", "gaps")
    monkeypatch.setitem(sys.modules, "capability_transfer.analysis.studies.gaps", study)
    monkeypatch.setattr(registry, "COMMANDS", {})
    entered("add-a-feature-or-table.md", "further")
    app = typer.Typer()
    app.command()(registry.COMMANDS["gaps"].function)
    with output.speaking("gaps"):
        ran = CliRunner().invoke(app, ["--language", "mr", "--out", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    assert "Mean gap: 37.7 points over 46 runs" in ran.output
    assert len(pd.read_csv(tmp_path / "gaps" / "table.csv")) == 46
    assert (tmp_path / "tables" / "table_gaps.tex").is_file()


def test_the_lines_that_index_an_analysis_and_make_it_a_step():
    known = {"CELLS": index.CELLS, "Item": index.Item, "Step": steps.Step}
    item, step = (
        eval(block.text, known)[0]
        for block in every_block()
        if block.text.startswith(("(Item(", "(Step("))
    )
    assert (item.name, item.step) == ("table_gaps", step.command) == ("table_gaps", "gaps")


def test_example_data_are_as_simulated(tmp_path):
    script = shutil.copy(EXAMPLES / "simulate.py", tmp_path)
    subprocess.run([sys.executable, script], check=True)
    logs = {f"logs/{path.name}" for path in (EXAMPLES / "logs").iterdir()}
    assert logs == {f"logs/{path.name}" for path in (tmp_path / "logs").iterdir()}
    for name in ("outcomes.csv", "translated.csv", "models.csv", "few.csv", *logs):
        assert (tmp_path / name).read_text() == (EXAMPLES / name).read_text()


def test_the_screen_finds_the_fault_that_is_planted():
    screened = items(read_cells(EXAMPLES / "translated.csv"))
    (found,) = screened.flagged.itertuples()
    assert (found.language, found.template) == ("deu", "q08")
    page = " ".join((ROOT / "docs" / "screen-a-benchmark.md").read_text(encoding="utf-8").split())
    assert f"in {found.observed:.0%} of cases instead of {found.expected:.0%}" in page
    cost = screened.views()[1]
    assert "points lost: accuracy expected of the flagged items" in cost.title
    lost = 100 * (found.expected - found.observed) / 12  # of twelve templates
    assert cost.display["Points lost"].tolist() == [f"{lost:.2f}", *["0.00"] * 5]
    assert not items(read_cells(EXAMPLES / "outcomes.csv")).items["flagged"].any()


@pytest.mark.needs("R")
def test_r_code_parses(tmp_path):
    code = [block.text for block in every_block() if block.language == "r"]
    assert len(code) > 2
    for text in code:
        (tmp_path / "code.R").write_text(text, encoding="utf-8")
        subprocess.run(["Rscript", "-e", "invisible(parse('code.R'))"], cwd=tmp_path, check=True)
