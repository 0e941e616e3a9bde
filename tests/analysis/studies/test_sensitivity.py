"""Conclusions with all items and without some, on a small study and by hand."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.studies import sensitivity as s
from capability_transfer.analysis.studies.items import items
from capability_transfer.common.errors import InputError

import capability_transfer as ct

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def listed(study):
    templates = study.cells["template"].unique()[:2]
    return pd.DataFrame({"language": ["rus", "rus", "deu"], "template": [*templates, templates[0]]})


@pytest.fixture(scope="module")
def found(study, listed):
    return s.sensitivity(study, listed, predictors=[])


def test_effects_are_those_of_both_fits(found, study, listed):
    left = ct.fit(study.without(listed), baseline=False)
    fixed = found.effects[found.effects["part"] == "fixed"]
    assert fixed["estimate_without"].to_numpy() == pytest.approx(
        left.fixed_effects["estimate"].to_numpy(), abs=1e-6
    )
    moved = (fixed["estimate_without"] - fixed["estimate"]) / fixed["std_error"]
    assert fixed["moved"].to_numpy() == pytest.approx(moved.to_numpy())
    assert found.number == 3
    assert found.held_out.empty
    assert found.penalty.empty  # of the study's totals alone


def test_accuracies_by_language(found, study, listed):
    row = found.languages.set_index("language").loc["rus"]
    cells = study.cells.query("language == 'rus'")
    kept = cells[~cells["template"].isin(listed["template"])]
    assert row["flagged"] == 2
    assert row["accuracy"] == pytest.approx(cells["n_correct"].sum() / cells["n_total"].sum())
    assert row["without"] == pytest.approx(kept["n_correct"].sum() / kept["n_total"].sum())
    table = items(study).items.query("language == 'rus'")
    usual = table["observed"].where(~table["template"].isin(listed["template"]), table["expected"])
    assert row["adjusted"] == pytest.approx(usual.mean())
    english = found.languages.set_index("language").loc["eng"]
    assert row["gap"] == pytest.approx(100 * (english["accuracy"] - row["accuracy"]))


def test_it_is_written_beside_the_screen(found, tmp_path):
    found.write(tmp_path)
    assert (tmp_path / "items" / "sensitivity.json").exists()
    assert not (tmp_path / "items" / "README.md").exists()
    assert (tmp_path / "figures" / "figure_items_sensitivity.png").stat().st_size > 10_000
    assert "standard errors" in found.findings()[0]


def test_the_penalty_lies_between_its_bounds_and_moves_with_the_flagged_items():
    study = ct.load()
    listed = pd.DataFrame({"language": ["rus"], "template": ["873"]})
    table = s._penalty(study, study.without(listed)).set_index("language")
    assert table.loc["eng", "gap"] == pytest.approx(table.loc["eng", "gap_without"])
    row = table.loc["rus"]
    cells = study.cells.query("language == 'rus'")
    kept = cells[cells["template"] != "873"]
    means = [one["n_correct"].sum() / one["n_total"].sum() for one in (cells, kept)]
    assert row["gap"] - row["gap_without"] == pytest.approx(100 * np.diff(means)[0])
    assert row["gap_low"] < row["gap_without"] < row["gap_high"]
    assert row["gap_high"] - row["gap_low"] == pytest.approx(100 / 99, rel=0.1)


def test_without_flagged_items_there_is_nothing_to_leave_out(study):
    with pytest.raises(InputError, match="no item is flagged"):
        s.sensitivity(study, items(study, threshold=1 - 1e-12), predictors=[])
