"""Intervals from draws, and their scores, against figures worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import scores
from capability_transfer.analysis.prediction.models import Prediction, mean_by_pair, pairs_of
from capability_transfer.analysis.prediction.scores import (
    add_intervals,
    answered,
    interval_score,
    place,
)
from scipy.stats import binom

PAIRS = pd.DataFrame({"language": ["x", "x", "y"], "variant": ["a", "b", "a"]})


def test_the_interval_score_is_the_width_and_what_lies_outside():
    found = interval_score(np.array([0.5, 0.1, 0.9]), np.full(3, 0.4), np.full(3, 0.6), 0.8)
    np.testing.assert_allclose(found, [0.2, 0.2 + 10 * 0.3, 0.2 + 10 * 0.3])


def test_place_counts_ties_half():
    draws = np.array([[0.1, 0.2, 0.2, 0.4]])
    assert place(np.array([0.2]), draws)[0] == pytest.approx(0.5)
    assert place(np.array([0.0]), draws)[0] == 0


def test_binomial_noise_is_in_the_intervals():
    certain = Prediction(PAIRS, np.full(3, 0.5), np.full((3, 4000), 0.5))
    table = add_intervals(certain, np.array([100, 100, 10_000]), 1)[0].query("level == 'pair'")
    half = (table["high_95"] - table["low_95"]).to_numpy() / 2
    expected = 1.96 * np.sqrt(0.25 / np.array([100, 100, 10_000]))
    np.testing.assert_allclose(half, expected, rtol=0.12)


@pytest.mark.parametrize(
    ("items", "accuracy"), [(2000, 0.0009), (2000, 0.013), (2000, 0.9), (100, 0.5)]
)
def test_answers_have_the_noise_of_a_binomial(items, accuracy):
    """The largest distance of distribution functions, of 400,000 draws: 0.0022 is its 95% point."""
    found = answered(np.full((1, 400_000), accuracy), items, (1, 3))[0] * items
    np.testing.assert_allclose(found, np.rint(found), atol=1e-9)
    counts = np.arange(items + 1)
    drawn = np.cumsum(np.bincount(np.rint(found).astype(int), minlength=items + 1)) / len(found)
    assert np.abs(drawn - binom.cdf(counts, items, accuracy)).max() < 0.003


def test_answers_of_a_row_do_not_depend_on_other_rows():
    accuracy = np.random.default_rng(2).beta(0.3, 0.3, (70, 50))
    together = answered(accuracy, 1000, (1, 3))
    for row in (0, 40, 69):
        np.testing.assert_array_equal(answered(accuracy[[row]], 1000, (1, 3))[0], together[row])
    assert answered(np.array([[0.0, 1.0]]), 1000, (1, 3)).tolist() == [[0.0, 1.0]]


def test_a_languages_mean_has_the_noise_of_all_its_items():
    """Two pairs of 100 and 300 items: the mean's variance is p (1 − p) (1/100 + 1/300) / 4."""
    certain = Prediction(PAIRS, np.full(3, 0.5), np.full((3, 4000), 0.5))
    table = add_intervals(certain, np.array([100, 300, 50]), 1)[0].query("level == 'language'")
    half = (table["high_95"] - table["low_95"]).to_numpy() / 2
    expected = 1.96 * np.sqrt([0.25 * (1 / 100 + 1 / 300) / 4, 0.25 / 50])
    np.testing.assert_allclose(half, expected, rtol=0.12)


def test_shared_effects_stay_in_a_languages_mean():
    draws = np.random.default_rng(3).uniform(0.2, 0.8, 5000)
    together = Prediction(PAIRS, np.full(3, 0.5), np.tile(draws, (3, 1)))
    table, _ = add_intervals(together, np.full(3, 100_000), 1)
    mean = table[(table["level"] == "language") & (table["language"] == "x")].iloc[0]
    assert mean["low_80"] == pytest.approx(0.26, abs=0.01)
    assert mean["high_80"] == pytest.approx(0.74, abs=0.01)
    assert mean["integrated"] == pytest.approx(0.5, abs=0.01)


def test_without_draws_there_are_no_intervals():
    table, _ = add_intervals(Prediction(PAIRS, np.array([0.1, 0.3, 0.2])), np.full(3, 10), 1)
    assert table["low_80"].isna().all()
    assert table.query("level == 'language'")["plug_in"].tolist() == pytest.approx([0.2, 0.2])


def test_summary_of_known_errors():
    rows = pd.DataFrame(
        {
            "level": "pair",
            "predictor": "p",
            "observed": [0.1, 0.5, 0.9],
            "plug_in": [0.2, 0.5, 0.8],
            "integrated": [0.9, 0.5, 0.3],
            "low_80": [0.0, 0.4, 0.85],
            "high_80": [0.3, 0.45, 0.95],
        }
    )
    row = scores.summary(rows).iloc[0]
    assert row["mae"] == pytest.approx(20 / 3)
    assert row["rmse"] == pytest.approx(np.sqrt(200 / 3))
    assert row[["pearson", "spearman"]].tolist() == pytest.approx([1, 1])
    other = scores.summary(rows, "integrated").iloc[0]
    assert other["mae"] == pytest.approx(140 / 3)
    assert other["rmse"] == pytest.approx(np.sqrt((80**2 + 60**2) / 3))
    assert other["pearson"] == pytest.approx(-0.24 / np.sqrt(0.32 * 0.56 / 3))
    assert other["spearman"] == pytest.approx(-1)
    assert row["coverage_80"] == pytest.approx(2 / 3)


