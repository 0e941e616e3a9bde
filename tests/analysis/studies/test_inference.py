"""Intervals and checks asked for of a fit: what comes back, and what is refused."""

import numpy as np
import pytest
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.inference.intervals import COLUMNS
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.analysis.studies import inference
from capability_transfer.common.errors import InputError

from tests.simulation import answered, crossed, effects

GROUPS = "(1 | language) + (1 | variant) + (1 | variant:language)"
FORMULA = f"~ resource + size + {GROUPS}"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    grid = crossed(variant=8, language=10, template=3)
    resource = rng.normal(size=10)[grid["language"]]
    size = rng.normal(size=8)[grid["variant"]]
    sds = {"language": 0.4, "variant": 0.4, "variant:language": 0.5, "": 0.7}
    eta = 0.8 * resource + size + effects(rng, grid, sds)
    return answered(rng, grid.astype(str).assign(resource=resource, size=size), eta)


@pytest.fixture(scope="module")
def fitted(data):
    return fit(FORMULA, data)


def infer(fitted, data, **request):
    baseline = parse(f"~ size + {GROUPS}")
    settings = inference.Request(**({"replicates": 8, "seed": 3, "jobs": 1} | request))
    return inference.infer(fitted, data, baseline, settings, None)


def test_nothing_is_computed_unasked(fitted, data):
    assert infer(fitted, data).tables() == {}


@pytest.mark.parametrize("method", ["wald", "profile", "bootstrap"])
def test_every_method_gives_the_same_table(method, fitted, data):
    table = infer(fitted, data, intervals=method).intervals
    assert list(table.columns) == COLUMNS
    assert (table["conf_low"] < table["conf_high"]).all()
    kinds = {"wald": 1, "profile": 2, "bootstrap": 3}[method]
    assert list(table["kind"].unique()) == ["fixed", "sd", "explained"][:kinds]
    fixed = table.query("kind == 'fixed'").set_index("term")["estimate"]
    assert fixed.to_numpy() == pytest.approx(fitted.coefficients[fixed.index].to_numpy(), abs=1e-4)


def test_the_check_of_laplace_says_error_shift_and_bias(fitted, data):
    found = infer(fitted, data, laplace=True)
    assert list(found.laplace["quantity"].unique()) == ["log_lik", "shift", "bias"]
    assert any("exact minus Laplace" in note for note in found.notes)
    assert list(found.tables()) == ["laplace_check"]
    assert len(found.laplace) == 1 + 2 * 6


def test_an_observation_level_effect_is_compared(fitted, data):
    found = infer(fitted, data, observation_level=True)
    table = found.observation_level
    assert table["term"].tolist() == ["(Intercept)", "resource", "size"]
    assert 0.4 < table["sd_observation"].iloc[0] < 1.0
    assert any("observation-level" in note for note in found.notes)


def test_refuses_unknown_methods_and_too_few_replicates():
    with pytest.raises(InputError, match="no intervals 'bootstrp'.*Did you mean bootstrap"):
        inference.Request(intervals="bootstrp")
    with pytest.raises(InputError, match="two replicates"):
        inference.Request(replicates=1)
