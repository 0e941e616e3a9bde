"""A small study of one's own, as files and as data frames, and what is made of it."""

import matplotlib as mpl
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.study import study_cells

from capability_transfer import fit, load, predict

LANGUAGES = ["eng", "deu", "rus", "dan", "est", "isl", "hin", "mar"]
FAMILIES = ("Qwen2.5", "Qwen3-", "gemma-3")
FORMULA = (
    "~ (resource + distance + fertility) * size + reasoning"
    " + (1 | variant) + (1 | language) + (1 | template) + (1 | variant:language)"
)


@pytest.fixture(scope="session", autouse=True)
def _no_screen():
    mpl.use("agg")


@pytest.fixture
def figure():
    """Close what a test draws with pyplot."""
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


@pytest.fixture(scope="session")
def cells() -> pd.DataFrame:
    table = study_cells(languages=LANGUAGES).drop(columns="split")
    kept = table["template"].isin(table["template"].unique()[:10])
    table = table[kept & table["variant"].str.startswith(FAMILIES)].reset_index(drop=True)
    table.attrs = {}
    return table


@pytest.fixture(scope="session")
def study(cells):
    return load(outcomes=cells)


@pytest.fixture(scope="session")
def model(study):
    return fit(study, FORMULA)


@pytest.fixture(scope="session")
def published():
    """The study's own model on the embedded data."""
    return fit()


@pytest.fixture(scope="session")
def predictions(study):
    return predict(["swh", "isl"], "Qwen/Qwen3-8B", reasoning=True, study=study)
