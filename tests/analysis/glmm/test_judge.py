"""lme4 at our optimum: the same likelihood, the same modes, standard errors beside ours."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import lme4
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.judge import (
    JUDGE,
    Judgement,
    check_same_model,
    judge,
)
from capability_transfer.analysis.glmm.laplace import Model, fit
from capability_transfer.common.errors import InputError

from .conftest import FORMULA

pytestmark = pytest.mark.needs("R")


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


@pytest.mark.parametrize(
    ("random", "parameters"),
    [("(resource * size || variant)", 8), ("(resource - 1 || variant)", 5), ("(f || variant)", 11)],
)
def test_lme4_reads_what_was_written_and_finds_the_same_parameters(cells, random, parameters):
    data = cells.assign(f=np.array(["a", "b", "c"])[np.arange(len(cells)) % 3])
    ours = fit(f"~ resource + size + {random} + (1 | template)", data)
    judgement = judge(ours, data, None)
    assert ours.df == judgement.theirs.df == parameters
    assert abs(judgement.log_lik_difference) < 1e-8 * abs(ours.log_lik)


@pytest.mark.parametrize(
    ("meant", "written", "says"),
    [
        (
            "(1 | variant) + (0 + resource | variant)",
            "(1 + resource | variant)",
            r"lme4 reads a correlation of \(Intercept\) and resource in variant",
        ),
        ("(1 | variant)", "(1 + size | variant)", "lme4 reads a random effect variant size"),
    ],
)
def test_a_formula_that_lme4_takes_for_another_model_is_no_agreement(cells, meant, written, says):
    formula = parse(f"~ resource + size + {meant}")
    ours = fit(formula, cells)
    text = f"{formula.response} ~ resource + size + {written}"
    object.__setattr__(formula, "written", text)
    with pytest.raises(InputError, match=says):
        judge(ours, cells, None)


def test_fewer_parameters_in_lme4_are_no_agreement(cells):
    ours = fit("~ resource + (1 + resource | variant)", cells)
    theirs = replace(ours, df=ours.df - 1)
    with pytest.raises(InputError, match="lme4 finds 4 parameters in .*, this engine 5"):
        check_same_model(ours, theirs)


def test_an_sd_of_zero_needs_no_correlation(cells):
    ours = fit("~ size + (1 + resource | variant)", cells)
    flat = replace(
        ours,
        random_effects=ours.random_effects.assign(sd=[0.5, 0.0]),
        correlations=ours.correlations.iloc[:0],
    )
    theirs = lme4.fit(ours.formula, cells, start=flat, optimise=False, settings=JUDGE)
    alone = Model("~ size + (1 | variant)", cells)
    expected = alone.log_likelihood(np.array([0.5]), ours.coefficients.to_numpy())
    assert theirs.log_lik == pytest.approx(expected, rel=1e-9)


def test_the_largest_difference_of_a_mode_is_told_by_level_whatever_the_order():
    ours, theirs = (
        SimpleNamespace(
            modes=pd.DataFrame({"group": "g", "term": "x", "level": levels, "mode": modes}),
            log_lik=log_lik,
        )
        for levels, modes, log_lik in (
            (["a", "b", "c"], [0.1, -0.5, 1.0], -10.0), (["c", "a", "b"], [1.1, 0.1, -0.2], -10.5),
        )
    )  # fmt: skip
    found = Judgement(ours, theirs)
    assert found.max_mode_difference == pytest.approx(0.3)
    assert found.log_lik_difference == pytest.approx(0.5)
