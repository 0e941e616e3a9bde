"""Table 9: the languages of the benchmark and why each is there."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table

VERIFIED = {"yes": "verified", "in progress": "in progress", "no": ""}
INCLUDED = {"eu": "EU", "ethnologue": "Ethnologue", "unassigned": "?", "": ""}


def build(languages: pd.DataFrame, note: str) -> Table:
    """From ``overview.languages``."""
    display = pd.DataFrame(
        {
            "Language": languages["name"],
            "ISO 639-3": languages["language"],
            "Human verified": languages["verified"].map(VERIFIED),
            "Included as": languages["included_as"].map(INCLUDED),
        }
    )
    counts = languages["verified"].value_counts()
    caption = (
        f"Table 9. Languages of the benchmark: {len(languages)}, of which {counts['yes']} verified "
        f"and {counts['in progress']} in progress."
    )
    explanation = (
        "The study's table prints ticks whose columns are not told apart in its text: a tick that "
        "verification does not explain is taken for EU where the language is official there, for "
        "Ethnologue otherwise, and left open for Norwegian Bokmål."
    )
    return Table("table_09", caption, f"{explanation} {note}", languages, display)
