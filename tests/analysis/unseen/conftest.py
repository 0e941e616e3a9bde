"""A small part of the embedded outcomes, joined once."""

import pandas as pd
import pytest

from analysis.inputs import Inputs
from analysis.outcomes.reconstruction import DEFAULT_SEED, reconstruct
from analysis.outcomes.study import study_counts
from analysis.unseen.loo import prepare
from features.table import build_all

LANGUAGES = ["eng", "deu", "fra", "rus", "dan", "est", "isl", "hin", "mar"]
FAMILIES = ("Qwen2.5", "Qwen3-", "gemma-3", "granite")


@pytest.fixture(scope="session")
def inputs():
    counts = study_counts(["symbolic"], LANGUAGES)
    counts = counts[counts["variant"].str.startswith(FAMILIES)].reset_index(drop=True)
    cells = reconstruct(counts, DEFAULT_SEED, templates=20)
    features = build_all(models=counts["variant"].unique(), languages=LANGUAGES)
    return Inputs(cells.drop(columns="split"), features, "a part of the study", DEFAULT_SEED)


@pytest.fixture(scope="session")
def prepared(inputs):
    return prepare(inputs)


@pytest.fixture(scope="session")
def joined(prepared) -> pd.DataFrame:
    return prepared[0]


@pytest.fixture(scope="session")
def vectors(prepared) -> pd.DataFrame:
    return prepared[1]
