"""Two one-sided tests against a hand computation, and the study's metric English."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.data import Outcomes
from capability_transfer.analysis.studies import equivalence as e
from capability_transfer.common.errors import InputError
from scipy import stats


def outcomes(first, second, total=1000):
    rows = [
        {"variant": f"v{i}", "language": language, "n_correct": k, "n_total": total}
        for language, counts in (("xx", first), ("yy", second))
        for i, k in enumerate(counts)
    ]
    return pd.DataFrame(rows)


def test_the_p_value_is_the_larger_of_two_one_sided_t_tests():
    runs = e.accuracies(outcomes([500, 600, 700, 800], [498, 603, 695, 801]), "xx", "yy")
    assert runs["difference"].tolist() == pytest.approx([-0.2, 0.3, -0.5, 0.1])
    row = e.two_one_sided_tests(runs, "xx", "yy", margin=0.6).iloc[0]
    mean, error = np.mean([-0.2, 0.3, -0.5, 0.1]), np.std([-0.2, 0.3, -0.5, 0.1], ddof=1) / 2
    lower = stats.t.sf((mean + 0.6) / error, 3)
    upper = stats.t.cdf((mean - 0.6) / error, 3)
    assert row["p_value"] == pytest.approx(max(lower, upper))
    assert row["statistic_lower"] == pytest.approx((mean + 0.6) / error)
    inside = row["conf_low"] > -0.6 and row["conf_high"] < 0.6
    assert inside == (row["p_value"] < 0.05) == row["equivalent"]


def test_a_shift_beyond_the_margin_is_not_equivalent():
    runs = e.accuracies(outcomes([500, 600, 700], [520, 621, 719]), "xx", "yy")
    row = e.two_one_sided_tests(runs, "xx", "yy").iloc[0]
    assert row["p_value"] > 0.9
    assert not row["equivalent"]


def test_metric_english_is_equivalent_to_imperial_english():
    row = e.equivalence().test.iloc[0]
    assert row["n"] == 48
    assert row["difference"] == pytest.approx(-0.43, abs=0.03)
    assert row["p_value"] < 0.01


def test_runs_with_one_language_are_left_out_by_name():
    table = outcomes([500, 600, 700], [500, 610, 700]).drop(index=5)
    found = e.equivalence(Outcomes(table, "made up"), "xx", "yy")
    assert found.runs["variant"].tolist() == ["v0", "v1"]
    assert found.lacking == ["v2"]
    assert found.notes() == ["left out, only one of the two: v2"]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [("xx", "xx", "with itself"), ("xx", "yz", "no language 'yz'.*Did you mean yy")],
)
def test_languages_that_cannot_be_compared(first, second, message):
    with pytest.raises(InputError, match=message):
        e.accuracies(outcomes([1, 2], [1, 2]), first, second)


def test_a_margin_of_zero_is_refused():
    runs = e.accuracies(outcomes([500, 600], [500, 610]), "xx", "yy")
    with pytest.raises(InputError, match="positive"):
        e.two_one_sided_tests(runs, "xx", "yy", margin=0)


def test_quartiles_are_runs_of_their_own():
    runs = e.accuracies(outcomes([900, 100, 500, 300, 700], [1] * 5), "xx", "yy")
    assert e.quartiles(runs)["first"].tolist() == [0.3, 0.5, 0.7]
