"""The drop as a GLMM of MGSM-Pro's counts, against lme4."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.robustness import mgsm_pro
from capability_transfer.analysis.robustness.scores import drop_data, formula, implied_counts
from capability_transfer.common.errors import InputError


@pytest.fixture(scope="module")
def scores():
    return implied_counts(mgsm_pro.published_scores(), mgsm_pro.QUESTIONS, mgsm_pro.INSTANCES)


@pytest.fixture(scope="module")
def resource():
    return mgsm_pro.resource_groups().map({"high": 1.0, "low": 0.0})


def test_implied_counts_give_the_percentages_back(scores):
    given = scores["accuracy"].notna()
    share = scores["n_correct"] / scores["n_total"]
    difference = (share - scores["accuracy"])[given].abs()
    assert difference[scores["perturbation"] != "original"].max() <= 0.5 / 1240 + 1e-9
    others = scores["variant"] != "Gemma 2 9B"
    assert difference[others].max() <= 0.0005 + 1e-9


def test_perturbation_by_resource_as_lme4_fits_it(scores, resource):
    data, names = drop_data(scores, resource)
    assert len(data) == 18 * 9 * 7 - 27
    fit = laplace.fit(formula(names), data)
    expected = pd.read_csv(
        Path(__file__).parents[2] / "expected" / "mgsm_pro_drop_model.csv"
    ).set_index("term")
    found = fit.fixed_effects.set_index("term").loc[expected.index]
    np.testing.assert_allclose(found["estimate"], expected["estimate"], atol=2e-4)
    np.testing.assert_allclose(found["std_error"], expected["std_error"], rtol=5e-3)
    # in log-odds high-resource languages lose more, although they lose less of their accuracy
    assert found.loc["numbers:resource", "estimate"] < 0


def test_data_that_cannot_be_modelled_are_refused(scores, resource):
    with pytest.raises(InputError, match="needs counts"):
        drop_data(scores.drop(columns="n_total"), resource)
    with pytest.raises(InputError, match="no resource is known for language twi"):
        drop_data(scores, resource.drop("twi"))
    renamed = scores.replace({"perturbation": {"numbers": "new numbers"}})
    with pytest.raises(InputError, match="perturbation new numbers cannot be a term"):
        drop_data(renamed, resource)
