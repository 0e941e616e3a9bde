"""Folds: who is held out, and what of it may not enter."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.prediction.folds import (
    SCALED,
    Fold,
    extrapolation,
    leave_one_out,
    split,
)
from capability_transfer.common.errors import InputError


def test_constants_come_from_the_training_rows_alone(joined):
    parts = split(joined, Fold("language", "mar", ("mar",)))
    own = joined[joined["language"] != "mar"]
    constants = parts.constants.set_index("feature")
    for feature in SCALED:
        assert constants.loc[feature, "mean"] == pytest.approx(own[feature].mean())
        assert constants.loc[feature, "sd"] == pytest.approx(own[feature].std(ddof=1))
    assert parts.train["resource"].mean() == pytest.approx(0)
    assert set(parts.held["language"]) == {"mar"}
    raw = joined.loc[joined["language"] == "mar", "resource"].iloc[0]
    expected = (raw - own["resource"].mean()) / own["resource"].std(ddof=1)
    assert parts.held["resource"].iloc[0] == pytest.approx(expected)


def test_seen_templates_join_the_training_rows(joined):
    seen = sorted(joined["template"].unique())[:3]
    parts = split(joined, Fold("language", "isl", ("isl",)), seen)
    away = parts.train[parts.train["language"] == "isl"]
    assert sorted(away["template"].unique()) == seen
    assert not set(parts.held["template"]) & set(seen)
    assert len(parts.train) + len(parts.held) == len(joined)


def test_edges_of_the_studys_languages(inputs):
    folds = {(fold.kind, fold.name): fold.held_out for fold in extrapolation(
        inputs.features.languages)}  # fmt: skip
    assert folds["resource", "least text"] == ("est", "isl", "mar")
    assert folds["distance", "most distant"] == ("est", "hin", "mar")
    assert folds["script", "Cyrl"] == ("rus",)
    assert folds["script", "Deva"] == ("hin", "mar")


@pytest.fixture
def six():
    """Languages whose text, distance and script are in other orders than their names."""
    return pd.DataFrame(
        {
            "language": ["f", "e", "d", "c", "b", "a"],
            "resource": [6.0, 2.0, 2.0, 2.0, 9.0, 1.0],
            "distance": [0.1, 0.2, 0.8, 0.3, 0.8, 0.7],
            "script": ["Latn", "Latn", "Cyrl", "Latn", "Cyrl", "Latn"],
        }
    )


def test_edges_are_three_languages_and_every_script(six):
    """Of languages with as much text the first ones given are taken."""
    assert [(fold.kind, fold.name, fold.held_out) for fold in extrapolation(six)] == [
        ("resource", "least text", ("a", "d", "e")),
        ("distance", "most distant", ("a", "b", "d")),
        ("script", "Cyrl", ("b", "d")),  # without Latin two languages would remain
    ]
    four = six.assign(script=["Latn", "Latn", "Cyrl", "Cyrl", "Cyrl", "Latn"])
    assert [fold.name for fold in extrapolation(four)][2:] == ["Cyrl", "Latn"]
    assert [fold.kind for fold in extrapolation(six.assign(script="Latn"))] == [
        "resource", "distance",
    ]  # fmt: skip
    scripts = six.iloc[:5].assign(script=["Latn", "Latn", "Latn", "Cyrl", "Cyrl"])
    assert [fold.held_out for fold in extrapolation(scripts)] == [("b", "c")]


def test_every_language_has_its_fold():
    assert [fold.held_out for fold in leave_one_out(["b", "a"])] == [("a",), ("b",)]


def test_too_few_languages_are_refused(joined):
    few = joined[joined["language"].isin(["eng", "deu", "mar"])]
    with pytest.raises(InputError, match="leaves 2 languages to learn from"):
        split(few, Fold("language", "mar", ("mar",)))
    with pytest.raises(InputError, match="no outcomes in xho"):
        split(joined, Fold("language", "xho", ("xho",)))
    table = pd.DataFrame({"language": list("abc"), "resource": [1, 2, 3], "script": "Latn",
                          "distance": np.arange(3.0)})  # fmt: skip
    with pytest.raises(InputError, match="too few"):
        extrapolation(table)
