"""Accuracy on the line against statsmodels."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from capability_transfer.analysis.transfer_metrics.line import on_the_line
from capability_transfer.common.errors import InputError


def test_the_line_is_that_of_ordinary_least_squares():
    rng = np.random.default_rng(8)
    x = rng.random(15)
    table = pd.DataFrame(
        {"source_accuracy": x, "target_accuracy": 0.7 * x + rng.normal(0, 0.1, 15)}
    )
    (found,) = on_the_line(table).to_dict("records")
    fit = sm.OLS(table["target_accuracy"], sm.add_constant(table["source_accuracy"])).fit()
    low, high = fit.conf_int().loc["source_accuracy"]
    assert found["slope"] == pytest.approx(fit.params["source_accuracy"])
    assert found["intercept"] == pytest.approx(fit.params["const"])
    assert found["r_squared"] == pytest.approx(fit.rsquared)
    assert (found["conf_low"], found["conf_high"]) == pytest.approx((low, high))


@pytest.mark.parametrize("models", [1, 2])
def test_too_few_models_are_refused(models):
    table = pd.DataFrame(
        {"source_accuracy": np.arange(models) / 2, "target_accuracy": np.arange(models) / 3}
    )
    with pytest.raises(InputError, match=f"at least three models, there is {models}"):
        on_the_line(table)


def test_one_source_accuracy_determines_no_line():
    table = pd.DataFrame({"source_accuracy": [0.5] * 3, "target_accuracy": [0.1, 0.2, 0.3]})
    with pytest.raises(InputError, match="same source accuracy"):
        on_the_line(table)
