"""Count the packaged vocabularies in every language with templates: features/data/token_ratios.csv.

    .venv/bin/python -m tools.token_ratios

Needs the extras templates and tokenizers. Predictions read the file and need neither.
"""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.prediction.pair_features import (
    AT_HAND,
    RATIO_COLUMNS,
    RATIOS,
    measure,
)
from capability_transfer.common.files import write_table
from capability_transfer.features import languages


def table() -> pd.DataFrame:
    """One row per tokenizer and language that shares templates with English."""
    registry = languages.registry()
    codes = registry.loc[registry["template"] != "", "language"]
    rows = []
    for tokenizer in AT_HAND:
        for code in codes:
            found = measure(tokenizer, code)
            if found is not None:
                rows.append((tokenizer, code, round(found[0], 6), found[1]))
    return pd.DataFrame(rows, columns=list(RATIO_COLUMNS))


if __name__ == "__main__":
    write_table(table(), RATIOS)
