"""lme4 at our optimum: the same likelihood, the same modes, standard errors beside ours."""

import pytest

from analysis.glmm.judge import judge
from analysis.glmm.laplace import fit

from .conftest import FORMULA


@pytest.fixture(scope="module")
def judgement(cells, tmp_path_factory):
    return judge(fit(FORMULA, cells), cells, tmp_path_factory.mktemp("cache"))


def test_both_engines_give_one_likelihood_and_the_same_modes(judgement):
    assert abs(judgement.log_lik_difference) < 1e-8 * abs(judgement.ours.log_lik)
    assert judgement.max_mode_difference < 1e-8


def test_lme4s_standard_errors_take_the_sds_as_known(judgement):
    table = judgement.table()
    errors = table[table["quantity"] == "std_error"]
    assert errors["term"].tolist() == ["(Intercept)", "resource", "size", "resource:size"]
    assert ((errors["ours"] / errors["lme4"] - 1).abs() < 0.05).all()


def test_the_judge_does_not_find_a_better_point(judgement, lme4_fit):
    assert judgement.ours.log_lik > lme4_fit.log_lik - 1e-5
