"""Errors of the pooled predictor, held out of everything."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction.pooled import Pool
from capability_transfer.analysis.studies import pooled
from capability_transfer.common.errors import InputError
from scipy.special import expit, logit

CODES = ["eng", "deu", "fra", "rus", "est", "isl", "mar", "swh"]


@pytest.fixture(scope="module")
def found():
    """Two benchmarks, the second easier by one log-odd; resource falls by language."""
    rows = []
    for shift, benchmark in enumerate(["mgsm_symbolic", "mgsm_pro"]):
        for m in range(6):
            for place, code in enumerate(CODES):
                right = expit(1.5 + shift - 0.4 * place + 0.5 * m - 1.5)
                rows.append((benchmark, f"m{m}", f"m{m}", f"f{m % 3}", float(m), 0, code,
                             9 - 0.5 * place, np.nan, 0.0, round(1000 * right), 1000))  # fmt: skip
    names = ["benchmark", "variant", "base_model", "family", "size", "reasoning", "language",
             "resource", "articles", "floor", "n_correct", "n_total"]  # fmt: skip
    return Pool(pd.DataFrame(rows, columns=names))


def test_every_pair_is_predicted_once_for_what_is_held_out(found):
    pairs = pooled.held_out(found, ["benchmark"], 100, 0)
    assert len(pairs) == len(found.rows)
    ours = pairs[pairs["benchmark"] == "mgsm_pro"]
    # the study alone takes it for the study's, a log-odd harder
    assert (ours["study_alone"] < ours["observed"]).all()
    assert pairs["model_mean"].isna().all()


def test_a_language_is_compared_with_its_nearest_and_with_the_mean(found):
    pairs = pooled.held_out(
        Pool(found.rows[found.rows["language"].isin(["eng", "deu", "fra", "rus"])]),
        ["language"], 100, 0,
    )  # fmt: skip
    row = pairs.set_index(["benchmark", "variant", "language"]).loc["mgsm_pro", "m0", "eng"]
    cells = found.rows.set_index(["benchmark", "variant", "language"])["n_correct"] / 1000
    own = cells["mgsm_pro", "m0"]
    assert row["nearest_language"] == own["deu"]
    assert row["model_mean"] == pytest.approx(own[["deu", "fra", "rus"]].mean())
    assert row["resource_outside"] > 0
    assert np.isnan(row["language_mean"])
    # a language that is not known is the mean of the three, French, 0.4 log-odds below German
    assert row["additive"] == pytest.approx(expit(logit(own["deu"]) - 0.4), abs=0.002)
    errors = pooled.summary(pairs, ["benchmark"]).set_index(["benchmark", "predictor"])
    assert errors.loc["mgsm_pro", "pooled"]["mae"] < errors.loc["mgsm_pro", "model_mean"]["mae"]


def test_differences_are_from_the_pooled_predictor():
    pairs = pd.DataFrame(
        {"benchmark": "a", "language": ["x", "x", "y"], "observed": [0.5, 0.6, 0.7],
         "pooled": [0.6, 0.6, 0.7], "integrated": [0.5, 0.5, 0.7], "study_alone": np.nan,
         "model_mean": [0.8, 0.6, 0.5], "nearest_language": np.nan, "language_mean": np.nan,
         "additive": np.nan,
         "inside_80": [False, True, True], "inside_95": True}
    )  # fmt: skip
    table = pooled.summary(pairs, ["benchmark"]).set_index("predictor")
    assert table.index.tolist() == ["pooled", "integrated", "model_mean"]
    assert table["mae"].tolist() == pytest.approx([10 / 3, 10 / 3, 50 / 3])
    assert table.loc["pooled", "difference"] == 0
    assert table.loc["model_mean", "difference"] == pytest.approx((10 + 20) / 2)
    assert table.loc["pooled", "coverage_80"] == pytest.approx(2 / 3)
    assert np.isnan(table.loc["model_mean", "coverage_80"])


def test_what_cannot_be_held_out_is_refused():
    with pytest.raises(InputError, match="no planet to hold out"):
        pooled.pooled_errors(held=["planet"])
