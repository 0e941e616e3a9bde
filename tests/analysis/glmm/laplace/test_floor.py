"""A known floor of the probability: derivatives, integration, recovery, and what stands on it."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace, lme4
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.inference import (
    bootstrap,
    likelihood_ratio_test,
    profile_intervals,
    simulate,
)
from capability_transfer.analysis.glmm.laplace import Kernel, Model, cells
from capability_transfer.analysis.glmm.laplace.design import build
from capability_transfer.analysis.glmm.laplace.rows import RowSystem
from capability_transfer.analysis.glmm.laplace.schur import SchurSystem
from capability_transfer.analysis.glmm.laplace_check import check_laplace
from capability_transfer.analysis.glmm.posterior import Posterior
from capability_transfer.analysis.glmm.predict import fitted_probability, linear_predictor, slope
from capability_transfer.analysis.glmm.predict import probability as probability_of
from capability_transfer.analysis.glmm.result import dumps, loads
from capability_transfer.analysis.studies.glmer import glmer
from capability_transfer.common.errors import InputError
from scipy.special import expit, logsumexp
from scipy.stats import binom, chi2

FORMULA = "~ x + (1 | person)"


def two_choices(seed: int, persons: int = 60, rows: int = 10, trials: int = 4, chance: float = 0.5):
    """Answers of persons to questions that a guess gets right with probability ``chance``."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(persons), rows)
    x = rng.normal(size=len(person))
    eta = -0.5 + 1.0 * x + rng.normal(0, 1.0, persons)[person]
    right = rng.binomial(trials, chance + (1 - chance) * expit(eta))
    return pd.DataFrame({"person": [f"p{i}" for i in person], "x": x, "chance": chance,
                         "n_correct": right, "n_total": trials})  # fmt: skip


@pytest.fixture(scope="module")
def answers():
    return two_choices(1)


@pytest.fixture(scope="module")
def fitted(answers):
    model = Model(FORMULA, answers, floor="chance")
    optimum = model.optimise()
    return model, optimum, laplace.report(model, optimum)


