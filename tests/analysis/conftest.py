"""A small part of the embedded data, for commands on a user's own files."""

import pytest
from capability_transfer.analysis.outcomes.study import study_cells


@pytest.fixture(scope="session")
def own_cells():
    """Six variants, six languages and eight templates of the embedded outcomes."""
    table = study_cells().drop(columns="split")
    variants = [f"Qwen2.5-{size}B-Instruct" for size in ("0.5", "1.5", "3", "7", "14", "32")]
    kept = (
        table["variant"].isin(variants)
        & table["language"].isin(["eng", "deu", "dan", "isl", "mar", "hin"])
        & table["template"].isin(table["template"].unique()[:8])
    )
    return table[kept].reset_index(drop=True)
