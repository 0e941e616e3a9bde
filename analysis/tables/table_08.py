"""Table 8: the models' repositories and revisions, from the model registry."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis.presentation.tables import Table


def build(models: pd.DataFrame, note: str) -> Table:
    """From the model registry: one row a checkpoint."""
    columns = ["family", "hub_id", "revision", "params_b"]
    data = models.drop_duplicates("hub_id")[columns].reset_index(drop=True)
    display = pd.DataFrame(
        {
            "Family": data["family"],
            "Model ID": data["hub_id"],
            "Revision": data["revision"],
            "Billions of parameters": [f"{size:g}" for size in data["params_b"]],
        }
    )
    caption = "Table 8. Repositories and revisions of the evaluated models."
    return Table("table_08", caption, note, data, display)
