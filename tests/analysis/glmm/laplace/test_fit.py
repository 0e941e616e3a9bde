"""Fits: against lme4's, against the truth, and under changes that must not matter."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.glmm.laplace import Model, Settings
from capability_transfer.analysis.glmm.predict import linear_predictor
from capability_transfer.analysis.glmm.result import load, save
from scipy.special import expit

from tests.simulation import answered, crossed, effects, named


@pytest.fixture(scope="module")
def fits(design):
    return {name: laplace.fit(*design(name)) for name in ("main", "penalty", "ragged")}


def table(fit):
    """Everything estimated, by kind and name."""
    sds = fit.random_effects
    pairs = fit.correlations
    return {
        ("log_lik", "log_lik"): fit.log_lik,
        **{("fixed", name): value for name, value in fit.coefficients.items()},
        **{("sd", f"{r.group} {r.term}"): r.sd for r in sds.itertuples()},
        **{
            ("correlation", f"{r.group} {r.term_1} {r.term_2}"): r.correlation
            for r in pairs.itertuples()
        },
    }


@pytest.mark.parametrize("name", ["main", "penalty", "ragged"])
def test_reaches_lme4s_optimum(name, fits, expected):
    theirs = expected("laplace_lme4_fits").query("design == @name").set_index(["kind", "name"])
    ours = table(fits[name])
    assert set(ours) == set(theirs.index)
    for key, row in theirs.iterrows():
        assert ours[key] == pytest.approx(row["estimate"], abs=1e-4), key
    assert fits[name].log_lik > theirs.loc[("log_lik", "log_lik"), "estimate"] - 1e-6
    std_errors = fits[name].fixed_effects.set_index("term")["std_error"]
    np.testing.assert_allclose(std_errors, theirs.loc["fixed", "std_error"], rtol=1e-3)
    record = fits[name].optimisation
    assert record.converged
    assert record.hessian == "exact"
    assert record.max_abs_gradient < 1e-6


def test_boundary_fits_are_flagged_and_exactly_zero(fits):
    main, penalty = fits["main"], fits["penalty"]
    assert main.optimisation.singular
    assert main.sd("variant") == 0
    assert "singular fit: variant (Intercept)" in main.warnings()
    assert (main.modes.query("group == 'variant'")["mode"] == 0).all()
    # the slope's SD is positive but its correlation is one: singular all the same
    assert penalty.optimisation.singular
    assert penalty.correlations["correlation"].tolist() == pytest.approx([1.0])
    assert not fits["ragged"].optimisation.singular


@pytest.mark.parametrize("seed", range(4))
def test_slopes_without_intercepts_converge(seed):
    """Truth: an intercept SD of zero beside a slope SD of one; T is near a rank-deficient one."""
    random = np.random.RandomState(seed)
    group, x = np.repeat(np.arange(12), 20), random.randn(240)
    eta = 0.5 * x + random.randn(12)[group] * x
    data = pd.DataFrame(
        {"g": [f"g{i}" for i in group], "x": x, "n_total": 5,
         "n_correct": random.binomial(5, expit(eta))}
    )  # fmt: skip
    fit = laplace.fit("~ x + (1 + x | g)", data)
    assert fit.optimisation.converged
    assert fit.diagnostics["hessian_definite"]
    without = laplace.fit("~ x + (0 + x | g)", data)
    assert fit.log_lik >= without.log_lik - 1e-8
    assert fit.optimisation.singular
    assert abs(fit.correlations["correlation"].iloc[0]) == pytest.approx(1)


def simulate(seed, groups=80, rows=25, trials=10):
    """y by group and item: slope 0.7, intercept −0.2, SDs 0.8 (group) and 0.5 (item)."""
    random = np.random.RandomState(seed)
    grid = crossed(g=groups, item=rows)
    x = random.randn(len(grid))
    eta = -0.2 + 0.7 * x + effects(random, grid, {"g": 0.8, "item": 0.5})
    return answered(random, named(grid, g="g{}", item="i{}").assign(x=x), eta, trials)


def test_recovers_the_truth():
    fit = laplace.fit("~ x + (1 | g) + (1 | item)", simulate(1))
    error = fit.fixed_effects.set_index("term")["std_error"]
    assert abs(fit.coefficients["x"] - 0.7) < 3 * error["x"]
    assert abs(fit.coefficients["(Intercept)"] + 0.2) < 3 * error["(Intercept)"]
    assert fit.sd("g") == pytest.approx(0.8, abs=3 * 0.8 / np.sqrt(2 * 80))
    assert fit.sd("item") == pytest.approx(0.5, abs=3 * 0.5 / np.sqrt(2 * 25))
    assert fit.diagnostics["dispersion"] == pytest.approx(1, abs=0.1)


def test_intervals_cover_at_their_rate():
    """Of 24 intervals of 95% for the slope at most 4 miss (more would have P = 0.5%)."""
    misses = 0
    for seed in range(24):
        fit = laplace.fit("~ x + (1 | g) + (1 | item)", simulate(seed, groups=20, rows=8))
        row = fit.fixed_effects.set_index("term").loc["x"]
        misses += not row["conf_low"] <= 0.7 <= row["conf_high"]
    assert misses <= 4


def test_swapping_right_and_wrong_negates_coefficients(fits, design):
    formula, data = design("penalty")
    swapped = data.assign(n_correct=data["n_total"] - data["n_correct"])
    fit, other = fits["penalty"], laplace.fit(formula, swapped)
    np.testing.assert_allclose(other.coefficients, -fit.coefficients, atol=1e-6)
    np.testing.assert_allclose(other.random_effects["sd"], fit.random_effects["sd"], atol=1e-6)
    assert other.log_lik == pytest.approx(fit.log_lik, rel=1e-10)


def test_order_of_rows_does_not_matter(fits, design):
    formula, data = design("ragged")
    other = laplace.fit(formula, data.sample(frac=1, random_state=1))
    np.testing.assert_allclose(other.coefficients, fits["ragged"].coefficients, atol=1e-7)
    modes = [f.modes.set_index(["group", "term", "level"]).sort_index() for f in
             (other, fits["ragged"])]  # fmt: skip
    np.testing.assert_allclose(modes[0]["mode"], modes[1]["mode"], atol=1e-6)


def test_units_of_covariates_do_not_matter(fits, design):
    formula, data = design("ragged")
    big = laplace.fit(formula, data.assign(difficulty=3e9 + 1e9 * data["difficulty"]))
    fit = fits["ragged"]
    assert big.log_lik == pytest.approx(fit.log_lik, abs=1e-6)
    assert 1e9 * big.coefficients["difficulty"] == pytest.approx(
        fit.coefficients["difficulty"], rel=1e-6
    )
    assert 1e9 * big.sd("item", "difficulty") == pytest.approx(fit.sd("item", "difficulty"), 1e-5)


def test_instances_and_cells_give_one_fit(design):
    _, cells = design("main")
    cells = (
        cells.query("language != 'l0'")
        .assign(n_total=4)
        .assign(n_correct=lambda d: d["n_correct"] % 5)
    )
    rows = cells.loc[cells.index.repeat(4)].copy()
    order = rows.groupby(level=0).cumcount()
    rows["correct"] = (order < rows["n_correct"]).astype(int)
    right = "resource * size + (1 | variant) + (1 | template) + (1 | language)"
    by_cell, by_row = laplace.fit("~ " + right, cells), laplace.fit("correct ~ " + right, rows)
    np.testing.assert_allclose(by_row.coefficients, by_cell.coefficients, atol=1e-6)
    assert by_row.nobs == 4 * by_cell.nobs
    assert by_row.trials == by_cell.trials


def test_offset_shifts_the_predictor():
    data = simulate(2)
    shifted = data.assign(known=0.7 * data["x"])
    fit = laplace.fit("~ x + offset(known) + (1 | g) + (1 | item)", shifted)
    plain = laplace.fit("~ x + (1 | g) + (1 | item)", data)
    assert fit.coefficients["x"] == pytest.approx(plain.coefficients["x"] - 0.7, abs=1e-6)
    assert fit.log_lik == pytest.approx(plain.log_lik, abs=1e-6)


def test_warm_starts_reach_the_same_optimum_sooner(fits, design):
    formula, data = design("ragged")
    cold = fits["ragged"]
    model = Model(formula, data, settings=Settings(hessian="working"))
    first = model.optimise()
    for start in (cold, laplace.warm_start(model, first)):
        again = model.optimise(start)
        assert again.point.value == pytest.approx(first.point.value, abs=1e-8)
        assert again.evaluations < first.evaluations
        assert again.converged
    fold = data[data["item"] != "i3"]
    warm = laplace.fit(formula, fold, start=cold)
    np.testing.assert_allclose(
        warm.coefficients, laplace.fit(formula, fold).coefficients, atol=1e-5
    )


def test_refit_is_a_fit_of_the_new_counts(design):
    formula, data = design("ragged")
    model = Model(formula, data)
    random = np.random.RandomState(5)
    counts = random.binomial(1, 0.4, len(data))
    refitted = laplace.report(model, model.refit(counts).optimise())
    fresh = laplace.fit(formula, data.assign(correct=counts))
    assert refitted.log_lik == pytest.approx(fresh.log_lik, abs=1e-6)
    np.testing.assert_allclose(refitted.coefficients, fresh.coefficients, atol=1e-5)


def test_a_refit_without_some_trials_is_a_fit_of_the_other_rows(design):
    formula, data = design("ragged")
    left = (data["item"] != "i3").to_numpy()
    model = Model(formula, data)
    optimum = model.optimise()
    masked = model.refit(np.where(left, data["correct"], 0), np.where(left, 1, 0))
    found = masked.optimise(optimum)
    fresh = laplace.fit(formula, data[left])
    assert found.point.value + masked.constant == pytest.approx(fresh.log_lik, abs=1e-6)
    probability = expit(linear_predictor(fresh, data, new_levels="population"))
    np.testing.assert_allclose(masked.probability(found), probability, atol=1e-6)
    assert found.evaluations < masked.optimise().evaluations


def test_an_optimum_with_an_sd_of_zero_is_no_trap_for_the_next(design):
    """Counts that do not differ by item put its SD at zero; those of the data do not."""
    formula, data = design("ragged")
    model = Model(formula, data)
    found = model.optimise()
    alike = model.refit(np.arange(len(data)) % 2).optimise()
    assert not alike.free.all()
    again = model.optimise(alike)
    assert again.converged
    assert again.point.value == pytest.approx(found.point.value, abs=1e-6)
    np.testing.assert_allclose(again.point.phi, found.point.phi, atol=1e-4)


def test_working_standard_errors_take_the_sds_as_known(fits, design):
    fit = laplace.fit(*design("ragged"), settings=Settings(hessian="working"))
    assert fit.optimisation.hessian == "rx"
    ratio = fit.fixed_effects["std_error"] / fits["ragged"].fixed_effects["std_error"]
    assert (ratio < 1.001).all()
    assert (ratio > 0.8).all()


def test_separated_levels_and_overdispersion_are_reported(design):
    formula, data = design("main")
    solved = data.assign(n_correct=data["n_correct"].where(data["template"] != "t3", 20))
    fit = laplace.fit(formula, solved)
    assert "template t3: all right" in fit.diagnostics["separated"]
    noisy = simulate(3, groups=30)
    noisy["n_correct"] = np.where(noisy["x"] * 7 % 1 < 0.5, 0, noisy["n_correct"])
    assert laplace.fit("~ x + (1 | g) + (1 | item)", noisy).diagnostics["dispersion"] > 1.5


def test_progress_and_saving(design, tmp_path):
    reports = []
    fit = laplace.fit(*design("ragged"), progress=lambda *report: reports.append(report))
    stages, evaluations, deviances = zip(*reports, strict=True)
    assert set(stages) == {"optimise"}
    assert list(evaluations) == sorted(evaluations)
    assert deviances[-1] == pytest.approx(fit.deviance, abs=1e-3)
    again = load(save(fit, tmp_path / "ragged.fit"))
    assert again.log_lik == fit.log_lik
    pd.testing.assert_frame_equal(again.modes, fit.modes, check_dtype=False)


def test_a_slope_in_other_units_has_all_its_figures_in_them():
    """x in tenths: slopes, their SDs, their modes and conditional SDs are a tenth as large."""
    generator = np.random.default_rng(8)
    own = generator.multivariate_normal([0, 0], [[0.6, 0.2], [0.2, 0.5]], 20)
    data = pd.DataFrame({"g": np.repeat([f"g{i:02d}" for i in range(20)], 15)})
    data["x"] = generator.normal(size=300)
    level = np.repeat(np.arange(20), 15)
    eta = own[level, 0] + own[level, 1] * data["x"]
    data = data.assign(n_total=30, n_correct=generator.binomial(30, expit(eta)))
    formula = "~ x + (1 + x | g)"
    fit = laplace.fit(formula, data)
    tenths = laplace.fit(formula, data.assign(x=10 * data["x"]))
    assert not fit.optimisation.singular
    assert tenths.log_lik == pytest.approx(fit.log_lik, abs=1e-6)
    scale = {"(Intercept)": 1.0, "x": 0.1}
    for name, columns in (
        ("fixed_effects", ["estimate", "std_error"]),
        ("random_effects", ["sd"]),
        ("modes", ["mode", "std_error"]),
    ):
        ours, theirs = getattr(fit, name), getattr(tenths, name)
        expected = ours[columns].mul(ours["term"].map(scale), axis=0)
        np.testing.assert_allclose(theirs[columns], expected, rtol=1e-4, atol=1e-6)
    assert tenths.correlations["correlation"].iloc[0] == pytest.approx(
        fit.correlations["correlation"].iloc[0], abs=1e-4
    )


def test_probabilities_after_a_newton_step_are_a_square_nearer(design):
    formula, data = design("main")
    exact, loose = (
        Model(formula, data, settings=laplace.Settings(tolerance=tolerance, hessian="working"))
        for tolerance in (1e-8, 1e-2)
    )
    optimum = loose.optimise()
    truth = exact.probability(exact.optimise())
    away = np.abs(loose.probability(optimum) - truth).max()
    assert 1e-6 < away < 1e-2
    assert np.abs(loose.foretold(optimum) - truth).max() < min(away / 10, 1e-4)
