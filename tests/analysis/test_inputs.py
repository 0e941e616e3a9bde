"""What an analysis starts from."""

from __future__ import annotations

import pandas as pd
import pytest
from capability_transfer.analysis.inputs import load
from capability_transfer.analysis.prediction.store import known_languages
from capability_transfer.common.errors import InputError


def test_languages_of_a_file_that_no_cell_is_in_can_be_asked_about(tmp_path):
    file = tmp_path / "languages.csv"
    file.write_text("language,name,resource\nbar,,4.9\nxno,Our own,5.5\nmar,,7\n")
    inputs = load(None, None, file, 1)
    further = inputs.further_languages.set_index("language")
    assert further["resource"].to_dict() == {"bar": 4.9, "xno": 5.5}
    assert "bar" not in set(inputs.features.languages["language"])
    known = known_languages(inputs.features.languages, inputs.further_languages)
    known = known.set_index("language")
    assert known.index.is_unique
    assert known.loc[["bar", "xno"], "resource"].tolist() == [4.9, 5.5]
    assert known.loc["mar", "resource"] == 7
    assert known["seen"].sum() == 15
    assert load(None, None, None, 1).further_languages is None


@pytest.mark.parametrize("given", ["file", "frame"])
def test_a_column_of_ones_own_is_numbers_where_every_filled_field_is_one(tmp_path, given):
    names = ["Apertus-8B-Instruct-2509", "Apertus-70B-Instruct-2509"]
    rows = pd.DataFrame(
        {
            "variant": names,
            "base_model": names,
            "family": "Apertus",
            "reasoning": "off",
            "layers": ["32", ""],
            "school": ["ETH", ""],
        }
    )
    models = rows
    if given == "file":
        models = tmp_path / "models.csv"
        rows.to_csv(models, index=False)
    found = load(None, models, None, 1).features.models.set_index("variant")
    assert found["layers"].dtype == float
    assert found.loc[names[0], ["layers", "school"]].tolist() == [32.0, "ETH"]
    assert found[["layers", "school"]].notna().sum().tolist() == [1, 1]  # an empty field is missing


def test_languages_of_outcomes_go_by_code_or_name(own_cells):
    spelt = {"eng": "English", "deu": "german", "dan": "Dansk", "isl": "is", "hin": "हिन्दी"}
    renamed = own_cells.assign(language=own_cells["language"].replace(spelt))
    found, coded = (
        load(rows, None, None, 1).cells.sort_values(["variant", "language", "template"])
        for rows in (renamed, own_cells)
    )
    pd.testing.assert_frame_equal(found.reset_index(drop=True), coded.reset_index(drop=True))
    with pytest.raises(InputError, match=r"unknown language 'Germn'.*Did you mean deu \(German\)"):
        load(renamed.replace({"german": "Germn"}), None, None, 1)
    with pytest.raises(InputError, match="are one language"):
        load(renamed.replace({"is": "German"}), None, None, 1)
