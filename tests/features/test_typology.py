"""Distances: the study's values, what is observed of them, and other sets and sources."""

import sys

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features import languages, typology, uriel


def test_the_study_s_distances(expected):
    table = typology.build().set_index("language")["distance"]
    published = pd.read_csv(expected / "features_distance.csv").set_index("language")["distance"]
    assert len(published) == 15
    np.testing.assert_allclose(table[published.index], published, rtol=0, atol=1e-12)


def test_observed_features_are_counted_of_103():
    table = typology.build(["est", "ara", "zho", "slk"]).set_index("language")
    assert table["n_observed"].to_dict() == {"est": 80, "ara": 98, "zho": 102, "slk": 0}
    assert set(table["n_features"]) == {103}
    assert table.loc["est", "imputed_share"] == pytest.approx(23 / 103)
    assert table.loc["slk", "imputed_share"] == 1
    assert np.isfinite(table.loc["slk", "distance"])


def test_every_registered_uriel_code_has_a_vector():
    rows = languages.registry()
    table = typology.build(rows)
    assert (table["distance"].isna() == (rows["uriel"] == "")).all()
    assert (table["n_observed"][rows["uriel"] == ""] == 0).all()
    assert table["distance"].dropna().between(0, 1).all()


def test_macrolanguage_codes_are_asked_only_where_more_is_observed():
    rows = languages.registry()
    other = rows[(rows["uriel"] != "") & (rows["uriel"] != rows["language"])]
    own = other.assign(uriel=other["language"])
    chosen, without = typology.build(other), typology.build(own)
    assert len(other) == 10
    assert (chosen["n_observed"] > without["n_observed"]).all()
    assert (without["n_observed"] < 103 / 2).all()


def test_another_source_is_symmetric():
    there = typology.build(["jpn"], source="da")["distance"][0]
    back = typology.build(["dan"], source="ja")["distance"][0]
    assert there == pytest.approx(back, abs=1e-15)
    assert typology.build(["dan"], source="dan")["distance"][0] == pytest.approx(0, abs=1e-15)


def test_sets_with_gaps_are_compared_on_what_both_have():
    table = typology.build(["deu", "slk"], feature_set="syntax_average").set_index("language")
    assert table["n_observed"].to_dict() == {"deu": 87, "slk": 0}
    assert (table["imputed_share"] == 0).all()
    assert np.isnan(table.loc["slk", "distance"])


@pytest.mark.parametrize("feature_set", typology.feature_sets())
def test_every_listed_set_can_be_asked(feature_set):
    table = typology.build(["eng", "jpn"], feature_set=feature_set)
    assert table["feature_set"].tolist() == [feature_set] * 2
    assert (table["n_observed"] <= table["n_features"]).all()
    if table["n_observed"][0] == table["n_features"][0]:
        assert table["distance"][0] == pytest.approx(0, abs=1e-12)


def test_cosine_distance_by_hand():
    first, second = np.array([1.0, 0.0, np.nan]), np.array([1.0, 1.0, 1.0])
    assert typology.cosine_distance(first, second) == pytest.approx(1 - 1 / np.sqrt(2))
    assert np.isnan(typology.cosine_distance(np.zeros(3), second))


def test_of_a_language_without_a_vector_nothing_is_known():
    row = typology.build(["vjk"]).iloc[0]
    assert row[["distance", "imputed_share"]].isna().all()
    assert row["n_observed"] == 0


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(InputError, match=r"Did you mean syntax_knn.*syntax_wals"):
        typology.build(feature_set="syntax_kn")
    with pytest.raises(InputError, match="no vector for vjk"):
        typology.build(source="vjk")
    with pytest.raises(InputError, match="unknown language"):
        typology.build(["qqq"])


@pytest.mark.parametrize(("uriel", "message"), [("mac", "for mkd"), ("xxx", "correct its uriel")])
def test_a_uriel_code_that_is_none_is_not_passed_over(uriel, message):
    rows = languages.table(["mkd"]).assign(uriel=uriel)
    with pytest.raises(InputError, match=message):
        typology.build(rows)


def test_every_set_has_the_values_that_lang2vec_gives(expected):
    table = pd.read_csv(expected / "uriel_sets.csv")  # by get_features of lang2vec 1.1.2
    assert set(table["feature_set"]) == set(typology.feature_sets())
    for row in table.itertuples():
        found = uriel.vectors((row.uriel,), row.feature_set)[row.uriel]
        assert (len(found), np.isfinite(found).sum()) == (row.features, row.observed)
        weighted = np.nansum(found * np.arange(1, len(found) + 1))
        assert weighted == pytest.approx(row.weighted_sum, rel=1e-12, abs=1e-12)


def test_vectors_are_read_where_neither_lang2vec_nor_pkg_resources_can_be_imported(monkeypatch):
    for name in ("lang2vec", "pkg_resources"):
        monkeypatch.setitem(sys.modules, name, None)
    uriel.vectors.cache_clear()
    assert np.isfinite(typology.build(["deu"])["distance"][0])
