"""Fits to parts of the cells, one design for all: as fits to those cells alone."""

import numpy as np
import pytest
from capability_transfer.analysis.prediction.folds import Fold, keep_all, split
from capability_transfer.analysis.prediction.models import Refits
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.common.errors import InputError


@pytest.fixture(scope="module")
def refits(joined, vectors):
    cells = keep_all(joined).train
    return Refits(predictor("study"), cells, vectors, "laplace")


@pytest.mark.parametrize("templates", [0, 3])
def test_a_refit_predicts_as_a_fit_with_constants_of_its_own(refits, joined, vectors, templates):
    names = sorted(joined["template"].unique())[:templates]
    seen = ((joined["language"] != "isl") | joined["template"].isin(names)).to_numpy()
    found, _ = refits.plug_in(seen, None)
    parts = split(joined, Fold("language", "isl", ("isl",)), names)
    assert len(parts.train) == seen.sum()
    fresh = predictor("study").fit(parts.train, vectors, "laplace")
    np.testing.assert_allclose(found[~seen], fresh.plug_in(parts.held), atol=1e-6)


def test_a_refit_goes_on_from_another(refits):
    cells = refits.cells
    first = (cells["language"] != "isl").to_numpy()
    some = first | cells["template"].isin(sorted(cells["template"].unique())[:5]).to_numpy()
    _, following = refits.plug_in(first, None)
    for seen in (some, np.ones(len(cells), dtype=bool)):
        found, following = refits.plug_in(seen, following)
        np.testing.assert_allclose(found, refits.plug_in(seen, None)[0], atol=1e-6)


def test_a_pair_without_cells_seen_is_predicted_too(refits):
    cells = refits.cells
    away = (cells["language"] == "isl").to_numpy()
    seen = ~away
    seen[np.flatnonzero(away)[0]] = True
    found, _ = refits.plug_in(seen, None)
    fresh = predictor("study").fit(cells[seen], refits.vectors, "laplace")
    np.testing.assert_allclose(found, fresh.plug_in(cells), atol=1e-6)


def test_languages_that_are_too_few_for_the_features_are_refused(refits):
    """Without Hindi two languages are left, in which resource and distance are one feature."""
    cells = refits.cells[refits.cells["language"].isin(["isl", "deu", "hin"])]
    few = Refits(refits.model, cells.reset_index(drop=True), refits.vectors, "laplace")
    with pytest.raises(InputError, match="cannot be told apart: distance"):
        few.plug_in((few.cells["language"] != "hin").to_numpy(), None)
