"""Means, pair totals, and engines that predictors take, by hand."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.prediction.folds import Fold, split
from capability_transfer.analysis.prediction.models import (
    CellModel,
    Mean,
    Prediction,
    check_engine,
    identified,
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


def test_a_formula_keeps_what_the_data_can_tell():
    """Without fertility, and without a base model that is its variant; the rest as it stands."""
    grid = pd.MultiIndex.from_product(
        [list("abcd"), ["x", "y", "z"]], names=["variant", "language"]
    )
    data = grid.to_frame(index=False).assign(resource=np.arange(12.0), size=1.0)
    data = data.assign(base_model=data["variant"], family=data["variant"].replace({"b": "a"}))
    text = "~ resource * fertility + size + (1 | family) + (1 | base_model) + (1 | variant)"
    right = identified(text, data).partition("~ ")[2]
    assert right == "1 + resource + size + (1 | family) + (1 | variant)"
    apart = data.assign(base_model=data["variant"].replace({"d": "c"}), fertility=1.0)
    assert parse(identified(text, apart)) == parse(text)


def test_draws_of_a_cell_model_are_of_languages_that_it_has_not_seen(joined, vectors):
    """Their spread has the language's own effect, and pairs of one language share it."""
    few = joined[joined["language"].isin(["eng", "deu", "rus", "isl", "hin"])]
    few = few[few["template"].isin(few["template"].unique()[:8])].reset_index(drop=True)
    parts = split(few, Fold("language", "isl", ("isl",)))
    text = "~ size + (1 | template) + (1 | language) + (1 | variant:language)"
    fitted = CellModel("m", "m", text).fit(parts.train, vectors, "laplace")
    found = fitted.predict(parts.held, vectors, 400, 1)
    assert found.draws.shape == (few["variant"].nunique(), 400)
    logit = np.log(found.draws / (1 - found.draws))
    new = np.hypot(fitted.fit.sd("language"), fitted.fit.sd("variant:language"))
    spread = np.subtract(*np.quantile(logit, [0.75, 0.25], axis=1)) / 1.349
    assert (spread > 0.6 * new).all()
    assert (spread < 4 * new).all()
    assert np.corrcoef(logit)[np.triu_indices(len(logit), 1)].min() > 0
    assert (
        np.abs(np.median(logit, axis=1) - np.log(found.plug_in / (1 - found.plug_in))).max() < 0.5
    )