def integrated(data: pd.DataFrame, floor: np.ndarray, intercept, slope, sd) -> float:
    """The log-likelihood by Gauss-Hermite quadrature of every person's integral, 100 nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    eta = intercept + slope * data["x"].to_numpy()[:, None] + sd * nodes
    p = floor[:, None] + (1 - floor[:, None]) * expit(eta)
    counts = [data[name].to_numpy()[:, None] for name in ("n_correct", "n_total")]
    by_person = pd.DataFrame(binom.logpmf(*counts, p)).groupby(data["person"]).sum().to_numpy()
    return float(logsumexp(by_person + np.log(weights / np.sqrt(2 * np.pi)), axis=1).sum())


def test_cells_are_the_derivatives_of_their_log_likelihood():
    rng = np.random.default_rng(2)
    trials = rng.integers(0, 6, 40)[:, None].astype(float)
    successes = rng.binomial(trials.astype(int), 0.6).astype(float)
    floor = rng.choice([0.0, 0.2, 0.5], 40)[:, None]
    eta = rng.normal(0, 3, 40)

    def at(moved):
        found = cells.evaluate(eta + moved, None, successes, trials, floor)
        whole = [cells.log_likelihood(cells.evaluate(eta[[i]] + moved, None, *parts), *parts)
                 for i, parts in enumerate(zip(successes[:, None], trials[:, None], floor[:, None],
                                               strict=True))]  # fmt: skip
        return found, np.array(whole)[:, None]

    h = 1e-5
    (low, below), (here, _), (high, above) = at(-h), at(0.0), at(h)
    np.testing.assert_allclose(here.residual, (above - below) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(here.observed, -(high.residual - low.residual) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(here.skewness(), (high.weight - low.weight) / (2 * h), atol=1e-8)
    k = np.arange(6)[:, None]  # the weight is the mean of the observed one over all outcomes
    six = np.full((6, 1), 5.0)
    found = cells.evaluate(np.full(6, -0.4), None, k * 1.0, six, np.full((6, 1), 0.3))
    chance = binom.pmf(k, 5, found.probability)
    assert np.vdot(chance, found.observed) == pytest.approx(found.weight[0, 0], rel=1e-12)
    assert (here.observed < 0).any()


@pytest.mark.parametrize("name", ["main", "template_language", "penalty", "ragged"])
def test_gradient_is_the_derivative(name, design):
    formula, data = design(name)
    by = "item" if name == "ragged" else "template"  # a grid's columns
    levels = sorted(data[by].unique())
    chance = dict(zip(levels, np.resize([0.0, 0.2, 0.5], len(levels)), strict=True))
    model = Model(formula, data.assign(chance=data[by].map(chance)), floor="chance")
    rng = np.random.default_rng(4)
    diagonal = np.concatenate([np.equal(*term.triangle()) for term in model.design.terms])
    theta = np.where(diagonal, rng.uniform(0.3, 1.2, len(diagonal)), 0.2)
    beta = 0.4 * rng.normal(size=len(model.design.names))
    analytic, phi = np.concatenate(model.gradient(theta, beta)), np.concatenate([theta, beta])
    numeric = []
    for direction in np.eye(len(phi)):
        at = [model.log_likelihood(*np.split(phi + step * direction, [len(theta)]))
              for step in (-2e-4, -1e-4, 1e-4, 2e-4)]  # fmt: skip
        numeric.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / 12e-4)
    np.testing.assert_allclose(analytic, numeric, atol=1e-5 * np.abs(analytic).max())


def test_rows_of_a_cell_have_one_floor(answers):
    """Repeated covariates with other floors are other cells, whatever the layout."""
    repeated = pd.concat([answers.assign(chance=c) for c in (0.0, 0.25, 0.5)])
    model = Model(FORMULA, repeated.reset_index(drop=True), floor="chance")
    floor = model.design.floor[model.design.layout.unit, model.design.layout.column]
    np.testing.assert_array_equal(floor, repeated["chance"])


def test_the_space_of_rows_takes_negative_weights():
    rng = np.random.default_rng(5)
    rows = [(f"v{v}", f"l{t}") for v in range(6) for t in range(5)]
    data = pd.DataFrame(rows, columns=["variant", "language"])
    data["n_total"] = 3
    data["n_correct"] = rng.integers(0, 4, len(data))
    names = [f"l{t}" for t in range(5)]
    matrix = np.exp(-(np.subtract.outer(np.arange(5), np.arange(5)) ** 2.0))
    kernels = [Kernel("k", "language", names, matrix, by="variant")]
    design = build(parse("~ 1 + (1 | variant) + (1 | language)"), data, kernels, grid=False)
    blocks = design.blocks(np.array([0.6, 0.5, 0.8]))
    rows, effects = RowSystem(design), SchurSystem(design)
    weight = rng.uniform(-0.1, 1.0, (30, 1))
    assert (weight < 0).any()
    right = rng.normal(size=(design.effects, 2))
    expected = effects.factor(weight, blocks).solve(right)
    np.testing.assert_allclose(rows.factor(weight, blocks).solve(right), expected)
    for system in (rows, effects):
        with pytest.raises(FloatingPointError, match="definite"):
            system.factor(weight - 5, blocks)


@pytest.mark.parametrize("sd", [0.3, 1.0])
def test_laplace_is_close_to_integration_with_many_trials(sd):
    data = two_choices(3, persons=12, trials=60)
    ours = Model(FORMULA, data, floor="chance").log_likelihood([sd], [-0.4, 0.9])
    exact = integrated(data, data["chance"].to_numpy(), -0.4, 0.9, sd)
    assert ours == pytest.approx(exact, abs=0.1)


def test_the_approximations_error_is_found_by_sampling(answers, fitted):
    model, optimum, _ = fitted
    natural = model.to_natural() @ optimum.point.phi
    exact = integrated(answers, answers["chance"].to_numpy(), *natural)
    error = exact - model.log_likelihood(natural[2:], natural[:2])
    check = check_laplace(model, optimum, seed=1, draws=300)
    assert error > 0.05
    assert check.log_lik_error == pytest.approx(error, abs=4 * check.log_lik_mc_error)


def test_the_truth_is_found_and_missed_by_a_model_without_the_floor(answers, fitted):
    fit, without = fitted[2], laplace.fit(FORMULA, answers)
    table = fit.fixed_effects.set_index("term")
    z = (table["estimate"] - [-0.5, 1.0]) / table["std_error"]
    assert (z.abs() < 2.5).all()
    assert fit.sd("person") == pytest.approx(1.0, abs=0.35)
    # half of what is seen is guessed: level, slope and SD come out as something else
    assert without.coefficients["x"] < 0.7 * fit.coefficients["x"]
    assert without.coefficients["(Intercept)"] > 0.3
    assert without.sd("person") < 0.7 * fit.sd("person")
    assert fit.log_lik > without.log_lik


def test_no_floor_is_todays_model(answers):
    plain = laplace.fit(FORMULA, answers)
    for floor in (0, 0.0, "none"):
        fit = laplace.fit(FORMULA, answers.assign(none=0.0), floor=floor)
        assert fit.log_lik == plain.log_lik
        pd.testing.assert_frame_equal(fit.modes, plain.modes)
        pd.testing.assert_frame_equal(fit.fixed_effects, plain.fixed_effects)


def test_a_profile_bound_is_where_the_constrained_fit_falls_enough(answers, fitted):
    model, optimum, fit = fitted
    slope = profile_intervals(model, optimum, kinds=("fixed",)).query("term == 'x'").iloc[0]
    for bound in (slope["conf_low"], slope["conf_high"]):
        held = answers.assign(known=bound * answers["x"])
        other = laplace.fit("~ 1 + offset(known) + (1 | person)", held, floor="chance")
        assert 2 * (fit.log_lik - other.log_lik) == pytest.approx(chi2.ppf(0.95, 1), abs=0.02)


def test_simulated_answers_and_predictions_are_above_the_floor(answers, fitted):
    model, optimum, fit = fitted
    probability = fitted_probability(fit, answers)
    by_hand = 0.5 + 0.5 * expit(linear_predictor(fit, answers))
    np.testing.assert_allclose(probability, by_hand)
    np.testing.assert_allclose(model.probability(optimum), by_hand, atol=1e-8)
    eta = linear_predictor(fit, answers)
    moved = [probability_of(fit, eta + h, answers) for h in (-1e-5, 1e-5)]
    np.testing.assert_allclose(slope(fit, eta, answers), (moved[1] - moved[0]) / 2e-5, atol=1e-9)
    drawn = [simulate(model, optimum, np.random.default_rng(seed)).sum() for seed in range(20)]
    assert np.mean(drawn) == pytest.approx(answers["n_correct"].sum(), rel=0.03)
    eta = Posterior(fit, answers).sampled(40, 1).draws(answers, np.random.default_rng(1))
    draws = probability_of(fit, eta, answers)
    assert draws.shape == (len(answers), 40)
    assert draws.min() > 0.5
    assert np.abs(draws.mean(axis=1) - probability).mean() < 0.03


def test_glmer_takes_a_floor_and_drops_rows_without_one(answers, fitted):
    gaps = pd.concat([answers, answers.iloc[:3].assign(chance=np.nan)], ignore_index=True)
    formula = "cbind(n_correct, n_total - n_correct) ~ x + (1 | person)"
    model = glmer(formula, gaps, floor="chance", na_action="drop")
    assert model.llf == pytest.approx(fitted[2].log_lik)
    assert model.fittedvalues.min() > 0.5
    effect = model.marginal_effects().set_index("term").loc["x", "estimate"]
    eta = linear_predictor(fitted[2], answers)
    by_hand = (0.5 * expit(eta) * expit(-eta)).mean() * model.params["x"]
    assert effect == pytest.approx(by_hand, rel=1e-6)


def test_a_bootstrap_starts_from_the_model_with_its_floor(answers, fitted):
    formula = parse(FORMULA).with_floor("chance")
    found = bootstrap(formula, answers, seed=1, replicates=6, start=fitted[2])
    slopes = found.values[:, found.estimates["term"].eq("x").to_numpy()]
    assert found.failed == 0
    assert slopes.mean() == pytest.approx(fitted[2].coefficients["x"], abs=0.2)


def test_a_formula_and_a_saved_fit_carry_the_floor(answers, fitted, tmp_path):
    fit = fitted[2]
    assert str(fit.formula).endswith("(1 | person), floor = chance")
    assert parse(str(fit.formula)) == fit.formula
    assert loads(dumps(fit)).formula == fit.formula
    assert parse("~ x + (1 | g), floor = 0.25").floor == 0.25
    assert fit.formula.variables() >= {"chance"}
    kept = [cached_fit("laplace", FORMULA, answers, tmp_path, floor=f) for f in (None, "chance")]
    assert kept[0].log_lik < kept[1].log_lik == pytest.approx(fit.log_lik)
    with pytest.raises(InputError, match="different floors: chance and none"):
        likelihood_ratio_test(fit, laplace.fit("~ 1 + (1 | person)", answers))


@pytest.mark.parametrize(
    ("floor", "match"),
    [(1.0, "less than 1, not 1"), (-0.1, "0 or more"), (True, "not True"), ("a b", "'a b'"),
     ("luck", "names luck"), ("person", "person"), ("n_correct", "outcome"),
     ("x", "in row .* it is")],
)  # fmt: skip
def test_refuses_what_is_no_floor(answers, floor, match):
    with pytest.raises(InputError, match=match):
        laplace.fit(FORMULA, answers, floor=floor)


def test_lme4_refuses_a_floor(answers):
    with pytest.raises(InputError, match="lme4 has no floor"):
        cached_fit("lme4", FORMULA, answers, None, floor="chance")
    with pytest.raises(InputError, match="lme4 has no floor"):
        lme4.fit(parse(FORMULA).with_floor(0.5), answers)


@pytest.mark.slow
def test_wald_intervals_cover_with_the_floor_and_not_without():
    inside, naive, runs = 0, 0, 200
    for seed in range(runs):
        data = two_choices(100 + seed)
        for floor in (0.5, None):
            row = laplace.fit(FORMULA, data, floor=floor).fixed_effects.set_index("term").loc["x"]
            covers = row["conf_low"] < 1.0 < row["conf_high"]
            inside, naive = (inside + covers, naive) if floor else (inside, naive + covers)
    assert inside >= binom.ppf(0.001, runs, 0.95)
    assert naive < 0.2 * runs
