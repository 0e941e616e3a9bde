"""Thirds of languages by resource."""

import numpy as np
import pandas as pd
from capability_transfer.analysis.terciles import terciles


def test_thirds_by_rank_with_ties_and_unknowns():
    resource = pd.Series([5.0, 9.0, 7.0, 8.0, np.nan, 6.0, 10.0], index=list("abcdefg"))
    assert terciles(resource).dropna().to_dict() == {
        "a": "low", "f": "low", "c": "middle", "d": "middle", "b": "high", "g": "high",
    }  # fmt: skip
    assert terciles(resource).isna().tolist() == [False] * 4 + [True] + [False] * 2
    assert terciles(pd.Series([1.0, 1.0, 1.0])).tolist() == ["low"] * 3
