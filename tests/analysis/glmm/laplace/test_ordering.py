"""Which algebra a design has: by the fill that elimination leaves, not by its size."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.laplace import Model, Settings, model
from capability_transfer.analysis.glmm.laplace.ordering import eliminate
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
    assert isinstance(Model(CROSSED, crossed(300), settings=few).system, SchurSystem)
    assert isinstance(Model(CROSSED, crossed(300), settings=Settings(sparse_work=1e9)).system,
                      SparseSystem)  # fmt: skip


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
