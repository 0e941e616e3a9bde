"""The study's held-out errors on the embedded data, all 15 folds (``pytest -m slow``)."""

from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.analysis.inputs import load
from capability_transfer.analysis.prediction import scores
from capability_transfer.analysis.prediction.evaluate import Task, evaluate
from capability_transfer.analysis.prediction.folds import leave_one_out
from capability_transfer.analysis.prediction.loo import prepare
from capability_transfer.common.seeds import DEFAULT_SEED

from tests.progress import silent

EXPECTED = pd.read_csv(Path(__file__).parents[2] / "expected" / "unseen_published.csv")


@pytest.fixture(scope="module")
def summary():
    joined, vectors = prepare(load(None, None, None, DEFAULT_SEED))
    task = Task(joined, vectors, draws=200, seed=1)
    names = ["study", "model_mean", "grand_mean", "smooth"]
    table, _ = evaluate(task, names, leave_one_out(joined["language"].unique()), silent)
    return scores.summary(table).set_index(["level", "predictor"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "row", list(EXPECTED.itertuples()), ids=lambda row: f"{row.level} {row.predictor}"
)
def test_the_published_errors_come_out(summary, row):
    found = summary.loc[(row.level, row.predictor), row.statistic]
    assert found == pytest.approx(row.value, abs=row.tolerance)


@pytest.mark.slow
def test_ours_is_better(summary):
    assert summary.loc[("pair", "smooth"), "mae"] < 4.8
    assert summary.loc[("language", "smooth"), "mae"] < 2.8
    assert 0.72 <= summary.loc[("pair", "smooth"), "coverage_80"] <= 0.88
