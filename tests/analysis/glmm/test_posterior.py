"""The joint distribution of effects, against the engine's own figures and kriging by hand."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.laplace import Kernel, Settings
from capability_transfer.analysis.glmm.posterior import Posterior, central_sd
from capability_transfer.analysis.glmm.predict import linear_predictor

from tests.simulation import answered, crossed, effects, named


@pytest.fixture(scope="module")
def data():
    generator = np.random.default_rng(11)
    grid = crossed(variant=12, language=8)
    x = generator.normal(size=len(grid))
    eta = 0.3 + 0.5 * x + effects(generator, grid, {"language": 0.8, "variant": 0.6})
    cells = named(grid, variant="v{}", language="l{}").assign(x=x)
    return answered(generator, cells, eta, 40)


@pytest.fixture(scope="module")
def plain(data):
    formula = "~ x + (1 | variant) + (1 | language)"
    fit = laplace.fit(formula, data, settings=Settings(hessian="working"))
    return fit, Posterior(fit, data).sampled(20_000, 1)


NEW = pd.DataFrame({"variant": ["new", "v1"], "language": "new", "x": [0.0, 1.0]})


def test_means_are_the_fits(data, plain):
    fit, posterior = plain
    np.testing.assert_allclose(
        posterior.linear_predictor(data), linear_predictor(fit, data), atol=1e-8
    )


def test_without_draws_there_are_means_only(data, plain):
    posterior = Posterior(plain[0], data)
    assert posterior.count == 0
    with pytest.raises(ValueError, match=r"sampled\(\)"):
        posterior.draws(data, np.random.default_rng(1))


def test_draws_have_the_covariance_and_the_means(data, plain):
    _, posterior = plain
    rows = pd.concat([data.iloc[:2], NEW], ignore_index=True)
    draws = posterior.draws(rows, np.random.default_rng(1))
    np.testing.assert_allclose(np.cov(draws), posterior.covariance(rows), rtol=0.1, atol=0.02)
    np.testing.assert_allclose(draws.mean(axis=1), posterior.linear_predictor(rows), atol=0.05)


def test_with_the_sds_as_estimated_new_levels_add_their_variances(data, plain):
    fit, _ = plain
    known = Posterior(fit, data)
    rows = pd.DataFrame({"variant": ["new", "other"], "language": "new", "x": [0.0, 1.0]})
    x = np.array([[1.0, 0.0], [1.0, 1.0]])
    language, variant = fit.sd("language") ** 2, fit.sd("variant") ** 2
    expected = x @ fit.covariance @ x.T + language + np.diag([variant] * 2)
    np.testing.assert_allclose(known.covariance(rows), expected, rtol=0.002)


def test_with_the_sds_as_estimated_what_is_known_follows_from_the_information(data):
    """By hand: the inverse of all effects' information at the fit's probabilities."""
    names = [f"l{t}" for t in range(8)]
    at = np.linspace(-1.5, 1.5, 8)
    kernel = Kernel("alike", "language", names, np.exp(-((at[:, None] - at) ** 2)))
    fit = laplace.fit("~ x + (1 | variant)", data, structured=[kernel])
    posterior = Posterior(fit, data, [kernel])
    variants, languages = (pd.get_dummies(data[name]) for name in ("variant", "language"))
    every = np.column_stack([np.ones(len(data)), data["x"], variants, languages[names]])
    p = 1 / (1 + np.exp(-posterior.linear_predictor(data)))
    precision = np.zeros((22, 22))
    precision[2:14, 2:14] = np.eye(12) / fit.sd("variant") ** 2
    precision[14:, 14:] = np.linalg.inv(kernel.matrix) / fit.sd("alike") ** 2
    information = (every.T * (data["n_total"] * p * (1 - p)).to_numpy()) @ every + precision
    expected = every[:5] @ np.linalg.solve(information, every[:5].T)
    np.testing.assert_allclose(posterior.covariance(data.iloc[:5]), expected, rtol=0.01)


def test_the_central_sd_is_that_of_a_normal_distribution_and_blind_to_tails():
    draws = np.random.default_rng(1).normal(0, 2, (2, 50_000))
    assert central_sd(draws) == pytest.approx([2, 2], rel=0.03)
    tails = np.random.default_rng(1).standard_t(3, 50_000)
    assert central_sd(tails) < 0.75 * tails.std()


def test_new_levels_are_less_known_than_the_estimated_sds_say(plain):
    fit, posterior = plain
    row = NEW.iloc[:1]
    plugged = fit.covariance[0, 0] + fit.sd("language") ** 2 + fit.sd("variant") ** 2
    centred = posterior.draws_apart(row, np.random.default_rng(2).standard_normal(20_000))[0]
    assert plugged < centred.var() < 3 * plugged
    centred = (centred - centred.mean()) / centred.std()
    assert np.mean(centred**4) > 3.3  # longer tails than the normal's


def test_rows_drawn_apart_have_the_law_of_draws_and_do_not_depend_on_others(data, plain):
    _, posterior = plain
    rows = pd.concat([data.iloc[:2], NEW], ignore_index=True)
    noise = np.random.default_rng(3).standard_normal(posterior.count)
    apart = posterior.draws_apart(rows, noise)
    together = posterior.draws(rows, np.random.default_rng(4))
    tails = [0.025, 0.25, 0.5, 0.75, 0.975]
    np.testing.assert_allclose(
        np.quantile(apart, tails, axis=1), np.quantile(together, tails, axis=1), atol=0.08
    )
    alone = posterior.draws_apart(rows.iloc[2:], noise)
    np.testing.assert_allclose(apart[2:], alone, atol=1e-6)


def test_a_known_pair_is_known_much_better_than_its_parts(data, plain):
    fit, posterior = plain
    known = posterior.covariance(data.iloc[:1])[0, 0]
    assert known < fit.covariance[0, 0]  # the intercept alone is about the mean of new levels


def test_a_world_keeps_what_it_is_told_and_draws_the_rest(data, plain):
    fit, posterior = plain
    world = posterior.world(("variant",), 300, np.random.default_rng(5))
    eta = world.draws(data, np.random.default_rng(6))
    assert np.ptp(eta, axis=1).max() == 0  # every level was seen
    drawn = eta[:, 0] - linear_predictor(fit, data, ["variant"])
    assert pd.Series(drawn).groupby(data["language"].to_numpy()).std().max() < 1e-5
    assert np.std(drawn) == pytest.approx(fit.sd("language"), rel=0.6)
    new = world.draws(NEW.iloc[1:], np.random.default_rng(6))[0]
    assert new.std() == pytest.approx(fit.sd("language"), rel=0.15)
    first, generator = data.iloc[:1], np.random.default_rng(7)
    worlds = [posterior.world(("variant",), 1, generator) for _ in range(400)]
    drawn = np.ravel([world.draws(first, generator) for world in worlds])
    assert drawn.mean() == pytest.approx(linear_predictor(fit, first, ["variant"])[0], abs=0.15)
    assert drawn.std() == pytest.approx(fit.sd("language"), rel=0.15)


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
    sampled = larger.sampled(4000, 1)
    rows = pd.concat([row, data.iloc[:1]], ignore_index=True)
    apart = sampled.draws_apart(rows, np.random.default_rng(1).standard_normal(4000))
    together = sampled.draws(rows, np.random.default_rng(2))
    np.testing.assert_allclose(apart.var(axis=1), together.var(axis=1), rtol=0.1)
    np.testing.assert_allclose(sampled.covariance(rows), np.cov(together), rtol=0.15, atol=0.01)
    np.testing.assert_allclose(apart.mean(axis=1), larger.linear_predictor(rows), atol=0.1)


EVERY = ("variant", "language", "smooth")
"""Terms that a world keeps at their means: what varies there is what is new, and nothing else."""


def _variances(world, rows):
    """Of rows' log-odds in a world, by each of the three ways of asking."""
    noise = np.random.default_rng(1).standard_normal(world.count)
    return (
        world.covariance(rows),
        np.cov(world.draws(rows, np.random.default_rng(2))),
        np.diag(world.draws_apart(rows, noise).var(axis=1, ddof=1)),
    )


