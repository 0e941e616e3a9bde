"""Fertility: packaged counts, real counting, and what relative means."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features import fertility, languages, models

UNCHANGED = ["ara", "est", "fra", "ita", "nld", "rus"]
"""Languages whose original questions are as they were when the study counted them."""


def counts_of(rows) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (tokenizer, language, tokens, characters, 1)
            for tokenizer, language, tokens, characters in rows
        ],
        columns=list(fertility.COUNT_COLUMNS),
    )


def models_of(tokenizers: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "variant": list(tokenizers),
            "base_model": list(tokenizers),
            "family": "F",
            "params_b": 1.0,
            "reasoning": "off",
            "tokenizer": list(tokenizers.values()),
        }
    )


COUNTS = counts_of(
    [("t", "eng", 20, 100), ("t", "deu", 30, 100), ("u", "eng", 50, 100), ("u", "deu", 50, 100)]
)


def test_ratio_and_relative_fertility_by_hand():
    table = fertility.build(models_of({"a": "t", "b": "t", "c": "u"}), ["eng", "deu"], COUNTS)
    table = table.set_index(["variant", "language"])
    assert table.loc[("a", "deu"), "tokens_per_character"] == pytest.approx(0.3)
    assert table.loc[("a", "deu"), "fertility_ratio"] == pytest.approx(1.5)
    mean = (1.5 + 1.5 + 1.0) / 3
    assert table.loc[("a", "deu"), "fertility"] == pytest.approx(1.5 - mean)
    assert table.loc[("c", "deu"), "fertility"] == pytest.approx(1.0 - mean)
    assert table.loc[("c", "eng"), "fertility"] == 0


def test_the_mean_is_over_the_peers():
    peers = models_of({"x": "u"})
    table = fertility.build(models_of({"a": "t"}), ["deu"], COUNTS, peers=peers)
    assert table["fertility"][0] == pytest.approx(0.5)


def test_excluded_runs_are_measured_against_the_study_s():
    table = fertility.build()
    study = table["variant"].isin(models.registry().query("in_study")["variant"])
    means = table[study].groupby("language")["fertility"].mean()
    np.testing.assert_allclose(means, 0, atol=1e-12)
    assert len(table) == 48 * 15
    assert table.loc[~study, "fertility"].notna().all()


def test_own_counts_add_to_the_packaged_ones_by_tokenizer_and_language():
    own = counts_of([("gemma-3", "swh", 30, 100), ("gemma-3", "fra", 40, 100), ("z", "eng", 2, 9)])
    both = fertility.with_packaged(own).set_index(["tokenizer", "language"])["token_count"]
    packaged = fertility.read_counts().set_index(["tokenizer", "language"])["token_count"]
    assert both.index.is_unique
    assert both["gemma-3", "swh"] == 30
    assert both["gemma-3", "fra"] == 40
    kept = packaged.drop(("gemma-3", "fra"))
    assert (both[kept.index] == kept).all()
    assert len(both) == len(packaged) + 2


def test_what_is_not_counted_is_missing():
    table = fertility.build(models_of({"a": "t", "b": "", "c": "v"}), ["deu", "fra"], COUNTS)
    assert table["fertility"].notna().tolist() == [True, False, False, False, False, False]


def test_a_tokenizer_without_english_is_refused():
    lacking = pd.concat([COUNTS, counts_of([("v", "deu", 1, 2)])])
    with pytest.raises(InputError, match="v is not counted in English"):
        fertility.build(models_of({"a": "t"}), ["deu"], lacking)
    with pytest.raises(InputError, match="not counted in English"):
        fertility.build(models_of({"a": "v"}), ["deu"], counts_of([("v", "deu", 1, 2)]))


def test_packaged_counts():
    counts = fertility.read_counts()
    assert len(counts) == 7 * 15
    assert set(counts["questions"]) == {100}
    characters = counts.groupby("language")["non_whitespace_characters"]
    assert (characters.nunique() == 1).all()
    assert characters.first()[["ara", "zho"]].tolist() == [17939, 7882]


@pytest.mark.parametrize(
    ("spec", "packaged"),
    [("tekken:240718", "apertus"), ("qwen:qwen2.5-7b-instruct", "qwen2.5-3")],
)
@pytest.mark.needs("templates", "tokenizers")
def test_real_counting_reproduces_the_packaged_counts(spec, packaged):
    ours = fertility.count(spec, UNCHANGED, name=packaged).set_index("language")
    theirs = fertility.read_counts().query("tokenizer == @packaged").set_index("language")
    pd.testing.assert_frame_equal(ours, theirs.loc[UNCHANGED])


def test_every_tokenizer_is_counted_in_english_too(monkeypatch):
    asked = []

    def count(specification, codes, name):
        asked.append((specification, codes))
        return pd.DataFrame({"tokenizer": name, "language": codes})

    monkeypatch.setattr(fertility, "count", count)
    told = []
    table = fertility.count_all(["a=one.json", "b=two=2"], languages.table(["dan"]), told.append)
    assert told == table["tokenizer"].unique().tolist() == ["a", "b"]
    assert asked == [("one.json", ["dan", "eng"]), ("two=2", ["dan", "eng"])]
    with pytest.raises(InputError, match="NAME=SPEC"):
        fertility.count_all(["mine"])


def test_characters_not_words_are_counted():
    texts = {"jpn": ["箱に 3 個"], "hin": ["कि\u00a0"], "eng": ["a b\tc\n"]}
    table = fertility.count(list, ["jpn", "hin", "eng"], texts=texts, name="letters")
    assert table["non_whitespace_characters"].tolist() == [4, 2, 3]
    assert table["token_count"].tolist() == [6, 3, 6]
    assert set(table["tokenizer"]) == {"letters"}


@pytest.mark.needs("templates")
def test_counting_only_active_templates():
    questions = fertility.original_questions("ben")
    assert 0 < len(questions) < 100


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("heb", "no templates in heb"),
        pytest.param("fao", "fao cannot be read", marks=pytest.mark.needs("templates")),
    ],
)
def test_a_language_without_questions_is_refused(language, message):
    with pytest.raises(InputError, match=message):
        fertility.original_questions(language)


def test_a_language_without_text_is_refused():
    with pytest.raises(InputError, match="no text in deu"):
        fertility.count(list, ["deu"], texts={"eng": ["a"]})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("t,eng,0,5,1", "line 2: token_count is '0'"),
        ("t,eng,5,x,1", r"'non_whitespace_characters' is not a finite number: line 2 \('x'\)"),
        (
            "t,engg,5,5,1",
            r"counts.csv, line 2: unknown language 'engg'. Did you mean eng \(English\)",
        ),
        ("t,eng,5,5,1\nt,en,5,5,1", "line 3: t is counted twice in eng"),
    ],
)
def test_bad_count_files_are_refused(tmp_path, row, message):
    path = tmp_path / "counts.csv"
    path.write_text(",".join(fertility.COUNT_COLUMNS) + f"\n{row}\n")
    with pytest.raises(InputError, match=message):
        fertility.read_counts(path)
