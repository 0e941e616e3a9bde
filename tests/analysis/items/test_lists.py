"""Lists of items, and outcomes without them."""

import pandas as pd
import pytest
from capability_transfer.analysis.items.lists import read_items, without
from capability_transfer.common.errors import InputError

CELLS = pd.DataFrame(
    {
        "variant": list("vvwwvw"),
        "language": ["deu", "rus"] * 2 + ["deu", "rus"],
        "template": ["1", "1", "1", "1", "2", "2"],
        "n_correct": 1,
        "n_total": 2,
    }
)


def test_rows_of_the_items_go_and_are_counted():
    kept, number, notes = without(CELLS, pd.DataFrame({"language": ["deu"], "template": [1]}))
    assert number == 1
    assert len(kept) == 4
    assert not ((kept["language"] == "deu") & (kept["template"] == "1")).any()
    assert notes == ("1 items (2 of 6 rows) left out as the table of items says",)


def test_only_flagged_rows_count_where_they_are_told(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("language,template,flagged,effect\ndeu,1,true,-3\nrus,1,false,0\n")
    assert read_items(path).to_dict("records") == [{"language": "deu", "template": "1"}]


def test_a_code_that_the_registry_reads_otherwise_is_found():
    kept, _, _ = without(CELLS, pd.DataFrame({"language": ["de"], "template": ["2"]}))
    assert len(kept) == 5


def test_items_that_are_not_there_are_named():
    listed = pd.DataFrame({"language": ["deu", "isl"], "template": ["1", "9"]})
    assert without(CELLS, listed)[2][1] == (
        "1 items of the table of items are not in the outcomes: isl 9"
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"language": ["isl"], "template": ["9"]}, r"have none of its 1 items \(isl 9\)"),
        ({"language": ["deu", "rus"] * 2, "template": ["1", "1", "2", "2"]}, "nothing is left"),
        ({"lang": ["deu"], "template": ["1"]}, "no column 'language'"),
        ({"language": ["deu"], "template": ["1"], "flagged": ["maybe"]}, "neither true nor false"),
    ],
)
def test_lists_that_cannot_be_used(rows, message):
    with pytest.raises(InputError, match=message):
        without(CELLS, pd.DataFrame(rows))
