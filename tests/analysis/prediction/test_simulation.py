"""Intervals in simulated worlds: what is counted, and that they cover what they promise."""

import pytest
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.prediction.simulation import coverage

from tests.progress import silent


def test_every_world_counts_pairs_and_means_at_every_level(joined, vectors):
    few = joined[joined["language"].isin(["eng", "deu", "rus", "isl", "hin"])]
    task = Task(few.reset_index(drop=True), vectors, draws=200, workers=1)
    table = coverage(task, ["study_pairs"], 3, silent)
    assert table["worlds"].tolist() == [3] * 6
    assert table["level"].tolist() == ["language"] * 3 + ["pair"] * 3
    for _, group in table.groupby("level"):
        assert group["coverage"].is_monotonic_increasing
        assert group["coverage"].between(0.1, 1).all()


@pytest.mark.slow
def test_few_languages_do_not_make_intervals_too_narrow(joined, vectors):
    """Nine languages, eight to learn from: plugged-in SDs would cover far less."""
    task = Task(joined, vectors, draws=1000, seed=5)
    table = coverage(task, ["study_pairs"], 90, silent).set_index(["level", "nominal"])
    for (_, nominal), row in table.iterrows():
        assert row["coverage"] == pytest.approx(nominal, abs=0.03 + 2 * row["std_error"])
