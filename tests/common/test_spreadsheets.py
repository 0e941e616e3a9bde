"""Text that a spreadsheet would run is guarded in CSV files, and comes back as it was."""

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.files import read_outcomes
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.common import tables
from capability_transfer.common.files import read_table, write_table
from capability_transfer.common.spreadsheets import guard, unguard
from capability_transfer.common.tables import read_rows, stream
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("=1+1", "'=1+1"),
        ("+1+cmd", "'+1+cmd"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("＝1", "'＝1"),
        ("-", "'-"),
        ("'=1", "''=1"),
        ("''@x", "'''@x"),
        # nothing to run
        ("plain", "plain"),
        ("a=1", "a=1"),
        ("'quoted'", "'quoted'"),
        ("", ""),
        ("-5", "-5"),
        ("+1.5e-3", "+1.5e-3"),
        ("-.5", "-.5"),
        ("-inf", "-inf"),
        ("−5", "−5"),
        (-5, -5),
        (-0.5, -0.5),
        (None, None),
        (True, True),
    ],
)
def test_what_is_guarded(value, written):
    assert guard(value) == written
    assert unguard(written) == value


@given(st.text(alphabet=st.characters() | st.sampled_from("'=+-@\t\r\n15.")))
def test_every_text_comes_back(text):
    assert unguard(guard(text)) == text


NAMES = ["=cmd|' /C calc'!A0", "-2+3", "'=x", "@y", "plain"]


@pytest.fixture
def table():
    return pd.DataFrame(
        {"language": NAMES, "=n": [-1, 2, 3, 4, 5], "x": [-0.5, 1 / 3, 0, 1, float("nan")]}
    )


def test_a_written_table_has_no_formula_and_is_read_as_it_was(tmp_path, table):
    path = write_table(table, tmp_path / "t.csv")
    lines = path.read_text().splitlines()
    assert lines[0] == "language,'=n,x"
    assert lines[1].startswith("'=cmd|' /C calc'!A0,-1,-0.5")
    assert lines[3].startswith("''=x,3,0.0")
    pd.testing.assert_frame_equal(read_table(path), table)
    assert table["language"].tolist() == NAMES  # the caller's is not touched


def test_parquet_is_no_spreadsheet(tmp_path, table):
    path = write_table(table, tmp_path / "t.parquet")
    assert pd.read_parquet(path)["language"].tolist() == NAMES


def test_every_reader_of_csv_takes_the_guard_away(tmp_path, table):
    path = write_table(table, tmp_path / "t.csv")
    assert read_rows(path, ["language"])["language"].tolist() == NAMES
    assert tables.read_table(path)["language"].tolist() == NAMES
    assert tables.read_table(path).columns.tolist() == ["language", "=n", "x"]
    assert [row["language"] for _, row in stream(path)] == NAMES


def test_outcomes_in_csv_come_back_through_both_of_their_readers(tmp_path):
    answers = pd.DataFrame(
        {"variant": NAMES, "language": "deu", "template": "=1", "instance": "1", "correct": 1}
    )
    path = write_table(answers, tmp_path / "t.csv")
    assert sorted(read_outcomes(path)["variant"]) == sorted(NAMES)
    ingest([path], tmp_path / "o.parquet")
    found = pd.read_parquet(tmp_path / "o.parquet")
    assert found["variant"].tolist() == NAMES
    assert set(found["template"]) == {"=1"}


def test_a_category_and_an_empty_table_are_written(tmp_path, table):
    path = write_table(table.astype({"language": "category"}), tmp_path / "t.csv")
    assert read_table(path)["language"].tolist() == NAMES
    path = write_table(table.head(0), tmp_path / "u.csv")
    assert path.read_text() == "language,'=n,x\n"
