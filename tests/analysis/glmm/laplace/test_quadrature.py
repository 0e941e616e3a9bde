"""Adaptive Gauss–Hermite quadrature: the integral, its gradient, and what it is refused for."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.inference import bootstrap, likelihood_ratio_test
from capability_transfer.analysis.glmm.inference.profile import profile_intervals
from capability_transfer.analysis.glmm.laplace import Kernel, Model, Settings
from capability_transfer.analysis.glmm.laplace_check import check_laplace
from capability_transfer.analysis.studies.glmer import glmer
from capability_transfer.common.errors import InputError
from scipy.special import expit, logsumexp
from scipy.stats import binom, chi2

FORMULA = "~ x + (1 | g)"


def sparse_answers(seed: int, floor: float = 0.0) -> pd.DataFrame:
    """40 groups of five answers of one or two trials: poor for Laplace's approximation."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(40), 5)
    x, trials = rng.normal(size=200), rng.integers(1, 3, 200)
    eta = 0.4 + 0.8 * x + rng.normal(0, 1.6, 40)[group]
    right = rng.binomial(trials, floor + (1 - floor) * expit(eta))
    return pd.DataFrame({"n_correct": right, "n_total": trials, "x": x, "chance": floor,
                         "g": [f"g{i}" for i in group]})  # fmt: skip


def integrated(data: pd.DataFrame, intercept, slope, sd) -> float:
    """The log-likelihood on a grid of 4,001 points that reaches 12 SDs."""
    u = np.linspace(-12, 12, 4001)
    eta = intercept + slope * data["x"].to_numpy()[:, None] + sd * u
    floor = data["chance"].to_numpy()[:, None]
    counts = [data[name].to_numpy()[:, None] for name in ("n_correct", "n_total")]
    rows = pd.DataFrame(binom.logpmf(*counts, floor + (1 - floor) * expit(eta)))
    groups = rows.groupby(data["g"]).sum().to_numpy() - u**2 / 2
    return float((logsumexp(groups, axis=1) + np.log((u[1] - u[0]) / np.sqrt(2 * np.pi))).sum())


@pytest.fixture(scope="module")
def answers():
    return sparse_answers(1)


@pytest.mark.parametrize("floor", [0.0, 0.25])
def test_many_points_give_the_integral_and_one_gives_laplaces(floor):
    data = sparse_answers(2, floor)
    point = [1.5], [0.3, 0.9]
    exact = integrated(data, 0.3, 0.9, 1.5)
    by = {
        points: Model(FORMULA, data, (), Settings(quadrature=points), floor).log_likelihood(*point)
        for points in (1, 5, 40)
    }
    assert by[40] == pytest.approx(exact, abs=1e-6)
    assert abs(by[5] - exact) < 0.05 < abs(by[1] - exact)
    assert by[1] == Model(FORMULA, data, floor=floor).log_likelihood(*point)


@pytest.mark.parametrize("formula", [FORMULA, "~ x + (0 + x | g)", "~ x + (1 | g), floor = 0.2"])
@pytest.mark.parametrize("points", [2, 9])
def test_gradient_is_the_derivative(answers, formula, points):
    model = Model(formula, answers, settings=Settings(quadrature=points))
    for sd in (0.0, 0.9):
        phi = np.array([sd, 0.2, 0.7])
        analytic = np.concatenate(model.gradient(phi[:1], phi[1:]))
        numeric = []
        for direction in np.eye(3):
            at = [model.log_likelihood(*np.split(phi + step * direction, [1]))
                  for step in (-2e-4, -1e-4, 1e-4, 2e-4)]  # fmt: skip
            numeric.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12e-4)
        np.testing.assert_allclose(analytic, numeric, atol=1e-7)


def test_what_stands_on_a_fit_is_by_quadrature_too(answers):
    fit = laplace.fit(FORMULA, answers, nAGQ=15)
    assert fit.quadrature == 15
    model = Model(FORMULA, answers, settings=Settings(quadrature=15))
    optimum = model.optimise()
    low = profile_intervals(model, optimum, kinds=("fixed",)).query("term == 'x'").iloc[0]
    held = answers.assign(known=low["conf_low"] * answers["x"])
    other = laplace.fit("~ 1 + offset(known) + (1 | g)", held, nAGQ=15)
    assert 2 * (fit.log_lik - other.log_lik) == pytest.approx(chi2.ppf(0.95, 1), abs=0.02)
    sds = [bootstrap(FORMULA, answers, seed=1, replicates=3, start=start).values[:, -1]
           for start in (fit, laplace.fit(FORMULA, answers))]  # fmt: skip
    assert (sds[0] != sds[1]).all()
    mine = glmer("cbind(n_correct, n_total - n_correct) ~ x + (1 | g)", answers, nAGQ=15)
    assert "15-point quadrature" in repr(mine.summary())
    assert mine.conf_int(method="profile").loc["x", "conf_low"] == pytest.approx(
        low["conf_low"], abs=1e-4
    )


def test_refuses_what_it_cannot_integrate(answers):
    data = answers.assign(h=np.resize(["a", "b", "c"], len(answers)))
    near = Kernel("near", "h", ["a", "b", "c"], np.eye(3))
    for formula, kernels in (("~ x + (1 | g) + (1 | h)", ()), ("~ x + (1 + x | g)", ()),
                             (FORMULA, [near])):  # fmt: skip
        with pytest.raises(InputError, match="quadrature .* is for one random intercept"):
            laplace.fit(formula, data, nAGQ=5, structured=kernels)
    for points in (0, 101, 2.5, True, "5"):
        with pytest.raises(InputError, match="nAGQ is a whole number from 1"):
            laplace.fit(FORMULA, data, nAGQ=points)
    fit = laplace.fit(FORMULA, answers, nAGQ=5)
    with pytest.raises(InputError, match="by 5 and 1 points"):
        likelihood_ratio_test(fit, laplace.fit("~ 1 + (1 | g)", answers))
    model = Model(FORMULA, answers, settings=Settings(quadrature=5))
    with pytest.raises(InputError, match="this fit is by quadrature"):
        check_laplace(model, model.optimise(), seed=1)
