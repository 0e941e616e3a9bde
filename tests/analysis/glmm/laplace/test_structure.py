"""One model, several structures: grid, rows, other elimination, sparse algebra, kernels."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.laplace import Kernel, Model, model
from capability_transfer.analysis.glmm.laplace.design import build
from capability_transfer.analysis.glmm.laplace.likelihood import Counts, Likelihood
from capability_transfer.analysis.glmm.laplace.schur import SchurSystem
from capability_transfer.analysis.glmm.laplace.sparse import SparseSystem

LANGUAGES = [f"l{i}" for i in range(6)]


def correlation(size, seed=0):
    loadings = np.random.RandomState(seed).randn(size, size + 2)
    covariance = loadings @ loadings.T
    sd = np.sqrt(np.diag(covariance))
    return covariance / sd[:, None] / sd


def likelihoods(formula, data, kernels=()):
    """The likelihood on the grid found, on rows by the dense path, and on rows by the sparse."""
    formula = parse(formula)
    counts = formula.counts(data)
    for grid, system in ((True, SchurSystem), (False, SchurSystem), (False, SparseSystem)):
        design = build(formula, data, kernels, grid=grid)
        units, columns = design.shape
        cell = design.layout.unit * columns + design.layout.column
        sums = (np.bincount(cell, x, units * columns).reshape(units, columns) for x in counts)
        yield Likelihood(design, Counts(*sums), system(design))


def value_and_gradient(likelihood, seed=4):
    random = np.random.RandomState(seed)
    design = likelihood.design
    beta = 0.3 * random.randn(len(design.names))
    theta = random.uniform(0.2, 1, design.parameters)
    modes = likelihood.modes(np.linalg.solve(design.unscale, beta), theta * design.theta_scale)
    for_gamma, for_theta = likelihood.gradient(modes)
    for_beta = np.linalg.inv(design.unscale).T @ for_gamma
    gradient = np.concatenate([for_beta, for_theta * design.theta_scale])
    return modes.value, gradient, variances(design, modes.factor.posterior().variance)


def variances(design, found):
    """On the data's own scale, sorted: levels stand in different orders."""
    spans = ((term, found[design.span(t)]) for t, term in enumerate(design.terms))
    natural = [own.reshape(-1, term.q, term.width) / term.scale[:, None] ** 2
               for term, own in spans]  # fmt: skip
    return np.sort(np.concatenate([own.ravel() for own in natural]))


