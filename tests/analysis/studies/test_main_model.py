"""The study's main model on the embedded data: against the published figures and against lme4."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.data import load
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.variance import unexplained, variance_explained
from capability_transfer.analysis.published import values
from capability_transfer.analysis.studies.main_model import baseline_formula, expectations, fit
from capability_transfer.analysis.study import MAIN, SIZE_ONLY
from capability_transfer.common.errors import InputError


@pytest.fixture(scope="session")
def result(published):
    return published


@pytest.fixture(scope="module")
def by_lme4():
    return pd.read_csv("tests/expected/main_lme4.csv", comment="#")


def test_each_fixed_effect_is_table_3s(result):
    table = result.fixed_effects.set_index("term")
    assert len(table) == 13
    assert table["published"].notna().all()
    assert abs(table.loc["(Intercept)", "difference"]) < 1e-3  # lme4's optimiser stops early there
    worst = table.drop(index="(Intercept)")["difference"].abs()
    assert worst.max() < 2e-4, worst


def test_the_likelihood_is_the_printed_one(result):
    known = values("study_estimates", "name", kind="fit")
    assert abs(result.fit.log_lik - known["log_lik"]) < 0.1
    assert abs(result.fit.aic - known["aic"]) < 0.3
    assert result.fit.df == 19


def test_each_sd_is_table_3s(result):
    table = result.random_effects.set_index("group")
    assert table["difference"].abs().max() < 2e-4
    assert table["levels"].to_dict() == {
        "family": 9, "template": 100, "base_model": 35, "variant:language": 690, "language": 15,
        "variant": 46,
    }  # fmt: skip


def test_the_features_explain_92_and_23_percent(result):
    explained = result.variance_explained.set_index("group")["explained"]
    assert explained["language"] == pytest.approx(0.917, abs=5e-4)
    assert explained["variant:language"] == pytest.approx(0.226, abs=5e-4)
    for group, sd in values("study_estimates", "name", kind="baseline").items():
        assert result.baseline.sd(group) == pytest.approx(sd, abs=2e-4)


def test_what_is_explained_differs_by_points_from_what_was_published(result):
    display = result.views()[2].display
    assert display["Explained"].tolist() == ["91.7%", "22.6%"]
    assert display["Difference (points)"].tolist() == ["−0.3", "−0.4"]


def test_a_column_of_lme4s_standard_errors_has_a_legend(result):
    columns = ["quantity", "term", "ours", "lme4", "difference"]
    check = pd.DataFrame([("std_error", "resource", 0.07, 0.08, -0.01)], columns=columns)
    view = replace(result, lme4_check=check).views()[0]
    assert "SE (RX)" in view.display
    assert view.title.endswith("SE (RX): lme4's, which take the SDs as known)")
    assert "RX" not in result.views()[0].title


def test_the_fit_ends_well(result):
    for each in (result.fit, result.baseline):
        assert each.optimisation.converged
        assert not each.optimisation.singular
        assert each.optimisation.messages == ()
    assert result.fit.nobs == 69_000
    assert result.fit.trials == 1_380_000


@pytest.mark.parametrize("model", ["main", "size_only"])
def test_our_optimum_is_lme4s(result, by_lme4, model):
    ours = result.fit if model == "main" else result.baseline
    theirs = by_lme4[by_lme4["model"] == model].set_index(["kind", "name"])["estimate"]
    for term, estimate in theirs["fixed"].items():
        assert abs(ours.coefficients[term] - estimate) < 1e-3, term
    for group, sd in theirs["random"].items():
        assert abs(ours.sd(group) - sd) < 1e-3, group
    assert ours.log_lik > theirs["fit", "log_lik"] - 1e-5


def test_published_figures_stand_only_beside_the_studys_model_on_its_data():
    other = fit(load(), "~ size + (1 | variant) + (1 | language) + (1 | template)")
    assert other.frames()["fixed_effects"]["published"].isna().all()
    assert other.baseline is None
    assert other.variance_explained.empty


def test_the_baseline_is_size_with_the_same_random_terms():
    assert baseline_formula(parse(MAIN)) == parse(SIZE_ONLY)


def _with_sds(language: float, pair: float) -> Fit:
    table = pd.DataFrame(
        {"group": ["language", "variant:language"], "term": "(Intercept)", "sd": [language, pair]}
    )
    fit = object.__new__(Fit)
    object.__setattr__(fit, "random_effects", table)
    return fit


def test_variance_explained_is_one_minus_the_ratio_of_variances():
    table = variance_explained(_with_sds(0.25, 0.6), _with_sds(0.5, 0.6))
    np.testing.assert_allclose(table["explained"], [0.75, 0.0])
    assert unexplained(table) == []


@pytest.mark.parametrize(
    ("full", "baseline", "message"),
    [
        (0.25, 0.0, "nothing to explain"),
        (0.0, 0.5, "cannot be said"),
        (3e-5, 0.5, "cannot be said"),
    ],
)
def test_an_sd_at_zero_explains_nothing_and_stops_nothing(full, baseline, message):
    table = variance_explained(_with_sds(full, 0.3), _with_sds(baseline, 0.6))
    assert np.isnan(table["explained"][0])
    assert table["explained"][1] == pytest.approx(0.75)
    (text,) = unexplained(table)
    assert "language" in text
    assert message in text


def test_an_unknown_mode_is_refused_with_a_near_match():
    with pytest.raises(InputError, match="no engine 'laplas'.*laplace"):
        fit(load(), engine="laplas")


def test_separated_levels_are_named_before_the_fit():
    formula = parse("~ 1 + (1 | variant) + (1 | language)")
    data = pd.DataFrame(
        [("a", "x", 20), ("a", "y", 20), ("b", "x", 5), ("b", "y", 9)],
        columns=["variant", "language", "n_correct"],
    ).assign(n_total=20)
    assert expectations(formula, data[2:]) == []
    (text,) = expectations(formula, data)
    assert "variant a: all right" in text


CHECK = "lme4_check.csv"


def check_of(fit, log_lik=0.0, std_error=0.0):
    """What lme4 would have said of an optimum that far from the fit's; its RX errors are 2."""
    errors = fit.fixed_effects["std_error"] * (1 + std_error)
    rows = [
        ("log_lik", "", fit.log_lik + log_lik, fit.log_lik, 0.0),
        ("max_abs_mode", "", *[0] * 3),
    ]
    rows += [("std_error", term, error, 2.0, 0.0)
             for term, error in zip(fit.fixed_effects["term"], errors, strict=True)]  # fmt: skip
    return pd.DataFrame(rows, columns=["quantity", "term", "ours", "lme4", "difference"])


