"""A few cells update a language's prediction; with none, nothing changes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction.item_model import ItemModel, fit_without_each, update
from scipy.linalg import block_diag
from scipy.optimize import minimize

TEMPLATES = [f"t{number:02d}" for number in range(60)]


@pytest.fixture(scope="module")
def layer():
    easiness = pd.Series(np.random.default_rng(1).normal(0, 1.2, 60), index=TEMPLATES)
    return ItemModel(easiness, pd.Series(0.1, index=TEMPLATES), 1.2, 0.9, 1.0, 20.0)


def _cells(layer: ItemModel, level: np.ndarray, generator: np.random.Generator):
    shift = generator.normal(0, layer.language_sd, 60)
    rows = []
    for number, c in enumerate(level):
        p = 1 / (1 + np.exp(-(c + layer.easiness.to_numpy() + shift)))
        rows.append(pd.DataFrame({"variant": f"v{number}", "template": TEMPLATES, "n_total": 20,
                                  "n_correct": generator.binomial(20, p)}))  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def test_levels_and_accuracies_are_each_others_inverse(layer):
    logit = np.array([-3.0, 0.0, 2.5])
    level, slope = layer.level(logit)
    accuracy = layer.accuracy(level, layer.easiness.index)
    np.testing.assert_allclose(accuracy, 1 / (1 + np.exp(-logit)), atol=1e-10)
    moved, _ = layer.level(logit + 1e-4)
    np.testing.assert_allclose((moved - level) / 1e-4, slope, rtol=1e-3)


@pytest.mark.parametrize("family_sd", [0.0, 1.1])
def test_an_accuracy_is_the_mean_over_what_languages_and_families_bring(layer, family_sd):
    own = replace(layer, family_sd=family_sd)
    sd = np.hypot(own.language_sd, family_sd)
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    level = np.array([-1.5, 0.5, 3.0])
    eta = level[:, None, None] + layer.easiness.to_numpy()[:, None] + sd * points
    whole = (weights / weights.sum() / (1 + np.exp(-eta))).sum(axis=2).mean(axis=1)
    np.testing.assert_allclose(own.accuracy(level, layer.easiness.index), whole, atol=0.01)


def test_no_cells_leave_the_prediction(layer):
    mean = np.array([0.2, -1.0])
    pairs = pd.DataFrame({"variant": ["v0", "v1"], "family": "f"})
    none = pd.DataFrame({"variant": [], "template": [], "n_correct": [], "n_total": []})
    covariance = np.array([[0.3, 0.1], [0.1, 0.2]])
    known = update(layer, mean, covariance, pairs, none)
    _, slope = layer.level(mean)
    assert (slope > 1.1).all()  # a level moves more than the log-odds of a mean over templates
    np.testing.assert_allclose(known.covariance, covariance * np.outer(slope, slope), rtol=1e-6)
    accuracy = known.accuracy(pd.Index(TEMPLATES))
    np.testing.assert_allclose(accuracy, 1 / (1 + np.exp(-mean)), atol=1e-8)


def test_cells_help_on_average_and_intervals_hold_the_truth(layer):
    pairs = pd.DataFrame({"variant": [f"v{number}" for number in range(6)], "family": "f"})
    prior = 0.5 * np.eye(6) + 0.3
    before, after, inside = [], [], []
    for seed in range(40):
        generator = np.random.default_rng(seed)
        truth = generator.multivariate_normal(np.zeros(6), prior)
        level, _ = layer.level(truth)
        cells = _cells(layer, level, generator)
        share = cells.assign(share=cells["n_correct"] / 20)
        seen = generator.permutation(TEMPLATES)[:5]
        unseen = pd.Index([name for name in TEMPLATES if name not in seen])
        actual = share[share["template"].isin(unseen)].groupby("variant")["share"].mean()
        known = update(layer, np.zeros(6), prior, pairs, cells[cells["template"].isin(seen)])
        before.append(np.abs(0.5 - actual).mean())
        after.append(np.abs(known.accuracy(unseen) - actual).mean())
        drawn = known.draws(unseen, 400, generator)
        low, high = np.quantile(drawn, [0.1, 0.9], axis=1)
        inside.append(((actual >= low) & (actual <= high)).mean())
    assert np.mean(after) < 0.6 * np.mean(before)
    assert np.mean(inside) == pytest.approx(0.8, abs=0.09)


def test_templates_never_seen_elsewhere_say_less(layer):
    pairs = pd.DataFrame({"variant": ["v0"], "family": "f"})
    cells = pd.DataFrame({"variant": "v0", "n_total": 20, "n_correct": 18,
                          "template": TEMPLATES[:4]})  # fmt: skip
    prior = np.array([[1.0]])
    known = update(layer, np.zeros(1), prior, pairs, cells)
    others = cells.assign(template=["own1", "own2", "own3", "own4"])
    new = update(layer, np.zeros(1), prior, pairs, others)
    assert new.covariance[0, 0] > known.covariance[0, 0]


def test_overdispersed_cells_count_as_fewer_trials(layer):
    """Quasi-likelihood: with a dispersion of 4, 16 of 20 says what 4 of 5 would."""
    pairs = pd.DataFrame({"variant": ["v0"], "family": "f"})
    cells = pd.DataFrame({"variant": "v0", "n_total": 20, "n_correct": [16, 4, 12],
                          "template": TEMPLATES[:3]})  # fmt: skip
    fewer = cells.assign(n_total=5, n_correct=[4, 1, 3])
    prior = np.array([[0.8]])
    wide = update(replace(layer, dispersion=4.0), np.zeros(1), prior, pairs, cells)
    plain = update(layer, np.zeros(1), prior, pairs, fewer)
    certain = update(layer, np.zeros(1), prior, pairs, cells)
    np.testing.assert_allclose(wide.mean, plain.mean)
    np.testing.assert_allclose(wide.covariance, plain.covariance)
    assert certain.covariance[0, 0] < 0.9 * wide.covariance[0, 0]


def test_a_row_of_one_trial_counts_as_one(layer):
    """Where 20 trials have a dispersion of 4, ρ is 3/19: one trial has 1, and 58 have 10."""
    alike = replace(layer, dispersion=4.0)
    np.testing.assert_allclose(alike.dispersions(np.array([0, 1, 20, 58])), [1, 1, 4, 10])
    pairs = pd.DataFrame({"variant": ["v0"], "family": "f"})
    cells = pd.DataFrame({"variant": "v0", "n_total": 1, "n_correct": [1, 0, 1],
                          "template": TEMPLATES[:3]})  # fmt: skip
    prior = np.array([[0.8]])
    told = [update(known, np.zeros(1), prior, pairs, cells) for known in (layer, alike)]
    np.testing.assert_array_equal(told[0].mean, told[1].mean)
    np.testing.assert_array_equal(told[0].covariance, told[1].covariance)
    single = replace(alike, trials=1.0)  # rows of one trial cannot tell a dispersion
    np.testing.assert_array_equal(single.dispersions(np.array([1, 20])), [1, 1])


@pytest.mark.parametrize("trials", [1, 20, 100])
def test_intervals_hold_whatever_the_trials_of_the_rows_seen(layer, trials):
    """Beta-binomial rows with ρ = 0.15: intervals of the level hold it as often as they say."""
    rho = 0.15
    alike = replace(layer, language_sd=0.05, dispersion=1 + 19 * rho)
    pairs = pd.DataFrame({"variant": ["v0"], "family": "f"})
    inside = []
    for seed in range(150):
        generator = np.random.default_rng(seed)
        level, _ = alike.level(generator.standard_normal(1))
        p = 1 / (1 + np.exp(-(level + layer.easiness.to_numpy())))
        own = generator.beta(p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho)
        cells = pd.DataFrame({"variant": "v0", "template": TEMPLATES, "n_total": trials,
                              "n_correct": generator.binomial(trials, own)})  # fmt: skip
        known = update(alike, np.zeros(1), np.eye(1), pairs, cells)
        away = abs(known.mean[0] - level[0]) / np.sqrt(known.covariance[0, 0])
        inside.append(away < 1.2816)
    assert np.mean(inside) == pytest.approx(0.8, abs=0.09)


def test_the_layer_knows_the_trials_it_learned_from(joined):
    assert ItemModel.fit(joined).trials == 20
    few = joined[joined["language"].isin(["eng", "isl"])]
    empty = few.iloc[:400].assign(n_correct=0, n_total=0)
    layer, longer = (
        ItemModel.fit(cells.reset_index(drop=True)) for cells in (few, pd.concat([few, empty]))
    )
    assert longer.trials == 20  # rows without any say nothing
    assert longer.dispersion == pytest.approx(layer.dispersion, rel=1e-4)
    single = joined.assign(n_correct=(joined["n_correct"] > 10).astype(int), n_total=1)
    layer = ItemModel.fit(single)
    np.testing.assert_array_equal(layer.dispersions(np.array([1, 20])), [1, 1])


def test_families_that_differ_by_template_are_no_sign_of_their_level(layer):
    """Cells with effects of family and template: intervals with that SD hold the truth."""
    varied = replace(layer, family_sd=1.0, language_sd=0.5)
    pairs = pd.DataFrame({"variant": [f"v{i}" for i in range(12)], "family": list("ab") * 6})
    prior = 0.2 * np.eye(12) + 0.3
    inside, blind = [], []
    for seed in range(40):
        generator = np.random.default_rng(seed)
        level, _ = varied.level(generator.multivariate_normal(np.zeros(12), prior))
        own = generator.normal(0, 1.0, (2, 60))[np.arange(12) % 2]
        shared = generator.normal(0, 0.5, 60)
        p = 1 / (1 + np.exp(-(level[:, None] + layer.easiness.to_numpy() + shared + own)))
        correct = pd.DataFrame(generator.binomial(20, p), pairs["variant"], TEMPLATES)
        cells = correct.stack().rename_axis(["variant", "template"]).rename("n_correct")
        cells = cells.reset_index().assign(n_total=20)
        order = generator.permutation(TEMPLATES)
        seen, unseen = cells[cells["template"].isin(order[:5])], pd.Index(order[5:])
        actual = correct[unseen].mean(axis=1).to_numpy() / 20
        for model, found in ((varied, inside), (replace(varied, family_sd=0.0), blind)):
            known = update(model, np.zeros(12), prior, pairs, seen)
            drawn = known.draws(unseen, 400, generator)
            low, high = np.quantile(drawn, [0.1, 0.9], axis=1)
            found.append(((actual >= low) & (actual <= high)).mean())
    assert np.mean(inside) == pytest.approx(0.8, abs=0.09)
    assert np.mean(blind) < np.mean(inside) - 0.1


def test_the_layer_of_the_study_has_families_and_one_family_has_none(joined):
    layer = ItemModel.fit(joined)
    assert layer.family_sd == pytest.approx(0.86, abs=0.35)
    assert layer.language_sd > 0.3
    one = joined[joined["family"] == "Qwen2.5"].reset_index(drop=True)
    assert ItemModel.fit(one).family_sd == 0.0


@pytest.mark.parametrize("family_sd", [0.0, 0.7])
def test_a_template_seen_a_million_times_is_known(layer, family_sd):
    """What is asked of it is what was seen, exactly: nothing of it is integrated out any more."""
    pairs = pd.DataFrame({"variant": ["v0"], "family": "f"})
    cells = pd.DataFrame({"variant": ["v0"], "template": "t05", "n_total": 10**6,
                          "n_correct": 9 * 10**5})  # fmt: skip
    own = replace(layer, family_sd=family_sd)
    known = update(own, np.zeros(1), np.array([[0.5]]), pairs, cells)
    asked = pd.Index(["t05"])
    assert known.accuracy(asked)[0] == pytest.approx(0.9, abs=1e-4)
    sure = update(own, np.zeros(1), np.array([[1e-8]]), pairs, cells)  # of the level
    drawn = sure.draws(asked, 500, np.random.default_rng(1))
    assert drawn.std() < 0.001
    assert drawn.mean() == pytest.approx(0.9, abs=1e-4)
    assert sure.variance["t05"].iloc[0] == pytest.approx(1 / (10**6 * 0.9 * 0.1), rel=0.05)


def test_the_models_without_a_language_are_those_of_the_other_cells(joined):
    """Where the second family answers in Danish alone, the term of families goes with Danish."""
    few = joined[joined["language"].isin(["eng", "deu", "dan", "isl"])]
    few = few[~((few["language"] == "isl") & (few["template"] == few["template"].iloc[0]))]
    own = few[few["language"] == "dan"].head(9).assign(template="seen in Danish alone")
    cells = pd.concat([few, own], ignore_index=True)
    first, second = cells["family"].unique()[:2]
    danish = cells["family"].eq(second) & cells["language"].eq("dan")
    one = cells[cells["family"].eq(first) | danish].reset_index(drop=True)
    for data in (cells, one):
        for language, found in fit_without_each(data, ["dan", "isl"]).items():
            fresh = ItemModel.fit(data[data["language"] != language].reset_index(drop=True))
            assert set(found.easiness.index) == set(fresh.easiness.index)
            for name, value in vars(fresh).items():
                same = getattr(found, name)
                if isinstance(value, pd.Series):
                    same = same[value.index]
                np.testing.assert_allclose(same, value, rtol=1e-5, atol=1e-5, err_msg=name)
    assert fit_without_each(one, ["dan"])["dan"].family_sd == 0


@pytest.mark.parametrize("family_sd", [0.0, 0.7])
def test_an_update_is_the_mode_and_the_curvature_of_the_posterior(layer, family_sd):
    """By another way: unknowns named one by one, their posterior maximised by scipy."""
    own = replace(layer, family_sd=family_sd, dispersion=3.0)
    pairs = pd.DataFrame({"variant": ["u", "v", "w"], "family": ["f", "g", "f"]})
    cells = pd.DataFrame(
        [("v", "t07", 15, 20), ("u", "t07", 9, 20), ("w", "own", 3, 10), ("v", "own", 9, 10),
         ("u", "own", 2, 20)], columns=["variant", "template", "n_correct", "n_total"],
    )  # fmt: skip
    mean, covariance = np.array([0.4, -0.2, 0.1]), 0.3 * np.eye(3) + 0.2
    level, slope = own.level(mean)
    names = ["u", "v", "w", "t07", "own"]
    prior_mean = [*level, own.easiness["t07"], 0.0]
    blocks = [covariance * np.outer(slope, slope), 0.1**2 + 0.9**2, 1.2**2 + 0.9**2]
    if family_sd:
        names += [("f", "t07"), ("g", "t07"), ("f", "own"), ("g", "own")]
        prior_mean += [0.0] * 4
        blocks += [family_sd**2] * 4
    precision = np.linalg.inv(block_diag(*blocks))
    family = dict(zip(pairs["variant"], pairs["family"], strict=True))
    rows = [
        ([row.variant, row.template, (family[row.variant], row.template)], row.n_correct,
         row.n_total, 1 + (3.0 - 1) * (row.n_total - 1) / (20 - 1))
        for row in cells.itertuples()
    ]  # fmt: skip
    loads = np.array([[name in parts for name in names] for parts, *_ in rows], dtype=float)
    right, trials, phi = (
        np.array(column, dtype=float) for column in list(zip(*rows, strict=True))[1:]
    )

    def minus_log(x):
        eta, away = loads @ x, x - prior_mean
        fit = (right * eta - trials * np.log1p(np.exp(eta))) / phi
        return away @ precision @ away / 2 - fit.sum()

    mode = minimize(minus_log, prior_mean, tol=1e-10).x
    p = 1 / (1 + np.exp(-loads @ mode))
    posterior = np.linalg.inv(precision + (loads.T * (trials * p * (1 - p) / phi)) @ loads)
    known = update(own, mean, covariance, pairs, cells)
    np.testing.assert_allclose(known.mean, mode[:3], atol=1e-4)
    np.testing.assert_allclose(known.covariance, posterior[:3, :3], atol=1e-4)
    assert known.families.tolist() == [0, 1, 0]
    for number, one in enumerate("fg"):
        for template in ("t07", "own"):
            parts = np.array([name in (template, (one, template)) for name in names], dtype=float)
            assert known.seen.loc[number, template] == pytest.approx(parts @ mode, abs=1e-4)
            assert known.variance.loc[number, template] == pytest.approx(
                parts @ posterior @ parts, abs=1e-4
            )
    asked = pd.Index(["t07", "t03"])
    seen = 1 / (1 + np.exp(-(mode[:3] + known.seen["t07"].to_numpy()[[0, 1, 0]])))
    other = own.accuracy(known.mean, pd.Index(["t03"]))
    np.testing.assert_allclose(known.accuracy(asked), (seen + other) / 2, atol=1e-4)


def test_less_than_binomial_noise_counts_as_binomial(joined):
    """The same share of right answers everywhere: no trial says more than one trial does."""
    few = joined[joined["language"].isin(["eng", "isl"])]
    half = few.assign(n_correct=few["n_total"] // 2)
    half.loc[half.index[0], "n_correct"] -= 1
    assert ItemModel.fit(half.reset_index(drop=True)).dispersion == 1.0


@pytest.mark.parametrize("family_sd", [0.0, 0.9])
def test_what_a_template_brings_to_a_language_is_shared_by_all_families(layer, family_sd):
    """Levels known, one template not seen: log-odds vary by τ² for all, by σ² for each family."""
    own = replace(layer, family_sd=family_sd, error=0 * layer.error)
    pairs = pd.DataFrame({"variant": ["u", "v", "w"], "family": ["f", "g", "f"]})
    none = pd.DataFrame({"variant": [], "template": [], "n_correct": [], "n_total": []})
    known = update(own, np.zeros(3), 1e-8 * np.eye(3), pairs, none)
    drawn = known.draws(pd.Index(["t03"]), 20_000, np.random.default_rng(1))
    eta = np.log(drawn / (1 - drawn))
    shared = layer.language_sd**2 + family_sd**2 * np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(np.cov(eta), shared, atol=0.04)
    np.testing.assert_allclose(eta.mean(axis=1), known.mean + own.easiness["t03"], atol=0.03)
    new = np.log(1 / known.draws(pd.Index(["new"]), 20_000, np.random.default_rng(1)) - 1)
    np.testing.assert_allclose(np.cov(new), shared + layer.sd**2, atol=0.08)