def test_places_spread_evenly_are_calibrated():
    """Of places 0.005, 0.015, … 0.995 the central interval of 30% holds 30, and so on."""
    rows = pd.DataFrame({"predictor": "p", "level": "pair", "place": np.arange(0.005, 1, 0.01)})
    table = scores.calibration(rows)
    assert table["nominal"].tolist() == pytest.approx(np.arange(0.05, 1, 0.05))
    assert table["coverage"].tolist() == pytest.approx(table["nominal"], abs=0.0101)
    narrow = rows.assign(place=0.5 + (rows["place"] - 0.5) / 2)  # intervals too wide by half
    found = scores.calibration(narrow).set_index(np.arange(5, 100, 5))["coverage"]
    assert found[30] == pytest.approx(0.6, abs=0.0101)
    assert found[50] == pytest.approx(1)


def test_too_much_predicted_is_an_error_above_zero():
    rows = pd.DataFrame({"level": ["language", "language", "pair"], "language": ["x", "y", "x"],
                         "predictor": "p", "observed": [0.5, 0.7, 0.1],
                         "plug_in": [0.6, 0.4, 0.9]})  # fmt: skip
    table = scores.by_language(rows)
    assert table["language"].tolist() == ["x", "y"]
    assert table["predicted"].tolist() == [0.6, 0.4]
    assert table["error"].tolist() == pytest.approx([10, -30])


def test_means_by_pair_keep_the_order_of_appearance():
    rows = pd.DataFrame({"language": ["y", "x", "y"], "variant": ["a", "a", "a"]})
    pairs, codes = pairs_of(rows)
    assert pairs["language"].tolist() == ["y", "x"]
    np.testing.assert_allclose(mean_by_pair(np.array([1.0, 5.0, 3.0]), codes, 2), [2, 5])


def _predicted(**columns) -> pd.DataFrame:
    """Four pairs and two means of one predictor, in points: errors 10, −20, 30, 0 and 5, −15."""
    rows = pd.DataFrame(
        {
            "kind": "resource",
            "fold": "least text",
            "predictor": "p",
            "level": ["pair"] * 4 + ["language"] * 2,
            "language": ["x", "x", "y", "y", "x", "y"],
            "observed": [0.2, 0.5, 0.4, 0.9, 0.35, 0.65],
            "plug_in": [0.3, 0.3, 0.7, 0.9, 0.4, 0.5],
            **{f"low_{level}": 0.2 for level in (50, 80)},
            **{f"high_{level}": 0.4 for level in (50, 80)},
            "low_95": 0.1,
            "high_95": 0.65,
        }
    )
    return rows.assign(**columns)


def test_intervals_are_judged_by_what_they_hold_and_by_their_width():
    table = scores.intervals(_predicted()).set_index(["level", "nominal"])
    assert list(table.index) == [(at, p) for at in ("pair", "language") for p in scores.NOMINAL]
    assert table["n"].tolist() == [4] * 3 + [2] * 3
    assert table["width"].tolist() == pytest.approx([20, 20, 55] * 2)
    # ends count as inside: 0.2 and 0.4 of the first, 0.65 of the last
    assert table["coverage"].tolist() == pytest.approx([0.5, 0.5, 0.75, 0.5, 0.5, 1])
    outside = np.array([10 + 50, 25])  # points beyond the narrow and the wide interval, of pairs
    expected = [20 + 2 / 0.5 * outside[0] / 4, 20 + 2 / 0.2 * outside[0] / 4,
                55 + 2 / 0.05 * outside[1] / 4]  # fmt: skip
    assert table.loc["pair", "interval_score"].tolist() == pytest.approx(expected)
    assert scores.intervals(_predicted(low_80=np.nan)).empty


def test_edges_are_judged_one_by_one_and_together():
    other = _predicted(fold="most distant", kind="distance")
    other["plug_in"] = other["observed"] + 0.5
    table = scores.extrapolation(pd.concat([_predicted(), other], ignore_index=True))
    assert table["fold"].tolist() == ["least text"] * 2 + ["most distant"] * 2 + ["all edges"] * 2
    assert table["kind"].tolist() == ["resource"] * 2 + ["distance"] * 2 + ["all"] * 2
    assert table["held_out"].tolist() == ["x y"] * 4 + [""] * 2
    assert table["level"].tolist() == ["pair", "language"] * 3
    assert table["n"].tolist() == [4, 2, 4, 2, 8, 4]
    assert table["mae"].tolist() == pytest.approx([15, 10, 50, 50, 32.5, 30])
    assert table["coverage_80"].tolist() == pytest.approx([0.5] * 6)
    assert table["coverage_95"].tolist() == pytest.approx([0.75, 1] * 3)


def test_what_does_not_vary_has_no_correlation():
    rows = _predicted().query("level == 'pair'")
    for name in ("observed", "plug_in"):
        found = scores.score(rows.assign(**{name: 0.3}))
        assert np.isnan(found["pearson"])
        assert np.isnan(found["spearman"])
    assert np.isnan(scores.score(rows.iloc[:1])["pearson"])
    assert np.isnan(scores.coverage(rows.assign(low_80=np.nan, high_80=np.nan), 0.8))
    assert scores.score(rows)["n"] == 4
