"""The observation-level random effect."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.analysis.glmm.overdispersion import compare, with_observation_level
from capability_transfer.common.errors import InputError

FORMULA = "~ resource + size + (1 | variant) + (1 | language)"
KEYS = ("variant", "language", "template")


def test_finds_variation_of_the_rows(simulate_cells):
    rng = np.random.default_rng(4)
    data = simulate_cells(7, languages=12, variants=10, templates=8)
    share = data["n_correct"] / data["n_total"]
    logit = np.log((share + 0.05) / (1.05 - share)) + rng.normal(0, 1.0, len(data))
    data["n_correct"] = rng.binomial(20, 1 / (1 + np.exp(-logit)))
    plain = fit(FORMULA, data)
    wider = fit(with_observation_level(parse(FORMULA), data, KEYS), data)
    assert plain.diagnostics["dispersion"] > 2
    assert wider.sd("variant:language:template") > 1
    table = compare(plain, wider)
    assert table["term"].tolist() == plain.fixed_effects["term"].tolist()
    assert table["scale"].iloc[0] > 1.1
    # on the common scale the effects agree, though the log-odds themselves are larger
    size = table.set_index("term").loc["size"]
    assert size["estimate_observation"] > size["estimate"]
    assert size["estimate_observation"] / size["scale"] == pytest.approx(size["estimate"], rel=0.1)


def test_needs_rows_that_can_vary(simulate_cells):
    data = simulate_cells(7, languages=4, variants=4, templates=3)
    formula = parse(FORMULA)
    with pytest.raises(InputError, match="occurs twice"):
        with_observation_level(formula, data, ("variant", "language"))
    single = data.assign(n_correct=data["n_correct"] % 2, n_total=1)
    with pytest.raises(InputError, match="several trials"):
        with_observation_level(formula, single, KEYS)
    one = data.copy()
    one.loc[one.index[0], ["n_correct", "n_total"]] = [0, 1]
    assert with_observation_level(formula, one, KEYS).random[-1].factors == KEYS
    extended = with_observation_level(formula, data, KEYS)
    with pytest.raises(InputError, match="already"):
        with_observation_level(extended, data, KEYS)


def test_standard_errors_are_compared_on_one_scale():
    """By hand: an SD of 1 makes log-odds √(1 + 16² · 3 / (15π)²) = 1.1601 times as large."""
    estimates = pd.DataFrame({"term": ["a", "b"], "estimate": 1.0, "statistic": 1.0})
    plain = SimpleNamespace(fixed_effects=estimates.assign(std_error=[0.1, 0.2]))
    wider = SimpleNamespace(
        fixed_effects=estimates.assign(std_error=[0.3, 0.2]),
        formula=parse("~ a + b + (1 | language) + (1 | row)"),
        sd={"language": 5.0, "row": 1.0}.__getitem__,
    )
    table = compare(plain, wider)
    assert table["scale"].tolist() == pytest.approx([1.1601, 1.1601], abs=1e-4)
    assert table["std_error_ratio"].tolist() == pytest.approx([3 / 1.16, 1 / 1.16], abs=1e-3)
    assert table["sd_observation"].tolist() == [1.0, 1.0]
