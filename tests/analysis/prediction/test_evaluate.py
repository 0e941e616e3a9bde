"""Held-out predictions of a part of the study: resumed, parallel or not, the same."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.analysis.prediction import evaluate as module
from capability_transfer.analysis.prediction.evaluate import (
    Store,
    Task,
    evaluate,
    observed_accuracy,
)
from capability_transfer.analysis.prediction.folds import Fold, split
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.analysis.study import MAIN
from capability_transfer.common.errors import InputError

from tests.progress import silent

FOLDS = [Fold("language", "mar", ("mar",)), Fold("script", "Deva", ("hin", "mar"))]


@pytest.fixture(scope="module")
def run(joined, vectors, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    task = Task(joined, vectors, draws=200, seed=3, cache=cache, workers=1)
    return task, evaluate(task, ["study", "model_mean", "smooth"], FOLDS, silent)


def test_rows_are_pairs_and_language_means(run):
    _, (table, fits) = run
    one = table[(table["kind"] == "language") & (table["predictor"] == "study")]
    pairs, means = one[one["level"] == "pair"], one[one["level"] == "language"]
    assert len(means) == 1
    for column in ("observed", "plug_in", "integrated"):
        assert means[column].iloc[0] == pytest.approx(pairs[column].mean())
    assert (pairs["low_95"] <= pairs["low_80"]).all()
    assert fits.set_index("predictor")["log_lik"].isna().to_dict() == {
        "study": False, "model_mean": True, "smooth": False,
    }  # fmt: skip


def test_an_observation_has_its_place_among_the_draws(run):
    """Inside the central 80% where it lies between a tenth and nine tenths of them."""
    _, (table, _) = run
    rows = table[table["predictor"] == "smooth"]
    assert len(rows) > 40
    for level in (50, 80, 95):
        inside = rows["observed"].between(rows[f"low_{level}"], rows[f"high_{level}"])
        away = (rows["place"] - 0.5).abs() - level / 200
        clear = away.abs() > 0.02
        assert clear.sum() > 20
        assert ((away < 0) == inside)[clear].all()
    assert table["place"][table["predictor"] == "model_mean"].isna().all()


def test_the_fits_are_to_all_data(run):
    task, (_, fits) = run
    fits = fits.set_index("predictor")
    assert fits.loc["study", "nobs"] == len(task.joined)
    pairs = task.joined[["language", "variant"]].drop_duplicates()
    assert fits.loc["smooth", "nobs"] == len(pairs)
    whole = module.fit_to_all(task, "study")[0].fit
    assert fits.loc["study", "df"] == whole.df
    assert fits.loc["study", "log_lik"] == pytest.approx(whole.log_lik, abs=1e-4)
    assert pd.isna(fits.loc["model_mean", "df"])


def test_predictors_whose_intervals_are_not_shown_have_points_alone(run):
    task, _ = run
    task = replace(task, cache=None, pointwise=("study_pairs",))
    table, _ = evaluate(task, ["study_pairs"], FOLDS[:1], silent)
    assert table[["low_80", "high_80", "place"]].isna().all(axis=None)
    table = table[table["level"] == "pair"]
    assert (table["plug_in"] == table["integrated"]).all()
    drawn, _ = evaluate(replace(task, pointwise=()), ["study_pairs"], FOLDS[:1], silent)
    drawn = drawn[drawn["level"] == "pair"]
    np.testing.assert_allclose(drawn["plug_in"], table["plug_in"], atol=1e-6)
    assert (drawn["low_80"] < drawn["high_80"]).all()


def test_the_studys_prediction_plugs_modes_in(run, joined):
    _, (table, _) = run
    parts = split(joined, FOLDS[0])
    cold = fit(MAIN, parts.train)
    eta = cold.fixed_matrix(parts.held) @ cold.coefficients.to_numpy()
    for group in ("family", "base_model", "variant", "template"):
        modes = cold.modes[cold.modes["group"] == group].set_index("level")["mode"]
        eta += parts.held[group].map(modes).to_numpy()
    accuracy = pd.Series(1 / (1 + np.exp(-eta))).groupby(parts.held["variant"].to_numpy()).mean()
    found = table.query("predictor == 'study' and kind == 'language' and level == 'pair'")
    np.testing.assert_allclose(
        found.set_index("variant")["plug_in"].sort_index(), accuracy.sort_index(), atol=2e-4
    )


def test_model_means_are_pooled_training_accuracies(run, joined):
    _, (table, _) = run
    own = joined[joined["language"] != "mar"].groupby("variant")[["n_correct", "n_total"]].sum()
    found = table.query("predictor == 'model_mean' and kind == 'language' and level == 'pair'")
    expected = own["n_correct"] / own["n_total"]
    assert found.set_index("variant")["plug_in"].to_dict() == pytest.approx(expected.to_dict())


def test_finished_folds_are_not_computed_again(run, monkeypatch):
    task, (table, _) = run
    monkeypatch.setattr(module, "in_parallel", lambda task, jobs, *rest: iter(jobs))
    again, _ = evaluate(task, ["study", "model_mean", "smooth"], FOLDS, silent)
    pd.testing.assert_frame_equal(again, table)


def test_other_code_or_packaged_data_read_nothing_that_was_kept(run, monkeypatch):
    task, _ = run
    assert Store(task).has_all("smooth", [FOLDS[0].held_out])
    monkeypatch.setattr("capability_transfer.common.kept.hash_project", lambda: "changed")
    assert not Store(task).has_all("smooth", [FOLDS[0].held_out])


@pytest.mark.parametrize(
    "other",
    [
        {"draws": 201},
        {"seed": 4},
        {"engine": "lme4"},
        {"pointwise": ("smooth",)},
        {"vectors": None},
    ],
)
def test_other_settings_or_data_read_nothing_that_was_kept(run, other):
    task, _ = run
    if "vectors" in other:
        other = {"vectors": 1 - task.vectors}
    assert Store(replace(task, workers=7)).has_all("smooth", [FOLDS[0].held_out])
    assert not Store(replace(task, **other)).has("smooth", FOLDS[0].held_out)


def test_intervals_widen_where_nothing_near_is_known(run):
    _, (table, _) = run
    rows = table.query("predictor == 'smooth' and level == 'pair' and language == 'mar'")
    width = (rows["high_80"] - rows["low_80"]).groupby(rows["kind"]).mean()
    assert width["script"] > width["language"]


def test_an_unknown_predictor_is_refused():
    with pytest.raises(InputError, match="Did you mean smooth"):
        predictor("smoth")


def test_templates_weigh_equally_in_what_was_observed():
    """By hand: 1 of 2 and 9 of 10 are 0.7 on average, not 10 of 12."""
    cells = pd.DataFrame({"language": "x", "variant": ["a", "a", "b"], "template": [1, 2, 1],
                          "n_correct": [1, 9, 3], "n_total": [2, 10, 4]})  # fmt: skip
    pairs, accuracy, items = observed_accuracy(cells)
    assert pairs["variant"].tolist() == ["a", "b"]
    assert accuracy.tolist() == pytest.approx([0.7, 0.75])
    assert items.tolist() == [12, 4]


def test_a_pair_model_predicts_a_new_language_from_its_models_and_features(joined, vectors):
    """Modes of family, base model and variant at their place, new effects at zero and drawn."""
    parts = split(joined, FOLDS[0])
    fitted = predictor("study_pairs").fit(parts.train, vectors, "laplace")
    found = fitted.predict(parts.held, vectors, 500, 3)
    rows = parts.held.drop_duplicates("variant").reset_index(drop=True)
    assert found.pairs["variant"].tolist() == rows["variant"].tolist()
    own = fitted.fit
    eta = own.fixed_matrix(rows) @ own.coefficients.to_numpy()
    for group in ("family", "base_model", "variant"):
        modes = own.modes[own.modes["group"] == group].set_index("level")["mode"]
        eta += rows[group].map(modes).to_numpy()
    np.testing.assert_allclose(found.plug_in, 1 / (1 + np.exp(-eta)), atol=1e-6)
    drawn = np.log(found.draws / (1 - found.draws))
    np.testing.assert_allclose(np.median(drawn, axis=1), eta, atol=0.25)
    new = np.hypot(own.sd("language"), own.sd("variant:language"))
    spread = np.subtract(*np.quantile(drawn, [0.75, 0.25], axis=1)) / 1.349
    assert (spread > 0.8 * new).all()
    shared = np.corrcoef(drawn)[np.triu_indices(len(drawn), 1)]
    assert shared.min() > 0.05  # the language's own effect is in all of its pairs
    assert fitted.predict(parts.held, vectors, 0, 3).draws is None