EXTRA = {
    "pairs": ("", ()),
    "cross term": ("+ (1 | template:language)", ()),
    "cross term that is eliminated": ("+ (1 | template:base_model)", ()),
    "cross terms, one of which is eliminated": (
        "+ (1 | template:base_model) + (1 | template:language)", (),
    ),
    "slope by template": ("+ (0 + size | template)", ()),
    "correlated slope by template": ("+ (1 + size | template:family)", ()),
    "slope by language": ("+ (0 + size | language)", ()),
    "kernel": ("", [Kernel("near", "language", LANGUAGES, correlation(6))]),
    "kernel by base": ("", [Kernel("near", "language", LANGUAGES, correlation(6), "base_model")]),
    "kernel by column": ("", [Kernel("near", "language", LANGUAGES, correlation(6), "template")]),
    "kernel over columns": (
        "", [Kernel("near", "template", [f"t{i}" for i in range(10)], correlation(10))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("extra", EXTRA)
def test_every_path_gives_one_likelihood_and_gradient(extra, design):
    formula, data = design("main")
    added, kernels = EXTRA[extra]
    data = data.sample(frac=0.9, random_state=3)  # a grid with empty cells
    results = [value_and_gradient(x) for x in likelihoods(formula + added, data, kernels)]
    for value, gradient, variance in results[1:]:
        assert value == pytest.approx(results[0][0], rel=1e-12)
        np.testing.assert_allclose(gradient, results[0][1], rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(variance[-len(results[0][2]) :], results[0][2], rtol=1e-7)


def test_models_of_columns_alone(design):
    _, data = design("main")
    for right in ("(1 | template)", "(1 | template) + (1 | template:language)"):
        results = [value_and_gradient(x) for x in likelihoods("~ resource + " + right, data)]
        for value, gradient, _ in results[1:]:
            assert value == pytest.approx(results[0][0], rel=1e-12)
            np.testing.assert_allclose(gradient, results[0][1], rtol=1e-7, atol=1e-7)


def test_the_grid_is_found(design):
    formula, data = design("main")
    found = Model(formula, data).design
    assert found.layout.factor == "template"
    assert found.shape == (14 * 6, 10)
    assert found.terms[found.eliminated].group == "variant:language"
    crossed = Model(formula + " + (1 | template:base_model)", data).design
    assert crossed.terms[crossed.eliminated].group == "template:base_model"
    by_template = data.assign(steps=data["template"].str[1:].astype(int))
    rows = Model("~ steps + (1 | template) + (1 | variant)", by_template).design
    assert rows.layout.factor == "variant"  # template no longer only groups


def test_levels_without_rows_are_not_reported(design):
    _, data = design("main")
    data = data.query("not (language == 'l2' and template == 't4')")
    fit = laplace.fit("~ resource + (1 | variant) + (1 | template:language)", data)
    levels = fit.modes.query("group == 'template:language'")["level"]
    assert len(levels) == 59
    assert "t4:l2" not in set(levels)
    assert fit.random_effects.set_index("group").loc["template:language", "levels"] == 59


def test_sparse_fit_equals_dense(design, monkeypatch):
    formula, data = design("ragged")
    dense = laplace.fit(formula, data)
    monkeypatch.setattr(model, "SMALL", 0)
    assert isinstance(laplace.Model(formula, data).system, SparseSystem)
    sparse = laplace.fit(formula, data)
    assert sparse.log_lik == pytest.approx(dense.log_lik, abs=1e-9)
    np.testing.assert_allclose(sparse.covariance, dense.covariance, rtol=1e-4)
    np.testing.assert_allclose(sparse.modes["std_error"], dense.modes["std_error"], rtol=1e-5)


def test_kernel_with_identity_is_a_plain_intercept(design):
    _, data = design("main")
    plain = laplace.fit("~ size + (1 | template) + (1 | variant) + (1 | language)", data)
    identity = Kernel("tongue", "language", LANGUAGES, np.eye(6))
    kernel = laplace.fit(
        "~ size + (1 | template) + (1 | variant)", data, structured=[identity]
    )  # fmt: skip
    assert kernel.log_lik == pytest.approx(plain.log_lik, abs=1e-8)
    assert kernel.sd("tongue") == pytest.approx(plain.sd("language"), abs=1e-6)
    ours = kernel.modes.query("group == 'tongue'").set_index("level")["mode"]
    theirs = plain.modes.query("group == 'language'").set_index("level")["mode"]
    np.testing.assert_allclose(ours[LANGUAGES], theirs[LANGUAGES], atol=1e-6)


def test_kernel_with_copies_is_an_interaction(design):
    _, data = design("main")
    right = "~ size + (1 | template) + (1 | language)"
    plain = laplace.fit(right + " + (1 | base_model:language)", data)
    identity = Kernel("tongue", "language", LANGUAGES, np.eye(6), by="base_model")
    kernel = laplace.fit(right, data, structured=[identity])
    assert kernel.log_lik == pytest.approx(plain.log_lik, abs=1e-8)
    assert set(kernel.modes.query("group == 'tongue'")["level"]) == set(
        plain.modes.query("group == 'base_model:language'")["level"]
    )


def test_kernel_predicts_levels_without_data(design):
    """The mode of a level the data lack is its regression on the others' modes."""
    _, data = design("main")
    matrix = correlation(6, seed=2)
    kernel = Kernel("near", "language", LANGUAGES, matrix)
    fit = laplace.fit(
        "~ size + (1 | template) + (1 | variant)",
        data.query("language != 'l5'"),
        structured=[kernel],
    )
    modes = fit.modes.query("group == 'near'").set_index("level")["mode"][LANGUAGES].to_numpy()
    assert modes[5] == pytest.approx(matrix[5, :5] @ np.linalg.solve(matrix[:5, :5], modes[:5]))


def test_singular_kernel_is_allowed(design):
    _, data = design("main")
    slope = np.linspace(-1, 1, 6)
    smooth = Kernel("line", "language", LANGUAGES, np.outer(slope, slope))  # of rank one
    fit = laplace.fit("~ size + (1 | template) + (1 | language)", data, structured=[smooth])
    modes = fit.modes.query("group == 'line'").set_index("level")["mode"][LANGUAGES]
    np.testing.assert_allclose(modes, slope * modes.iloc[-1], atol=1e-8)


def test_a_warm_start_knows_kernels(design):
    _, data = design("main")
    kernels = [Kernel("near", "language", LANGUAGES, correlation(6), "base_model")]
    formula = "~ size + (1 | template) + (1 | variant:language)"
    model = Model(formula, data, kernels)
    first = model.optimise()
    again = model.optimise(laplace.warm_start(model, first))
    assert again.point.value == pytest.approx(first.point.value, abs=1e-8)
    assert again.evaluations < first.evaluations
    assert isinstance(laplace.report(model, again).modes, pd.DataFrame)
