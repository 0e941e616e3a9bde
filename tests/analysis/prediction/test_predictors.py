"""Formulas, engines, and kernels over languages against figures worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis import study
from capability_transfer.analysis.glmm import engines, laplace
from capability_transfer.analysis.prediction.evaluate import Task, evaluate
from capability_transfer.analysis.prediction.folds import leave_one_out
from capability_transfer.analysis.prediction.models import Languages, fit_glmm
from capability_transfer.analysis.prediction.predictors import ON_PAIRS, Relatives, Smooth
from capability_transfer.common.errors import InputError

CODES = pd.Index(["a", "b", "c"], name="language")
KNOWN = Languages(
    pd.DataFrame({"resource": [0.0, 0.5, 2.0], "distance": 0.0}, index=CODES),
    pd.DataFrame([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], index=CODES),
)


@pytest.mark.parametrize("length", [0.5, 1.0, 3.0])
def test_a_smooth_bends_over_its_length(length):
    """exp(−d² / 2 l²): at a distance of one length the correlation is exp(−1/2)."""
    kernel = Smooth("smooth", "resource", "family", length).kernel(KNOWN, KNOWN)
    assert (kernel.name, kernel.factor, kernel.by) == ("smooth", "language", "family")
    assert list(kernel.levels) == ["a", "b", "c"]
    at = np.array([0, 0.5, 2.0])
    np.testing.assert_allclose(
        kernel.matrix, np.exp(-0.5 * ((at[:, None] - at) / length) ** 2), rtol=1e-12
    )


def test_relatives_are_alike_at_the_median_distance_of_those_learned_from():
    """Squared distances 1, 4 and 5: the median is 4, so that a and c correlate by exp(−1/2)."""
    kernel = Relatives("relatives").kernel(KNOWN, KNOWN)
    between = np.array([[0, 1, 4], [1, 0, 5], [4, 5, 0]])
    np.testing.assert_allclose(kernel.matrix, np.exp(-between / 8), rtol=1e-12)


def test_a_language_asked_about_does_not_change_the_length():
    own = pd.Index(["z", "a"], name="language")
    asked = Languages(
        pd.DataFrame({"resource": 9.0, "distance": 0.0}, index=own),
        pd.DataFrame([[0.0, 4.0], [7.0, 7.0]], index=own),
    )
    both = KNOWN.join(asked)
    assert list(both.vectors.index) == list(both.covariates.index) == ["a", "b", "c", "z"]
    kernel = Relatives("relatives").kernel(both, KNOWN)
    assert list(kernel.levels) == ["a", "b", "c", "z"]
    np.testing.assert_allclose(kernel.matrix[3], np.exp(-np.array([16, 17, 4, 0]) / 8))


def test_languages_are_those_of_the_rows_and_have_vectors():
    rows = pd.DataFrame({"language": ["b", "a", "b"], "resource": [0.5, 0.0, 0.5]})
    found = Languages.from_rows(rows, KNOWN.vectors, ["resource"])
    assert found.covariates["resource"].to_dict() == {"a": 0.0, "b": 0.5}
    assert list(found.vectors.index) == ["a", "b"]
    with pytest.raises(InputError, match="no vector for y"):
        Languages.from_rows(rows.assign(language="y"), KNOWN.vectors, ["resource"])


def test_pair_totals_have_the_studys_formula_without_templates():
    assert study.MAIN.replace(" + (1 | template)", "") == ON_PAIRS


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["study", "slopes", "model_mean"], "^slopes is fitted by our engine alone, not by lme4"),
        (["smooth", "slopes"], "^smooth, slopes are fitted by our engine alone, not by lme4"),
        (["model_mean", "grand_mean"], "^model_mean, grand_mean: a mean has no GLMM.*lme4"),
    ],
)
def test_an_engine_that_cannot_fit_is_refused_by_the_predictors_name(
    joined, vectors, names, message
):
    def never(label, total):
        raise AssertionError("something was fitted")

    folds = leave_one_out(joined["language"].unique())
    with pytest.raises(InputError, match=message):
        evaluate(Task(joined, vectors, "lme4"), names, folds, never)


def test_an_engine_that_takes_no_settings_fits_a_predictor(joined, monkeypatch):
    """As the page on engines has it: the formula, the data and a start."""

    def fit(formula, data, *, start):
        return laplace.fit(formula, data)

    monkeypatch.setitem(engines.ENGINES, "plain", "plain")
    monkeypatch.setattr(engines, "import_module", lambda name: SimpleNamespace(fit=fit))
    found, start, none = fit_glmm("~ resource + (1 | variant)", joined, "plain")
    ours, _, _ = fit_glmm("~ resource + (1 | variant)", joined)
    assert start is found
    assert none is None
    assert found.coefficients.to_dict() == pytest.approx(ours.coefficients.to_dict(), abs=1e-4)
