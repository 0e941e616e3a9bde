"""What a fit says of rows that are not those it was fitted to: levels come from the fit."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.posterior import Posterior
from capability_transfer.analysis.glmm.predict import linear_predictor
from capability_transfer.analysis.glmm.r_session import to_r_frame
from capability_transfer.analysis.glmm.result import load, save
from capability_transfer.common.errors import InputError

FORMULA = "y ~ f * x + script + seen + (1 + f | item) + (1 | subject)"
PREDICT = """
function(data, rows, beta) {
  fit <- suppressWarnings(lme4::glmer(
    y ~ f * x + script + seen + (1 + f | item) + (1 | subject), data, family = binomial, nAGQ = 0L
  ))
  fit@beta <- unname(beta[names(lme4::fixef(fit))])
  unname(predict(fit, newdata = rows, re.form = NA))
}
"""


def rows_of(seed, rows):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "f": rng.choice(["low", "mid", "top"], rows),
            "x": rng.normal(size=rows),
            "script": rng.choice(["Arab", "Cyrl", "Latn"], rows),
            "seen": rng.integers(0, 2, rows).astype(bool),
            "item": [f"i{i}" for i in rng.integers(0, 15, rows)],
            "subject": [f"s{i}" for i in rng.integers(0, 20, rows)],
        }
    )
    item = frame["item"].str[1:].astype(int).to_numpy()
    eta = 0.8 * (frame["f"] == "mid") - frame["x"] + 0.6 * frame["seen"]
    eta += rng.normal(size=15)[item] + rng.normal(size=15)[item] * (frame["f"] == "top")
    return frame.assign(y=rng.binomial(1, 1 / (1 + np.exp(-eta))))


@pytest.fixture(scope="module")
def data():
    return rows_of(1, 600)


@pytest.fixture(scope="module")
def fit(data):
    return laplace.fit(FORMULA, data)


def few(data):
    """Rows that lack levels: one of f, two of script, one value of seen."""
    return data[(data["f"] == "mid") & (data["script"] == "Cyrl") & data["seen"]].head(4)


def test_fixed_effects_of_few_rows_are_what_r_predicts(r, data, fit):
    from rpy2 import robjects

    beta = robjects.FloatVector(fit.coefficients)
    beta.names = robjects.StrVector(fit.coefficients.index)
    whole = to_r_frame(data, fit.levels)
    theirs = r(PREDICT)(whole, to_r_frame(few(data), fit.levels), beta)
    np.testing.assert_allclose(linear_predictor(fit, few(data), []), np.array(theirs), rtol=1e-9)


def test_a_row_alone_is_the_same_row_among_all(data, fit):
    whole = linear_predictor(fit, data)
    for row in (0, 17, 333):
        alone = linear_predictor(fit, data.iloc[[row]])
        np.testing.assert_allclose(alone, whole[[row]], rtol=1e-12)


def test_a_posteriors_rows_do_not_depend_on_each_other(data, fit):
    posterior = Posterior(fit, data)
    whole = linear_predictor(fit, data)
    rows = few(data)
    np.testing.assert_allclose(
        posterior.linear_predictor(rows), whole[data.index.get_indexer(rows.index)], atol=1e-8
    )
    drawn = posterior.sampled(20, seed=1)
    together = drawn.draws(data, np.random.default_rng(1))
    alone = drawn.draws(rows, np.random.default_rng(1))
    np.testing.assert_allclose(alone, together[data.index.get_indexer(rows.index)], atol=1e-5)


def test_a_level_that_the_fit_has_not_seen_is_refused(data, fit):
    new = few(data).assign(script="Grek")
    with pytest.raises(InputError, match="script is Grek in row .*a level that the fit has not"):
        linear_predictor(fit, new)
    with pytest.raises(InputError, match="script is Grek"):
        Posterior(fit, data).linear_predictor(new)


def test_a_fit_keeps_its_levels_on_disk(data, fit, tmp_path):
    back = load(save(fit, tmp_path / "a.fit"))
    assert back.levels == {
        "f": ("low", "mid", "top"), "script": ("Arab", "Cyrl", "Latn"), "seen": ("FALSE", "TRUE"),
    }  # fmt: skip
    np.testing.assert_array_equal(
        linear_predictor(back, few(data)), linear_predictor(fit, few(data))
    )
