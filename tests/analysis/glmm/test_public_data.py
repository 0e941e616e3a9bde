"""Known maxima, estimates and standard errors on public data, which come with R's packages."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.columns import is_logical

TESTS = Path(__file__).parents[2]
MAXIMA = pd.read_csv(TESTS / "expected" / "glmm_maxima.csv", comment="#", keep_default_na=False)
GLMMTMB = pd.read_csv(TESTS / "expected" / "glmm_public.csv", comment="#")
LME4 = pd.read_csv(TESTS / "expected" / "glmm_quadrature.csv", comment="#")


def from_r(frame):
    """R's numbers, logicals and factors as pandas, levels in R's order."""
    columns = {}
    for name, column in zip(frame.names, frame, strict=True):
        if hasattr(column, "iter_labels"):
            columns[name] = pd.Categorical(list(column.iter_labels()), list(column.levels))
        else:
            columns[name] = np.array(column, dtype=type(column[0]))
    return pd.DataFrame(columns)


def from_file(name: str) -> pd.DataFrame:
    """The project's copy of a small data set; groups and periods are labels."""
    rows = pd.read_csv(TESTS.parent / name, comment="#")
    if "herd" in rows:
        rows["obs"] = range(1, len(rows) + 1)
    labels = {"herd", "period", "obs", "trt"}.intersection(rows.columns)
    rows = rows.astype(dict.fromkeys(labels, str))
    if "trt" in rows:  # R's order: placebo, drug, drug+
        rows["trt"] = pd.Categorical(rows["trt"], ["placebo", "drug", "drug+"])
    return rows


def case(row, *values):
    """A case of a row of the maxima, by name; only what the project has no file of needs R."""
    marks = () if row.file else pytest.mark.needs("R")
    return pytest.param(*(values or (row,)), marks=marks, id="-".join(map(str, values)) or row.name)


ROWS = {row.name: row for row in MAXIMA.itertuples()}


@pytest.fixture
def public(request):
    """``public(row)``: the data of a row of the maxima; skips what R here does not have."""

    def load(row):
        if row.file:
            return from_file(row.file)
        r = request.getfixturevalue("r")
        package = row.data.partition("::")[0].rpartition("(")[2]
        if not r(f"(requireNamespace('{package}', quietly = TRUE))")[0]:
            pytest.skip(f"R has no package {package}")
        return from_r(r(row.data))

    return load


@pytest.mark.parametrize("row", [case(row) for row in ROWS.values()])
def test_the_maximum_is_the_known_one_and_estimates_are_glmmtmbs(public, row):
    fit = laplace.fit(row.formula, public(row))
    assert fit.optimisation.converged
    assert fit.log_lik == pytest.approx(row.log_lik, abs=5e-8)
    theirs = GLMMTMB[GLMMTMB["name"] == row.name]
    fixed = theirs[theirs["kind"] == "fixed"].set_index("term")
    ours = fit.fixed_effects.set_index("term").loc[fixed.index]
    np.testing.assert_allclose(ours["estimate"], fixed["value"], atol=2e-4)
    np.testing.assert_allclose(ours["std_error"], fixed["std_error"], rtol=1e-3)
    for sd in theirs[theirs["kind"] == "sd"].itertuples():
        assert fit.sd(sd.group, sd.term) == pytest.approx(sd.value, abs=2e-4)
    for pair in theirs[theirs["kind"] == "correlation"].itertuples():
        assert fit.correlations["correlation"].iloc[0] == pytest.approx(pair.value, abs=1e-3)


@pytest.mark.parametrize(
    ("name", "points"),
    [
        case(ROWS[one.name], one.name, one.nAGQ)
        for one in LME4[["name", "nAGQ"]].drop_duplicates().itertuples()
    ],
)
def test_quadrature_is_lme4s(public, name, points):
    row = ROWS[name]
    fit = laplace.fit(row.formula, public(row), nAGQ=points)
    theirs = LME4[(LME4["name"] == name) & (LME4["nAGQ"] == points)]
    assert fit.optimisation.converged
    assert fit.log_lik == pytest.approx(theirs["log_lik"].iloc[0], abs=2e-6)
    fixed = theirs[theirs["kind"] == "fixed"].set_index("term")
    ours = fit.fixed_effects.set_index("term").loc[fixed.index]
    np.testing.assert_allclose(ours["estimate"], fixed["value"], atol=5e-4)
    np.testing.assert_allclose(ours["std_error"], fixed["std_error"], rtol=5e-3)
    sd = theirs.loc[theirs["kind"] == "sd", "value"].iloc[0]
    assert fit.random_effects["sd"].iloc[0] == pytest.approx(sd, abs=1e-3)
    if (name, points) == (
        "toenail",
        20,
    ):  # as published
        assert fit.random_effects["sd"].iloc[0] == pytest.approx(4.00, abs=0.01)
        assert fit.log_lik == pytest.approx(-625.375, abs=1e-3)


@pytest.mark.parametrize("row", [r for r in ROWS.values() if r.file], ids=lambda r: r.name)
def test_files_are_what_r_has(r, row):
    theirs, ours = from_r(r(row.data)), from_file(row.file)
    for name in theirs.columns:
        if is_logical(ours[name]) or pd.api.types.is_numeric_dtype(ours[name]):
            np.testing.assert_array_equal(ours[name], theirs[name])
        else:
            assert ours[name].astype(str).tolist() == theirs[name].astype(str).tolist()
