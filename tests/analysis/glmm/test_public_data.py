"""Known maxima of public data sets, which come with R's packages."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace

MAXIMA = pd.read_csv(Path(__file__).parents[2] / "expected" / "glmm_maxima.csv", comment="#")


def from_r(frame):
    """R's numbers, logicals and factors as pandas, levels in R's order."""
    columns = {}
    for name, column in zip(frame.names, frame, strict=True):
        if hasattr(column, "iter_labels"):
            columns[name] = pd.Categorical(list(column.iter_labels()), list(column.levels))
        else:
            columns[name] = np.array(column, dtype=type(column[0]))
    return pd.DataFrame(columns)


@pytest.mark.parametrize("row", list(MAXIMA.itertuples()), ids=lambda row: row.name)
def test_the_maximum_is_the_known_one(r, row):
    fit = laplace.fit(row.formula, from_r(r(row.data)))
    assert fit.optimisation.converged
    assert fit.log_lik == pytest.approx(row.log_lik, abs=2e-8)
