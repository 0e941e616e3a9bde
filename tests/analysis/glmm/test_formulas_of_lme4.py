"""Formulas beside lme4's own reading of them: X and Z by value, or a refusal in words."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.diagnostics import check_design
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.r_session import to_r_frame
from capability_transfer.common.errors import InputError

FORMULAS = pd.read_csv(
    Path(__file__).parents[2] / "expected" / "glmm_formulas.csv", comment="#"
).fillna("")
READ = FORMULAS[FORMULAS["refused"] == ""]
REFUSED = FORMULAS[FORMULAS["refused"] != ""]

GL_FORMULA = """
function(formula, data, dotted) {
  names(data) <- dotted
  library(splines)
  control <- lme4::glmerControl(check.formula.LHS = "ignore")
  made <- suppressWarnings(
    lme4::glFormula(as.formula(formula), data, family = binomial, control = control)
  )
  z <- made$reTrms
  counts <- diff(z$Gp)
  columns <- lengths(z$cnms)
  list(
    X = made$X, names = colnames(made$X), Z = t(as.matrix(z$Zt)), level = rownames(z$Zt),
    group = rep(names(z$cnms), counts),
    term = unlist(Map(function(own, count) rep(own, count / length(own)), z$cnms, counts)),
    offset = as.numeric(if (is.null(model.offset(made$fr))) 0 * made$X[, 1] else
      model.offset(made$fr))
  )
}
"""


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(8)
    rows = 60
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=rows),
            "z": rng.uniform(1, 3, rows),
            "n": rng.integers(5, 12, rows).astype(float),
            "m": rng.integers(1, 4, rows).astype(float),
            "f": rng.choice(["low", "mid", "top"], rows),
            "k": rng.choice(["u", "v"], rows),
            "h": rng.random(rows) < 0.5,
            "g": [f"g{i % 6}" for i in range(rows)],
            "s": [f"s{i % 4}" for i in range(rows)],
            "one": "only",
        }
    )
    frame["y"] = np.minimum(rng.integers(0, 6, rows), frame["n"]).astype(float)
    frame["b"] = (frame["y"] > 2).astype(float)
    frame["twice"] = 2 * frame["x"]
    frame["a name"], frame["b.c"] = frame["z"] ** 2, np.cos(frame["x"])
    return frame


@pytest.mark.parametrize("text", READ["formula"])
def test_x_and_z_are_lme4s(r, data, text):
    theirs = r(GL_FORMULA)(text, to_r_frame(data, {"h": ("FALSE", "TRUE")}), list_of(r, data))
    theirs = dict(zip(theirs.names, theirs, strict=True))
    formula = parse(text)
    matrix, names = formula.fixed_matrix(data)
    kept = check_design(formula, data)
    at = [names.index(name) for name in kept]
    assert kept == list(theirs["names"])
    np.testing.assert_allclose(matrix[:, at], np.array(theirs["X"]), atol=1e-12)
    np.testing.assert_allclose(formula.offset(data), np.array(theirs["offset"]), atol=1e-12)

    found = dict(columns_of_z(formula, data))
    wanted = np.array(theirs["Z"])
    keys = list(zip(theirs["group"], theirs["level"], theirs["term"], strict=True))
    keys = [named(*key, {term.group for term in formula.random}) for key in keys]
    assert len(keys) == len(found) == wanted.shape[1]
    for place, key in enumerate(keys):
        np.testing.assert_allclose(found[key], wanted[:, place], atol=1e-12, err_msg=str(key))


def named(group, level, term, groups):
    """lme4's names as ours: it numbers a group's further terms (g, g.1), and writes g/s as s:g."""
    group = group if ":" in group or group in groups else group.rpartition(".")[0]
    if group not in groups:
        group, level = (":".join(reversed(text.split(":"))) for text in (group, level))
    return group, level, term


def list_of(r, data):
    from rpy2.robjects import StrVector

    return StrVector(list(data.columns))


def columns_of_z(formula, data):
    """Z's columns by group, level and term."""
    known = formula.levels(data)
    for term in formula.random:
        labels = term.levels(data)
        covariates, columns = term.matrix(data, known)
        for level in labels.unique():
            for place, name in enumerate(columns):
                yield (term.group, level, name), np.where(labels == level, covariates[:, place], 0)


@pytest.mark.parametrize("row", list(REFUSED.itertuples()), ids=lambda row: row.formula)
def test_what_is_not_read_as_lme4_means_it_is_refused(data, row):
    with pytest.raises(InputError, match=row.refused):
        check_design(parse(row.formula), data)


