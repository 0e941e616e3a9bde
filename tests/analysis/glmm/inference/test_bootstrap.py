"""The parametric bootstrap: independent of workers, resumable, and right about the spread."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.inference import Bootstrap, bootstrap, simulate
from capability_transfer.analysis.glmm.laplace import Model, fit, report
from capability_transfer.common import kept
from capability_transfer.common.errors import InputError

PAIRS = "(1 | language) + (1 | variant) + (1 | variant:language)"
FULL, BASELINE = f"~ resource + size + {PAIRS}", f"~ size + {PAIRS}"
SETTINGS = {"seed": 5, "baseline": BASELINE}


@pytest.fixture(scope="module")
def refits(few_cells):
    return bootstrap(FULL, few_cells, replicates=40, **SETTINGS)


def test_the_same_for_any_number_of_workers(refits, few_cells):
    two = bootstrap(FULL, few_cells, replicates=6, jobs=2, **SETTINGS)
    assert (two.values == refits.values[:6]).all()


def test_finished_replicates_are_not_computed_again(refits, few_cells, tmp_path):
    first = []
    bootstrap(FULL, few_cells, replicates=3, cache=tmp_path, progress=first.append, **SETTINGS)
    assert first == [1, 1, 1]
    more = []
    again = bootstrap(
        FULL, few_cells, replicates=5, cache=tmp_path, progress=more.append, **SETTINGS
    )
    assert more == [3, 1, 1]
    assert again.values == pytest.approx(refits.values[:5], abs=1e-12)
    other = bootstrap(FULL, few_cells, replicates=2, cache=tmp_path, seed=6, baseline=BASELINE)
    assert not np.isin(other.values[:, :3], again.values[:, :3]).any()


def test_replicates_of_other_code_are_not_read(few_cells, tmp_path, monkeypatch):
    for salt in ("one", "other"):
        monkeypatch.setattr(kept, "hash_project", lambda s=salt: s)
        told = []
        bootstrap(FULL, few_cells, replicates=2, cache=tmp_path, progress=told.append, **SETTINGS)
        assert told == [1, 1]


def test_pieces_that_are_no_replicates_are_made_again(refits, few_cells, tmp_path):
    bootstrap(FULL, few_cells, replicates=5, cache=tmp_path, **SETTINGS)
    (folder,) = (tmp_path / "bootstrap").iterdir()
    paths = sorted(folder.iterdir())
    kept.write(kept.read(paths[1]) | {"values": [0.5]}, paths[1])
    kept.write([], paths[2])
    paths[3].write_bytes(paths[3].read_bytes()[:-50])
    made = []
    with pytest.warns(UserWarning, match="made again") as said:
        again = bootstrap(
            FULL, few_cells, replicates=5, cache=tmp_path, progress=made.append, **SETTINGS
        )
    assert len(said) == 3
    assert made == [2, 1, 1, 1]
    assert again.values == pytest.approx(refits.values[:5], abs=1e-12)
    made.clear()
    bootstrap(FULL, few_cells, replicates=5, cache=tmp_path, progress=made.append, **SETTINGS)
    assert made == [5]


def test_refits_spread_as_the_standard_errors_say(refits, few_cells):
    wald = fit(FULL, few_cells).fixed_effects["std_error"].to_numpy()
    spread = refits.values[:, : len(wald)].std(axis=0, ddof=1)
    assert spread / wald == pytest.approx(1, abs=0.35)  # 40 refits: relative error 0.11 each


def test_intervals_and_variance_explained(refits):
    table = refits.intervals()
    assert list(table["kind"].unique()) == ["fixed", "sd", "explained"]
    explained = table.query("kind == 'explained' and group == 'language'").iloc[0]
    assert explained["conf_low"] < explained["estimate"] < explained["conf_high"] <= 1
    assert (table["replicates"] == 40).all()
    assert (table["seed"] == 5).all()


def test_nothing_is_said_to_be_explained_where_no_variance_is_left(few_cells):
    model = Model("~ resource + size + (1 | variant) + (1 | variant:language)", few_cells)
    alike = simulate(model, model.optimise(), np.random.default_rng(1))
    data = few_cells.assign(n_correct=alike)
    assert fit(FULL, data).sd("language") < 1e-4
    assert fit(BASELINE, data).sd("language") > 0.1
    found = bootstrap(FULL, data, replicates=2, **SETTINGS)
    for table in (found.estimates, found.intervals()):
        explained = table[table["kind"] == "explained"].set_index("group")["estimate"]
        assert np.isnan(explained["language"])
        assert np.isfinite(explained["variant:language"])


def test_bias_correction_moves_an_interval_against_the_bias():
    estimates = pd.DataFrame(
        [("sd", "g", "(Intercept)", 1.0)], columns=["kind", "group", "term", "estimate"]
    )
    low = Bootstrap(estimates, np.linspace(0.5, 1.1, 601)[:, None], failed=0, seed=1)
    percentile, corrected = (low.intervals(kind=k) for k in ("percentile", "bias-corrected"))
    assert percentile["conf_low"][0] == pytest.approx(0.515)
    assert corrected["conf_low"][0] > percentile["conf_low"][0]
    assert corrected["conf_high"][0] > percentile["conf_high"][0]
    assert low.bias()["bias"][0] == pytest.approx(-0.2)


def test_bias_correction_is_efrons():
    """Refits even on 0 to 1, the estimate at 0.7: z₀ = 0.5244, ends at Φ(2 z₀ ± 1.96)."""
    estimates = pd.DataFrame(
        [("fixed", "", "x", 0.7)], columns=["kind", "group", "term", "estimate"]
    )
    even = Bootstrap(estimates, np.linspace(0, 1, 10_001)[:, None], failed=0, seed=1)
    row = even.intervals(0.95, "bias-corrected").iloc[0]
    assert row["conf_low"] == pytest.approx(0.1811, abs=5e-4)
    assert row["conf_high"] == pytest.approx(0.9987, abs=5e-4)
    bias = even.bias().iloc[0]
    assert bias["bias"] == pytest.approx(-0.2)
    assert bias["mc_error"] == pytest.approx(np.sqrt(1 / 12 / 10_001), rel=1e-3)


def test_simulated_outcomes_have_the_models_spread(fitted):
    model, optimum = fitted
    result = report(model, optimum)
    shares = []
    for i in range(60):
        success = simulate(model, optimum, np.random.default_rng(i))
        assert ((success >= 0) & (success <= model.trials)).all()
        shares.append(success.sum() / model.trials.sum())
    # the intercept's own spread: over languages and variants
    expected = np.sqrt(result.sd("language") ** 2 / 12 + result.sd("variant") ** 2 / 8)
    mean = np.mean(shares)
    assert np.std(shares) / (mean * (1 - mean)) == pytest.approx(expected, rel=0.35)


def test_refuses_one_replicate(few_cells):
    with pytest.raises(InputError, match="two replicates"):
        bootstrap(FULL, few_cells, replicates=1, seed=1)
