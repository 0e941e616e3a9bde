"""Power by simulation: what is drawn, what an effect of zero gives, and that runs resume."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis import design
from capability_transfer.analysis.data import load
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.analysis.studies import power as p
from capability_transfer.common import kept
from capability_transfer.common.errors import InputError

FORMULA = "~ resource * size + (1 | variant) + (1 | language) + (1 | template)"
PLAN = p.Plan(languages=6, variants=8, templates=5, instances=10)


@pytest.fixture(scope="module")
def fitted():
    study = load()
    cells = study.cells
    runs = cells["variant"].unique()[::4]
    few = cells["template"].str.endswith("0") & cells["variant"].isin(runs)
    built = design.build(cells[few].reset_index(drop=True), study.features, ["resource", "size"])
    return built, fit(FORMULA, built.data)


@pytest.fixture(scope="module")
def population(fitted):
    return p.population(*fitted, {})


def test_a_drawn_study_has_the_planned_size(population):
    cells = p.draw(population, PLAN, (1, 0))
    assert len(cells) == 6 * 8 * 5
    assert cells.groupby(["variant", "language"]).size().eq(5).all()
    assert (cells["n_total"] == 10).all()
    assert cells["n_correct"].between(0, 10).all()


def test_more_languages_than_there_are_come_again_under_other_names(population):
    plan = replace(PLAN, languages=20)
    cells = p.draw(population, plan, (1, 0))
    names = pd.Series(cells["language"].unique())
    assert len(names) == 20
    assert names.str.contains("#").sum() == 5
    again = cells[cells["language"].str.contains("#")].iloc[0]
    first = cells[cells["language"] == again["language"].split(" #")[0]].iloc[0]
    assert again["resource"] == first["resource"]


def test_a_run_drawn_again_is_another_base_model_of_the_family(population):
    cells = p.draw(population, replace(PLAN, variants=20), (1, 0))
    runs = cells.drop_duplicates("variant").set_index("variant")
    again = runs.index[runs.index.str.contains("#")][0]
    first = runs.loc[again.split(" #")[0]]
    assert runs.loc[again, "family"] == first["family"]
    assert runs.loc[again, "base_model"] != first["base_model"]


def test_random_effects_have_the_fits_spread(population):
    quiet = replace(population, effects=population.effects * 0)
    plan = p.Plan(languages=15, variants=12, templates=400, instances=1000)
    cells = p.draw(quiet, plan, (3, 0))
    share = (cells["n_correct"] + 0.5) / (cells["n_total"] + 1)
    logit = np.log(share / (1 - share))
    by_template = logit.groupby(cells["template"]).mean()
    assert by_template.std() == pytest.approx(population.fit.sd("template"), rel=0.1)


def test_the_same_seed_gives_the_same_study_and_another_another(population):
    first, same, other = (p.draw(population, PLAN, seed) for seed in ((1, 0), (1, 0), (1, 1)))
    pd.testing.assert_frame_equal(first, same)
    assert not first["n_correct"].equals(other["n_correct"])


def test_simulations_resume_and_add(population, tmp_path):
    some = p.simulate_all(population, PLAN, 1, 2, tmp_path, workers=1)
    files = sorted(tmp_path.rglob("*.npz"))
    assert len(files) == 2
    stamps = [path.stat().st_mtime_ns for path in files]
    more = p.simulate_all(population, PLAN, 1, 4, tmp_path, workers=1)
    assert [path.stat().st_mtime_ns for path in files] == stamps
    pd.testing.assert_frame_equal(more[more["simulation"] < 2], some, check_exact=False)
    other = p.simulate_all(population, replace(PLAN, templates=6), 1, 1, tmp_path, 1)
    assert len(list(tmp_path.rglob("*.npz"))) == 5
    assert not np.allclose(other["estimate"], some["estimate"][: len(other)])


def test_simulations_of_other_code_are_not_read(population, tmp_path, monkeypatch):
    for made, salt in enumerate(("one", "other"), start=1):
        monkeypatch.setattr(kept, "hash_project", lambda s=salt: s)
        p.simulate_all(population, PLAN, 1, 1, tmp_path, workers=1)
        assert len(list(tmp_path.rglob("*.npz"))) == made


def test_a_damaged_simulation_is_made_again(population, tmp_path):
    some = p.simulate_all(population, PLAN, 1, 2, tmp_path, workers=1)
    first, second = sorted(tmp_path.rglob("*.npz"))
    first.write_text("simulation,term\n7,size\n")
    second.with_name("00002.npz").write_bytes(second.read_bytes())  # another one's number
    with pytest.warns(UserWarning, match="it is made again") as told:
        again = p.simulate_all(population, PLAN, 1, 3, tmp_path, workers=1)
    assert len(told) == 2
    pd.testing.assert_frame_equal(again[again["simulation"] < 2], some)
    assert again["simulation"].unique().tolist() == [0, 1, 2]


@pytest.mark.heavy
def test_a_planned_effect_of_zero_is_found_at_about_the_level(fitted):
    planned = p.population(*fitted, {"resource:size": 0.0})
    plan = p.Plan(languages=15, variants=12, templates=10, instances=20)
    table = p.simulate_all(planned, plan, 5, 40, None, workers=1)
    found = p.detected({plan: table}, planned).set_index("term")
    assert found.loc["resource:size", "conf_low"] <= 0.05 <= found.loc["resource:size", "conf_high"]
    assert np.isnan(found.loc["resource:size", "wrong_sign"])
    assert found.loc["size", "power"] > 0.9
    assert abs(found.loc["size", "bias"]) < 3 * found.loc["size", "sd_estimate"] / np.sqrt(40)


def test_power_counts_significant_estimates_by_hand():
    fake = p.Population(None, None, pd.Series({"size": 1.0}))
    table = pd.DataFrame(
        {
            "simulation": range(4),
            "term": "size",
            "estimate": [1.0, 1.4, -0.8, 0.1],
            "std_error": 0.2,
            "p_value": [0.001, 0.04, 0.03, 0.6],
            "converged": [True, True, True, False],
        }
    )
    row = p.detected({PLAN: table}, fake).iloc[0]
    assert (row["power"], row["wrong_sign"], row["failed"]) == (0.75, 0.25, 1)
    assert p.detected({PLAN: table}, fake, level=0.01).iloc[0]["power"] == 0.25


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: p.Plan(3, 10, 10, 1), "at least 4 languages"),
        (lambda: p.Plan(4, 10, 10, 0), "at least 1 instances"),
        (lambda: p.planned_effect("resource"), "term=value"),
        (lambda: p.power(level=5), "between 0 and 1"),
    ],
)
def test_plans_that_are_none(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_an_unknown_effect_is_refused_by_name(fitted):
    with pytest.raises(InputError, match="no effect 'resorce'.*Did you mean resource"):
        p.population(*fitted, {"resorce": 0.1})
