"""Means, pair totals, and engines that predictors take, by hand."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction.models import (
    Mean,
    Prediction,
    check_engine,
    mean_by_pair,
    totals,
)
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.common.errors import InputError

CELLS = pd.DataFrame(
    [("y", "a", "t1", 1, 4), ("y", "a", "t2", 3, 6), ("x", "a", "t1", 5, 10),
     ("y", "b", "t1", 0, 5)],
    columns=["language", "variant", "template", "n_correct", "n_total"],
)  # fmt: skip


def test_means_pool_the_answers_and_what_is_new_has_the_overall_one():
    asked = pd.DataFrame({"language": "z", "variant": ["b", "new", "a", "a"]})
    by_model = Mean("m", "m", by="variant").fit(CELLS, None, "laplace")
    found = by_model.predict(asked, None, 0, 1)
    assert found.pairs["variant"].tolist() == ["b", "new", "a"]
    assert found.plug_in.tolist() == pytest.approx([0, 9 / 25, 9 / 20])
    assert found.draws is None
    grand = Mean("g", "g").fit(CELLS, None, "laplace").predict(asked, None, 0, 1)
    assert grand.plug_in.tolist() == pytest.approx([9 / 25] * 3)


def test_pair_totals_keep_features_and_the_order_of_pairs():
    cells = CELLS.assign(base_model=CELLS["variant"], family="f", resource=[1.0, 1.0, 2.0, 1.0])
    table = totals(cells)
    assert table.columns.tolist() == ["language", "variant", "base_model", "family", "resource",
                                      "n_correct", "n_total"]  # fmt: skip
    assert table["language"].tolist() == ["y", "x", "y"]
    assert table["resource"].tolist() == [1, 2, 1]
    assert table["n_correct"].tolist() == [4, 5, 0]
    assert table["n_total"].tolist() == [10, 10, 5]


def test_means_by_pair_weigh_rows_equally_in_every_draw():
    values = np.array([[0.1, 1.0], [0.3, 0.0], [0.5, 0.5]])
    np.testing.assert_allclose(
        mean_by_pair(values, np.array([1, 1, 0]), 2), [[0.5, 0.5], [0.2, 0.5]]
    )


def test_the_integrated_prediction_is_the_mean_over_draws():
    pairs = CELLS[["language", "variant"]].iloc[:2]
    drawn = Prediction(pairs, np.array([0.5, 0.5]), np.array([[0.1, 0.3], [0.8, 1.0]]))
    assert drawn.integrated.tolist() == pytest.approx([0.2, 0.9])
    assert Prediction(pairs, drawn.plug_in).integrated is drawn.plug_in


def test_an_engine_is_for_predictors_that_it_can_fit():
    study, smooth, mean = (predictor(name) for name in ("study", "smooth", "grand_mean"))
    check_engine([study, mean], "lme4")
    check_engine([mean], "laplace")
    check_engine([study, smooth, mean], "laplace")
    with pytest.raises(InputError, match="smooth is fitted by our engine alone, not by lme4"):
        check_engine([study, smooth], "lme4")
    with pytest.raises(InputError, match="grand_mean: a mean has no GLMM for the engine lme4"):
        check_engine([mean], "lme4")
