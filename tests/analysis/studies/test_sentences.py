"""Sentences for a paper: their numbers are those of the fit."""

import re

import numpy as np
import pytest
from capability_transfer.analysis.data import load
from capability_transfer.analysis.studies.main_model import fit

from tests.docs.pages import ROOT

EXAMPLES = ROOT / "docs" / "examples"
FORMULA = "~ (resource + reasoning) * size + (1 | variant) + (1 | language) + (1 | template)"


@pytest.fixture(scope="module")
def model():
    return fit(load(EXAMPLES / "outcomes.csv", EXAMPLES / "models.csv"), FORMULA, baseline=False)


def test_methods_state_the_data_and_the_model(model):
    methods = model.report().split("## Results")[0]
    assert "to 4,320 answers in 432 cells of 6 model variants, 6 languages, 12 templates" in methods
    assert f"`{model.formula}`" in methods
    assert "Data: cells of outcomes.csv; seed 20261006." in methods


def test_results_have_a_sentence_for_every_effect(model):
    results = model.report().split("## Results")[1]
    effects = model.fixed_effects.set_index("term")
    odds = re.search(r"Resource level multiplies the odds of a correct answer by ([\d.]+)", results)
    assert float(odds[1]) == pytest.approx(np.exp(effects.loc["resource", "estimate"]), abs=0.005)
    change = effects.loc["resource:size", "estimate"]
    told = f"{change:.2f}".replace("-", "−")
    assert f"The effect of resource level changes by {told} log-odds per unit of model" in results
    sds = model.random_effects.set_index("group")["sd"]
    assert f"Language {sds['language']:.2f}, Template {sds['template']:.2f}." in results


def test_what_has_to_be_said_is_said(model):
    told = model.report().partition("## To be said with them")[2]
    assert [line.strip("- \n") for line in told.split("\n\n")[1:]] == model.notes()