@pytest.fixture
def undrawn(monkeypatch, result):
    """The result without its figures, for what is written beside them."""
    monkeypatch.setattr(type(result), "figures", lambda self: {})
    return result


def test_what_lme4_said_of_the_same_optimum_stays_without_r(undrawn, tmp_path):
    (tmp_path / "glmm").mkdir()
    check_of(undrawn.fit, 5e-4, 5e-4).round(5).to_csv(tmp_path / "glmm" / CHECK, index=False)
    before = (tmp_path / "glmm" / CHECK).read_text()
    undrawn.write(tmp_path)
    assert (tmp_path / "glmm" / CHECK).read_text() == before
    table = pd.read_csv(tmp_path / "tables" / "table_03.csv").set_index("name")
    assert table.loc["resource", "std_error_rx"] == 2.0


@pytest.mark.parametrize("other", [{"log_lik": 0.01}, {"std_error": 0.01}])
def test_what_lme4_said_of_another_optimum_goes(undrawn, tmp_path, other):
    (tmp_path / "glmm").mkdir()
    check_of(undrawn.fit, **other).to_csv(tmp_path / "glmm" / CHECK, index=False)
    undrawn.write(tmp_path)
    assert not (tmp_path / "glmm" / CHECK).exists()
    assert "std_error_rx" not in pd.read_csv(tmp_path / "tables" / "table_03.csv")


def test_the_studys_fit_answers_to_what_people_type_with_lme4s_values(result, by_lme4):
    theirs = by_lme4[by_lme4["model"] == "main"].set_index(["kind", "name"])
    fixed = theirs.loc["fixed"].drop(index="(Intercept)")  # where lme4's optimiser stops early
    np.testing.assert_allclose(result.params[fixed.index], fixed["estimate"], atol=2e-4)
    np.testing.assert_allclose(result.bse[fixed.index], fixed["std_error"], rtol=0.02)
    sds = result.VarCorr().set_index("group")["sdcor"]
    np.testing.assert_allclose(
        sds[theirs.loc["random"].index], theirs.loc["random", "estimate"], atol=1e-3
    )
    assert result.llf == result.fit.log_lik
    # resource and distance are of 15 languages, which tell of the intercept too
    table = result.tidy("fixed", conf_method="t").set_index("term")
    assert (table.loc[["resource", "distance"], "df"] == 12).all()
    row = result.test("resource = size").iloc[0]
    assert row["estimate"] == pytest.approx(result.params["resource"] - result.params["size"])
    apart = result.contrasts("reasoning", at={"reasoning": [1, 0]}).iloc[0]
    assert apart["estimate"] == pytest.approx(result.params["reasoning"])
    shares = result.icc().set_index("group")["variance"]
    np.testing.assert_allclose(shares[sds.index], sds**2)
    assert result.r2()["marginal"] < result.r2()["conditional"] < 1
    fitted = result.augment()
    np.testing.assert_allclose(fitted[".mu"], result.fittedvalues)
    assert abs(result.resid("response")).max() <= 1
