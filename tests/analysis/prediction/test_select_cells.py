"""Which of a user's cells calibrate a prediction."""

import pandas as pd
import pytest
from capability_transfer.analysis.prediction.new_model import select_cells
from capability_transfer.common.errors import InputError


@pytest.fixture
def cells():
    rows = [
        ("Qwen3-8B (reasoning on)", "sw"), ("qwen3 8b (reasoning ON)", "swa"),
        ("other", "sw"), ("Qwen3-8B (reasoning on)", "de"), ("Qwen/Qwen3-8B", "swh"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["variant", "language"]).assign(template=list("abcde"))


def _chosen(cells, *asked, languages=("swh",)):
    kept = select_cells(cells, *asked, languages, "mine.csv")
    assert set(kept["language"]) <= set(languages)
    return "".join(kept["template"])


def test_cells_of_the_model_in_the_languages_predicted(cells):
    label = "Qwen3-8B (reasoning on)"
    assert _chosen(cells, label, None) == "ab"
    assert _chosen(cells, label, "Qwen/Qwen3-8B") == "abe"
    assert _chosen(cells, label, None, languages=("swh", "deu")) == "abd"


def test_cells_of_one_variant_are_the_models_whatever_they_call_it(cells):
    assert _chosen(cells[cells["variant"] == "other"], "mine", None) == "c"
    with pytest.raises(InputError, match="mine.csv has no rows of mine; it has Qwen3-8B"):
        _chosen(cells, "mine", None)
    with pytest.raises(InputError, match="mine.csv has no rows in isl: nothing to calibrate"):
        _chosen(cells, "other", None, languages=("isl",))


def test_a_language_of_the_data_keeps_its_own_code_and_an_unknown_one_is_named(cells):
    own = cells.iloc[2:3].assign(language="mine")
    assert _chosen(own, "other", None, languages=("mine",)) == "c"
    with pytest.raises(InputError, match="mine.csv: unknown language 'mine'"):
        _chosen(own, "other", None)
