"""Published figures, and how they stand beside ours."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis import published
from capability_transfer.common.errors import InputError


def test_a_figure_of_table_3():
    known = published.values("study_estimates", "name", kind="random")
    assert known["language"] == pytest.approx(0.2499, abs=0.001)


def test_where_nothing_was_published_nothing_stands_beside_ours():
    known = published.values("study_estimates", "name", when=False, kind="fixed")
    ours = pd.DataFrame({"term": ["size"], "estimate": [1.0]})
    table = published.beside(ours, known, "term", "estimate")
    assert table[["published", "difference"]].isna().all(axis=None)


def test_the_difference_is_ours_minus_the_published_one():
    ours = pd.DataFrame({"term": ["a", "b"], "estimate": [1.0, 2.0]})
    table = published.beside(ours, pd.Series({"b": 1.5}), "term", "estimate")
    np.testing.assert_array_equal(table["published"], [np.nan, 1.5])
    np.testing.assert_array_equal(table["difference"], [np.nan, 0.5])


def test_what_is_read_may_be_changed_without_harm():
    table = published.read("study_estimates")
    table["estimate"] = 0
    assert published.read("study_estimates")["estimate"].ne(0).any()


def test_a_table_that_is_not_there_is_named():
    with pytest.raises(InputError, match=r"'study_estimate'.*Did you mean.*study_estimates"):
        published.read("study_estimate")
