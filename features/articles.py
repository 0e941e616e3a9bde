"""Articles: log10 of the articles of the Wikipedia in a language.

Pages on the web are counted by what a detector takes a page for, articles by the edition they are
in: where little is written, the second says more (``docs/limitations.md``).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.common.tables import Column, read_column, read_rows
from capability_transfer.features import languages as registry

COUNTS = Path(__file__).parent / "data" / "wikipedia_articles.csv"
COLUMNS = ("language", "edition", "count")


def build(languages: pd.DataFrame | Iterable[str] | None = None) -> pd.DataFrame:
    """Columns language, articles (log10), edition; one row per language.

    Args:
        languages: codes or rows of the language registry; the study's 15 by default.

    A language without an edition is missing (NaN), not zero.
    """
    rows = registry.table(languages)
    counts = read_rows(COUNTS, COLUMNS).set_index("language")
    found = read_column(counts["count"], Column("count", "number"), str(COUNTS))
    return pd.DataFrame(
        {
            "language": rows["language"],
            "articles": np.log10(rows["language"].map(found)),
            "edition": rows["language"].map(counts["edition"]),
        }
    )
