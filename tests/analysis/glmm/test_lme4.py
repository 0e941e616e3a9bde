"""The reference engine: recovery of known truth, symmetry, and what it reports."""

import numpy as np
import pytest
from capability_transfer.analysis.glmm import lme4
from capability_transfer.analysis.glmm.r_session import EngineMissing, check_pair, r_version
from capability_transfer.common.errors import InputError

from .conftest import FORMULA, TRUE_SD, TRUTH, simulate


def test_known_fixed_effects_lie_within_three_standard_errors(lme4_fit):
    table = lme4_fit.fixed_effects.set_index("term")
    for term, truth in TRUTH.items():
        assert abs(table.loc[term, "estimate"] - truth) < 3 * table.loc[term, "std_error"], term
    assert set(table.index) == set(TRUTH)


def test_known_sds_are_recovered(lme4_fit):
    levels = dict(
        zip(lme4_fit.random_effects["group"], lme4_fit.random_effects["levels"], strict=True)
    )
    for group, truth in TRUE_SD.items():
        # the SD of an SD estimated from m levels is about sd / sqrt(2 m)
        assert abs(lme4_fit.sd(group) - truth) < 3.5 * truth / np.sqrt(2 * levels[group]), group


def test_the_record_says_how_the_fit_ended(lme4_fit, cells):
    record = lme4_fit.optimisation
    assert record.converged
    assert not record.singular
    assert record.hessian == "finite-difference"
    assert record.max_abs_gradient < 0.01
    assert lme4_fit.nobs == len(cells)
    assert lme4_fit.trials == 20 * len(cells)
    assert lme4_fit.df == 8
    assert {"lme4", "R", "rpy2"} <= set(lme4_fit.versions)
    assert lme4_fit.warnings() == []
    # binomial truth; below 1 since the modes use up degrees of freedom that are not counted
    assert 0.8 < lme4_fit.diagnostics["dispersion"] < 1.05


def test_progress_reports_every_evaluation_of_both_stages(lme4_fit):
    stages = lme4_fit.diagnostics["stages"]
    assert {stage for stage, _, _ in stages} == {"nAGQ = 0", "nAGQ = 1"}
    assert [count for _, count, _ in stages] == list(
        range(1, lme4_fit.optimisation.evaluations + 1)
    )


def test_flipping_every_outcome_negates_every_coefficient(cells, lme4_fit):
    flipped = cells.assign(n_correct=cells["n_total"] - cells["n_correct"])
    settings = lme4.Settings(hessian=False)
    fit = lme4.fit(FORMULA, flipped, settings=settings)
    np.testing.assert_allclose(fit.coefficients, -lme4_fit.coefficients, atol=2e-4)
    assert fit.log_lik == pytest.approx(lme4_fit.log_lik, abs=1e-4)


def test_evaluating_at_a_fit_gives_its_likelihood_and_modes_back(cells, lme4_fit):
    tight = lme4.Settings(pirls_tolerance=1e-13)
    again = lme4.fit(FORMULA, cells, start=lme4_fit, optimise=False, settings=tight)
    assert again.log_lik == pytest.approx(lme4_fit.log_lik, abs=1e-4)
    assert again.optimisation.evaluations == 1
    np.testing.assert_allclose(again.modes["mode"], lme4_fit.modes["mode"], atol=1e-5)


@pytest.mark.needs("R")
def test_several_terms_of_one_group_keep_their_names_and_can_be_evaluated(cells):
    formula = "~ size + (resource || variant) + (1 + size | language) + (1 | variant:language)"
    fit = lme4.fit(formula, cells, settings=lme4.Settings(hessian=False))
    keys = set(zip(fit.random_effects["group"], fit.random_effects["term"], strict=True))
    assert keys == {
        ("variant", "(Intercept)"), ("variant", "resource"), ("language", "(Intercept)"),
        ("language", "size"), ("variant:language", "(Intercept)"),
    }  # fmt: skip
    assert fit.correlations[["group", "term_1", "term_2"]].to_numpy().tolist() == [
        ["language", "(Intercept)", "size"]
    ]
    tight = lme4.Settings(pirls_tolerance=1e-13)
    again = lme4.fit(formula, cells, start=fit, optimise=False, settings=tight)
    assert again.log_lik == pytest.approx(fit.log_lik, abs=1e-4)


@pytest.mark.needs("R")
def test_an_interrupt_in_the_callback_stops_r_and_comes_back(cells):
    def interrupt(stage, evaluation, deviance):
        if evaluation == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lme4.fit(FORMULA, cells, progress=interrupt)


@pytest.mark.needs("R")
def test_a_component_that_is_not_there_is_flagged_singular():
    data = simulate(seed=5, languages=6, variants=6, templates=4)
    data["spurious"] = [f"s{i % 5}" for i in range(len(data))]
    fit = lme4.fit("~ resource + (1 | variant:language) + (1 | spurious)", data)
    assert fit.sd("spurious") < 1e-3
    assert fit.optimisation.singular
    assert fit.optimisation.messages == ()  # lme4's own word for it is not told twice
    assert fit.optimisation.converged
    assert [note for note in fit.warnings() if "ingular" in note] == [
        "singular fit: spurious (Intercept)"
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.assign(size=1.0), "cannot be told apart: size"),
        (lambda d: d.assign(n_correct=0), "every outcome is wrong"),
        (lambda d: d.assign(n_correct=20), "every outcome is right"),
        (lambda d: d.assign(language="eng"), r"\(1 \| language\) needs at least two levels"),
        (lambda d: d.drop(columns="template"), "template"),
        (lambda d: d.iloc[:0], "no rows"),
    ],
)
def test_designs_that_cannot_be_fitted_are_refused_with_the_reason(cells, change, says):
    with pytest.raises(InputError, match=says):
        lme4.fit(FORMULA, change(cells))


def test_rpy2_that_this_r_cannot_run_is_explained():
    with pytest.raises(EngineMissing, match=r"rpy2 3\.6\.4 needs R 4\.5.*this is R 4\.2\.2"):
        check_pair((4, 2, 2), "3.6.4")
    with pytest.raises(EngineMissing, match="R is not installed.*engine='laplace'.*apt-get"):
        check_pair(None, "3.5.17")
    with pytest.raises(EngineMissing, match="rpy2, the bridge to R"):
        check_pair((4, 2, 2), None)
    check_pair((4, 5, 1), "3.6.4")
    check_pair((4, 2, 2), "3.5.17")


def test_r_absent_is_found_out_before_rpy2_is_loaded(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert r_version() is None
