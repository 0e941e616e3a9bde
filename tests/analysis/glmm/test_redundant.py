"""Random terms that the data cannot tell apart, and interactions without their main effects."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace, lme4
from capability_transfer.common.errors import InputError


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    group = rng.integers(0, 20, 500)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=500),
            "f": rng.choice(["a", "b", "c"], 500),
            "k": rng.choice(["u", "v"], 500),
            "group": [f"g{i}" for i in group],
            "same": [f"other {i}" for i in group],
        }
    )
    eta = 0.5 * frame["x"] + rng.normal(size=20)[group]
    return frame.assign(y=rng.binomial(1, 1 / (1 + np.exp(-eta))))


@pytest.mark.parametrize(
    ("random", "pair"),
    [
        ("(1 | group) + (1 | same)", "(1 | group) and (1 | same)"),
        ("(1 | group) + (1 + x | same)", "(1 | group) and (1 + x | same)"),
        ("(f || group)", "(1 | group) and (0 + f | group)"),
    ],
)
def test_terms_whose_variances_only_add_up_are_named(data, random, pair):
    fit = laplace.fit(f"y ~ x + {random}", data)
    assert fit.diagnostics["redundant"] == [pair]
    assert any(note.startswith(f"{pair} cannot be told apart") for note in fit.warnings())


@pytest.mark.parametrize("random", ["(1 | group) + (0 + x | same)", "(x || group)", "(0 + f || k)"])
def test_terms_that_differ_are_not(data, random):
    assert laplace.fit(f"y ~ x + {random}", data).diagnostics["redundant"] == []


def test_one_effect_of_a_group_twice_is_refused(data):
    with pytest.raises(InputError, match=r"two random terms give group the effect \(Intercept\)"):
        laplace.fit("y ~ x + (1 | group) + (1 + x | group)", data)


def test_columns_that_r_codes_in_full_are_left_out_as_lme4_leaves_them_out(r, data):
    ours = laplace.fit("y ~ f:k + (1 | group)", data)
    theirs = lme4.fit("y ~ f:k + (1 | group)", data)
    assert ours.diagnostics["dropped"] == theirs.diagnostics["dropped"] == ["fc:kv"]
    assert list(ours.coefficients.index) == list(theirs.coefficients.index)
    np.testing.assert_allclose(ours.coefficients, theirs.coefficients, atol=2e-3)
    assert ours.df == theirs.df == 7
