"""Levers and scale cost, from coefficients chosen so that the answers can be worked out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.design import Design
from capability_transfer.analysis.glmm import laplace
from capability_transfer.analysis.studies import levers as v
from capability_transfer.common.errors import InputError

FORMULA = "~ (resource + distance + fertility) * size + resource * reasoning + (1 | variant)"
LANGUAGES = pd.DataFrame({"language": ["eng", "low"], "resource": [9.0, 6.0], "distance": [0, 0.4]})
CONSTANTS = pd.DataFrame(
    {"feature": ["resource", "distance", "fertility", "size"], "mean": [7.5, 0.2, 0, 3.0],
     "sd": [1.5, 0.2, 1.0, 2.0]}
)  # fmt: skip
EFFECTS = {"resource": 0.6, "distance": -0.2, "size": 1.0, "resource:size": -0.15,
           "resource:reasoning": -0.3}  # fmt: skip


@pytest.fixture(scope="module")
def fitted():
    generator = np.random.default_rng(0)
    data = pd.DataFrame(generator.normal(size=(80, 4)), columns=CONSTANTS["feature"])
    data["reasoning"], data["variant"] = np.arange(80) % 2, np.arange(80) // 8
    data["n_total"], data["n_correct"] = 10, generator.integers(1, 10, 80)
    fit = laplace.fit(FORMULA, data)
    table = fit.fixed_effects.assign(estimate=fit.fixed_effects["term"].map(EFFECTS).fillna(0.0))
    return replace(fit, fixed_effects=table), Design(data, CONSTANTS, pd.DataFrame())


def test_the_gap_is_the_difference_of_linear_predictors(fitted):
    table = v.odds_ratios(*fitted, LANGUAGES)
    low = table[(table["feature"] == "resource") & (table["value"] == 6.0)]
    low = low.set_index("setting")["odds_ratio"]
    size = (np.log2(32) - 3) / 2
    assert low["32B"] == pytest.approx(np.exp(2 * (0.6 - 0.15 * size)))
    size = (np.log2(8) - 3) / 2
    assert low["on (8B)"] == pytest.approx(np.exp(2 * (0.6 - 0.15 * size - 0.3)))
    ends = table[(table["feature"] == "resource") & (table["value"] == 9.0)]
    assert ends["odds_ratio"].tolist() == pytest.approx([1.0] * 4)


def test_exchange_rates(fitted):
    rates = v.exchange_rates(*fitted)
    assert rates["parameters"] == pytest.approx(0.5)
    assert rates["pages"] == pytest.approx(0.6 / 1.5 * np.log10(2))
    assert rates["times"] == pytest.approx(2 ** (rates["parameters"] / rates["pages"]))


def test_two_definitions_of_what_a_language_costs(fitted):
    cells = pd.DataFrame(
        {"variant": "v", "language": ["eng", "low"], "n_correct": [80, 50], "n_total": 100}
    )
    table = v.scale_cost(*fitted, cells, LANGUAGES).set_index("language")
    assert table.loc["low", "doublings"] == pytest.approx(np.log(4) / 0.5)
    assert table.loc["eng", "multiple"] == table.loc["eng", "implied_multiple"] == 1
    gap = 0.6 * 2 + 0.2 * 2  # at 8B, whose z-score is 0
    slope = (1 - 0.15 * -1) / 2  # of a doubling in the language
    assert table.loc["low", "implied_doublings"] == pytest.approx(gap / slope)


def test_without_english_there_is_no_gap_to_it(fitted):
    with pytest.raises(InputError, match="eng"):
        v.odds_ratios(*fitted, LANGUAGES[LANGUAGES["language"] != "eng"])
