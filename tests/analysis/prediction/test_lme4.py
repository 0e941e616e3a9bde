"""Held-out predictions by lme4's fits are those by ours."""

import numpy as np
import pytest
from capability_transfer.analysis.prediction.evaluate import Task, evaluate
from capability_transfer.analysis.prediction.folds import Fold
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.common.errors import InputError

from tests.progress import silent


@pytest.mark.needs("R")
def test_both_engines_predict_the_same(joined, vectors):
    variants = sorted(joined["variant"].unique())[::3]
    few = joined[
        joined["variant"].isin(variants)
        & joined["language"].isin(["eng", "deu", "rus", "isl", "hin", "mar"])
        & joined["template"].isin(sorted(joined["template"].unique())[:6])
    ].reset_index(drop=True)
    folds = [Fold("language", "mar", ("mar",))]
    tables = {}
    for engine in ("laplace", "lme4"):
        task = Task(few, vectors, engine, draws=4000, workers=1)
        tables[engine], _ = evaluate(task, ["size_reasoning"], folds, silent)
    ours, theirs = tables["laplace"], tables["lme4"]
    np.testing.assert_allclose(ours["plug_in"], theirs["plug_in"], atol=2e-3)
    width = (theirs["high_80"] - theirs["low_80"]) / (ours["high_80"] - ours["low_80"])
    assert width.between(0.8, 1.25).all()


@pytest.mark.parametrize("name", ["study_pairs", "slopes", "relatives", "smooth"])
def test_predictors_of_pairs_refuse_another_engine(name, joined, vectors):
    with pytest.raises(InputError, match="by our engine alone, not by lme4"):
        predictor(name).fit(joined, vectors, "lme4")


def test_structured_terms_need_our_engine(joined, vectors):
    """Asking lme4 for kernels is an error."""
    from capability_transfer.analysis.prediction.models import fit_glmm

    kernel = predictor("smooth").structures[0]
    with pytest.raises(InputError, match="use the laplace engine"):
        fit_glmm("~ 1 + (1 | language)", joined, "lme4", kernels=[kernel])
