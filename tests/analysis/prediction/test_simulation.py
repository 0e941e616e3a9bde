"""Intervals in simulated worlds: what is counted, and that they cover what they promise."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import simulation
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.prediction.models import Prediction, totals
from capability_transfer.analysis.prediction.simulation import TRUTHS, coverage

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


@dataclass
class Even:
    """A posterior of log-odds 0 everywhere but in language a, where all is right.

    ``effects`` are those that its worlds keep.
    """

    effects: tuple[str, ...] = ()

    def world(self, kept, count, generator):
        assert count == TRUTHS
        return Even(tuple(kept))

    def draws(self, rows, generator):
        assert self.effects == ("family", "base_model", "variant")  # what models bring
        sure = (rows["language"] == "a").to_numpy()
        return np.where(sure, 50.0, 0.0)[:, None] * np.ones(TRUTHS)


@dataclass
class Told:
    """A predictor that says ``answer`` of every pair, and keeps what it was fitted to."""

    answer: float
    fitted_to: list = field(default_factory=list)
    data: pd.DataFrame | None = None
    posterior: Even = field(default_factory=Even)
    start: str = "the first fit's"

    def fit(self, train, vectors, engine, start=None):
        if start is not None:
            assert start == self.start
            self.fitted_to.append(train)
        return Told(self.answer, self.fitted_to, totals(train))

    def extend_posterior(self, rows, vectors):
        return self.posterior

    def predict(self, rows, vectors, draws, seed):
        pairs = rows[["language", "variant"]]
        drawn = np.full((len(pairs), draws), self.answer)
        return Prediction(pairs, drawn[:, 0], drawn)


def _tell(monkeypatch, answer: float, worlds: int) -> tuple[pd.DataFrame, list[pd.DataFrame]]:
    """Coverage of ``answer`` for four languages that are Even, and what was fitted."""
    generator = np.random.default_rng(1)
    cells = pd.MultiIndex.from_product(
        [list("abcd"), [f"v{i}" for i in range(6)]], names=["language", "variant"]
    ).to_frame(index=False)
    cells = cells.assign(template="t", base_model=cells["variant"], family="f", n_correct=0,
                         n_total=100, reasoning=0)  # fmt: skip
    for name in ("resource", "distance", "fertility", "size"):
        cells[name] = generator.normal(size=len(cells))
    told = Told(answer)
    monkeypatch.setattr(simulation, "predictor", lambda name: told)
    task = Task(cells, pd.DataFrame(index=list("abcd")), draws=4000, workers=1)
    return coverage(task, ["study_pairs"], worlds, silent), told.fitted_to


def test_worlds_are_refitted_without_their_language_and_judged_by_its_truths(monkeypatch):
    """Binomial noise about what is known: intervals of 100 items hold what they promise."""
    table, fitted = _tell(monkeypatch, 0.5, 9)
    table = table.set_index(["level", "nominal"])
    assert table["worlds"].tolist() == [9] * 6
    away = [({*"abcd"} - {*train["language"]}).pop() for train in fitted]
    assert sorted(away) == list("aaabbccdd")
    for train in fitted:
        share = train.groupby("language")["n_correct"].mean() / 100
        assert share.get("a", 1.0) == 1
        assert share.drop("a", errors="ignore").to_numpy() == pytest.approx(0.5, abs=0.1)
        assert train["n_correct"].nunique() > 5
    # in a, a third of the worlds, all is right and nothing of it inside; counts are whole numbers
    for nominal, whole in ((0.5, 0.516), (0.8, 0.806), (0.95, 0.965)):
        assert table.loc[("pair", nominal), "coverage"] == pytest.approx(2 / 3 * whole, abs=0.02)
        assert table.loc[("language", nominal), "coverage"] == pytest.approx(
            2 / 3 * nominal, abs=0.04
        )
    # of nine worlds three are at zero, six near p: the standard error of such a mean
    spread = table.loc[("language", 0.95), "std_error"]
    assert spread == pytest.approx(0.95 * np.sqrt(2 / 9 * 9 / 8) / 3, rel=0.03)


def test_what_lies_outside_is_not_counted(monkeypatch):
    table, _ = _tell(monkeypatch, 0.9, 4)
    found = table.set_index(["level", "nominal"])["coverage"]
    assert found.to_numpy() == pytest.approx(np.zeros(6), abs=0.01)


@pytest.mark.slow
def test_few_languages_do_not_make_intervals_too_narrow(joined, vectors):
    """Nine languages, eight to learn from: plugged-in SDs would cover far less."""
    task = Task(joined, vectors, draws=1000, seed=5)
    table = coverage(task, ["study_pairs"], 90, silent).set_index(["level", "nominal"])
    for (_, nominal), row in table.iterrows():
        assert row["coverage"] == pytest.approx(nominal, abs=0.03 + 2 * row["std_error"])
