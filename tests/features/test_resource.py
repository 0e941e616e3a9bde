"""Pages per language: the snapshot, its crawls, and statistics files."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features import languages, resource

HEADER = "crawl,primary_language,pages,urls,%pages/crawl\n"


@pytest.fixture
def statistics(tmp_path):
    """A small file with the schema of the published statistics."""
    path = tmp_path / "languages.csv"
    path.write_text(
        HEADER + "CC-MAIN-2018-30,<unknown>,50,50,100\n"
        "CC-MAIN-2026-21,<unknown>,7,7,1\nCC-MAIN-2026-21,eng,1000,990,90\n"
        "CC-MAIN-2026-25,<unknown>,9,9,1\nCC-MAIN-2026-25,eng,10000,9900,90\n"
        "CC-MAIN-2026-25,swa,100,99,1\n"
    )
    return path


def test_the_pinned_crawls_and_their_pages():
    table = resource.build(["eng", "swh"]).set_index("language")
    assert table.loc["eng", ["pages", "crawl"]].tolist() == [884082916, "CC-MAIN-2026-21"]
    assert table.loc["eng", "resource"] == np.log10(884082916)
    assert table.loc["swh", "crawl"] == "CC-MAIN-2026-04"
    assert (table["source"] == "packaged snapshot").all()


def test_study_languages_take_one_crawl_and_all_others_the_other():
    rows = languages.registry()
    table = resource.build(rows)
    assert set(table["crawl"][rows["in_study"]]) == {resource.STUDY_CRAWL}
    assert set(table["crawl"][~rows["in_study"]]) == {resource.OTHER_CRAWL}


def test_a_language_that_is_not_counted_is_missing_not_zero():
    rows = languages.registry()
    table = resource.build(rows)
    assert (table["resource"].isna() == (rows["common_crawl"] == "")).all()
    assert (table["pages"].isna() == table["resource"].isna()).all()
    assert (table["pages"].dropna() > 0).all()


def test_a_crawl_that_is_kept_for_some_languages_only_is_not_mistaken_for_zero():
    with pytest.raises(InputError, match="study's languages only, not for swh"):
        resource.build(["eng", "swh"], crawl=resource.STUDY_CRAWL)


def test_unknown_is_no_language_and_old_crawls_are_left_out(statistics):
    pages = resource.read_pages(statistics)
    assert set(pages["language"]) == {"eng", "swa"}
    assert min(pages["crawl"]) == "CC-MAIN-2026-21"


def test_a_statistics_file_gives_its_latest_crawl(statistics):
    table = resource.build(["en", "sw", "de"], pages=resource.read_pages(statistics))
    assert table["resource"].tolist()[:2] == [4, 2]
    assert np.isnan(table["resource"][2])
    assert set(table["crawl"]) == {"CC-MAIN-2026-25"}


def test_crawls_are_checked(statistics):
    pages = resource.read_pages(statistics)
    with pytest.raises(InputError, match=r"carries no languages.*CC-MAIN-2018-34"):
        resource.build(["eng"], crawl="CC-MAIN-2018-30", pages=pages)
    with pytest.raises(InputError, match="Did you mean CC-MAIN-2026-2"):
        resource.build(["eng"], crawl="CC-MAIN-2026-22", pages=pages)
    with pytest.raises(InputError, match="is not a crawl"):
        resource.build(["eng"], crawl="2026-21", pages=pages)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("CC-MAIN-2026-21,eng,0,0,0", "line 2: pages is '0'"),
        ("CC-MAIN-2026-21,eng,many,0,0", r"'pages' is not a finite number: line 2 \('many'\)"),
        ("may,eng,10,0,0", "line 2: 'may' is not a crawl"),
        ("CC-MAIN-2026-21,eng,10,0,0\nCC-MAIN-2026-21,eng,11,0,0", "line 3: eng is counted twice"),
        ("CC-MAIN-2018-30,<unknown>,10,0,0", "counts no language"),
    ],
)
def test_files_that_are_no_statistics_are_refused(tmp_path, rows, message):
    (tmp_path / "bad.csv").write_text(HEADER + rows + "\n")
    with pytest.raises(InputError, match=message):
        resource.read_pages(tmp_path / "bad.csv")


class TestRefresh:
    def test_downloads_into_the_cache_and_reads_the_latest_crawl(self, tmp_path, statistics):
        pages = resource.refresh(tmp_path / "cache", url=statistics.as_uri())
        assert set(pages["crawl"]) == {"CC-MAIN-2026-25"}
        kept = tmp_path / "cache" / resource.CACHED
        assert kept.read_bytes() == statistics.read_bytes()
        older = resource.refresh(tmp_path / "cache", statistics.as_uri(), "CC-MAIN-2026-21")
        assert older.to_dict("records") == [
            {"crawl": "CC-MAIN-2026-21", "language": "eng", "pages": 1000}
        ]

    def test_a_bad_download_leaves_the_cache_as_it_was(self, tmp_path, statistics):
        cache = tmp_path / "cache"
        resource.refresh(cache, url=statistics.as_uri())
        page = tmp_path / "page.html"
        page.write_text("<html>not found</html>")
        with pytest.raises(InputError, match="has no column"):
            resource.refresh(cache, url=page.as_uri())
        assert (cache / resource.CACHED).read_bytes() == statistics.read_bytes()
        assert [path.name for path in cache.iterdir()] == [resource.CACHED]

    def test_without_a_network_it_says_what_to_do(self, tmp_path):
        with pytest.raises(InputError, match="packaged snapshot"):
            resource.refresh(tmp_path, url=(tmp_path / "gone.csv").as_uri())
        assert list(tmp_path.iterdir()) == []

    def test_a_crawl_without_languages_is_refused_before_the_download(self, tmp_path):
        with pytest.raises(InputError, match="carries no languages"):
            resource.refresh(tmp_path, url="file:///nowhere", crawl="CC-MAIN-2018-30")


def test_refreshed_pages_feed_the_builder(tmp_path, statistics):
    pages = resource.refresh(tmp_path / "cache", url=statistics.as_uri())
    table = resource.build(pd.DataFrame(languages.table(["eng"])), pages=pages)
    assert table["source"].tolist() == ["statistics file"]


def test_the_first_crawl_with_languages_counts_and_none_before(tmp_path):
    path = tmp_path / "languages.csv"
    path.write_text(
        HEADER + "CC-MAIN-2018-30,eng,50,50,100\n"
        "CC-MAIN-2018-34,eng,60,60,100\nCC-MAIN-2018-39,eng,70,70,100\n"
    )
    pages = resource.read_pages(path)
    assert pages["crawl"].tolist() == ["CC-MAIN-2018-34", "CC-MAIN-2018-39"]
    assert pages["pages"].tolist() == [60, 70]
    first = resource.build(["eng"], crawl="CC-MAIN-2018-34", pages=pages)
    assert first["pages"].tolist() == [60]
