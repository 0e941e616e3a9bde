"""All features together: the study's Table 4, users' tables, and the files."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features import languages, models, table


@pytest.fixture(scope="module")
def tables():
    return table.build_all()


def test_table_4(tables, expected):
    runs = tables.models[tables.models["in_study"]][["variant", "size", "reasoning"]]
    pairs = runs.merge(tables.pairs, on="variant").merge(tables.languages, on="language")
    rows = pairs.loc[pairs.index.repeat(100)]
    assert len(rows) == 69_000
    published = pd.read_csv(expected / "features_table_04.csv").set_index("feature")
    for feature, (mean, sd) in published[["mean", "sd"]].iterrows():
        assert rows[feature].mean() == pytest.approx(mean, abs=5.1e-4), feature
        assert rows[feature].std() == pytest.approx(sd, abs=5.1e-4), feature


def test_columns_and_keys(tables):
    assert len(tables.languages) == 15
    assert len(tables.models) == 48
    assert len(tables.pairs) == 48 * 15
    assert {"name", "script", "pages", "crawl", "n_observed"} <= set(tables.languages)
    assert set(tables.models["reasoning"]) == {0, 1}
    assert not tables.pairs.duplicated(["variant", "language"]).any()
    for one in (tables.languages, tables.models, tables.pairs):
        assert one.notna().all(axis=None)


def test_every_feature_is_in_the_table_of_its_level(tables):
    at = {"language": tables.languages, "model": tables.models, "pair": tables.pairs}
    for feature in table.FEATURES:
        assert pd.api.types.is_numeric_dtype(at[feature.level][feature.name])


def test_options_reach_the_builders():
    built = table.build_all(["gemma-3-4b-it"], ["dan"], {"distance": {"source": "dan"}})
    assert built.languages["distance"][0] == pytest.approx(0, abs=1e-12)
    with pytest.raises(InputError, match="Did you mean distance"):
        table.build_all(options={"distnce": {}})


def test_the_whole_registry_of_languages():
    built = table.build_all(languages=languages.registry())
    assert len(built.languages) == len(languages.registry())
    known = set(languages.table()["language"])
    missing = built.pairs["fertility"].isna()
    assert set(built.pairs["language"][~missing]) == known


def test_a_user_s_features_stand_where_they_are_filled(tmp_path):
    path = tmp_path / "languages.csv"
    path.write_text("language,name,resource,distance,learners\nde,,,0.5,12\nxyz,Mine,3.5,,\n")
    rows = table.build_all(languages=languages.read_languages(path)).languages
    rows = rows.set_index("language")
    assert rows.loc["deu", "resource"] == pytest.approx(np.log10(129221452))
    assert rows.loc["deu", "distance"] == 0.5
    assert pd.isna(rows.loc["deu", "n_observed"])
    assert rows.loc["xyz", "resource"] == 3.5
    assert pd.isna(rows.loc["xyz", "crawl"])
    assert pd.isna(rows.loc["xyz", "distance"])
    assert rows.loc["deu", "learners"] == 12
    assert pd.isna(rows.loc["xyz", "learners"])


def test_a_user_s_column_is_numbers_only_where_all_that_is_filled_is(tmp_path):
    path = tmp_path / "languages.csv"
    path.write_text("language,speakers,branch,class\nde,9,North,1\nda,,,two\nis,4e2,,\n")
    rows = table.build_all(languages=languages.read_languages(path)).languages
    np.testing.assert_array_equal(rows["speakers"], [9, np.nan, 400])
    assert rows["branch"].tolist() == ["North", "", ""]
    assert rows["class"].tolist() == ["1", "two", ""]


def test_given_rows_and_registry_rows_can_be_put_together(tmp_path):
    path = tmp_path / "languages.csv"
    path.write_text("language,distance,learners\nde,0.5,12\n")
    rows = pd.concat([languages.read_languages(path), languages.table(["fra"])], ignore_index=True)
    built = table.build_all(languages=rows).languages
    assert built["distance"].tolist() == [0.5, pytest.approx(0.18824593690905422)]
    assert built["learners"].tolist() == [12, pytest.approx(np.nan, nan_ok=True)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "language,resource\nde,high\n",
            r"'resource' is not a finite .*: language deu \('high'\)",
        ),
        ("language,pages\nde,1000\n", "pages but not resource"),
        ("language,distence\nde,0.1\n", "write 'distance'"),
        ("language,resource\nde,5\nsw,295000\n", "swh: resource is 295000, but it is log10 of"),
        ("language,resource\nde,-1\n", "from 0 to 15"),
        ("language,distance\nde,1\nsw,52\n", "swh: distance is 52, .* English, from 0 to 1"),
    ],
)
def test_given_features_are_checked(tmp_path, text, message):
    (tmp_path / "languages.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        table.build_all(languages=languages.read_languages(tmp_path / "languages.csv"))


def test_a_user_s_models_file(tmp_path):
    path = tmp_path / "models.csv"
    path.write_text(
        "variant,base_model,family,reasoning,tokenizer,year\n"
        "mine,Mine-16B,Mine,off,apertus,2025\nyours,Yours-0.5B,Yours,on,,2026\n"
    )
    built = table.build_all(models.read_models(path), ["deu"])
    assert built.models["size"].tolist() == [4, -1]
    assert built.models["reasoning"].tolist() == [0, 1]
    assert built.models["year"].tolist() == [2025, 2026]
    assert built.pairs["fertility"].isna().tolist() == [False, True]


def test_written_tables_can_be_read_again(tmp_path, tables):
    paths = table.write(tables, tmp_path / "out")
    assert [path.name for path in paths] == ["languages.csv", "models.csv", "pairs.csv"]
    again = table.build_all(models.read_models(paths[1]), languages.read_languages(paths[0]))
    np.testing.assert_allclose(again.languages["distance"], tables.languages["distance"])
    np.testing.assert_allclose(again.languages["resource"], tables.languages["resource"])
    np.testing.assert_allclose(again.pairs["fertility"], tables.pairs["fertility"])
