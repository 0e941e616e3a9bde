"""The check of the approximation, against numerical integration where that is possible."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.laplace import Model
from capability_transfer.analysis.glmm.laplace_check import check_laplace, count_points
from capability_transfer.common.errors import InputError
from scipy.optimize import minimize
from scipy.special import log_expit, logsumexp


@pytest.fixture(scope="module")
def sparse():
    """60 groups of four 0/1 outcomes: as bad as it gets for Laplace."""
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(60), 4)
    x = rng.normal(size=240)
    eta = 0.3 + 0.8 * x + rng.normal(0, 1.5, 60)[group]
    y = (rng.random(240) < 1 / (1 + np.exp(-eta))).astype(int)
    return pd.DataFrame({"y": y, "x": x, "group": [f"g{i}" for i in group]})


@pytest.fixture(scope="module")
def checked(sparse):
    model = Model("y ~ x + (1 | group)", sparse)
    optimum = model.optimise()
    done = []
    check = check_laplace(model, optimum, seed=1, draws=400, progress=done.append)
    assert sum(done) == count_points(model, optimum) == 7
    return model, optimum, check


def exact_log_likelihood(data: pd.DataFrame, parameters: np.ndarray) -> float:
    """By Gauss-Hermite quadrature of every group's integral, 80 nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    intercept, slope, sd = parameters
    eta = intercept + slope * data["x"].to_numpy()[:, None] + sd * nodes
    sign = 2 * data["y"].to_numpy()[:, None] - 1
    by_group = pd.DataFrame(log_expit(sign * eta)).groupby(data["group"]).sum().to_numpy()
    return float(logsumexp(by_group + np.log(weights / np.sqrt(2 * np.pi)), axis=1).sum())


def test_finds_the_error_of_the_log_likelihood(sparse, checked):
    model, optimum, check = checked
    natural = model.to_natural() @ optimum.point.phi
    laplace = model.log_likelihood(natural[2:], natural[:2])
    error = exact_log_likelihood(sparse, natural) - laplace
    assert error > 0.3  # a case in which the approximation is visibly off
    assert check.log_lik_error == pytest.approx(error, abs=4 * check.log_lik_mc_error)
    assert check.log_lik_mc_error < 0.1
    assert check.reliable


def test_one_newton_step_goes_most_of_the_way_to_the_exact_maximum(sparse, checked):
    model, optimum, check = checked
    natural = model.to_natural() @ optimum.point.phi
    best = minimize(lambda at: -exact_log_likelihood(sparse, at), natural)
    exact = best.x - natural
    sd = check.shifts.query("kind == 'sd'").iloc[0]
    assert exact[2] / sd["std_error"] > 0.2
    assert sd["shift"] == pytest.approx(exact[2], rel=0.25)
    assert check.table()["quantity"].tolist() == ["log_lik", "shift", "shift", "shift"]


def test_finds_nothing_where_there_are_many_trials(cells):
    model = Model("~ resource + size + (1 | variant) + (1 | language) + (1 | template)", cells)
    check = check_laplace(model, model.optimise(), seed=1, draws=30)
    assert abs(check.log_lik_error) < 0.1
    assert (check.shifts["shift"].abs() < 0.01 * check.shifts["std_error"]).all()


def test_refuses_what_it_cannot_check(checked):
    model, optimum, _ = checked
    with pytest.raises(InputError, match="two draws"):
        check_laplace(model, optimum, seed=1, draws=1)
    with pytest.raises(InputError, match="exact Hessian"):
        check_laplace(model, replace(optimum, definite=False), seed=1)
