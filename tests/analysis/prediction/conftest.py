"""A small part of the embedded outcomes, joined once."""

import pandas as pd
import pytest
from capability_transfer.analysis.inputs import Inputs, further_pairs
from capability_transfer.analysis.outcomes.study import study_cells
from capability_transfer.analysis.prediction.loo import prepare
from capability_transfer.features.fertility import read_counts
from capability_transfer.features.models import table
from capability_transfer.features.table import build_all

LANGUAGES = ["eng", "deu", "fra", "rus", "dan", "est", "isl", "hin", "mar"]
FAMILIES = ("Qwen2.5", "Qwen3-", "gemma-3", "granite")


@pytest.fixture(scope="session")
def inputs():
    cells = study_cells(languages=LANGUAGES).drop(columns="split")
    kept = cells["template"].isin(cells["template"].unique()[:20])
    cells = cells[kept & cells["variant"].str.startswith(FAMILIES)].reset_index(drop=True)
    features = build_all(models=cells["variant"].unique(), languages=LANGUAGES)
    further = further_pairs(table(cells["variant"].unique()), LANGUAGES, read_counts())
    return Inputs(cells, features, "a part of the study", is_study=True, further_pairs=further)


@pytest.fixture(scope="session")
def prepared(inputs):
    return prepare(inputs)


@pytest.fixture(scope="session")
def joined(prepared) -> pd.DataFrame:
    return prepared[0]


@pytest.fixture(scope="session")
def vectors(prepared) -> pd.DataFrame:
    return prepared[1]
