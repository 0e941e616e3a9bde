"""The Laplace log-likelihood against lme4's own, against integration, and its gradient."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.laplace import Model, cells
from capability_transfer.analysis.glmm.laplace.likelihood import SURE
from capability_transfer.analysis.glmm.r_session import session
from numpy.polynomial.hermite import hermgauss
from scipy.special import expit
from scipy.stats import binom

LME4_DEVIANCE = """
function(formula, file, names, points) {
  data <- read.csv(file, stringsAsFactors = TRUE)
  control <- lme4::glmerControl(tolPwrss = 1e-13)
  parts <- lme4::glFormula(as.formula(formula), data = data, family = binomial)
  deviance <- lme4::glmer(as.formula(formula), data = data, family = binomial,
                          control = control, devFunOnly = TRUE)
  blocks <- parts$reTrms$cnms
  theta <- unlist(lapply(seq_along(blocks), function(k) {
    terms <- blocks[[k]]
    unlist(lapply(seq_along(terms), function(j) {
      c(paste(names(blocks)[k], terms[j], sep = "."),
        if (j < length(terms))
          paste(names(blocks)[k], terms[(j + 1):length(terms)], terms[j], sep = "."))
    }))
  }))
  place <- match(c(theta, colnames(parts$X)), names)
  stopifnot(!anyNA(place))
  apply(points, 1, function(point) -deviance(point[place]) / 2)
}
"""


def lme4_log_likelihoods(model, data, points, folder):
    """−½ lme4's deviance function (nAGQ = 1, tolPwrss = 1e-13) at every point."""
    robjects = session().robjects
    file = folder / "cells.csv"
    data.to_csv(file, index=False)
    names = robjects.StrVector(model.theta_names + model.design.names)
    stacked = np.array([np.concatenate(point) for point in points])
    matrix = robjects.r.matrix(robjects.FloatVector(stacked.ravel()), ncol=stacked.shape[1],
                               byrow=True)  # fmt: skip
    formula = str(model.formula)
    return np.array(robjects.r(LME4_DEVIANCE)(formula, str(file), names, matrix))


def test_equals_lme4s_deviance_function(case, expected):
    name, model, _, points = case
    table = expected("laplace_log_likelihoods")
    theirs = table.loc[table["design"] == name, "log_lik"].to_numpy()
    ours = [model.log_likelihood(*point) for point in points]
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


@pytest.mark.needs("R")
def test_expected_values_are_what_lme4_says_here(case, expected, tmp_path):
    name, model, data, points = case
    theirs = lme4_log_likelihoods(model, data, points[:5], tmp_path)
    table = expected("laplace_log_likelihoods")
    stored = table.loc[table["design"] == name, "log_lik"].to_numpy()[:5]
    np.testing.assert_allclose(stored, theirs, rtol=1e-9)


def test_gradient_is_the_derivative(case):
    _, model, _, points = case
    for theta, beta in points[:6]:
        analytic = np.concatenate(model.gradient(theta, beta))
        phi, split = np.concatenate([theta, beta]), len(theta)
        numeric = []
        for direction in np.eye(len(phi)):
            at = [
                model.log_likelihood(*np.split(phi + step * direction, [split]))
                for step in (-2e-4, -1e-4, 1e-4, 2e-4)
            ]
            numeric.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12e-4)
        scale = np.maximum(np.abs(analytic), 1e-3 * np.abs(analytic).max())
        assert np.max(np.abs(analytic - numeric) / scale) < 1e-5


def test_gradient_vanishes_where_an_sd_is_zero(case):
    _, model, _, points = case
    theta, beta = points[0]
    alone = [i for i, name in enumerate(model.theta_names) if name == "variant.(Intercept)"]
    for i in alone:
        zero = theta.copy()
        zero[i] = 0.0
        assert model.gradient(zero, beta)[0][i] == 0
        zero[i] = 0.3
        there = model.log_likelihood(zero, beta)
        zero[i] = -0.3  # the likelihood is even in the signed SD
        assert model.log_likelihood(zero, beta) == pytest.approx(there, rel=1e-12)


def test_laplace_is_close_to_integration_with_many_trials():
    """One random intercept: the likelihood by Gauss-Hermite quadrature, 60 nodes."""
    random = np.random.RandomState(3)
    groups, rows, trials, sd, mean = 12, 8, 30, 0.7, 0.2
    b = sd * random.randn(groups)
    k = random.binomial(trials, expit(mean + b)[:, None], (groups, rows))
    data = pd.DataFrame(
        {"g": [f"g{i}" for i in np.repeat(np.arange(groups), rows)],
         "n_correct": k.ravel(), "n_total": trials}
    )  # fmt: skip
    nodes, weights = hermgauss(60)
    log_p = binom.logpmf(k[:, :, None], trials, expit(mean + np.sqrt(2) * sd * nodes)).sum(axis=1)
    exact = np.log(np.exp(log_p) @ weights / np.sqrt(np.pi)).sum()
    ours = Model("~ 1 + (1 | g)", data).log_likelihood([sd], [mean])
    assert ours == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize("theta", [1.0, 10.0])
def test_modes_are_found_from_afar(theta):
    """There a whole Newton step overshoots; steps within reach need no check."""
    random = np.random.default_rng(1)
    group = np.repeat(np.arange(30), 20)
    correct = random.binomial(1, expit(3 * random.normal(size=30))[group])
    data = pd.DataFrame({"group": group.astype(str), "correct": correct})
    likelihood = Model("correct ~ 1 + (1 | group)", data).likelihood
    near, far = (
        likelihood.modes(np.zeros(1), np.array([theta]), u=np.full(30, start))
        for start in (0.0, 3.0)
    )
    np.testing.assert_allclose(far.u, near.u, atol=1e-8)
    assert (np.exp(SURE) - SURE - 1) / SURE**2 < 1


@pytest.mark.parametrize("floor", [None, 0.25])
@pytest.mark.parametrize("cross", [None, (1, 4), (3, 4)])
def test_residuals_are_those_of_the_whole_pass(cross, floor):
    random = np.random.default_rng(2)
    unit = 3 * random.normal(size=3)
    shape = (3, 1 if cross is None else 4)
    cross = None if cross is None else 400 * random.normal(size=cross)
    trials = random.integers(0, 20, shape).astype(float)
    counts = np.floor(trials / 2), trials, None if floor is None else np.full(shape, floor)
    found = cells.evaluate(unit, cross, *counts)
    np.testing.assert_allclose(cells.residuals(unit, cross, *counts), found.residual, rtol=1e-14)
    assert np.isfinite(found.residual).all()
