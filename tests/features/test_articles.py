"""Articles of Wikipedia by language."""

import numpy as np
from capability_transfer.features import articles, languages


def test_the_edition_of_a_language_or_of_what_stands_for_it():
    table = articles.build(["eng", "aka", "nob", "hmn"]).set_index("language")
    assert table.loc["eng", "edition"] == "en"
    assert table.loc["aka", "edition"] == "tw"  # Akan has none, Twi has
    assert table.loc["nob", "edition"] == "no"
    assert table.loc["aka", "articles"] == np.log10(4735)
    assert np.isnan(table.loc["hmn", "articles"])


def test_the_study_languages_have_editions_of_different_sizes():
    table = articles.build()
    assert table["articles"].between(4, 7).all()
    assert table.set_index("language")["articles"].idxmax() == "eng"
    assert set(articles.build(languages.registry())["language"]) == set(
        languages.registry()["language"]
    )
