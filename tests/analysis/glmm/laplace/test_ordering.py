"""Which algebra a design has: by the fill that elimination leaves, not by its size."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.laplace import Kernel, Model, Settings, model
from capability_transfer.analysis.glmm.laplace.design import build
from capability_transfer.analysis.glmm.laplace.field import Field
from capability_transfer.analysis.glmm.laplace.ordering import eliminate
from capability_transfer.analysis.glmm.laplace.scalar import ScalarSystem, suits
from capability_transfer.analysis.glmm.laplace.schur import SchurSystem
from capability_transfer.analysis.glmm.laplace.sparse import SparseSystem


def crossed(levels, seed=1):
    """Ten rows a level of two factors, drawn at random."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, levels, (2, 10 * levels))
    return frame(rng, a=a, b=b)


def nested(levels, seed=1):
    """Pupils of classes of schools, two rows per pupil."""
    rng = np.random.default_rng(seed)
    pupil = np.repeat(np.arange(5 * levels), 2)
    return frame(rng, pupil=pupil, b=pupil // 5, a=pupil // 25)


def frame(rng, **factors):
    size = len(factors["a"])
    data = pd.DataFrame({name: values.astype(str) for name, values in factors.items()})
    x = rng.normal(size=size)
    eta = 0.3 * x + 0.8 * rng.normal(size=size)[factors["a"]]
    return data.assign(x=x, y=rng.binomial(1, 1 / (1 + np.exp(-eta))))


NESTED = "y ~ x + (1 + x | a) + (1 | b) + (1 | pupil)"
CROSSED = "y ~ x + (1 | a) + (1 | b)"


def test_designs_that_fill_up_are_dense_and_others_sparse(monkeypatch):
    monkeypatch.setattr(model, "SMALL", 50)
    few = Settings(sparse_work=1e5)
    assert isinstance(Model(NESTED, nested(300), settings=few).system, SparseSystem)
    assert isinstance(Model(CROSSED, crossed(300), settings=few).system, ScalarSystem)
    slopes = CROSSED.replace("1 | b", "1 + x | b")
    assert isinstance(Model(slopes, crossed(300), settings=few).system, SchurSystem)
    much = Settings(sparse_work=1e9)
    assert isinstance(Model(slopes, crossed(300), settings=much).system, SparseSystem)
    # a dense factor of 300 effects is quicker than a sparse one that fills up, unless asked for
    assert isinstance(Model(CROSSED, crossed(300)).system, ScalarSystem)
    assert isinstance(Model(CROSSED, crossed(300), settings=much).system, SparseSystem)


def test_many_scalar_effects_without_a_grid_are_summed_sparsely(monkeypatch):
    data = crossed(60)
    assert isinstance(Model(CROSSED, data).system, SchurSystem)
    monkeypatch.setattr(model, "MANY", 50)
    assert isinstance(Model(CROSSED, data).system, ScalarSystem)
    grid = pd.MultiIndex.from_product([range(60), range(55)], names=["a", "b"]).to_frame(False)
    whole = frame(np.random.default_rng(1), a=grid["a"].to_numpy(), b=grid["b"].to_numpy())
    assert isinstance(Model("y ~ 1 + (1 | a) + (1 | b)", whole).system, SchurSystem)


OBSERVED = (CROSSED + " + (1 | row)", "y ~ 1 + (x || a) + (0 + x | row)")


@pytest.mark.parametrize("text", [CROSSED, "y ~ 1 + (x || a) + (0 + x | b)", *OBSERVED])
@pytest.mark.parametrize("direct", [False, True])
def test_sparse_sums_give_what_dense_algebra_gives(text, direct):
    data = crossed(40)
    data["row"] = [str(number) for number in range(len(data))]
    design = build(parse(text), data, (), False)
    sums = ScalarSystem(design)
    assert sums.lone == (text in OBSERVED)
    sums.direct = direct
    rng = np.random.default_rng(4)
    weight = rng.uniform(0, 0.3, (design.shape[0], 1))
    weight[:5] = 0.0
    for sds in (rng.uniform(0.3, 1.0, design.parameters), np.eye(design.parameters)[0]):
        blocks = design.blocks(sds)
        ours, theirs = (made.factor(weight, blocks) for made in (sums, SchurSystem(design)))
        assert ours.log_determinant == pytest.approx(theirs.log_determinant, rel=1e-12)
        right = rng.normal(size=(design.effects, 2))
        np.testing.assert_allclose(ours.solve(right), theirs.solve(right), atol=1e-12)
        np.testing.assert_allclose(ours.solve(right[:, 0]), theirs.solve(right)[:, 0], atol=1e-12)
        mine, other = ours.posterior(), theirs.posterior()
        np.testing.assert_allclose(mine.leverage, other.leverage, atol=1e-12)
        np.testing.assert_allclose(mine.variance, other.variance, atol=1e-12)
        np.testing.assert_allclose(mine.traces, other.traces, atol=1e-10)
    with pytest.raises(FloatingPointError, match="definite"):
        ScalarSystem(design).factor(weight - 5, design.blocks(np.ones(design.parameters)))


def test_what_does_not_suit_sparse_sums_is_told():
    data = crossed(40)
    assert not suits(build(parse("y ~ x + (1 + x | a) + (1 | b)"), data, (), False))
    near = Kernel("near", "b", sorted(set(data["b"])), np.eye(data["b"].nunique()))
    assert not suits(build(parse(CROSSED), data, [near], False))


def test_a_fit_by_patient_steps_is_the_fit(monkeypatch):
    dense = laplace.fit(CROSSED, crossed(60))
    monkeypatch.setattr(model, "MANY", 50)
    fit = laplace.fit(CROSSED, crossed(60))
    assert fit.optimisation.converged
    assert fit.log_lik == pytest.approx(dense.log_lik, abs=1e-8)
    columns = ["estimate", "std_error"]
    ours, theirs = (each.fixed_effects[columns] for each in (fit, dense))
    np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    np.testing.assert_allclose(fit.modes["std_error"], dense.modes["std_error"], rtol=1e-4)


@pytest.mark.parametrize(("text", "data"), [(NESTED, nested(60)), (CROSSED, crossed(60))])
def test_both_have_one_likelihood_gradient_and_modes(text, data, monkeypatch):
    dense = Model(text, data)
    monkeypatch.setattr(model, "SMALL", 0)
    sparse = Model(text, data, settings=Settings(sparse_work=np.inf))
    assert isinstance(sparse.system, SparseSystem)
    theta = np.linspace(0.9, 0.3, len(dense.theta_names))
    for point in (theta, theta * np.linspace(0, 1, len(theta))):  # an SD of zero too
        ours, theirs = (each.log_likelihood(point, [0.1, 0.2]) for each in (sparse, dense))
        assert ours == pytest.approx(theirs, rel=1e-12)
        for one, other in zip(sparse.gradient(point, [0.1, 0.2]),
                              dense.gradient(point, [0.1, 0.2]), strict=True):  # fmt: skip
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-8)


def test_the_order_leaves_nested_designs_without_fill_and_counts_its_work():
    design = Model(NESTED, nested(60)).design
    found = eliminate(design)
    assert sorted(found.order) == list(range(design.effects))
    assert found.work == sum(len(own) ** 2 for own in found.structs)
    assert max(len(own) for own in found.structs) <= 3  # a class, a school's two effects
    assert eliminate(design, found.work) is not None
    assert eliminate(design, found.work - 1) is None


def test_effects_are_drawn_whatever_the_algebra(monkeypatch):
    theta, draws = np.array([0.8, 0.5]), []
    for many in (10**6, 50):
        monkeypatch.setattr(model, "MANY", many)
        field = Field(Model(CROSSED, crossed(60)))
        at = field.modes(theta)
        draws.append(field.draws(at, 3, np.random.default_rng(1)))
    np.testing.assert_allclose(draws[0].sum(), draws[1].sum(), atol=1e-6)
