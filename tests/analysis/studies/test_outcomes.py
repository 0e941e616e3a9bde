"""Totals of a user's cells, and the study's beside Table 12."""

import pandas as pd
from capability_transfer.analysis.data import Outcomes
from capability_transfer.analysis.studies.outcomes import totals


def test_totals_of_cells_by_hand(tmp_path):
    cells = pd.DataFrame(
        {"variant": "a", "language": ["dan", "dan", "eng"], "template": ["1", "2", "1"],
         "n_correct": [1, 3, 5], "n_total": 10}
    )  # fmt: skip
    found = totals(Outcomes(cells, "made up"))
    table = found.summary.set_index("language")
    assert table["n_correct"].to_dict() == {"dan": 4, "eng": 5}
    assert table["n_total"].to_dict() == {"dan": 20, "eng": 10}
    assert found.findings() == ["3 cells"]
    assert found.note == "Data: made up."
    pd.testing.assert_frame_equal(pd.read_parquet(found.write_cells(tmp_path)), cells)


def test_the_studys_totals_differ_from_table_12_in_pooled_languages_only():
    found = totals()
    count, compared = found.findings()
    assert count == "69,000 cells"
    assert compared.startswith("690 symbolic totals: Table 12 prints the same but where it pools")
    assert "by up to 4.18 accuracy points (OLMo-2-0325-32B-Instruct, jpn)" in compared
