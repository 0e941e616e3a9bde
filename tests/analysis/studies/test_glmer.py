"""``ct.glmer``: the table it takes, the arguments it knows, and what it refuses by name."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from capability_transfer.analysis.glmm.r_session import session, to_r_frame
from capability_transfer.common.errors import InputError
from scipy.special import expit
from statsmodels.genmod.families import Binomial, links

import capability_transfer as ct

ROOT = Path(__file__).parents[3]
FORMULA = "cbind(incidence, size - incidence) ~ period + (1 | herd)"


@pytest.fixture(scope="module")
def cbpp():
    return pd.read_csv(ROOT / "docs/examples/cbpp.csv", dtype={"herd": str, "period": str})


@pytest.fixture(scope="module")
def model(cbpp):
    return ct.glmer(FORMULA, cbpp)


@pytest.mark.parametrize(
    "make",
    [
        pa.Table.from_pandas,
        lambda data: data.to_dict("list"),
        lambda data: data.set_index(np.repeat(7, len(data))),
        lambda data: data.astype({"period": "category", "incidence": "Int64"}),
        lambda data: data.assign(extra=pd.NaT, herd=data["herd"].astype("string[pyarrow]")),
    ],
    ids=["pyarrow", "dictionary", "index", "category", "arrow strings"],
)
def test_a_table_of_any_make_has_the_same_fit(cbpp, model, make):
    fit = ct.glmer(FORMULA, make(cbpp))
    pd.testing.assert_series_equal(fit.params, model.params)
    pd.testing.assert_series_equal(fit.fittedvalues, model.fittedvalues)
    pd.testing.assert_series_equal(fit.predict(make(cbpp)), model.fittedvalues)


def test_rows_keep_their_names(cbpp, model):
    named = cbpp.set_index(cbpp["herd"] + "/" + cbpp["period"])
    fit = ct.glmer(FORMULA, named)
    assert list(fit.fittedvalues.index) == list(named.index)
    np.testing.assert_allclose(fit.fittedvalues, model.fittedvalues)


def test_a_fit_says_which_data_it_rests_on(cbpp, model):
    row = model.glance().iloc[0]
    assert row["data_source"] == "a table of 56 rows"
    assert row["data_hash"] == ct.glmer(FORMULA, cbpp.assign(more=1)).glance()["data_hash"].item()
    other = cbpp.assign(incidence=cbpp["incidence"].replace(2, 1))
    assert row["data_hash"] != ct.glmer(FORMULA, other).glance()["data_hash"].item()


def test_what_is_no_table_is_refused():
    with pytest.raises(InputError, match="a formula is a text"):
        ct.glmer(["y", "x"], {"y": [1]})
    with pytest.raises(InputError, match="data is a table .* not list"):
        ct.glmer(FORMULA, [1, 2])


@pytest.mark.parametrize(
    ("formula", "weights"),
    [
        ("share ~ period + (1 | herd)", "size"),
        ("incidence / size ~ period + (1 | herd)", "size"),
        ("share ~ period + (1 | herd)", None),
    ],
)
def test_a_share_with_its_trials_is_the_same_model(cbpp, model, formula, weights):
    data = cbpp.assign(share=cbpp["incidence"] / cbpp["size"])
    fit = ct.glmer(formula, data, weights=weights or cbpp["size"])
    assert fit.llf == pytest.approx(model.llf, abs=1e-9)
    pd.testing.assert_series_equal(fit.params, model.params)
    drawn = fit.simulate(1, seed=2)["sim_1"]
    np.testing.assert_allclose(fit.refit(drawn).params, model.refit(drawn).params, atol=1e-6)


def test_answers_of_two_labels_booleans_and_numbers_are_the_same_model(cbpp):
    rows = cbpp.loc[cbpp.index.repeat(cbpp["size"])].reset_index(drop=True)
    within = rows.groupby(["herd", "period"]).cumcount()
    sick = within < rows["incidence"]
    formula = "sick ~ period + (1 | herd)"
    fits = [
        ct.glmer(formula, rows.assign(sick=answer))
        for answer in (
            sick, sick.astype(int), np.where(sick, "yes", "no"),
            pd.Categorical(np.where(sick, "a", "b"), ["b", "a"]),
        )
    ]  # fmt: skip
    for fit in fits[1:]:
        pd.testing.assert_series_equal(fit.params, fits[0].params)
    assert fits[2].told == ("a success is sick = yes",)
    assert fits[3].told == ("a success is sick = a",)
    assert fits[0].told == ()
    counted = ct.glmer(FORMULA, cbpp)
    np.testing.assert_allclose(fits[0].params, counted.params, atol=1e-6)
    drawn = fits[2].simulate(1, seed=4)["sim_1"]
    again = fits[2].refit(drawn)
    np.testing.assert_array_equal(again.data["sick"] == "yes", drawn == 1)
    np.testing.assert_allclose(again.params, fits[0].refit(drawn).params, atol=1e-6)


def test_missing_rows_are_an_error_or_dropped_counted_and_told(cbpp):
    data = cbpp.assign(size=cbpp["size"].astype(float)).copy()
    data.loc[[3, 8], "period"] = None
    data.loc[8, "size"] = np.inf
    data["unused"] = np.nan
    with pytest.raises(InputError, match=r"2 of 56 rows.*first in row 3, 8.*na_action='drop'"):
        ct.glmer(FORMULA, data)
    fit = ct.glmer(FORMULA, data, na_action="drop")
    whole = ct.glmer(FORMULA, cbpp.drop(index=[3, 8]))
    pd.testing.assert_series_equal(fit.params, whole.params)
    assert fit.nobs == 54
    assert list(fit.fittedvalues.index) == list(cbpp.index.drop([3, 8]))
    assert fit.warnings()[0] == ("dropped 2 of 56 rows with missing values: period in 2, size in 1")
    assert "dropped 2 of 56 rows" in str(fit.summary())
    with pytest.raises(InputError, match="'fail' or 'drop', not 'omit'"):
        ct.glmer(FORMULA, data, na_action="omit")


def test_an_offset_is_a_column_or_numbers_or_in_the_formula(cbpp):
    shift = np.linspace(-1, 1, len(cbpp))
    data = cbpp.assign(shift=shift)
    written = ct.glmer(FORMULA + " + offset(shift)", data)
    for offset in ("shift", shift):
        fit = ct.glmer(FORMULA, data, offset=offset)
        pd.testing.assert_series_equal(fit.params, written.params)
    with pytest.raises(InputError, match="offset= has 3 values, and the data have 56 rows"):
        ct.glmer(FORMULA, data, offset=[1, 2, 3])


def test_contrasts_change_the_coding_and_not_the_model(cbpp, model):
    fit = ct.glmer(FORMULA, cbpp, contrasts="sum")
    assert list(fit.params.index) == ["(Intercept)", "period1", "period2", "period3"]
    assert fit.llf == pytest.approx(model.llf, abs=1e-8)
    means = model.emmeans("period", kind="link")["estimate"]
    assert fit.params["(Intercept)"] == pytest.approx(means.mean(), abs=1e-6)
    assert fit.params["period2"] == pytest.approx(means[1] - means.mean(), abs=1e-6)
    np.testing.assert_allclose(fit.emmeans("period", kind="link")["estimate"], means, atol=1e-6)
    one = ct.glmer(FORMULA, cbpp, contrasts={"period": "contr.helmert"})
    assert one.params["period1"] == pytest.approx((means[1] - means[0]) / 2, abs=1e-6)


@pytest.mark.needs("R")
def test_weights_offset_and_functions_are_as_in_lme4(cbpp):
    data = cbpp.assign(share=cbpp["incidence"] / cbpp["size"], t=cbpp["period"].astype(float))
    formula = "share ~ poly(t, 2) + log(size) + (1 | herd)"
    wanted = session().robjects.r(
        """function(formula, data) {
          m <- glmer(as.formula(formula), data, binomial, weights = size, offset = 0.1 * t,
            control = glmerControl("bobyqa", tolPwrss = 1e-12, optCtrl = list(rhoend = 1e-9)))
          c(logLik(m), fixef(m))
        }"""
    )(formula, to_r_frame(data, {}))
    fit = ct.glmer(formula, data, weights="size", offset=0.1 * data["t"])
    assert fit.llf == pytest.approx(wanted[0], abs=1e-6)
    np.testing.assert_allclose(fit.params, list(wanted)[1:], atol=2e-4)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"family": "poisson"}, "the family poisson is not supported"),
        ({"family": "gaussian"}, "gaussian.*mixedlm"),
        ({"family": Binomial(links.Probit())}, "Binomial with link Probit is not supported"),
        ({"REML": True}, "no argument REML"),
        ({"engine": "glmmTMB"}, "no engine 'glmmTMB'"),
        ({"contrasts": "deviation"}, "contrasts are treatment, sum"),
        ({"weights": "size"}, "has its trials already"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(cbpp, arguments, says):
    with pytest.raises(InputError, match=says):
        ct.glmer(FORMULA, cbpp, **arguments)


@pytest.mark.parametrize(
    ("change", "formula", "says"),
    [
        ({}, "incidence ~ period + (1 | herd)", "must be 0 or 1"),
        ({}, "cbind(incidence, size - incidence) ~ perod + (1 | herd)", "Did you mean period"),
        (
            {"one": pd.date_range("2026-01-01", periods=56)},
            "cbind(incidence, size - incidence) ~ one + (1 | herd)",
            "one holds dates",
        ),
        ({}, "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)", "Write factor"),
        ({}, "cbind(incidence, size - incidence) ~ np.log(size) + (1 | herd)", "mean log"),
        ({"one": "a"}, "cbind(incidence, size - incidence) ~ one + (1 | herd)", "one level"),
        ({"incidence": 0}, FORMULA, "every outcome is wrong"),
        ({"size": 1}, FORMULA, "failures of row 0 are -1"),
        ({}, "cbind(incidence, size - incidence) ~ size^2 + (1 | herd)", r"I\(size\^2\)"),
    ],
)
def test_data_that_cannot_be_fitted_are_explained(cbpp, change, formula, says):
    with pytest.raises(InputError, match=says):
        ct.glmer(formula, cbpp.assign(**change))


@pytest.mark.needs("R")
def test_lme4_fits_the_same_from_the_same_front(cbpp, model):
    theirs = ct.glmer(FORMULA, cbpp, engine="lme4")
    assert theirs.fit.engine == "lme4"
    np.testing.assert_allclose(theirs.params, model.params, atol=2e-4)
    np.testing.assert_allclose(theirs.conf_int(method="profile"), model.conf_int(method="profile"),
                               atol=2e-3)  # fmt: skip


def test_the_studys_fit_answers_to_the_same_names():
    mine = ct.load(outcomes=ROOT / "docs/examples/outcomes.csv",
                   models=ROOT / "docs/examples/models.csv")  # fmt: skip
    fitted = ct.fit(mine, "~ resource + size + reasoning + (1 | variant) + (1 | language)")
    direct = ct.glmer(f"{fitted.formula}", fitted.data)
    assert isinstance(fitted, ct.Glmm)
    pd.testing.assert_series_equal(fitted.params, direct.params)
    pd.testing.assert_frame_equal(fitted.conf_int(method="t"), direct.conf_int(method="t"))
    pd.testing.assert_frame_equal(fitted.test("resource = size"), direct.test("resource = size"))
    assert fitted.predict(se=True).equals(direct.predict(se=True))
    assert "resource" in str(fitted.summary())
    with pytest.raises(AttributeError, match="no 'confint'. Did you mean conf_int"):
        _ = fitted.confint


def test_a_floor_goes_through_predictions_and_residuals(cbpp):
    data = cbpp.assign(incidence=(cbpp["size"] + cbpp["incidence"]) // 2, chance=0.25)
    fit = ct.glmer(FORMULA, data, floor="chance")
    number = ct.glmer(FORMULA, data, floor=0.25)
    pd.testing.assert_series_equal(fit.params, number.params)
    eta = fit.predict(kind="link")
    np.testing.assert_allclose(fit.predict(), 0.25 + 0.75 * expit(eta))
    steep = 0.75 * expit(eta) * expit(-eta)
    np.testing.assert_allclose(fit.resid("working"), fit.resid("response") / steep)
    link = fit.emmeans("period", kind="link")["estimate"]
    np.testing.assert_allclose(fit.emmeans("period")["estimate"], 0.25 + 0.75 * expit(link))
    with pytest.raises(InputError, match="1.2"):
        ct.glmer(FORMULA, data, floor=1.2)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_row_that_is_foretold_to_the_last_digit_has_residuals(cbpp):
    sure = np.arange(len(cbpp)) == 0
    data = cbpp.assign(shift=np.where(sure, 60.0, 0.0))
    data.loc[sure, "incidence"] = data.loc[sure, "size"]
    fit = ct.glmer(FORMULA, data, offset="shift")
    assert fit.predict()[0] == 1
    assert fit.resid("working")[0] == pytest.approx(1)  # (1 - p) / (p (1 - p))
    for kind in ("response", "pearson", "deviance"):
        assert fit.resid(kind)[0] == pytest.approx(0, abs=1e-6)


def test_identifiers_that_are_numbers_are_levels_by_their_text(cbpp, model):
    for kind in (int, float, "Int64"):
        fit = ct.glmer(FORMULA, cbpp.astype({"herd": kind}))
        assert set(fit.ranef()["level"]) == set(cbpp["herd"])
        np.testing.assert_allclose(fit.predict(cbpp), model.fittedvalues, atol=1e-6)
    with pytest.raises(InputError, match="names herd, which the data do not have"):
        model.predict(cbpp[["period"]])
    with pytest.raises(InputError, match="names period, which the data do not have"):
        model.predict(cbpp[["herd"]])
    assert len(model.predict(cbpp[["period"]], re_form="~0")) == 56


def test_a_family_of_statsmodels_is_known(cbpp, model):
    fit = ct.glmer(FORMULA, cbpp, family=Binomial())
    pd.testing.assert_series_equal(fit.params, model.params)


def test_models_are_compared_with_models(model):
    with pytest.raises(InputError, match="other fitted models, not 3"):
        model.anova(3)
    with pytest.raises(InputError, match="one data set or more, not 0"):
        model.simulate(0)


def test_a_column_that_is_there_twice_is_named(cbpp):
    with pytest.raises(InputError, match="more than one column period"):
        ct.glmer(FORMULA, pd.concat([cbpp, cbpp[["period"]]], axis=1))
