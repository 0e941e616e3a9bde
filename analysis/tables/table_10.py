"""Table 10: how the verified languages were translated and reviewed."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.presentation.tables import Table


def build(annotation: pd.DataFrame, note: str) -> Table:
    """From ``overview.annotation``."""
    display = pd.DataFrame(
        {
            "Language": [labels.language(code) for code in annotation["language"]],
            "Human review": annotation["human_review"],
            "Comp. validated": annotation["computationally_validated"],
            "Error analysis": annotation["error_analysis"],
            "Translation model": annotation["translation_model"],
            "From": [labels.language(code) for code in annotation["source_language"]],
        }
    )
    caption = "Table 10. Translation and review of the verified languages."
    return Table("table_10", caption, note, annotation, display)
