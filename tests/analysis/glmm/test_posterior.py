"""The joint distribution of effects, against the engine's own figures and kriging by hand."""

import numpy as np
import pandas as pd
import pytest

from analysis.glmm import laplace
from analysis.glmm.laplace import Kernel, Settings
from analysis.glmm.posterior import Posterior
from analysis.glmm.predict import linear_predictor


@pytest.fixture(scope="module")
def data():
    generator = np.random.default_rng(11)
    rows = [(f"v{v}", f"l{t}") for v in range(12) for t in range(8)]
    data = pd.DataFrame(rows, columns=["variant", "language"])
    data["x"] = generator.normal(size=len(data))
    effect = dict(zip(data["language"].unique(), generator.normal(0, 0.8, 8), strict=True))
    own = dict(zip(data["variant"].unique(), generator.normal(0, 0.6, 12), strict=True))
    eta = 0.3 + 0.5 * data["x"] + data["language"].map(effect) + data["variant"].map(own)
    data["n_total"] = 40
    data["n_correct"] = generator.binomial(40, 1 / (1 + np.exp(-eta)))
    return data


@pytest.fixture(scope="module")
def plain(data):
    formula = "~ x + (1 | variant) + (1 | language)"
    fit = laplace.fit(formula, data, settings=Settings(hessian="working"))
    return fit, Posterior(fit, data)


def test_means_are_the_fits(data, plain):
    fit, posterior = plain
    np.testing.assert_allclose(
        posterior.linear_predictor(data), linear_predictor(fit, data), atol=1e-8
    )


def test_new_levels_add_their_variance_to_that_of_the_fixed_effects(plain):
    fit, posterior = plain
    rows = pd.DataFrame({"variant": ["new", "other"], "language": "new", "x": [0.0, 1.0]})
    x = np.array([[1.0, 0.0], [1.0, 1.0]])
    language, variant = fit.sd("language") ** 2 * 8 / 7, fit.sd("variant") ** 2 * 12 / 11
    expected = x @ fit.covariance @ x.T + language + np.diag([variant] * 2)
    np.testing.assert_allclose(posterior.covariance(rows), expected, rtol=1e-4)


def test_draws_have_the_covariance(data, plain):
    _, posterior = plain
    rows = data.iloc[:3].assign(language=["l0", "l1", "new"])
    draws = posterior.draws(rows, 40_000, np.random.default_rng(1))
    many = pd.concat([rows, data.iloc[[5] * 2]])
    assert np.cov(draws)[:2, :2] == pytest.approx(posterior.covariance(many)[:2, :2], rel=0.05)
    np.testing.assert_allclose(draws.mean(axis=1), posterior.linear_predictor(rows), atol=0.02)


def test_blocks_drawn_apart_have_the_law_of_draws_and_do_not_depend_on_others(data, plain):
    _, posterior = plain
    new = pd.DataFrame({"variant": ["new", "v1"], "language": "new", "x": [0.0, 1.0]})
    rows = pd.concat([data.iloc[:2], new], ignore_index=True)
    apart = posterior.draws_apart(rows, 2, 40_000, np.random.default_rng(3))
    together = posterior.draws(rows, 40_000, np.random.default_rng(4))
    for block in (slice(0, 2), slice(2, 4)):
        assert np.cov(apart[block]) == pytest.approx(np.cov(together[block]), rel=0.05, abs=0.01)
    alone = posterior.draws_apart(rows.iloc[2:], 2, 40_000, np.random.default_rng(3))
    np.testing.assert_allclose(apart[2:], alone, atol=1e-6)


def test_a_known_pair_is_known_much_better_than_its_parts(data, plain):
    fit, posterior = plain
    known = posterior.covariance(data.iloc[:1])[0, 0]
    assert known < fit.covariance[0, 0]  # the intercept alone is about the mean of new levels


def test_new_levels_of_a_kernel_are_kriged(data):
    names = [f"l{t}" for t in range(8)]
    at = np.linspace(-1.5, 1.5, 9)
    matrix = np.exp(-((at[:, None] - at) ** 2) / 2)
    train = Kernel("smooth", "language", names, matrix[:8, :8])
    fit = laplace.fit("~ x + (1 | variant)", data, structured=[train])
    posterior = Posterior(fit, data, [train])
    np.testing.assert_allclose(
        posterior.linear_predictor(data, groups=["smooth"]) - posterior.linear_predictor(data, []),
        data["language"].map(fit.modes.query("group == 'smooth'").set_index("level")["mode"]),
        atol=1e-5,
    )
    larger = posterior.extended([Kernel("smooth", "language", [*names, "new"], matrix)])
    row = pd.DataFrame({"variant": ["v0"], "language": ["new"], "x": [0.0]})
    modes = fit.modes.query("group == 'smooth'").set_index("level")["mode"][names]
    kriged = matrix[8, :8] @ np.linalg.pinv(matrix[:8, :8], rcond=1e-9) @ modes
    found = larger.linear_predictor(row, ["smooth"]) - larger.linear_predictor(row, [])
    assert found[0] == pytest.approx(kriged, abs=1e-4)
