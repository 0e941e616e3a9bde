"""The GLMM beside the transfer metrics: slopes, correlations and sentences."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.result import (
    Fit,
    Optimisation,
    correlations_table,
    wald_table,
)
from capability_transfer.analysis.studies.transfer_metrics import in_words
from capability_transfer.analysis.transfer_metrics import comparison
from capability_transfer.common.errors import InputError

TERMS = {
    "(Intercept)": 0.5,
    "resource": 0.8,
    "distance": -0.3,
    "size": 1.2,
    "reasoning": 0.4,
    "resource:size": -0.2,
    "distance:reasoning": 0.1,
}
FORMULA = (
    "~ resource * size + distance * reasoning + (1 | base_model) + (1 | variant)"
    " + (0 + resource | variant) + (1 | language)"
)


@pytest.fixture
def fit():
    modes = [
        ("base_model", "(Intercept)", "a", 0.2),
        ("base_model", "(Intercept)", "b", -0.2),
        ("variant", "(Intercept)", "a off", 0.1),
        ("variant", "(Intercept)", "a on", 0.0),
        ("variant", "(Intercept)", "b off", -0.1),
        ("variant", "resource", "a off", 0.05),
        ("variant", "resource", "a on", 0.0),
        ("variant", "resource", "b off", -0.05),
        ("language", "(Intercept)", "dan", 9.0),
    ]
    formula = parse(FORMULA)
    return Fit(
        formula=formula,
        engine="laplace",
        versions={},
        fixed_effects=wald_table(list(TERMS), np.array(list(TERMS.values())), np.eye(len(TERMS))),
        covariance=np.eye(len(TERMS)),
        random_effects=pd.DataFrame(columns=["group", "term", "levels", "sd"]),
        correlations=correlations_table(),
        modes=pd.DataFrame(modes, columns=["group", "term", "level", "mode"]),
        nobs=6,
        trials=60,
        log_lik=0.0,
        df=11,
        levels={},
        optimisation=Optimisation("none", 0, True, False, 0.0, "none", 0.0),
    )


@pytest.fixture
def data():
    return pd.DataFrame(
        {
            "variant": ["a off", "a on", "b off"],
            "base_model": ["a", "a", "b"],
            "size": [1.0, 1.0, -1.0],
            "reasoning": [0, 1, 0],
            "resource": [2.0, 2.0, 2.0],
            "distance": [1.0, 1.0, 1.0],
            "language": "dan",
        }
    )


def test_effects_are_those_at_the_average_language(fit, data):
    found = comparison.glmm_effects(fit, data).set_index("variant")
    assert found.loc["a off", "glmm_effect"] == pytest.approx(0.3)
    assert found.loc["a off", "glmm_level"] == pytest.approx(0.5 + 1.2 + 0.3)
    assert found.loc["a on", "glmm_level"] == pytest.approx(0.5 + 1.2 + 0.4 + 0.2)
    assert found["glmm_resource_slope"].tolist() == pytest.approx([0.65, 0.6, 0.95])
    assert found["glmm_distance_slope"].tolist() == pytest.approx([-0.3, -0.2, -0.3])


def test_a_fit_without_variants_is_refused(fit, data):
    from dataclasses import replace

    other = replace(fit, formula=parse("~ resource + (1 | language)"))
    with pytest.raises(InputError, match="random effect of variant"):
        comparison.glmm_effects(other, data)


@pytest.fixture
def table():
    rng = np.random.default_rng(12)
    size = np.repeat(np.arange(10.0), 2)
    metrics = pd.DataFrame(
        {
            "variant": [f"m{i}" for i in range(20)],
            "grouping": "all",
            "source_accuracy": 0.9,
            "target_accuracy": size / 20 + 0.1,
            "xlt_gap": 0.8 - size / 20,
            "transfer_score": rng.random(20),
            "hat": size / 10,
            "hat_corrected": size / 10 + np.tile([0, 0.05], 10),
        }
    )
    models = pd.DataFrame(
        {
            "variant": metrics["variant"],
            "base_model": np.repeat([f"b{i}" for i in range(10)], 2),
            "family": "f",
            "size": size,
            "reasoning": np.tile([0, 1], 10),
        }
    )
    effects = pd.DataFrame({"variant": metrics["variant"], "glmm_level": -size})
    return comparison.compare(metrics, models, effects)


def test_rank_correlations_are_over_models(table):
    rho = comparison.rank_correlations(table).set_index(["first", "second"])["spearman"]
    assert rho["target_accuracy", "xlt_gap"] == pytest.approx(-1)
    assert rho["hat", "glmm_level"] == pytest.approx(-1)
    assert len(rho) == 15


def test_sentences_say_what_the_numbers_do(table):
    by_language = pd.DataFrame(
        {"target_set": ["dan", "deu", "rus", "isl"], "hat_corrected": [0.6, 0.8, 0.7, 0.5]}
    )
    languages = pd.DataFrame({"language": ["dan", "deu", "rus", "isl"], "resource": [7, 9, 8, 6]})
    found = comparison.determinants(table, by_language, languages)
    rows = found.set_index(["metric", "determinant"])
    assert rows.loc[("hat_corrected", "size"), "value"] == pytest.approx(1)
    assert rows.loc[("hat_corrected", "reasoning"), "value"] == pytest.approx(0.05)
    assert rows.loc[("hat_corrected", "resource"), "value"] == pytest.approx(1)
    words = in_words(found)
    assert len(words) == len(found)
    text = "\n".join(words)
    assert "XLT gap is lower in larger models (ρ = −1.00" in text
    assert "HAT, noise-corrected is higher with reasoning (mean difference +0.050" in text
    assert "Transfer score τ is not clearly different in larger models" in text
    # nothing is said where a base model's modes do not differ
    assert not any(line.startswith("HAT is") and "reasoning (mean" in line for line in words)


def test_models_that_a_table_lacks_are_named(table):
    metrics = table.assign(grouping="all").drop(columns=["base_model", "family", "size"])
    models = table[["variant", "base_model", "family", "size", "reasoning"]].iloc[1:]
    with pytest.raises(InputError, match="the models lack m0"):
        comparison.compare(metrics.drop(columns="reasoning"), models)


@pytest.mark.parametrize(
    ("means", "rho", "p_value"),
    [([1, 2, 3, 4, 5], 1.0, 2 / 120), ([5, 4, 3, 2, 1], -1.0, 2 / 120),
     ([1, 2, 3, 5, 4], 0.9, 10 / 120), ([1, 2, 3, 4], 1.0, 2 / 24)],
)  # fmt: skip
def test_few_languages_cannot_be_more_significant_than_their_orders(means, rho, p_value):
    """Of 5! orders one is the same and one the reverse; ρ is 0.9 after any of 4 swaps."""
    codes = [f"l{number}" for number in range(len(means))]
    by_language = pd.DataFrame({"target_set": codes, "hat": means})
    languages = pd.DataFrame({"language": codes, "resource": range(len(means))})
    table = pd.DataFrame({"variant": ["a"], "base_model": "a", "reasoning": 0, "size": 1.0,
                          "hat": 0.5})  # fmt: skip
    found = comparison.determinants(table, by_language, languages)
    row = found[(found["metric"] == "hat") & (found["determinant"] == "resource")].iloc[0]
    assert row["value"] == pytest.approx(rho)
    assert row["p_value"] == pytest.approx(p_value)
