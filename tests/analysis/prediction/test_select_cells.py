"""Which of a user's cells calibrate a prediction."""

import pandas as pd
import pytest
from capability_transfer.analysis.prediction.new_model import AskedModel, select_cells
from capability_transfer.common.errors import InputError


@pytest.fixture
def cells():
    rows = [
        ("Qwen3-8B (reasoning on)", "sw"), ("qwen3 8b (reasoning ON)", "swa"),
        ("other", "sw"), ("Qwen3-8B (reasoning on)", "de"), ("Qwen/Qwen3-8B", "swh"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["variant", "language"]).assign(template=list("abcde"))


def _selected(cells, variant, asked, languages=("swh",)):
    model = AskedModel(variant, "base", "family", 3.0, 1, "nothing")
    kept, notes = select_cells(cells, model, asked, languages, "mine.csv")
    assert set(kept["language"]) <= set(languages)
    return "".join(kept["template"]), notes


def _chosen(*asked, **options):
    return _selected(*asked, **options)[0]


def test_a_name_without_its_mode_is_the_variant_of_the_mode_asked_for(cells):
    assert _chosen(cells, "Qwen3-8B", "Qwen3-8B") == "ab"
    other = cells[cells["variant"] != "Qwen/Qwen3-8B"].replace(
        r"\(.*\)", "(reasoning off)", regex=True
    )
    with pytest.raises(InputError, match="no rows of Qwen3-8B; it has Qwen3-8B .reasoning off.,"):
        _chosen(other, "Qwen3-8B", "Qwen3-8B")


def test_what_is_assumed_and_left_out_is_said(cells):
    label = "Qwen3-8B (reasoning on)"
    assert _selected(cells[:3], label, None) == ("ab", [])
    unused = "rows in deu in mine.csv are not used: no prediction is asked there"
    assert _selected(cells, label, None) == ("ab", [unused])
    taken = "rows of other in mine.csv are taken to be mine's"
    assert _selected(cells[2:3], "mine", None) == ("c", [taken])


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
