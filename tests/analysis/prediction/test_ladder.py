"""Tables of held-out predictions, against errors made up by hand."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis import published
from capability_transfer.analysis.prediction.loo import LADDER_COLUMNS, LeaveOut, ladder


def _held_out(predictor: str, error: float, kind: str = "language") -> pd.DataFrame:
    """Two languages of two pairs: errors of ± ``error`` in one, of ``error`` in the other."""
    signs = np.array([1, -1, 1, 1])
    observed = np.array([0.2, 0.4, 0.6, 0.5])
    pairs = pd.DataFrame({"level": "pair", "language": ["x", "x", "y", "y"],
                          "variant": ["a", "b", "a", "b"], "observed": observed,
                          "plug_in": observed + signs * error})  # fmt: skip
    means = pd.DataFrame({"level": "language", "language": ["x", "y"], "variant": "",
                          "observed": [0.3, 0.55], "plug_in": [0.3, 0.55 + error]})  # fmt: skip
    table = pd.concat([pairs, means], ignore_index=True).assign(predictor=predictor, kind=kind)
    table["integrated"] = table["plug_in"] - 0.1
    for level, half in ((50, 0.01), (80, 0.06), (95, 0.6)):
        table[f"low_{level}"] = table["plug_in"] - half
        table[f"high_{level}"] = table["plug_in"] + half
    return table


FITS = pd.DataFrame(
    {
        "predictor": ["smooth", "study", "study_pairs"],
        "log_lik": [-90.0, -500.0, -100.0],
        "df": [20, 15, 14],
        "nobs": [60, 6000, 60],
    }
)


@pytest.fixture
def one():
    """Predictions in the order of the call, not of the steps; ``model_mean`` is no step."""
    tables = [("smooth", 0.05), ("model_mean", 0.3), ("study", 0.1), ("study_pairs", 0.08)]
    return pd.concat([_held_out(*own) for own in tables], ignore_index=True)


def test_the_ladder_has_the_errors_of_every_step(one):
    edges = [("smooth", 0.07), ("study", 0.05), ("study_pairs", 0.2)]
    edges = pd.concat([_held_out(*own, "script") for own in edges], ignore_index=True)
    table = ladder(one, edges, FITS)
    assert table.columns.tolist() == LADDER_COLUMNS
    assert table["predictor"].tolist() == ["study", "study_pairs", "smooth"]
    assert table["mae"].tolist() == pytest.approx([10, 8, 5])
    assert table["language_mae"].tolist() == pytest.approx([5, 4, 2.5])
    assert table["edges_mae"].tolist() == pytest.approx([5, 20, 7])
    assert table["coverage_80"].tolist() == pytest.approx([0, 0, 1])
    assert table["coverage_95"].tolist() == pytest.approx([1, 1, 1])
    assert table["edges_coverage_80"].tolist() == pytest.approx([1, 0, 0])
    pairs = one.query("predictor == 'study' and level == 'pair'")
    assert table["pearson"][0] == pytest.approx(
        np.corrcoef(pairs["observed"], pairs["plug_in"])[0, 1]
    )
    # the likelihood of cells is not that of pair totals
    np.testing.assert_array_equal(table["log_lik"], [np.nan, -100, -90])
    np.testing.assert_array_equal(table["df"], [np.nan, 14, 20])


def test_pairs_are_told_with_their_point_predictions(one):
    found = LeaveOut(one, one.iloc[:0], FITS, False)
    pairs, points = found.pairs(), found.points()
    assert pairs.index.tolist() == list(range(16))
    assert set(pairs["variant"]) == {"a", "b"}
    own = pairs[pairs["predictor"] == "study"]
    assert own["predicted"].tolist() == pytest.approx([0.3, 0.3, 0.7, 0.6])
    assert (points["plug_in"] - points["integrated"]).to_numpy() == pytest.approx(np.full(16, 0.1))
    assert set(points["language"] + points["variant"]) == {"xa", "xb", "ya", "yb"}


def test_ours_stand_beside_what_was_published_without_templates_seen(one, monkeypatch):
    known = pd.DataFrame(
        {
            "k": [0, 0, 0, 5],
            "level": ["pair", "language", "pair", "pair"],
            "predictor": ["study", "study", "model_mean", "study"],
            "statistic": ["mae", "mae", "mae", "mae"],
            "value": [9.0, 5.5, 31.0, 2.0],
        }
    )
    monkeypatch.setattr(published, "read", lambda name: known)
    table = LeaveOut(one, one.iloc[:0], FITS, True).beside_published()
    table = table.set_index(["level", "predictor"])
    assert len(table) == 3
    assert table["ours"].to_dict() == pytest.approx(
        {("pair", "study"): 10, ("language", "study"): 5, ("pair", "model_mean"): 30}
    )
    assert table["difference"].to_dict() == pytest.approx(
        {("pair", "study"): 1, ("language", "study"): -0.5, ("pair", "model_mean"): -1}
    )