def test_there_are_forty_formulas_that_are_read():
    assert len(READ) >= 40
    assert len(REFUSED) >= 10


@pytest.mark.parametrize("kind", ["treatment", "sum", "helmert", "poly"])
@pytest.mark.parametrize("text", ["f * k", "f:x + k", "0 + f * x + k"])
def test_contrasts_are_rs(r, data, kind, text):
    formula = parse(f"cbind(y, n - y) ~ {text} + (1 | g)", contrasts={"f": kind, "k": kind})
    matrix, names = formula.fixed_matrix(data)
    made = r(
        f"function(data) model.matrix(~ {text}, data, contrasts.arg = "
        f"list(f = 'contr.{kind}', k = 'contr.{kind}'))"
    )
    theirs = made(to_r_frame(data[["x", "f", "k"]], {}))
    assert names == list(theirs.colnames)
    np.testing.assert_allclose(matrix, np.array(theirs), atol=1e-12)


def test_contrasts_of_what_is_no_factor_are_refused(data):
    with pytest.raises(InputError, match="x, which is no factor of the formula; its factors: f"):
        parse("cbind(y, n - y) ~ x + f + (1 | g)", contrasts={"x": "sum"}).levels(data)
    with pytest.raises(InputError, match="contrasts are treatment, sum.*Did you mean helmert"):
        parse("~ f + (1 | g)", contrasts={"f": "helmet"})


def test_what_a_function_learned_codes_any_rows(data):
    formula = parse("cbind(y, n - y) ~ scale(x) + poly(x, 2) + ns(z, 2) + bs(z, 4) + (1 | g)")
    known = formula.levels(data)
    whole, _ = formula.fixed_matrix(data, known)
    part, _ = formula.fixed_matrix(data.iloc[7:20], known)
    np.testing.assert_allclose(part, whole[7:20], atol=1e-14)
    again, _ = formula.fixed_matrix(data.iloc[7:20])  # as if these were the data
    assert abs(again - part)[:, 1:].max(axis=0).min() > 0.01


def test_numbers_of_a_function_are_floats_and_nothing_missing_is_compared(data):
    formula = parse("cbind(y, n - y) ~ I(x / 2^70) + I(n^-1) + I(z > 2) + (1 | g)")
    matrix, _ = formula.fixed_matrix(data)
    np.testing.assert_allclose(matrix[:, 1], data["x"] / 2.0**70)
    np.testing.assert_allclose(matrix[:, 2], 1 / data["n"])
    gap = data.assign(z=data["z"].where(data.index != 4))
    with pytest.raises(InputError, match="column z is missing or not finite in row 4"):
        formula.fixed_matrix(gap, formula.levels(data))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("poly(x, 2, 3, 4)", "takes a column, degree, raw"),
        ("poly(x, 0)", "degree is a whole number from 1 up, not 0"),
        ("ns(x, df = 3, knots = c(0))", "df or knots, not both"),
        ("bs(x, 2)", "df is a whole number from 3 up"),
        ("ns(x, knots = c(99))", "lie within the data"),
        ("scale(one)", "is text where the formula needs numbers"),
        ("scale(x * 0)", "nothing to scale by"),
        ("log(x, y = 2)", "takes a column, base; not y"),
        ("exp(x, z)", "takes a column and nothing else"),
        ("I(3)", "the same in every row"),
        ("I(x z)", "an operator is missing"),
        ("I(0 < x < 1)", "one comparison at a time"),
        ("I(x & z)", "has no meaning here"),
        ("I(scale(x) > 0)", "make a column of it"),
        ("log()", "without a column"),
    ],
)
def test_a_call_that_cannot_be_meant_is_explained(data, text, says):
    with pytest.raises(InputError, match=says):
        parse(f"cbind(y, n - y) ~ {text} + (1 | g)").fixed_matrix(data)


def test_splines_go_on_beyond_the_data_as_rs(r, data):
    formula = parse("cbind(y, n - y) ~ ns(x, 3) + (1 | g)")
    rows = pd.DataFrame({"x": [-6.0, -3.0, 0.0, 5.0]})
    ours, _ = formula.fixed_matrix(rows, formula.levels(data))
    theirs = r("function(x, new) predict(splines::ns(x, 3), new)")
    from rpy2.robjects import FloatVector

    np.testing.assert_allclose(
        ours[:, 1:], np.array(theirs(FloatVector(data["x"]), FloatVector(rows["x"]))), atol=1e-10
    )
