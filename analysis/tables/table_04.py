"""Table 4: the constants that return standardised effects to raw units."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table, number


def build(standardisation: pd.DataFrame, note: str) -> Table:
    """From ``standardisation.csv``: feature, mean, sd and the published ones."""
    compared = standardisation["published_mean"].notna().any()
    columns = {"Mean": "mean", "SD": "sd"}
    if compared:
        columns |= {"Published mean": "published_mean", "Published SD": "published_sd"}
    names = standardisation["feature"]
    display = pd.DataFrame(
        {
            "Term": [labels.FEATURES.get(name, name) for name in names],
            "Raw quantity": [labels.RAW.get(name, "") for name in names],
            **{
                heading: [number(value, 3) for value in standardisation[column]]
                for heading, column in columns.items()
            },
        }
    )
    caption = "Table 4. Standardisation constants." if compared else "Standardisation constants."
    return Table("table_04", caption, note, standardisation, display)
