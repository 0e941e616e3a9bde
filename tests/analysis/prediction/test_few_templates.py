"""Template budgets: draws, averages, and both methods on a part of the study."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import few_templates as module
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.prediction.few_templates import (
    coverage,
    few_templates,
    shuffled,
    summarise,
)
from capability_transfer.analysis.prediction.folds import Fold, split
from capability_transfer.analysis.prediction.item_model import ItemModel, Prior
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.common.errors import InputError

from tests.progress import silent


def test_a_larger_budget_sees_what_a_smaller_one_saw():
    names = [f"t{number}" for number in range(30)]
    order = shuffled(names, "isl", 1, 7)
    assert sorted(order) == sorted(names)
    np.testing.assert_array_equal(order, shuffled(list(reversed(names)), "isl", 1, 7))
    assert (order != shuffled(names, "isl", 2, 7)).any()
    assert (order != shuffled(names, "mar", 1, 7)).any()


def test_draws_are_averaged_within_a_language_first():
    rows = [("p", "x", draw, 1, "all", "pair", error) for draw, error in enumerate([1, 3, 5])]
    rows += [("p", "y", draw, 1, "all", "pair", 10) for draw in range(3)]
    columns = ["predictor", "language", "draw", "k", "truth", "level", "error"]
    table = summarise(pd.DataFrame(rows, columns=columns), 1)
    assert len(table) == 1
    assert table["mae"].iloc[0] == pytest.approx((3 + 10) / 2)
    assert table["conf_low"].iloc[0] == pytest.approx(3)
    assert table["conf_high"].iloc[0] == pytest.approx(10)


def test_intervals_over_languages_and_draws_are_of_95_percent():
    """Errors that vary by language with SD 2 and by draw with SD 1, in closed form."""
    rng = np.random.default_rng(1)
    own = np.repeat(rng.normal(10, 2, 150), 20)
    columns = ["predictor", "language", "draw", "k", "truth", "level"]
    keys = [("p", f"l{i:03d}", draw, 1, "all", "pair") for i in range(150) for draw in range(20)]
    rows = pd.DataFrame(keys, columns=columns).assign(error=own + rng.normal(0, 1, len(keys)))
    every = summarise(rows, 1).iloc[1]
    means = rows.groupby("language")["error"].mean()
    half = 1.96 * means.std(ddof=0) / np.sqrt(150)
    assert every["mae"] == pytest.approx(means.mean())
    for end, sign in (("conf_low", -1), ("conf_high", 1)):
        assert every[end] - every["mae"] == pytest.approx(sign * half, rel=0.08)
    # three of twenty draws: the SD of their mean is 1/√3 times √(17/19), over 150 languages
    half = 1.96 / np.sqrt(3) * np.sqrt(17 / 19) / np.sqrt(150)
    for end, sign in (("few_low", -1), ("few_high", 1)):
        assert every[end] - every["mae"] == pytest.approx(sign * half, rel=0.12)


def test_the_spread_of_three_draws_stands_beside_all_of_them():
    """Two languages, six draws: the mean of three draws each, by hand over all choices."""
    errors = {"x": [0, 0, 0, 6, 6, 6], "y": [3] * 6}
    rows = [
        ("p", language, draw, 1, "all", "pair", error)
        for language, values in errors.items()
        for draw, error in enumerate(values)
    ]
    columns = ["predictor", "language", "draw", "k", "truth", "level", "error"]
    few, every = summarise(pd.DataFrame(rows, columns=columns), 1).to_dict("records")
    assert (few["draws"], few["mae"], np.isnan(few["few_low"])) == (3, 1.5, True)
    assert (every["draws"], every["mae"]) == (6, 3)
    assert (every["few_low"], every["few_high"]) == (1.5, 4.5)  # x gives 0, 2, 4 or 6


def test_a_budget_is_the_share_of_pairs_that_its_intervals_hold():
    rows = pd.DataFrame(
        {
            "predictor": ["p", "p", "p", "q"],
            "k": [1, 1, 2, 1],
            "coverage_50": [0.4, 0.6, 0.9, np.nan],
            "coverage_80": [0.7, 0.8, 1.0, np.nan],
            "coverage_95": [0.9, 1.0, 1.0, np.nan],
        }
    )
    table = coverage(rows)
    assert table[["predictor", "k"]].to_numpy().tolist() == [["p", 1], ["p", 2]]
    assert table.iloc[0, 2:].tolist() == pytest.approx([0.5, 0.75, 0.95])


def test_predictors_stand_in_their_order_and_budgets_by_size():
    columns = ["predictor", "language", "draw", "k", "truth", "level", "error"]
    rows = [(name, "x", 0, k, "all", "pair", k) for name in ("z", "a") for k in (10, 2)]
    table = summarise(pd.DataFrame(rows, columns=columns), 1)
    assert table[["predictor", "k", "mae"]].to_numpy().tolist() == [
        ["z", 2, 2.0], ["z", 10, 10.0], ["a", 2, 2.0], ["a", 10, 10.0],
    ]  # fmt: skip


def test_what_was_computed_is_not_computed_again(joined, vectors, tmp_path, monkeypatch):
    few = joined[joined["language"].isin(["eng", "deu", "isl", "hin"])]
    few = few[few["variant"].str.startswith(("granite", "Qwen2.5-7B", "Qwen3-8B"))]
    few = few[few["template"].isin(few["template"].unique()[:6])]
    task = Task(few.reset_index(drop=True), vectors, cache=tmp_path, workers=1)
    asked = {"predictors": ("study",), "budgets": (0, 2), "draws": 1, "languages": ["isl"]}
    once = few_templates(task, silent, **asked)
    monkeypatch.setattr(module, "fit_to_all", None)
    pd.testing.assert_frame_equal(few_templates(task, silent, **asked), once)


def halves(given):
    """In place of ``Prior``: half is right, whatever one template shows; keeps what it is given."""

    def of(item_model, mean, covariance, pairs):
        given.append((mean, covariance, pairs))
        half = np.full(len(pairs), 0.5)

        def update(templates, success, trials):
            assert len(templates) == len(success) == 1
            return SimpleNamespace(
                accuracy=lambda templates: half,
                draws=lambda templates, count, generator: np.tile(half[:, None], count),
            )

        own = Prior(item_model, pd.Index(pairs["variant"]), np.zeros(len(pairs)), mean, covariance)
        return SimpleNamespace(update=update, tempered=own.tempered)

    return SimpleNamespace(of=of)


def test_items_that_are_answered_alike_count_as_fewer(joined, vectors, monkeypatch):
    """All pairs at 57% where 50% is predicted of five templates of 100 items each.

    With a dispersion of 4 these are 125 items: 7 points lie inside the central 95% (± 8.8) and
    outside the central 80% (± 5.7). Of 500 items 95% would be ± 4.4.
    """
    few = joined[joined["language"].isin(["eng", "deu", "isl", "hin"])]
    few = few[few["variant"].str.startswith(("granite", "Qwen2.5-7B", "Qwen3-8B"))]
    few = few[few["template"].isin(few["template"].unique()[:6])]
    few = few.assign(n_correct=5 * few["n_correct"], n_total=100).reset_index(drop=True)
    few.loc[few["language"] == "isl", "n_correct"] = 57
    easiness = pd.Series(0.0, few["template"].unique())
    alike = ItemModel(easiness, easiness, 0.1, 0.1, 4.0, 100.0)
    monkeypatch.setattr(module, "fit_without_each", lambda cells, held: dict.fromkeys(held, alike))

    monkeypatch.setattr(module, "Prior", halves([]))
    task = Task(few, vectors, workers=1)
    table = few_templates(task, silent, ["smooth"], budgets=(1,), draws=1, languages=["isl"])
    assert table["error"].tolist() == pytest.approx([7, 7, 7, 7])
    assert table[["truth", "level"]].to_numpy().tolist() == [
        ["all", "pair"], ["all", "language"], ["unseen", "pair"], ["unseen", "language"],
    ]  # fmt: skip
    own = table.query("truth == 'unseen' and level == 'pair'").iloc[0]
    assert own[["coverage_50", "coverage_80", "coverage_95"]].tolist() == [0, 0, 1]
    assert table["coverage_95"].notna().sum() == 1


def test_a_prediction_is_updated_under_the_sds_as_estimated(joined, vectors, monkeypatch):
    few = joined[joined["language"].isin(["eng", "deu", "isl", "hin"])]
    few = few[few["variant"].str.startswith(("granite", "Qwen2.5-7B", "Qwen3-8B"))]
    few = few[few["template"].isin(few["template"].unique()[:6])].reset_index(drop=True)
    given = []

    monkeypatch.setattr(module, "Prior", halves(given))
    monkeypatch.setattr(module, "fit_without_each", lambda cells, held: dict.fromkeys(
        held, ItemModel(pd.Series(dtype=float), pd.Series(dtype=float), 1.0, 1.0, 1.0, 20.0)
    ))  # fmt: skip
    task = Task(few, vectors, workers=1)
    few_templates(task, silent, ["study_pairs"], budgets=(1,), draws=1, languages=["isl"])
    mean, covariance, pairs = given[0]
    parts = split(few, Fold("language", "isl", ("isl",)))
    fitted = predictor("study_pairs").fit(parts.train, vectors, "laplace")
    np.testing.assert_allclose(mean, fitted.posterior.linear_predictor(pairs), atol=1e-3)
    known, drawn = (
        np.trace(found.extend_posterior(pairs, vectors).covariance(pairs))
        for found in (fitted, fitted.sampled(20_000, 1))
    )
    assert np.trace(covariance) == pytest.approx(known, rel=0.001)
    assert drawn > 1.2 * known


def test_predictors_without_a_glmm_have_nothing_to_update(joined, vectors):
    with pytest.raises(InputError, match="GLMMs, not the predictor grand_mean"):
        few_templates(
            Task(joined, vectors, workers=1), silent, ["study", "grand_mean"], budgets=(5,)
        )


def test_as_many_templates_as_there_are_are_refused(joined, vectors):
    with pytest.raises(InputError, match="there are 20"):
        few_templates(Task(joined, vectors, workers=1), silent, budgets=(0, 20))


@pytest.mark.heavy
def test_a_refit_and_an_update(joined, vectors):
    few = joined[joined["language"].isin(["eng", "deu", "dan", "isl", "hin"])]
    task = Task(few.reset_index(drop=True), vectors, workers=1)
    errors = few_templates(task, silent, budgets=(0, 8), draws=1)
    assert set(errors["predictor"]) == {"study", "smooth"}
    pairs = errors.query("level == 'pair' and truth == 'unseen'")
    mean = pairs.groupby(["predictor", "k"])["error"].mean()
    assert (mean.xs(8, level="k") < mean.xs(0, level="k")).all()
    none = errors[errors["k"] == 0].pivot_table(
        index=["predictor", "language", "level"], columns="truth", values="error"
    )
    np.testing.assert_allclose(none["all"], none["unseen"])


def test_what_is_not_seen_has_no_say_and_is_the_truth_asked_for(joined, vectors):
    """Of templates all wrong, then all right, k seen: errors of one prediction add up to 100."""
    few = joined[
        joined["language"].isin(["eng", "deu", "isl", "hin"])
        & joined["variant"].str.startswith(("granite", "Qwen2.5-1.5B", "Qwen2.5-7B", "Qwen3-8B"))
    ].reset_index(drop=True)
    order = shuffled(few["template"].unique(), "isl", 0, 0)
    unseen = (few["language"] == "isl") & ~few["template"].isin(order[:5])
    assert unseen.sum() == 15 * few["variant"].nunique()
    errors = []
    for share in (0, 1):
        told = few["n_correct"].where(~unseen, share * few["n_total"])
        task = Task(few.assign(n_correct=told), vectors, workers=1)
        table = few_templates(task, silent, budgets=(5,), draws=1, languages=["isl"])
        errors.append(table.query("level == 'language'").set_index(["predictor", "truth"])["error"])
    both = errors[0] + errors[1]
    assert both.xs("unseen", level="truth").to_dict() == pytest.approx(
        {"study": 100, "smooth": 100}, abs=0.05
    )
    # of all twenty the fifteen not seen changed
    assert both.xs("all", level="truth").to_dict() == pytest.approx(
        {"study": 75, "smooth": 75}, abs=0.05
    )
