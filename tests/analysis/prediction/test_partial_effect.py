"""The curve of resource, from a posterior whose answer is known."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import partial_effect
from capability_transfer.analysis.prediction.evaluate import Task

CONSTANTS = pd.DataFrame(
    {"feature": ["resource", "distance", "size"], "mean": [6.0, 0.5, 3.0], "sd": [2.0, 0.1, 1.0]}
)


class Known:
    """Log-odds 3 x for family a and x² for b, with draws that scale them by 1 to 101."""

    count = 101

    def _effect(self, rows, groups):
        assert tuple(groups) == ("smooth", "smooth:family")
        others = rows[["distance", "size", "reasoning"]]
        assert (others == 0).all(axis=None)
        x = rows["resource"].to_numpy()
        return 7.0 + np.where(rows["family"] == "a", 3 * x, x**2)

    def linear_predictor(self, rows, groups):
        return self._effect(rows, groups)

    def draws(self, rows, generator, groups):
        return self._effect(rows, groups)[:, None] * np.arange(1, 102)


@pytest.fixture
def shape():
    fitted = SimpleNamespace(
        languages=SimpleNamespace(
            covariates=pd.DataFrame({"resource": [-1.0, 1.0, 0.5]}),
            vectors=pd.DataFrame({"f": [0.0, 0.5, 1.0]}),
        ),
        data=pd.DataFrame({"family": ["b", "a", "b"]}),
        extend_posterior=lambda rows, vectors: Known(),
    )
    return partial_effect.resource_shape(fitted, CONSTANTS, 1).groupby("curve", sort=False)


def test_effects_are_against_the_most_text_observed(shape):
    assert list(shape.groups) == ["a", "b", "mean over families"]
    x = np.linspace(-1, 1, 50)
    expected = {"a": 3 * (x - 1), "b": x**2 - 1}
    expected["mean over families"] = (expected["a"] + expected["b"]) / 2
    for curve, table in shape:
        np.testing.assert_allclose(table["resource"], 6 + 2 * x)
        np.testing.assert_allclose(table["effect"], expected[curve], atol=1e-12)
        scales = np.quantile(np.arange(1, 102), [0.1, 0.9])  # of effects at or below zero
        np.testing.assert_allclose(table["high"], scales[0] * expected[curve], atol=1e-9)
        np.testing.assert_allclose(table["low"], scales[1] * expected[curve], atol=1e-9)


def test_the_line_is_per_unit_of_resource(joined, vectors):
    """In other units the slope is that many times less steep."""
    few = joined[joined["language"].isin(["eng", "deu", "rus", "isl", "hin"])]
    task = Task(few.reset_index(drop=True), vectors, workers=1)
    tenfold = Task(task.joined.assign(resource=10 * task.joined["resource"]), vectors, workers=1)
    slopes = [partial_effect.resource_slope(one) for one in (task, tenfold)]
    assert slopes[0] > 0.1
    assert slopes[0] == pytest.approx(10 * slopes[1], rel=1e-4)
