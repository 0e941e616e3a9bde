"""Accuracy on the line against statsmodels, and two lines with latent assignment.

The latter on the HAT paper's cut-off dates with simulated accuracies.
"""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from capability_transfer.analysis.transfer_metrics.lines import (
    MAX_NEW,
    MIN_LINE,
    old_and_new,
    on_the_line,
    two_lines,
)
from capability_transfer.common.errors import InputError

EXPECTED = Path(__file__).parents[2] / "expected"
SLOPES = {1: 0.78, 2: 0.97}


@pytest.fixture
def models():
    table = pd.read_csv(EXPECTED / "hat_cutoffs.csv")
    rng = np.random.default_rng(9)
    source = rng.uniform(0.4, 0.98, len(table))
    slope = table["line"].map(SLOPES)
    return table.assign(
        source_accuracy=source,
        target_accuracy=slope * source + rng.normal(0, 0.006, len(table)),
        hat=slope + rng.normal(0, 0.02, len(table)),
    )


def test_the_papers_date_and_assignment_are_found(models):
    found = old_and_new(models)
    assert found["cutoff"].tolist() == ["2024-11", "2025-01", "2025-02"]
    row = found.set_index("cutoff").loc["2025-01"]
    assert (row["old"], row["new"]) == (8, 12)
    truly = set(models.loc[models["line"] == 2, "variant"])
    assert set(row["selected"].split("; ")) == truly
    assert row["slope_new"] == pytest.approx(SLOPES[2], abs=0.03)
    assert row["slope_old"] == pytest.approx(SLOPES[1], abs=0.03)
    assert row["parity_new"] < row["parity_old"]
    assert row["sse_two"] < row["sse_single"] / 20
    assert row["hat_selected"] - row["hat_old"] == pytest.approx(0.19, abs=0.04)
    assert row["p_selected"] < 0.01
    assert row["p_new"] < 0.05


def test_without_progress_the_honest_test_finds_none(models):
    rng = np.random.default_rng(10)
    p_values = []
    for _ in range(12):
        same = models.assign(hat=0.8 + rng.normal(0, 0.05, len(models)))
        p_values.append(old_and_new(same, ["2025-01"]).loc[0, "p_new"])
    assert np.mean(np.array(p_values) < 0.05) < 0.3
    assert np.median(p_values) > 0.1


def test_the_search_finds_the_best_subset():
    rng = np.random.default_rng(11)
    x, y = rng.random(11), rng.random(11)
    is_new = np.arange(11) >= 5
    best = np.inf
    for size in range(MIN_LINE, 7):
        for chosen in combinations(range(5, 11), size):
            mask = np.isin(np.arange(11), chosen)
            error = sum(
                ((y[part] - np.polyval(np.polyfit(x[part], y[part], 1), x[part])) ** 2).sum()
                for part in (mask, ~mask)
            )
            best = min(best, error)
    found = two_lines(x, y, is_new)
    assert found.sse == pytest.approx(best)
    assert not found.selected[~is_new].any()
    single = ((y - np.polyval(np.polyfit(x, y, 1), x)) ** 2).sum()
    assert found.sse_single == pytest.approx(single)


def test_twenty_new_models_are_searched_and_more_are_refused():
    x = np.linspace(0.3, 1, 3 + MAX_NEW)
    is_new = np.arange(len(x)) >= 3
    upper = is_new & (np.arange(len(x)) % 2 == 0)
    found = two_lines(x, np.where(upper, 0.95, 0.7) * x, is_new)
    np.testing.assert_array_equal(found.selected, upper)
    assert found.sse == pytest.approx(0, abs=1e-12)
    with pytest.raises(InputError, match="21 new models are too many"):
        two_lines(np.append(x, 0.5), np.append(x, 0.5), np.append(is_new, True))


def test_too_few_models_and_unreadable_dates_are_refused(models):
    with pytest.raises(InputError, match="2 old and 3 new"):
        two_lines(np.arange(5) / 5, np.arange(5) / 5, [False, False, True, True, True])
    with pytest.raises(InputError, match=r"YYYY-MM.*GPT-OSS-20B \(June 2024\)"):
        old_and_new(models.replace({"cutoff": {"2024-06": "June 2024"}}))
    with pytest.raises(InputError, match="no cut-off leaves"):
        old_and_new(models.assign(cutoff="2025-01"))
    with pytest.raises(InputError, match="lack the column hat"):
        old_and_new(models.drop(columns="hat"))


def test_the_line_is_that_of_ordinary_least_squares():
    rng = np.random.default_rng(8)
    x = rng.random(15)
    table = pd.DataFrame(
        {"source_accuracy": x, "target_accuracy": 0.7 * x + rng.normal(0, 0.1, 15)}
    )
    (found,) = on_the_line(table).to_dict("records")
    fit = sm.OLS(table["target_accuracy"], sm.add_constant(table["source_accuracy"])).fit()
    low, high = fit.conf_int().loc["source_accuracy"]
    assert found["slope"] == pytest.approx(fit.params["source_accuracy"])
    assert found["intercept"] == pytest.approx(fit.params["const"])
    assert found["r_squared"] == pytest.approx(fit.rsquared)
    assert (found["conf_low"], found["conf_high"]) == pytest.approx((low, high))


@pytest.mark.parametrize("models", [1, 2])
def test_too_few_models_are_refused(models):
    table = pd.DataFrame(
        {"source_accuracy": np.arange(models) / 2, "target_accuracy": np.arange(models) / 3}
    )
    with pytest.raises(InputError, match=f"at least three models, there is {models}"):
        on_the_line(table)


def test_one_source_accuracy_determines_no_line():
    table = pd.DataFrame({"source_accuracy": [0.5] * 3, "target_accuracy": [0.1, 0.2, 0.3]})
    with pytest.raises(InputError, match="same source accuracy"):
        on_the_line(table)
