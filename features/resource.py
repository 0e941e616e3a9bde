"""Resource: log10 of the pages that Common Crawl counts in a language.

The study's languages take crawl CC-MAIN-2026-21, all others CC-MAIN-2026-04, from a packaged
snapshot; ``refresh`` downloads current statistics.
"""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import replacing
from capability_transfer.common.tables import Column, read_column, read_rows
from capability_transfer.features import languages as registry

SNAPSHOT = Path(__file__).parent / "data" / "common_crawl_pages.csv"
STATISTICS = (
    "https://raw.githubusercontent.com/commoncrawl/cc-crawl-statistics/master/plots/languages.csv"
)
STUDY_CRAWL = "CC-MAIN-2026-21"
OTHER_CRAWL = "CC-MAIN-2026-04"
FIRST_CRAWL = "CC-MAIN-2018-34"
"""The first crawl whose pages have languages."""
NO_LANGUAGE = "<unknown>"
CACHED = "common_crawl_languages.csv"


def build(
    languages: pd.DataFrame | Iterable[str] | None = None,
    crawl: str | None = None,
    pages: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Columns language, resource (log10 pages), pages, crawl, source; one row per language.

    Args:
        languages: codes or rows of the language registry; the study's 15 by default.
        crawl: one crawl for all languages. By default the pinned ones of the snapshot, or the
            latest in ``pages``.
        pages: counts from ``read_pages`` or ``refresh`` in place of the packaged snapshot.

    A language that the crawl does not count is missing (NaN), not zero: it may be written in
    pages that the language detection has no name for. Raises InputError for a crawl that is not
    in the counts, and for a packaged crawl that is kept for some languages only.
    """
    rows = registry.table(languages)
    packaged = pages is None
    pages = read_pages() if packaged else pages
    if crawl is not None:
        chosen = pd.Series(_known_crawl(crawl, pages), rows.index)
    elif packaged:
        chosen = rows["in_study"].map({True: STUDY_CRAWL, False: OTHER_CRAWL})
    else:
        chosen = pd.Series(latest(pages), rows.index)
    counts = pages.set_index(["crawl", "language"])["pages"]
    found = counts.reindex(pd.MultiIndex.from_arrays([chosen, rows["common_crawl"]])).to_numpy()
    if packaged and crawl == STUDY_CRAWL and np.isnan(found).any():
        raise InputError(
            f"the packaged snapshot keeps {crawl} for the study's languages only, not for "
            f"{name_some(rows['language'][np.isnan(found)])}; refresh the statistics"
        )
    return pd.DataFrame(
        {
            "language": rows["language"],
            "resource": np.log10(found),
            "pages": pd.array(found, dtype="Int64"),
            "crawl": chosen,
            "source": "packaged snapshot" if packaged else "statistics file",
        }
    )


def read_pages(path: str | Path = SNAPSHOT) -> pd.DataFrame:
    """Columns crawl, language (Common Crawl's code), pages, from a crawl statistics file.

    The file has ``crawl``, ``primary_language`` and ``pages``, and may have ``urls`` and
    ``%pages/crawl``. Pages without a language (``<unknown>``) and rows of crawls before
    CC-MAIN-2018-34, which carry none, are left out. Raises InputError for a file without such
    columns, something that is not a crawl name or not a count, and a language counted twice in one
    crawl.
    """
    pages = Column("pages", "number")
    rows = read_rows(path, ["crawl", "primary_language", pages])
    known = rows["crawl"].str.fullmatch(r"CC-MAIN-\d{4}-\d{2}")
    if not known.all():
        line = rows.index[~known][0]
        raise InputError(f"{path}, line {line}: {rows['crawl'][line]!r} is not a crawl")
    counts = read_column(rows["pages"], pages, str(path))
    bad = ~(counts >= 1) | (counts % 1 != 0)
    if bad.any():
        line = rows.index[bad][0]
        raise InputError(f"{path}, line {line}: pages is {rows['pages'][line]!r}, not a count")
    named = ~rows["primary_language"].isin([NO_LANGUAGE, ""]) & (rows["crawl"] >= FIRST_CRAWL)
    result = pd.DataFrame(
        {"crawl": rows["crawl"], "language": rows["primary_language"], "pages": counts}
    )[named]
    if result.empty:
        raise InputError(f"{path} counts no language; crawls carry languages from {FIRST_CRAWL} on")
    if (twice := result.duplicated(["crawl", "language"])).any():
        line = result.index[twice][0]
        raise InputError(
            f"{path}, line {line}: {result['language'][line]} is counted twice in "
            f"{result['crawl'][line]}"
        )
    return result.reset_index(drop=True)


def refresh(cache_dir: str | Path, url: str = STATISTICS, crawl: str | None = None) -> pd.DataFrame:
    """Download the current statistics into ``cache_dir`` and read one crawl's counts from them.

    The cached file (``common_crawl_languages.csv``) is replaced only by one that can be read. The
    result has ``read_pages``'s columns, for ``crawl`` or the latest one. Raises InputError if
    there is no network, the file is no statistics file, or it has no such crawl.
    """
    if crawl is not None:
        _crawl_with_languages(crawl)
    target = Path(cache_dir) / CACHED
    with replacing(target) as temporary:
        try:
            with urllib.request.urlopen(url, timeout=60) as response:
                temporary.write_bytes(response.read())
        except (OSError, ValueError) as error:
            kept = f"; an earlier download is at {target}" if target.exists() else ""
            raise InputError(
                f"the crawl statistics could not be downloaded from {url} ({error}). Without a "
                f"network, use the packaged snapshot (do not refresh), or a copy of the file{kept}"
            ) from error
        pages = read_pages(temporary)
        wanted = _known_crawl(crawl, pages) if crawl is not None else latest(pages)
    return pages[pages["crawl"] == wanted].reset_index(drop=True)


def latest(pages: pd.DataFrame) -> str:
    """The latest crawl in the counts; crawls are named by year and week."""
    return max(pages["crawl"])


def _known_crawl(crawl: str, pages: pd.DataFrame) -> str:
    _crawl_with_languages(crawl)
    crawls = sorted(set(pages["crawl"]))
    if crawl not in crawls:
        raise InputError(
            f"the counts have no crawl {crawl}.{suggest(crawl, crawls)} They have "
            f"{name_some(reversed(crawls))}"
        )
    return crawl


def _crawl_with_languages(crawl: str) -> None:
    if not re.fullmatch(r"CC-MAIN-\d{4}-\d{2}", crawl):
        raise InputError(f"{crawl!r} is not a crawl; crawls are named like {STUDY_CRAWL}")
    if crawl < FIRST_CRAWL:
        raise InputError(f"{crawl} carries no languages: they begin with {FIRST_CRAWL}")
