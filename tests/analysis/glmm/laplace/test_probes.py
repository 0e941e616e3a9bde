"""Estimates by random probes, what they rest on, and fits that they lead to the maximum."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.laplace import conjugate, packed, probes
from capability_transfer.analysis.glmm.laplace.design import build
from capability_transfer.analysis.glmm.laplace.scalar import ScalarSystem
from scipy.linalg import lapack


def definite(size, seed=1):
    root = np.random.default_rng(seed).normal(size=(size, size))
    return root @ root.T / size + np.eye(size)


def crossed(levels, rows, sds=(1.0, 0.7), seed=3):
    rng = np.random.default_rng(seed)
    factors = {name: rng.integers(0, levels, rows) for name in "abc"[: len(sds)]}
    data = pd.DataFrame({name: own.astype(str) for name, own in factors.items()})
    x = rng.normal(size=rows)
    eta = 0.3 + 0.5 * x
    for own, sd in zip(factors.values(), sds, strict=True):
        eta = eta + rng.normal(0, sd, levels)[own]
    return data.assign(x=x, y=rng.binomial(1, 1 / (1 + np.exp(-eta))))


def test_conjugate_gradients_solve_and_their_steps_give_quadratic_forms():
    matrix, rng = definite(30), np.random.default_rng(2)
    right = np.column_stack([rng.normal(size=(30, 3)), np.zeros(30)])
    found = conjugate.solve(lambda x: matrix @ x, right, 1e-13)
    np.testing.assert_allclose(found.values, np.linalg.solve(matrix, right), atol=1e-11)
    values, vectors = np.linalg.eigh(matrix)
    log = (vectors * np.log(values)) @ vectors.T
    forms = conjugate.solve(lambda x: matrix @ x, right[:, :3], 1e-13).forms(np.log)
    np.testing.assert_allclose(forms, np.sum(right[:, :3] * (log @ right[:, :3]), axis=0))


def test_conjugate_gradients_refuse_what_is_not_definite():
    matrix = definite(5) - 3 * np.eye(5)
    with pytest.raises(FloatingPointError, match="do not solve"):
        conjugate.solve(lambda x: matrix @ x, np.eye(5), 1e-10)


@pytest.mark.parametrize("size", [1, 2, 7, 8])
def test_half_the_memory_holds_the_factor_and_the_inverse(size):
    matrix = definite(size)
    row, column = np.tril_indices(size)
    places = packed.places(size, row, column)
    theirs, _ = lapack.dtrttf(np.asfortranarray(matrix), transr="N", uplo="L")
    np.testing.assert_array_equal(theirs[places], matrix[row, column])
    root, whole = packed.cholesky(size, theirs)
    assert whole
    np.testing.assert_allclose(root[places], np.linalg.cholesky(matrix)[row, column])
    inverse = packed.inverse(size, root)
    np.testing.assert_allclose(inverse[places], np.linalg.inv(matrix)[row, column], atol=1e-12)
    assert not packed.cholesky(size, -theirs)[1]


@pytest.mark.parametrize("sds", [(1.0, 0.7), (1.5, 1.0, 0.5)])
def test_estimates_are_right_on_average_and_near_each_time(sds):
    terms = " + ".join(f"(1 | {name})" for name in "abc"[: len(sds)])
    design = build(parse(f"y ~ x + {terms}"), crossed(60, 500, sds), (), False)
    weight = np.random.default_rng(4).uniform(0, 0.25, (design.shape[0], 1))
    system, blocks = ScalarSystem(design), design.blocks(np.array(sds))
    exact = system.factor(weight, blocks)
    drawn = [probes.ProbedSystem(system, seed).factor(weight, blocks) for seed in range(30)]
    right = np.random.default_rng(5).normal(size=(design.effects, 2))
    np.testing.assert_allclose(drawn[0].solve(right), exact.solve(right), atol=1e-10)

    def parts(factor):
        found = factor.posterior()
        summed = [np.sum(found.leverage), np.sum(found.variance), *np.ravel(found.traces)]
        return np.array([factor.log_determinant, *summed])

    estimates, known = np.array([parts(each) for each in drawn]), parts(exact)
    error = estimates.std(axis=0, ddof=1)
    assert (np.abs(estimates.mean(axis=0) - known) < 4 * error / np.sqrt(len(drawn))).all()
    assert (error < 2e-3 * np.abs(known)).all()
    assert (error > 0).all()


@pytest.mark.parametrize("sds", [(1.0, 0.7), (1.0, 0.0), (1.0, 0.8, 0.5)])
def test_a_fit_that_probes_lead_is_the_exact_one(sds, monkeypatch):
    terms = " + ".join(f"(1 | {name})" for name in "abc"[: len(sds)])
    data = crossed(400, 3000, sds)
    monkeypatch.setattr(probes, "WORK", 1e9)
    exact = laplace.fit(f"y ~ x + {terms}", data)
    assert exact.optimisation.hessian == "exact"
    monkeypatch.setattr(probes, "WORK", 100)
    fit = laplace.fit(f"y ~ x + {terms}", data)
    assert fit.optimisation.hessian == "estimated"
    assert fit.optimisation.converged
    assert fit.optimisation.singular == exact.optimisation.singular == (0.0 in sds)
    assert fit.log_lik == pytest.approx(exact.log_lik, abs=1e-6)
    error = exact.fixed_effects["std_error"]
    gap = (fit.fixed_effects["estimate"] - exact.fixed_effects["estimate"]) / error
    assert np.abs(gap).max() < 1e-3
    np.testing.assert_allclose(fit.fixed_effects["std_error"], error, rtol=5e-4)
    np.testing.assert_allclose(
        fit.random_effects["sd"], exact.random_effects["sd"], rtol=1e-3, atol=1e-8
    )
    np.testing.assert_allclose(fit.modes["std_error"], exact.modes["std_error"], rtol=1e-3)


def test_a_search_by_probes_needs_one_or_two_dense_factors(monkeypatch):
    made = []
    whole = packed.cholesky
    monkeypatch.setattr(packed, "cholesky", lambda *given: made.append(given[0]) or whole(*given))
    monkeypatch.setattr(probes, "WORK", 100)
    model = laplace.Model("y ~ x + (1 | a) + (1 | b)", crossed(600, 5000))
    optimum = model.optimise()
    assert set(made) == {600}
    assert len(made) <= 2
    again = model.refit(model.success).optimise(optimum)
    assert again.point.value == pytest.approx(optimum.point.value, abs=1e-6)


def test_probes_are_used_where_they_take_less_time_than_a_dense_factor():
    thin = build(parse("y ~ x + (1 | a) + (1 | b)"), crossed(1000, 3000), (), False)
    full = build(parse("y ~ x + (1 | a) + (1 | b)"), crossed(200, 9000), (), False)
    assert probes.pays(ScalarSystem(thin))
    assert not probes.pays(ScalarSystem(full))