def test_what_is_new_of_a_kernel_has_the_kriging_variance(data):
    names = [f"l{t}" for t in range(8)]
    at = np.append(np.linspace(-2, 2, 8), [0.3, 2.8])
    matrix = np.exp(-((at[:, None] - at) ** 2) / (2 * 0.4**2))
    train = Kernel("smooth", "language", names, matrix[:8, :8])
    fit = laplace.fit("~ x + (1 | variant)", data, structured=[train])
    whole = Kernel("smooth", "language", [*names, "near", "far"], matrix)
    world = Posterior(fit, data, [train]).extended([whole])
    world = world.world(EVERY, 20_000, np.random.default_rng(3))
    rows = pd.DataFrame({"variant": "v0", "language": ["near", "far"], "x": 0.0})
    known, new = matrix[:8, :8], matrix[8:, :8]
    left = matrix[8:, 8:] - new @ np.linalg.solve(known, new.T)
    expected = fit.sd("smooth") ** 2 * left
    exact, drawn, apart = _variances(world, rows)
    assert expected[0, 0] < 0.5 * expected[1, 1]
    np.testing.assert_allclose(exact, expected, rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(drawn, expected, rtol=0.05, atol=0.03 * expected.max())
    np.testing.assert_allclose(apart.diagonal(), expected.diagonal(), rtol=0.05)


@pytest.fixture(scope="module")
def sloped(data):
    """Intercepts and slopes of languages that go together, in the data and the fit."""
    generator = np.random.default_rng(5)
    names = [f"l{t}" for t in range(30)]
    own = pd.DataFrame(generator.multivariate_normal([0, 0], [[1, 0.6], [0.6, 0.8]], 30), names)
    rows = pd.DataFrame({"language": np.repeat(names, 12), "x": generator.normal(size=360)})
    eta = own[0][rows["language"]].to_numpy() + own[1][rows["language"]].to_numpy() * rows["x"]
    rows["n_total"] = 60
    rows["n_correct"] = generator.binomial(60, 1 / (1 + np.exp(-eta)))
    fit = laplace.fit("~ x + (1 + x | language)", rows, settings=Settings(hessian="working"))
    return fit, rows


def test_new_levels_have_the_covariance_of_intercept_and_slope(sloped):
    fit, data = sloped
    world = Posterior(fit, data).world(("language",), 20_000, np.random.default_rng(1))
    sd = np.array([fit.sd("language"), fit.sd("language", "x")])
    correlation = fit.correlations["correlation"].iloc[0]
    assert correlation > 0.3
    both = np.outer(sd, sd) * [[1, correlation], [correlation, 1]]
    design = np.array([[1, 2.0], [1, -1.0], [1, 0.5]])
    expected = design @ both @ design.T
    expected[2, :2] = expected[:2, 2] = 0  # the third is another language
    rows = pd.DataFrame({"language": ["new", "new", "other"], "x": [2.0, -1.0, 0.5]})
    exact, drawn, apart = _variances(world, rows)
    np.testing.assert_allclose(exact, expected, atol=1e-8)
    np.testing.assert_allclose(drawn, expected, rtol=0.05, atol=0.03)
    np.testing.assert_allclose(apart.diagonal(), expected.diagonal(), rtol=0.05)


def test_offsets_are_in_means_and_in_every_draw(data):
    shifted = data.assign(known=np.tile([-0.5, 1.0, 0.3], 32), more=0.25)
    formula = "~ x + offset(known) + offset(more) + (1 | variant) + (1 | language)"
    fit = laplace.fit(formula, shifted, settings=Settings(hessian="working"))
    posterior = Posterior(fit, shifted).sampled(50, 1)
    rows = shifted.iloc[[0, 1, 2]]
    plain = rows.assign(known=0.0, more=0.0)
    offset = rows["known"].to_numpy() + 0.25
    noise = np.random.default_rng(1).standard_normal(50)
    for asked in (
        posterior.linear_predictor,
        lambda some: posterior.draws(some, np.random.default_rng(2)).T,
        lambda some: posterior.draws_apart(some, noise).T,
    ):
        np.testing.assert_allclose(
            asked(rows) - asked(plain), np.broadcast_to(offset, asked(rows).shape), atol=1e-6
        )
