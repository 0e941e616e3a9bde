"""Likelihood-ratio tests: against lme4's anova, mixtures, and what cannot be compared."""

from dataclasses import replace

import pytest
from capability_transfer.analysis.glmm.inference import likelihood_ratio_test
from capability_transfer.analysis.glmm.inference.likelihood_ratio import mixture_p_value
from capability_transfer.analysis.glmm.laplace import Model, fit, report
from capability_transfer.common.errors import InputError
from scipy import stats


@pytest.fixture(scope="module")
def full(fitted):
    return report(*fitted)


@pytest.fixture(scope="module")
def slopes(fitted_slopes):
    return report(*fitted_slopes)


def test_a_variance_component(full, few_cells):
    reduced = fit("~ resource + size + (1 | variant)", few_cells)
    test = likelihood_ratio_test(full, reduced)
    assert test.statistic == pytest.approx(59.08558, abs=1e-4)  # lme4 1.1-31, anova(full, reduced)
    assert (test.df, test.variances) == (1, 1)
    assert test.p_value == pytest.approx(1.5096e-14, rel=1e-3)
    assert test.p_value_mixture == pytest.approx(test.p_value / 2)


def test_a_random_slope_and_its_correlation(slopes, full):
    test = likelihood_ratio_test(slopes, full)
    assert (test.df, test.variances) == (2, 1)
    halves = stats.chi2.sf(test.statistic, [1, 2]).mean()
    assert test.p_value_mixture == pytest.approx(halves)
    assert test.table().columns.tolist() == ["statistic", "df", "p_value", "p_value_mixture"]


def test_fixed_effects_have_no_boundary(full, few_cells):
    reduced = fit("~ size + (1 | language) + (1 | variant)", few_cells)
    test = likelihood_ratio_test(full, reduced)
    assert test.variances == 0
    assert test.p_value_mixture == test.p_value


def test_a_whole_correlated_term_has_no_binomial_mixture(slopes, few_cells):
    test = likelihood_ratio_test(slopes, fit("~ resource + size + (1 | language)", few_cells))
    assert test.df == 3
    assert test.p_value_mixture != test.p_value_mixture


def test_a_smaller_model_that_is_as_likely_but_for_rounding_is_not_below_nothing(full, few_cells):
    reduced = fit("~ resource + size + (1 | variant)", few_cells)
    test = likelihood_ratio_test(full, replace(reduced, log_lik=full.log_lik + 1e-9))
    assert (test.statistic, test.p_value, test.p_value_mixture) == (0, 1, 1)


@pytest.mark.parametrize(("statistic", "expected"), [(0.0, 1.0), (2.705543, 0.05)])
def test_one_variance_alone(statistic, expected):
    assert mixture_p_value(statistic, 1, 1) == pytest.approx(expected, rel=1e-5)


def test_two_variances():
    by_hand = 0.5 * stats.chi2.sf(3.0, 1) + 0.25 * stats.chi2.sf(3.0, 2)
    assert mixture_p_value(3.0, 2, 2) == pytest.approx(by_hand)


def test_refuses_what_is_not_nested(full, few_cells):
    other = fit("~ resource + (1 | template)", few_cells)
    with pytest.raises(InputError, match="not nested.*template"):
        likelihood_ratio_test(full, other)
    with pytest.raises(InputError, match="nothing to test"):
        likelihood_ratio_test(full, full)


def test_refuses_other_rows_and_engines(full, few_cells):
    fewer = fit("~ resource + size + (1 | variant)", few_cells[1:])
    with pytest.raises(InputError, match="different rows"):
        likelihood_ratio_test(full, fewer)
    with pytest.raises(InputError, match="one engine"):
        likelihood_ratio_test(full, replace(fewer, engine="lme4"))


def test_refuses_other_data_of_the_same_size(full, few_cells):
    reduced = "~ size + (1 | language) + (1 | variant)"
    counts = few_cells["n_correct"].to_numpy()
    with pytest.raises(InputError, match=r"values of cbind\(n_correct, n_total - n_correct\) diff"):
        likelihood_ratio_test(full, fit(reduced, few_cells.assign(n_correct=counts[::-1])))
    with pytest.raises(InputError, match="values of size differ"):
        likelihood_ratio_test(full, fit(reduced, few_cells.assign(size=few_cells["size"] * 2)))
    refitted, optimum = full_refit(few_cells, counts[::-1])
    with pytest.raises(InputError, match=r"values of cbind"):
        likelihood_ratio_test(report(refitted, optimum), fit(reduced, few_cells))


def full_refit(cells, counts):
    model = Model("~ resource + size + (1 | language) + (1 | variant)", cells).refit(counts)
    return model, model.optimise()


def test_refuses_another_offset(few_cells):
    cells = few_cells.assign(known=few_cells["size"] / 10)
    full = fit("~ resource + offset(known) + (1 | language)", cells)
    with pytest.raises(InputError, match="different offsets: known and none"):
        likelihood_ratio_test(full, fit("~ 1 + (1 | language)", cells))
    alike = likelihood_ratio_test(full, fit("~ 1 + offset(known) + (1 | language)", cells))
    assert alike.df == 1
