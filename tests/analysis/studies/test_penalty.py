"""The symbolic penalty: descriptive gaps on Table 12, and the joint model of both splits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.data import load
from capability_transfer.analysis.outcomes.study import table_12_counts
from capability_transfer.analysis.studies import penalty as p
from capability_transfer.common.errors import InputError


@pytest.fixture(scope="module")
def gaps():
    return p.pair_gaps(table_12_counts(include_excluded=True))


def test_the_studys_gaps_by_language(gaps):
    table = p.language_gaps(gaps).set_index("language")
    assert len(gaps) == 720
    assert (table["runs"] == 48).all()
    figures = table.loc[["eng", "rus"], ["gap", "conf_low", "conf_high"]].round(1)
    assert figures.loc["eng"].tolist() == [1.7, -0.6, 4.0]
    assert figures.loc["rus"].tolist() == [5.5, 4.6, 6.5]
    assert table["gap"].idxmin() == "eng"
    assert table["gap"].idxmax() == "rus"


def test_the_overall_gap_of_the_modelled_runs():
    row = p.overall_gap(p.pair_gaps(table_12_counts())).iloc[0]
    assert row["pairs"] == 690
    assert row["gap"] == pytest.approx(3.21, abs=0.005)
    assert abs(row["correlation"]) < 0.1


def test_an_interval_is_the_normal_one_of_the_runs():
    gaps = pd.DataFrame({"variant": list("abcd"), "language": "xxx", "gap": [1.0, 2.0, 3.0, 6.0]})
    row = p.language_gaps(gaps).iloc[0]
    half = 1.959964 * np.std([1, 2, 3, 6], ddof=1) / 2
    assert row["gap"] == 3
    assert (row["conf_low"], row["conf_high"]) == pytest.approx((3 - half, 3 + half))


def test_a_pair_with_one_split_is_named():
    counts = table_12_counts().query("not (variant == 'gemma-3-4b-it' and language == 'mar' "
                                  "and split == 'original')")  # fmt: skip
    with pytest.raises(InputError, match="gemma-3-4b-it / mar"):
        p.pair_gaps(counts)


def test_outcomes_of_one_split_are_refused():
    with pytest.raises(InputError, match="no original split"):
        p.check_splits(pd.DataFrame({"split": ["symbolic"]}))


@pytest.mark.heavy
def test_the_joint_model():
    result = p.penalty(load(split=None))
    fixed = result.fixed_effects().set_index("term")
    delta = fixed.loc[p.PENALTY]
    assert delta["estimate"] == pytest.approx(-0.307, abs=0.001)
    assert delta["p_value"] < 1e-15
    assert abs(delta["difference"]) < 0.011
    assert (fixed.loc[[f"{p.PENALTY}:resource", f"{p.PENALTY}:distance"], "p_value"] > 0.3).all()
    assert result.fit.sd("language", p.PENALTY) == pytest.approx(0.068, abs=0.001)
    test = result.test_table().iloc[0]
    assert test["df"] == 2
    assert test["statistic"] == pytest.approx(28.7, abs=0.1)
    assert test["p_value_mixture"] < test["p_value"] < 1e-3
    random = result.random_effects().set_index(["group", "term"])
    assert random["correlation"].notna().sum() == 1
    drawn_anew = p.penalty(load(split=None, seed=1))
    assert drawn_anew.fit.coefficients[p.PENALTY] == pytest.approx(delta["estimate"], abs=5e-4)
    assert drawn_anew.test.statistic == pytest.approx(test["statistic"], abs=0.1)
    other = replace(result, is_study=False)
    assert other.fixed_effects()["published"].isna().all()
