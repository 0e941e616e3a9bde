"""Draws of SDs and effects against closed forms, quadrature and dense algebra."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.laplace import Kernel, Model
from capability_transfer.analysis.glmm.laplace.field import WIDE, Field
from capability_transfer.analysis.glmm.laplace.sampling import (
    POINTS,
    PRIOR_SD,
    Target,
    sample,
    truncated,
)
from scipy.special import expit, roots_hermitenorm
from scipy.stats import binom

QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95]


def _groups(effects: np.ndarray, trials: int, rows: int, generator) -> pd.DataFrame:
    data = pd.DataFrame({"group": np.repeat([f"g{i}" for i in range(len(effects))], rows)})
    data["n_total"] = trials
    data["n_correct"] = generator.binomial(trials, expit(np.repeat(effects, rows)))
    return data


def _quantiles(grid: np.ndarray, density: np.ndarray) -> np.ndarray:
    below = np.cumsum(density) / density.sum()
    return np.interp(QUANTILES, below, grid)


def test_many_trials_leave_the_normal_theory_of_a_variance():
    """With effects b observed, π(σ) ∝ σ^−(L − 1) exp(−Σ(b − b̄)² / 2σ²) exp(−σ)."""
    effects = np.array([-0.9, -0.5, -0.2, 0.1, 0.4, 0.6, 1.2])
    data = _groups(effects, 4_000_000, 1, np.random.default_rng(1))
    fit = laplace.fit("~ 1 + (1 | group)", data)
    found = sample(fit, data, [], 20_000, 1)
    grid = np.linspace(0.05, 6, 4000)
    squares = np.sum((effects - effects.mean()) ** 2)
    log = -6 * np.log(grid) - squares / (2 * grid**2) - grid / PRIOR_SD
    expected = _quantiles(grid, np.exp(log - log.max()))
    sds = found.terms[0].root[:, 0, 0]
    np.testing.assert_allclose(np.quantile(sds, QUANTILES), expected, rtol=0.08)
    mean = found.fixed.loc["(Intercept)"]
    assert mean.std() == pytest.approx(np.sqrt(np.mean(sds**2) / 7), rel=0.05)
    assert mean.mean() == pytest.approx(effects.mean(), abs=0.02)


def test_few_trials_agree_with_quadrature():
    generator = np.random.default_rng(4)
    data = _groups(generator.normal(0, 0.8, 6), 12, 3, generator)
    fit = laplace.fit("~ 1 + (1 | group)", data)
    found = sample(fit, data, [], 20_000, 1)
    nodes, weights = roots_hermitenorm(60)
    sums = data.groupby("group")[["n_correct", "n_total"]].sum().to_numpy()
    betas, logs = np.linspace(-3, 3, 121), np.linspace(-5, 2, 141)
    table = np.zeros((len(betas), len(logs)))
    for i, beta in enumerate(betas):
        for j, log in enumerate(logs):
            chance = expit(beta + np.exp(log) * nodes)
            inner = binom.pmf(sums[:, :1], sums[:, 1:], chance) @ weights
            table[i, j] = np.log(inner).sum() + log - np.exp(log) / PRIOR_SD
    table = np.exp(table - table.max())
    sds = _quantiles(np.exp(logs), table.sum(axis=0))
    drawn = found.terms[0].root[:, 0, 0]
    np.testing.assert_allclose(np.quantile(drawn, QUANTILES[1:]), sds[1:], rtol=0.08)
    beta = found.fixed.loc["(Intercept)"]
    expected = _quantiles(betas, table.sum(axis=1))
    np.testing.assert_allclose(np.quantile(beta, QUANTILES), expected, atol=0.08)


def test_an_sd_that_is_estimated_as_zero_is_uncertain():
    data = _groups(np.zeros(5), 50, 4, np.random.default_rng(3))
    data["n_correct"] = 25
    fit = laplace.fit("~ 1 + (1 | group)", data)
    assert fit.sd("group") == 0
    sds = sample(fit, data, [], 4000, 1).terms[0].root[:, 0, 0]
    assert 0 < np.quantile(sds, 0.05) < np.quantile(sds, 0.95) < 0.6


@pytest.fixture(scope="module")
def design():
    """Crossed terms, correlated slopes and a kernel."""
    generator = np.random.default_rng(5)
    rows = [(f"v{v}", f"l{t}") for v in range(14) for t in range(6)]
    data = pd.DataFrame(rows, columns=["variant", "language"])
    data["x"] = generator.normal(size=len(data))
    slope = generator.normal(0, 0.4, 14)[np.repeat(np.arange(14), 6)]
    eta = 0.2 + (0.6 + slope) * data["x"] + np.tile(generator.normal(0, 0.7, 6), 14)
    data["n_total"] = 30
    data["n_correct"] = generator.binomial(30, expit(eta))
    at = np.linspace(-1, 1, 6)
    matrix = np.exp(-((at[:, None] - at) ** 2))
    kernel = Kernel("smooth", "language", [f"l{t}" for t in range(6)], matrix)
    return "~ x + (1 + x | variant)", data, [kernel]


def test_the_gradient_is_that_of_the_marginal_likelihood(design):
    formula, data, kernels = design
    target = Target(laplace.fit(formula, data, structured=kernels), data, kernels)
    phi = np.array([-0.8, 0.1, -0.6, -0.3])
    _, modes = target.at(phi)
    found = target.gradient(phi, modes)
    for place, step in enumerate(1e-4 * np.eye(len(phi))):
        difference = (target.at(phi + step)[0] - target.at(phi - step)[0]) / 2e-4
        assert found[place] == pytest.approx(difference, abs=1e-5)


def test_effects_given_the_sds_have_mean_and_covariance_of_the_field(design):
    field = Field(Model(*design))
    modes = field.modes(np.array([0.5, 0.1, 0.4, 0.6]))
    drawn = field.draws(modes, 40_000, np.random.default_rng(1))
    inverse = modes.factor.solve(np.eye(field.design.effects))
    covariance = field.likelihood.relative(modes.blocks, inverse)
    covariance = field.likelihood.relative(modes.blocks, covariance.T)
    np.testing.assert_allclose(drawn.mean(axis=1), modes.b, atol=0.02)
    np.testing.assert_allclose(np.cov(drawn), covariance, atol=0.015)
    assert np.abs(modes.b[-2:]).max() < WIDE / 3  # the prior of the fixed effects says nothing


def test_draws_are_in_natural_units_and_around_the_fit(design):
    formula, data, kernels = design
    fit = laplace.fit(formula, data, structured=kernels)
    found = sample(fit, data, kernels, 8000, 2)
    assert POINTS / 4 < found.effective_points < POINTS
    np.testing.assert_allclose(found.fixed.mean(axis=1), fit.coefficients[found.fixed.index],
                               atol=0.15)  # fmt: skip
    slopes, smooth = found.terms
    assert slopes.columns == ("(Intercept)", "x")
    modes = fit.modes.set_index(["group", "term", "level"])["mode"]
    for place, column in enumerate(slopes.columns):
        own = modes.sort_index()["variant", column][slopes.levels]
        np.testing.assert_allclose(slopes.effects[:, place].mean(axis=1), own, atol=0.1)
    sd = np.sqrt(np.sum(slopes.root[:, 1] ** 2, axis=1))
    assert np.median(sd) == pytest.approx(fit.sd("variant", "x"), rel=0.3)
    assert smooth.root.shape == (8000, 1, 1)
    again = sample(fit, data, kernels, 8000, 2)
    np.testing.assert_array_equal(again.fixed, found.fixed)


def test_no_importance_weight_stands_for_more_than_the_root_of_their_number():
    """By hand: weights 1 and 99 times 0.001, mean 0.01099; the largest is cut to ten times that."""
    logs = np.log(np.full(100, 0.001)) - 50
    logs[7] = -50
    weights = truncated(logs)
    assert weights.sum() == pytest.approx(1)
    assert weights[7] == pytest.approx(0.1099 / (0.1099 + 0.099))
    assert weights[8] == pytest.approx(0.001 / (0.1099 + 0.099))
    even = np.array([0.0, 0.1, -0.1])
    np.testing.assert_allclose(truncated(even), np.exp(even) / np.exp(even).sum())
