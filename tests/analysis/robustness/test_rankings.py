"""How rankings settle with the number of instances."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.robustness import mgsm_pro, rankings
from capability_transfer.analysis.robustness.mgsm_pro import published_stability
from capability_transfer.common.errors import InputError
from scipy import stats


def by_instance(instances=10, noise=0.03, seed=13):
    rng = np.random.default_rng(seed)
    rows = [
        (f"m{m}", language, "numbers", i, np.clip(0.3 + 0.05 * m + rng.normal(0, noise), 0, 1))
        for m in range(8)
        for language in ("deu", "dan")
        for i in range(instances)
    ]
    return pd.DataFrame(
        rows, columns=["variant", "language", "perturbation", "instance", "accuracy"]
    )


def test_more_instances_agree_better_with_all_of_them():
    found = rankings.observed(by_instance(), "numbers")
    assert found["instances"].tolist() == list(range(1, 10))
    assert found["kendall"].is_monotonic_increasing
    assert found["mean_change"].iloc[-1] < found["mean_change"].iloc[0]


def test_rankings_without_noise_never_change():
    found = rankings.observed(by_instance(noise=0.0), "numbers", [1, 5])
    assert found["kendall"].tolist() == pytest.approx([1, 1])
    assert found["same_order"].tolist() == [1, 1]
    means = pd.Series({"a": 0.3, "b": 0.2})
    assert rankings.simulated(means, means * 0, [1])["same_first"].tolist() == [1]


def test_two_models_change_places_as_often_as_the_normal_law_says():
    means = pd.Series({"a": 1.0, "b": 0.0})
    found = rankings.simulated(means, pd.Series({"a": 1.0, "b": 1.0}), [1, 4, 9], draws=20000)
    expected = stats.norm.cdf(np.sqrt([1, 4, 9]) / np.sqrt(2))
    assert found["same_first"].tolist() == pytest.approx(list(expected), abs=0.01)
    # τ of two models is 1 or −1
    assert found["kendall"].tolist() == pytest.approx(list(2 * expected - 1), abs=0.02)


def test_kendall_is_scipys_with_ties():
    values = pd.Series({"a": 0.5, "b": 0.5, "c": 0.2, "d": 0.1})
    sd = pd.Series(0.0, index=values.index)
    sd["c"] = 0.3
    found = rankings.simulated(values, sd, [1], draws=50, seed=1)
    rng = np.random.default_rng(1)
    drawn = values.to_numpy() + sd.to_numpy() * rng.standard_normal((50, 4))
    expected = np.mean([stats.kendalltau(row, values).statistic for row in drawn])
    assert found["kendall"].iloc[0] == pytest.approx(expected)


def test_five_instances_suffice_if_the_published_spread_is_that_of_one_instance():
    needed = {
        reading: rankings.enough(rows)
        for reading, rows in published_stability().groupby("reading", sort=False)
    }
    one_ten, one_five, error = needed.values()
    assert one_ten <= one_five <= 5
    assert error is None or error > 5


def test_the_published_spread_shrinks_with_instances_for_every_model():
    rows = mgsm_pro.read("rankings").query("languages == 'all'")
    sd = rows.pivot(index="model", columns="instances", values="sd")
    ratio = sd[10] / sd[5]
    assert ratio.max() < 0.8
    assert ratio.mean() == pytest.approx(0.62, abs=0.01)


def test_enough_is_the_first_number_that_reaches_the_threshold():
    table = pd.DataFrame({"instances": [1, 2, 3], "kendall": [0.8, 0.95, 0.97]})
    assert rankings.enough(table) == 2
    assert rankings.enough(table, 0.99) is None


def test_scores_without_instances_or_with_gaps_are_refused():
    scores = by_instance()
    with pytest.raises(InputError, match="a column 'instance'"):
        rankings.observed(scores.drop(columns="instance"), "numbers")
    with pytest.raises(InputError, match="m0 lack scores"):
        rankings.observed(scores.iloc[1:], "numbers")
    with pytest.raises(InputError, match="1 instances"):
        rankings.observed(scores[scores["instance"] == 0], "numbers")
    with pytest.raises(InputError, match="not of the same models"):
        rankings.simulated(pd.Series({"a": 1.0}), pd.Series({"b": 1.0}), [1])
