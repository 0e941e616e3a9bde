"""What people type of a fit, beside R's summary, confint, ranef, VarCorr, anova, predict, emmeans
and performance, or beside closed forms."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.inference import wald_intervals
from capability_transfer.analysis.glmm.r_session import to_r_frame
from capability_transfer.common.errors import InputError
from scipy import stats
from scipy.special import expit

import capability_transfer as ct

ROOT = Path(__file__).parents[3]
EXPECTED = ROOT / "tests" / "expected"
FORMULA = "cbind(incidence, size - incidence) ~ period + (1 | herd)"
SLOPE = "cbind(incidence, size - incidence) ~ t + (1 + t | herd)"
MEANS = pd.read_csv(EXPECTED / "glmm_emmeans.csv", comment="#", dtype={"label": str})
SHARES = pd.read_csv(EXPECTED / "glmm_shares.csv", comment="#")

GLMER = """
function(formula, data) {
  data$incidence <- as.numeric(data$incidence)
  control <- glmerControl(
    optimizer = "bobyqa", tolPwrss = 1e-12, optCtrl = list(rhoend = 1e-9, maxfun = 1e5)
  )
  glmer(as.formula(formula), data, binomial, control = control)
}
"""


@pytest.fixture(scope="module")
def cbpp():
    data = pd.read_csv(ROOT / "docs/examples/cbpp.csv", dtype={"herd": str, "period": str})
    odd = np.where(data["herd"].astype(int) % 2, "yes", "no")
    rows = data.index.astype(str)
    return data.assign(big=odd, t=data["period"].astype(float), obs=rows)


@pytest.fixture(scope="module")
def model(cbpp):
    return ct.glmer(FORMULA, cbpp)


@pytest.fixture(scope="module")
def sloped(cbpp):
    return ct.glmer(SLOPE, cbpp)


@pytest.fixture(scope="module")
def theirs(r, cbpp):
    return r(GLMER)(FORMULA, to_r_frame(cbpp, {}))


@pytest.fixture(scope="module")
def theirs_sloped(r, cbpp):
    return r(GLMER)(SLOPE, to_r_frame(cbpp, {}))


def close(ours, theirs, tolerance=2e-5):
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), 0, tolerance)


def test_estimates_are_those_of_rs_summary(r, model, theirs):
    table = np.array(r("function(m) coef(summary(m))")(theirs))
    close(model.params, table[:, 0])
    close(model.bse, table[:, 1])
    close(model.zvalues, table[:, 2], 2e-4)
    close(model.pvalues, table[:, 3], 1e-6)
    close(model.cov_params(), np.array(r("function(m) as.matrix(vcov(m))")(theirs)))
    pd.testing.assert_series_equal(model.fixef(), model.params)
    figures = r("function(m) c(logLik(m), AIC(m), BIC(m), nobs(m), df.residual(m))")(theirs)
    ours = [model.llf, model.aic, model.bic, model.nobs, model.df_resid]
    close(ours, figures, 1e-4)
    assert model.converged
    assert not model.singular
    assert model.deviance == -2 * model.llf


def test_profile_intervals_are_those_of_rs_confint(model):
    table = pd.read_csv(EXPECTED / "glmm_confint.csv", comment="#", index_col="term")
    ours = model.conf_int(method="profile")
    assert set(table.index) == set(ours.index)
    close(ours.loc[table.index], table, 1e-3)  # R interpolates between points of the profile


def test_wald_is_estimate_and_normal_quantile_at_any_level(model):
    half = stats.norm.ppf(0.95) * model.bse
    close(model.conf_int(0.9)["conf_high"], model.params + half, 1e-12)
    close(model.conf_int(alpha=0.1), model.conf_int(0.9), 1e-12)
    with pytest.raises(InputError, match=r"alpha=0\.05"):
        model.conf_int(0.05)
    with pytest.raises(InputError, match="'profle'. Did you mean profile"):
        model.conf_int(method="profle")


def test_t_intervals_have_the_degrees_of_freedom_of_the_levels(model, cbpp):
    df, levels = 14, 15  # the intercept alone is the same in every row of a herd
    half = stats.t.ppf(0.975, df) * np.sqrt(levels / df) * model.bse["(Intercept)"]
    ours, wald = model.conf_int(method="t"), model.conf_int()
    close(ours.loc["(Intercept)"], model.params["(Intercept)"] + half * np.array([-1, 1]), 1e-10)
    close(ours.iloc[1:], wald.iloc[1:], 1e-12)  # periods vary within herds
    between = ct.glmer("cbind(incidence, size - incidence) ~ period + big + (1 | herd)", cbpp)
    table = between.tidy("fixed", conf_method="t").set_index("term")
    assert table["df"].to_dict() == {
        "(Intercept)": 13, "period2": np.inf, "period3": np.inf, "period4": np.inf, "bigyes": 13,
    }  # fmt: skip
    assert "bigyes (15 levels of herd)" in str(between.summary())


def test_bootstrap_intervals_are_of_every_parameter_and_by_the_seed(model):
    ours = model.conf_int(method="bootstrap", replicates=8, seed=3)
    assert list(ours.index) == [*model.params.index, "sd_(Intercept)|herd"]
    pd.testing.assert_frame_equal(ours, model.conf_int(method="bootstrap", replicates=8, seed=3))


def test_random_effects_are_those_of_rs_ranef(r, sloped, theirs_sloped):
    table = r("function(m) as.data.frame(ranef(m, condVar = TRUE))")(theirs_sloped)
    found = dict(zip(table.names, table, strict=True))
    keys = list(zip(found["term"].iter_labels(), found["grp"].iter_labels(), strict=True))
    ours = sloped.ranef().set_index(["term", "level"]).loc[keys]
    close(ours["mode"], found["condval"], 1e-4)
    close(ours["std_error"], found["condsd"], 1e-4)
    wide = sloped.ranef("herd")
    assert list(wide.columns) == ["(Intercept)", "t"]
    assert wide.loc["7", "t"] == ours.loc[("t", "7"), "mode"]
    with pytest.raises(InputError, match="no group hrd. Did you mean herd"):
        sloped.ranef("hrd")


def test_variances_are_those_of_rs_varcorr(r, sloped, theirs_sloped):
    table = r("function(m) as.data.frame(VarCorr(m))")(theirs_sloped)
    found = dict(zip(table.names, table, strict=True))
    ours = sloped.VarCorr()
    close(ours["vcov"], found["vcov"], 2e-4)
    close(ours["sdcor"], found["sdcor"], 2e-4)
    assert list(ours["term_1"]) == list(found["var1"])


@pytest.mark.parametrize("kind", ["deviance", "pearson", "response", "working"])
def test_residuals_are_those_of_r(r, model, theirs, kind):
    close(model.resid(kind), r(f"function(m) residuals(m, type = '{kind}')")(theirs), 1e-4)
    with pytest.raises(InputError, match="'pearsn'. Did you mean pearson"):
        model.resid("pearsn")


@pytest.mark.parametrize(
    ("re_form", "in_r"),
    [(None, "NULL"), ("~0", "NA"), (0, "NA"), (np.nan, "NA"), ("~ (1 + t | herd)", "NULL"),
     (["herd"], "NULL"), ((), "NA")],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["link", "response"])
def test_predictions_are_those_of_r(r, sloped, theirs_sloped, re_form, in_r, kind):
    wanted = r(f"function(m) predict(m, re.form = {in_r}, type = '{kind}')")(theirs_sloped)
    close(sloped.predict(re_form=re_form, kind=kind), wanted, 1e-4)


def test_predictions_for_new_rows_and_levels_are_those_of_r(r, sloped, theirs_sloped, cbpp):
    rows = cbpp.head(4).assign(herd=["1", "2", "new", "new"], t=[1.0, 2.5, 3.0, 4.0])
    wanted = r("function(m, new) predict(m, new, allow.new.levels = TRUE, type = 'response')")(
        theirs_sloped, to_r_frame(rows[["herd", "t"]], {})
    )
    close(sloped.predict(rows[["herd", "t"]], new_levels="population"), wanted, 1e-4)
    with pytest.raises(InputError, match="has not seen herd new"):
        sloped.predict(rows)
    with pytest.raises(InputError, match="none of herd"):
        sloped.predict(re_form=["hrd"])
    with pytest.raises(InputError, match=r"no random term \(1 \| herd\)"):
        sloped.predict(re_form="~ (1 | herd)")


def test_a_new_levels_effect_is_integrated_over(sloped, cbpp):
    rows = cbpp.head(3)[["herd", "t"]].assign(herd=["1", "new", "new"], t=[1.0, 1.0, 3.0])
    link = sloped.predict(rows, new_levels="integrate", se=True, kind="link")
    plain = sloped.predict(rows, new_levels="population", se=True, kind="link")
    variances = sloped.VarCorr()["vcov"]
    new = [0.0, *(variances[0] + 2 * t * variances[2] + t**2 * variances[1] for t in (1, 3))]
    close(link["std_error"] ** 2, plain["std_error"] ** 2 + new, 1e-10)
    close(link["estimate"], plain["estimate"], 0)
    drawn = np.random.default_rng(1).standard_normal(400_000)[:, None]
    mean = expit(link["estimate"].to_numpy() + np.sqrt(new) * drawn).mean(axis=0)
    shown = sloped.predict(rows, new_levels="integrate", se=True)
    close(shown["estimate"], mean, 2e-3)
    assert shown["estimate"][2] > sloped.predict(rows, new_levels="population")[2] + 0.005
    close(shown["conf_high"], expit(link["conf_high"]), 1e-12)
    with pytest.raises(InputError, match="'error', 'population' or 'integrate', not 'zero'"):
        sloped.predict(rows, new_levels="zero")


def test_standard_errors_of_predictions_are_of_the_joint_information(sloped, cbpp):
    """[X Z] (joint information)⁻¹ [X Z]', by dense algebra, with the fit's covariance of β."""
    fixed = sloped.fit.fixed_matrix(cbpp)
    levels = list(dict.fromkeys(cbpp["herd"]))
    at = cbpp["herd"].map(levels.index).to_numpy()
    random = np.zeros((len(cbpp), 2 * len(levels)))
    random[np.arange(len(cbpp)), 2 * at] = 1
    random[np.arange(len(cbpp)), 2 * at + 1] = cbpp["t"]
    variances = sloped.VarCorr()["vcov"]
    block = np.array([[variances[0], variances[2]], [variances[2], variances[1]]])
    p = sloped.predict().to_numpy()
    weight = cbpp["size"].to_numpy() * p * (1 - p)
    inner = random.T @ (random * weight[:, None])
    inner += np.kron(np.eye(len(levels)), np.linalg.inv(block))
    within = np.linalg.inv(inner)
    moved = fixed - random @ within @ random.T @ (fixed * weight[:, None])
    covariance = sloped.cov_params().to_numpy()
    variance = np.einsum("ij,jk,ik->i", random, within, random)
    variance += np.einsum("ij,jk,ik->i", moved, covariance, moved)
    found = sloped.predict(se=True, kind="link")
    close(found["std_error"], np.sqrt(variance), 1e-8)
    close(found["conf_high"], found["estimate"] + stats.norm.ppf(0.975) * np.sqrt(variance), 1e-8)
    apart = sloped.predict(se=True, kind="link", re_form="~0")
    close(apart["std_error"] ** 2, np.einsum("ij,jk,ik->i", fixed, covariance, fixed), 1e-12)
    shown = sloped.predict(se=True)
    close(shown["conf_low"], expit(found["conf_low"]), 1e-12)
    close(shown["std_error"], found["std_error"] * p * (1 - p), 1e-12)


def test_models_are_compared_as_by_rs_anova(r, model, theirs, cbpp):
    smaller = ct.glmer("cbind(incidence, size - incidence) ~ 1 + (1 | herd)", cbpp)
    null = r(GLMER)(smaller.formula, to_r_frame(cbpp, {}))
    wanted = r("function(a, b) as.list(anova(a, b)[2, ])")(theirs, null)
    # lme4 from 1.1-36 on calls the deviance what it is
    wanted = {
        name.replace("-2*log(L)", "deviance"): value[0]
        for name, value in zip(wanted.names, wanted, strict=True)
    }
    row = model.anova(smaller).iloc[1]
    for ours, name in (
        ("npar", "npar"), ("aic", "AIC"), ("bic", "BIC"), ("log_lik", "logLik"),
        ("deviance", "deviance"), ("statistic", "Chisq"), ("df", "Df"), ("p_value", "Pr(>Chisq)"),
    ):  # fmt: skip
        assert row[ours] == pytest.approx(wanted[name], abs=1e-4), name
    assert row["p_value_mixture"] == row["p_value"]  # no variance is tested
    assert smaller.anova(model).equals(model.anova(smaller))


def test_linear_hypotheses_are_wald_tests(model):
    b, v = model.params, model.cov_params()
    row = model.test("period2 = 2 * period3 - 1").iloc[0]
    error = np.sqrt(
        v.loc["period2", "period2"] + 4 * v.loc["period3", "period3"]
        - 4 * v.loc["period2", "period3"]
    )  # fmt: skip
    assert row["estimate"] == pytest.approx(b["period2"] - 2 * b["period3"] + 1)
    assert row["std_error"] == pytest.approx(error)
    assert row["p_value"] == pytest.approx(2 * stats.norm.sf(abs(row["estimate"] / error)))
    assert row["hypothesis"] == "period2 - 2 * period3 = -1"
    pd.testing.assert_frame_equal(
        model.test("period2 + 3 = 2 * (period3 + 1)"), model.test("period2 = 2 * period3 - 1")
    )
    places = ["period2", "period3", "period4"]
    chi2 = b[places] @ np.linalg.solve(v.loc[places, places], b[places])
    for hypothesis in ("period", "period2 = period3 = period4 = 0", np.eye(4)[1:],
                       ["period2 = 0", "period3 = 0, period4 = 0"]):  # fmt: skip
        joint = model.test(hypothesis).iloc[0]
        assert joint["statistic"] == pytest.approx(chi2)
        assert (joint["df"], joint["p_value"]) == (3, pytest.approx(stats.chi2.sf(chi2, 3)))
    table = model.anova().set_index("term")
    assert table.loc["period", "statistic"] == pytest.approx(chi2)
    assert table.loc["(Intercept)", "statistic"] == pytest.approx(model.zvalues.iloc[0] ** 2)


@pytest.mark.parametrize(
    ("hypothesis", "says"),
    [
        ("perod2 = 0", "perod2 in 'perod2 = 0' is no fixed effect. Did you mean period2"),
        ("period2 * period3 = 0", "no linear hypothesis"),
        ("period2 = ", "cannot be read"),
        ("1 = 1", "says nothing"),
        ("period = 1", "stands alone"),
        (["period2 = 0", "2 * period2 = 0"], "not independent"),
        (np.eye(3), "4 fixed effects, not 3"),
    ],
)
def test_what_is_no_hypothesis_is_refused(model, hypothesis, says):
    with pytest.raises(InputError, match=says.replace("*", r"\*")):
        model.test(hypothesis)


def test_hypotheses_name_columns_of_functions_and_interactions(cbpp):
    text = "cbind(incidence, size - incidence) ~ poly(t, 2) * big + (1 | herd)"
    fit = ct.glmer(text, cbpp)
    row = fit.test("poly(t, 2)1 - poly(t, 2)1:bigyes = 0").iloc[0]
    wanted = fit.params["poly(t, 2)1"] - fit.params["poly(t, 2)1:bigyes"]
    assert row["estimate"] == pytest.approx(wanted)
    assert fit.test("poly(t, 2):big").iloc[0]["df"] == 2
    assert fit.test(["(Intercept) = 0"]).iloc[0]["statistic"] == pytest.approx(fit.zvalues.iloc[0])


@pytest.fixture(scope="module")
def by_formula(cbpp, model):
    crossed = "cbind(incidence, size - incidence) ~ period * big + log(size) + (1 | herd)"
    return {"period": model, "period * big + log(size)": ct.glmer(crossed, cbpp)}


@pytest.mark.parametrize(("name", "call"), list(MEANS.groupby(["model", "call"]).groups))
def test_means_and_contrasts_are_those_of_emmeans(by_formula, name, call):
    fit = by_formula[name]
    wanted = MEANS[(MEANS["model"] == name) & (MEANS["call"] == call)].set_index("label")
    kind = call.split()
    if kind[0] == "means":
        specs = kind[2:4] if "at" not in kind else [kind[2]]
        at = {"size": [5]} if "at" in kind else None
        ours = fit.emmeans(specs or "period", kind=kind[1], at=at)
        ours.index = [" ".join(row) for row in ours[specs or ["period"]].to_numpy()]
    else:
        by = ["big"] if "by" in kind else []
        ours = fit.contrasts("period", method=kind[0], adjust=kind[1], by=by)
        ours.index = [" ".join(row) for row in ours[[*by, "contrast"]].to_numpy()]
        close(ours["odds_ratio"], np.exp(ours["estimate"]), 1e-12)
    assert sorted(ours.index) == sorted(wanted.index)
    columns = [name for name in wanted.columns[2:] if name in ours.columns]
    close(ours.loc[wanted.index, columns], wanted[columns], 2e-4)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({}, "p-values and 95% intervals are adjusted for 6 comparisons: Tukey's method"),
        ({"adjust": "holm", "level": 0.9}, "90% intervals are adjusted for 6 .* Bonferroni's"),
        ({"adjust": "none"}, "of each comparison alone"),
        ({"method": "reference", "adjust": "bonferroni"}, "for 3 comparisons: Bonferroni's"),
        ({"by": "big"}, "for 6 comparisons within each big: Tukey's method"),
    ],
)
def test_contrasts_fit_a_line_and_say_how_they_are_adjusted(by_formula, call, said):
    text = repr(by_formula["period * big + log(size)"].contrasts("period", **call))
    *rows, note = text.splitlines()
    assert re.search(said, note)
    assert len(rows) == {"reference": 4}.get(call.get("method"), 7) + 6 * ("by" in call)
    assert rows[0].endswith("odds_ratio")
    assert max(map(len, rows)) < 90


@pytest.mark.parametrize("level", [95, 0.05, "95%", float("nan")])
@pytest.mark.parametrize(
    "ask",
    [
        lambda fit, level: fit.conf_int(level),
        lambda fit, level: fit.tidy(level=level),
        lambda fit, level: fit.tidy("ran_vals", level=level),
        lambda fit, level: fit.test("period2 = 0", level),
        lambda fit, level: fit.contrasts("period", level=level),
        lambda fit, level: fit.emmeans("period", level=level),
        lambda fit, level: fit.marginal_effects(level=level),
        lambda fit, level: fit.predict(se=True, level=level),
    ],
)
def test_what_is_no_level_of_an_interval_is_refused_everywhere(model, ask, level):
    with pytest.raises(InputError, match=f"0.5 or more and less than 1, not {level}"):
        ask(model, level)


def test_no_rows_have_no_predictions_and_no_hypothesis_is_named(cbpp, model):
    assert model.predict(cbpp.iloc[:0]).empty
    with pytest.raises(InputError, match="no hypothesis is given"):
        model.test([])


@pytest.mark.parametrize("row", list(SHARES.itertuples()), ids=lambda row: row.formula)
def test_shares_of_variance_are_those_of_performance(cbpp, row):
    fit = ct.glmer(row.formula, cbpp)
    assert fit.llf == pytest.approx(row.log_lik, abs=1e-6)
    table = fit.icc().set_index("group")
    assert table.loc["all", "icc"] == pytest.approx(row.icc, abs=2e-5)
    assert table.loc["all", "icc_unadjusted"] == pytest.approx(row.icc_unadjusted, abs=2e-5)
    assert fit.r2().to_dict() == pytest.approx(
        {"marginal": row.marginal, "conditional": row.conditional}, abs=2e-5
    )


def test_average_effects_are_means_over_rows_with_delta_method_errors(by_formula, cbpp):
    fit = by_formula["period * big + log(size)"]
    beta, covariance = fit.params.to_numpy(), fit.cov_params().to_numpy()
    modes = fit.ranef("herd")["(Intercept)"]

    def mean(rows, b):
        eta = fit.fit.fixed_matrix(rows) @ b + rows["herd"].map(modes).to_numpy()
        return expit(eta).mean()

    def slope(b, step=1e-3):
        up, down = (cbpp.assign(size=cbpp["size"] + s) for s in (step, -step))
        return (mean(up, b) - mean(down, b)) / (2 * step)

    def change(b):
        return mean(cbpp.assign(period="3"), b) - mean(cbpp.assign(period="1"), b)

    table = fit.marginal_effects().set_index(["term", "contrast"])
    for key, effect in ((("size", "dY/dX"), slope), (("period", "3 - 1"), change)):
        steps = 1e-5 * np.eye(len(beta))
        gradient = np.array([effect(beta + s) - effect(beta - s) for s in steps]) / 2e-5
        error = np.sqrt(gradient @ covariance @ gradient)
        assert table.loc[key, "estimate"] == pytest.approx(effect(beta), abs=1e-7)
        assert table.loc[key, "std_error"] == pytest.approx(error, abs=1e-7)
    assert len(table) == 5
    two = fit.marginal_effects({"size": (5, 10)}, re_form="~0").iloc[0]
    parts = [expit(fit.fit.fixed_matrix(cbpp.assign(size=s)) @ beta).mean() for s in (5, 10)]
    assert two["estimate"] == pytest.approx(parts[1] - parts[0])
    with pytest.raises(InputError, match="siz is no covariate of the model. Did you mean size"):
        fit.marginal_effects("siz")


def test_simulated_outcomes_have_the_fits_mean_and_are_refitted(model, cbpp):
    drawn = model.simulate(400, seed=5)
    assert drawn.shape == (56, 400)
    assert (drawn.to_numpy() <= cbpp["size"].to_numpy()[:, None]).all()
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    sd = model.VarCorr()["sdcor"][0]
    fixed = model.predict(re_form="~0", kind="link").to_numpy()
    expected = expit(fixed[:, None] + sd * nodes) @ weights / weights.sum() * cbpp["size"]
    error = drawn.sum().std() / np.sqrt(400)
    assert abs(drawn.sum().mean() - expected.sum()) < 4 * error
    pd.testing.assert_frame_equal(drawn, model.simulate(400, seed=5))

    again = model.refit(drawn["sim_1"])
    assert model.refit(drawn[["sim_1"]]).llf == again.llf
    with pytest.raises(InputError, match=r"one column of successes.*2\)"):
        model.refit(pd.concat([drawn["sim_1"], drawn["sim_1"]], axis=1))
    fresh = ct.glmer(FORMULA, cbpp.assign(incidence=drawn["sim_1"]))
    close(again.params, fresh.params, 1e-6)
    close(again.data["incidence"], drawn["sim_1"], 0)
    close(again.resid(), fresh.resid(), 1e-5)


def test_tables_are_brooms(model, sloped):
    table = model.tidy()
    assert list(table["effect"]) == ["fixed"] * 4 + ["ran_pars"]
    assert table["term"].iloc[-1] == "sd__(Intercept)"
    assert list(sloped.tidy("ran_pars")["term"]) == [
        "sd__(Intercept)", "sd__t", "cor__(Intercept).t",
    ]  # fmt: skip
    ratio = model.tidy("fixed", exponentiate=True)
    close(ratio["conf_low"], np.exp(wald_intervals(model.fit)["conf_low"]), 1e-12)
    close(ratio["std_error"], model.bse * np.exp(model.params), 1e-12)
    assert len(model.tidy("ran_vals")) == 15
    profiled = sloped.tidy(conf_method="profile").set_index("term")
    ends = sloped.conf_int(method="profile")
    close(profiled.loc[ends.index[:2], ["conf_low", "conf_high"]], ends.iloc[:2], 1e-12)
    close(profiled.loc["sd__t", ["conf_low", "conf_high"]], ends.loc["sd_t|herd"], 1e-12)
    assert profiled.loc["cor__(Intercept).t", "conf_low"] != profiled.loc["sd__t", "conf_low"]
    augmented = model.augment()
    close(augmented[".mu"], expit(augmented[".fitted"]), 1e-12)
    close(augmented[".fitted"] - augmented[".fixed"],
          augmented["herd"].map(model.ranef("herd")["(Intercept)"]), 1e-12)  # fmt: skip
    assert model.glance()["aic"].item() == model.aic


def test_a_saved_model_answers_as_before(model, tmp_path, cbpp):
    path = model.save(tmp_path / "cbpp.glmm")
    again = ct.Glmm.load(path)
    close(again.conf_int(method="profile"), model.conf_int(method="profile"), 1e-9)
    assert again.summary().sheet().remarks == model.summary().sheet().remarks
    pd.testing.assert_frame_equal(again.data, model.data)
    rich = ct.glmer("cbind(incidence, size - incidence) ~ scale(t) * big + (1 | herd)", cbpp,
                    contrasts="sum")  # fmt: skip
    other = ct.Glmm.load(rich.save(tmp_path / "rich.glmm"))
    close(other.predict(cbpp.head(3)), rich.predict(cbpp.head(3)), 0)
    assert other.formula == rich.formula
    (tmp_path / "no.glmm").write_bytes(b"cbpp")
    with pytest.raises(InputError, match="is not a saved model"):
        ct.Glmm.load(tmp_path / "no.glmm")


def test_another_name_is_answered_with_the_nearest(model):
    for name, near in (("confint", "conf_int"), ("tvalues", "zvalues"), ("pvals", "pvalues"),
                       ("logLik", "llf"), ("fited", "fit")):  # fmt: skip
        with pytest.raises(AttributeError, match=f"no '{name}'. Did you mean.*{near}"):
            getattr(model, name)


def test_the_summary_shows_both_parts_and_becomes_latex_and_a_plot(sloped):
    text = str(sloped.summary())
    for line in ("t  ", "SD herd, t", "Correlation herd, (Intercept) and t", "herd 15"):
        assert line in text
    assert "<table>" in sloped.summary()._repr_html_()
    assert r"\begin{tabular}" in sloped.to_latex()
    (label,) = [text.get_text() for text in sloped.plot().get_yticklabels()]
    assert label == "t"
