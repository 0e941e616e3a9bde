"""Table 4: the constants that return standardised effects to raw units."""

from __future__ import annotations

import pandas as pd

from analysis import labels
from analysis.tables.render import Table, number


def build(standardisation: pd.DataFrame, note: str) -> Table:
    """From ``standardisation.csv``: feature, mean, sd and the published ones."""
    display = pd.DataFrame(
        {
            "Term": [labels.FEATURES.get(name, name) for name in standardisation["feature"]],
            "Raw quantity": [labels.RAW.get(name, "") for name in standardisation["feature"]],
            "Mean": [number(value, 3) for value in standardisation["mean"]],
            "SD": [number(value, 3) for value in standardisation["sd"]],
            "Published mean": [number(value, 3) for value in standardisation["published_mean"]],
            "Published SD": [number(value, 3) for value in standardisation["published_sd"]],
        }
    )
    return Table("table_04", "Table 4. Standardisation constants.", note, standardisation, display)
