"""``transfer items``, its exit status, and ``--without-items`` of every command that reads rows."""

import json

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.cli import READ, WRITERS, build
from capability_transfer.analysis.items.simulation import World, simulate
from typer.main import get_command

from tests.analysis.command_line import transfer

WORLD = World(models=8, languages=5, templates=30, answers=10, share=0.02, effect=-6.0)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("items")
    cells, truth = simulate(WORLD, np.random.default_rng(7))
    cells.to_csv(folder / "mine.csv", index=False)
    truth.to_csv(folder / "broken.csv", index=False)
    return folder


def test_broken_items_fail_the_run_unless_they_are_known(files):
    asked = ("items", "--outcomes", "mine.csv", "--fail-above", "0.99")
    first = transfer(*asked, cwd=files)
    assert first.returncode == 1
    table = pd.read_csv(files / "transfer-results" / "items" / "items.csv")
    failing = table[table["broken"] > 0.99]
    assert len(failing) >= 2
    assert set(failing["template"]) <= set(pd.read_csv(files / "broken.csv")["template"])
    for row in failing.itertuples():
        assert f"{row.language} {row.template}: broken with probability" in first.stdout
    again = transfer(*asked, "--known", "transfer-results/items/items.csv", cwd=files)
    assert again.returncode == 0


def test_json_names_the_failing_items(files):
    told = transfer("items", "--outcomes", "mine.csv", "--fail-above", "0.99", "--json", cwd=files)
    assert told.returncode == 1
    document = json.loads(told.stdout)
    failing = document["tables"]["failing"]
    assert len(failing) >= 2
    assert {row["template"] for row in failing} <= set(
        pd.read_csv(files / "broken.csv")["template"]
    )
    assert all(row["flagged"] is True for row in failing)
    assert len(document["tables"]["items"]) == 150


@pytest.mark.parametrize("limit", ["2", "-0.1"])
def test_a_limit_that_is_no_probability(files, limit):
    told = transfer("items", "--outcomes", "mine.csv", "--fail-above", limit, cwd=files)
    assert told.returncode == 2
    assert "--fail-above" in told.stderr


@pytest.mark.needs("templates")
@pytest.mark.parametrize(
    ("texts", "message"),
    [("l0=nowhere", "no templates for 'nowhere'"), ("Klingon=x", "unknown language 'Klingon'")],
)
def test_texts_that_are_not_there_are_named(files, texts, message):
    told = transfer("items", "--outcomes", "mine.csv", "--templates", texts, cwd=files)
    assert told.returncode == 2
    assert message in told.stderr


def test_a_command_leaves_items_out_and_says_so(files):
    told = transfer(
        "outcomes", "--outcomes", "mine.csv", "--without-items", "broken.csv", cwd=files
    )
    assert told.returncode == 0, told.stderr
    number = len(pd.read_csv(files / "broken.csv"))
    assert f"without {number} items" in told.stdout
    assert f"{number} items ({8 * number} of 1,200 rows) left out" in told.stdout


def test_totals_have_no_items_to_leave_out(files):
    told = transfer("equivalence", "--without-items", "broken.csv", "--out", "x", cwd=files)
    assert told.returncode == 2
    assert "--outcomes FILE" in told.stderr
    assert not (files / "x").exists()


def test_every_command_that_reads_outcomes_has_the_option():
    commands = get_command(build()).commands
    options = {name: {parameter.name for parameter in one.params} for name, one in commands.items()}
    reading = {name for name, own in options.items() if own & READ} - set(WRITERS)
    assert {name for name, own in options.items() if "without_items" in own} == reading
    assert {"glmm", "loo-predict", "penalty", "predict", "items", "stages"} <= reading
