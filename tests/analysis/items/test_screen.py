"""The screen of items on outcomes with a known truth, beside other implementations, and by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.items.crossed import Crossed
from capability_transfer.analysis.items.mantel_haenszel import compare
from capability_transfer.analysis.items.screen import screen
from capability_transfer.analysis.items.simulation import World, outcome, simulate
from capability_transfer.common.errors import InputError
from scipy.special import expit
from statsmodels.stats.contingency_tables import StratifiedTable

WORLD = World(models=10, languages=8, templates=60, answers=10, share=0.03)


@pytest.fixture(scope="module")
def simulated():
    cells, truth = simulate(WORLD, np.random.default_rng(3))
    return cells, truth, screen(cells)


def keys(table):
    return set(zip(table["language"].astype(str), table["template"].astype(str), strict=True))


def test_broken_items_are_found_and_hardly_any_other():
    totals = pd.DataFrame([outcome(WORLD, seed) for seed in range(8)]).sum()
    assert totals["found"] / totals["broken"] > 0.9
    wrong = totals["flagged"] - totals["found"]
    # five per cent are promised; of this many, two binomial standard deviations are allowed for
    assert wrong <= 0.05 * totals["flagged"] + 2 * np.sqrt(0.05 * totals["flagged"])


def test_where_nothing_is_broken_nothing_is_flagged():
    runs = [outcome(replace(WORLD, share=0.0), seed) for seed in range(4)]
    assert sum(run["flagged"] for run in runs) == 0


def test_parameters_are_those_of_the_world():
    world = replace(WORLD, cell=0.0, languages=15, templates=80)
    found = screen(simulate(world, np.random.default_rng(3))[0])
    # a normal about zero has mass where ordinary items are too, so its share is above the truth
    assert world.share < found.spread.share < 2 * world.share
    assert found.spread.ordinary == pytest.approx(world.ordinary, rel=0.15)
    assert found.spread.template == pytest.approx(world.template, rel=0.25)
    assert found.spread.within < 0.01
    assert found.converged


def test_answers_of_a_cell_that_go_together_count_for_less(simulated):
    within = simulated[2].spread.within
    assert 0.03 < within < 0.2
    alone = screen(simulate(replace(WORLD, cell=0.0), np.random.default_rng(3))[0])
    assert alone.spread.within < within / 3


def test_expected_and_observed_accuracy(simulated):
    cells, truth, found = simulated
    sums = cells.groupby(["language", "template"], observed=True)[["n_correct", "n_total"]].sum()
    observed = (sums["n_correct"] / sums["n_total"]).reset_index(drop=True)
    assert found.items["observed"].tolist() == pytest.approx(observed.tolist())
    broken = pd.MultiIndex.from_frame(found.items[["language", "template"]]).isin(
        pd.MultiIndex.from_frame(truth)
    )
    gap = found.items["expected"] - found.items["observed"]
    assert gap[~broken].mean() == pytest.approx(0, abs=0.01)
    assert gap[broken].mean() > 0.25


def test_many_templates_are_begun_by_a_part_and_end_alike(simulated, monkeypatch):
    cells, _, found = simulated
    monkeypatch.setattr("capability_transfer.analysis.items.screen.LEARN_FROM", 20)
    again = screen(cells)
    assert again.rounds <= found.rounds
    assert again.items["flagged"].equals(found.items["flagged"])
    assert np.abs(again.items["effect"] - found.items["effect"]).max() < 0.05


def test_an_item_that_is_too_easy_is_found():
    cells, truth = simulate(replace(WORLD, effect=4.0, templates=80), np.random.default_rng(1))
    items = screen(cells).items
    flagged = items[items["flagged"]]
    assert keys(flagged) <= keys(truth)
    assert len(flagged) > 0.7 * len(truth)
    assert (flagged["effect"] > 0).all()


def test_it_does_not_depend_on_order_or_type_of_the_rows(simulated):
    cells, _, found = simulated
    shuffled = cells.sample(frac=1, random_state=1).astype(
        {"variant": str, "language": str, "template": str}
    )
    again = screen(shuffled).items
    pd.testing.assert_frame_equal(again, found.items, check_dtype=False, rtol=1e-6, atol=1e-8)


def test_effects_are_those_of_the_glmm_where_nothing_is_broken():
    world = replace(WORLD, share=0.0, cell=0.0, templates=40)
    cells, _ = simulate(world, np.random.default_rng(5))
    for name in ("variant", "language", "template"):
        cells[name] = cells[name].astype(str)
    formula = (
        "~ language + (1 | variant) + (1 | variant:language) + (1 | template)"
        " + (1 | template:language)"
    )
    fit = laplace.fit(formula, cells)
    modes = fit.modes[fit.modes["group"] == "template:language"]
    items = screen(cells).items
    at = (items["template"] + ":" + items["language"]).map(modes.set_index("level")["mode"])
    assert np.corrcoef(at, items["effect"])[0, 1] > 0.97
    spread = screen(cells).spread
    assert spread.ordinary == pytest.approx(fit.sd("template:language"), rel=0.1)
    assert spread.template == pytest.approx(fit.sd("template"), rel=0.1)


def test_slope_is_one_for_an_item_as_elsewhere_and_zero_where_ability_does_not_help():
    random = np.random.default_rng(2)
    ability = np.linspace(-2, 3, 20)
    easiness = random.normal(0, 1, (6, 30)) * 0.3 + random.normal(0, 1, 30)
    chance = expit(ability[:, None, None] + easiness)
    chance[:, 0, 0] = 0.15  # whoever is asked
    correct = random.binomial(40, chance)
    v, language, template = (axis.ravel() for axis in np.indices(chance.shape))
    cells = pd.DataFrame({"variant": v, "language": language, "template": template,
                          "n_correct": correct.ravel(), "n_total": 40})  # fmt: skip
    items = screen(cells).items.set_index(["language", "template"])
    assert items.loc[(0, 0), "slope"] == pytest.approx(0, abs=0.15)
    assert items["slope"].drop((0, 0)).mean() == pytest.approx(1, abs=0.05)
    assert items.loc[(0, 0), "strong_failing"] > 0.9
    assert items.loc[(0, 0), "flagged"]


def test_a_template_in_two_languages_cannot_be_screened(simulated):
    cells = simulated[0]
    few = cells["language"].isin(["l2", "l3"]) | (cells["template"] != "t05")
    found = screen(cells[few])
    rows = found.items[found.items["template"] == "t05"]
    assert len(rows) == 2
    assert rows[["effect", "broken", "expected"]].isna().all(axis=None)
    assert not rows["flagged"].any()
    assert found.unscreened == ("t05",)


def test_sparse_single_answers_say_little_and_are_not_flagged_at_random():
    world = World(models=12, languages=6, templates=80, answers=1, share=0.0, present=0.4)
    items = screen(simulate(world, np.random.default_rng(0))[0]).items
    assert not items["flagged"].any()
    assert len(items) < 6 * 80 + 1
    assert items["models"].max() <= 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"languages": 2}, "2 languages; a screen of items compares at least 3"),
        ({"models": 1}, "1 variants"),
        ({"templates": 1, "share": 0.0}, "1 templates"),
    ],
)
def test_designs_that_cannot_be_screened(change, message):
    cells, _ = simulate(replace(WORLD, **change), np.random.default_rng(0))
    with pytest.raises(InputError, match=message):
        screen(cells)


@pytest.mark.parametrize("threshold", [0.2, 1.0, "high"])
def test_a_threshold_that_is_none(simulated, threshold):
    with pytest.raises(InputError, match="threshold"):
        screen(simulated[0], threshold)


def test_mantel_haenszel_is_that_of_statsmodels():
    random = np.random.default_rng(4)
    here = random.integers(1, 30, (5, 4, 2)).astype(float)
    there = random.integers(1, 90, (5, 4, 2)).astype(float)
    here[..., 0] += 20  # so far apart that the correction never exceeds the difference
    log_odds, p_value = compare(here[..., 0], here[..., 1], there[..., 0], there[..., 1])
    for item in range(5):
        tables = StratifiedTable([np.array([here[item, s], there[item, s]]) for s in range(4)])
        assert log_odds[item] == pytest.approx(tables.logodds_pooled)
        assert p_value[item] == pytest.approx(tables.test_null_odds(correction=True).pvalue)


def test_mantel_haenszel_of_an_item_that_nobody_solves_has_a_p_value_and_no_odds():
    zero, five = np.zeros((1, 2)), np.full((1, 2), 5.0)
    log_odds, p_value = compare(zero, five, five, five)
    assert np.isnan(log_odds[0])
    assert p_value[0] < 0.05
    assert np.isnan(compare(five, five, zero, zero)[1][0])


def test_cells_are_grouped_by_language_and_template():
    cells = pd.DataFrame(
        {
            "variant": ["b", "a", "a", "b", "a", "a"],
            "language": ["y", "x", "y", "x", "x", "z"],
            "template": ["1", "2", "1", "1", "1", "2"],
            "n_correct": [1, 2, 3, 4, 5, 0],
            "n_total": [6, 6, 6, 6, 6, 6],
        }
    )
    crossed = Crossed.of(cells)
    x, y, _ = crossed.blocks
    assert crossed.templates[x.items].tolist() == ["1", "2"]
    assert x.by_item(x.correct).tolist() == [9, 2]
    thin = crossed.thinned(2).blocks  # the first template alone
    assert [one.correct.tolist() for one in thin] == [[4, 5], [1, 3], []]
    assert [one.starts.tolist() for one in thin] == [[0], [0], []]
    assert thin[0].item.tolist() == [0, 0]
    assert x.by_variant(x.correct).tolist() == [7, 4]
    assert y.by_item(y.correct).tolist() == [4]
