"""Reading users' files: nothing is guessed, and errors say where."""

import pandas as pd
import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.common.tables import Column, read_column, read_rows, read_table, stream

NAME, SOURCE = Column("name", required=False), Column("source", required=False)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_no_cell_is_taken_for_missing_or_boolean(tmp_path):
    path = write(tmp_path / "a.csv", "code,value\nnan,NA\nno, true \n,x\n")
    rows = read_rows(path, ["code"])
    assert rows["code"].tolist() == ["nan", "no", ""]
    assert rows["value"].tolist() == ["NA", "true", "x"]
    assert rows.index.tolist() == [2, 3, 4]


def test_lines_are_counted_past_blank_ones(tmp_path):
    rows = read_rows(write(tmp_path / "a.csv", "code\na\n\nb\n"), ["code"])
    assert rows.index.tolist() == [2, 4]


def test_a_resembling_column_with_a_meaning_of_its_own_is_kept(tmp_path):
    rows = read_rows(write(tmp_path / "a.csv", "code,resource\na,1\n"), ["code", SOURCE])
    assert rows["resource"].tolist() == ["1"]


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path):
    (tmp_path / "a.csv").write_bytes("code\na\n".encode("utf-8-sig"))
    assert read_rows(tmp_path / "a.csv", ["code"])["code"].tolist() == ["a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("code,name\n", "no rows"),
        (
            "cod,name\na,b\n",
            r"has no column 'code'\. Did you mean cod\?.*there: cod, name",
        ),
        ("code,names\na,b\n", "'names': write 'name'"),
        ("code,N-A_me\na,b\n", "'N-A_me': write 'name'"),
        ("code,name\na,b,c,d\n", "line 2 has 4 fields, the header 2"),
        ("code,name\na\n", "line 2 has 1 fields, the header 2"),
        ("code,code\na,b\n", "has the column code more than once"),
        ("code;name\na;b\n", "is separated by ';'"),
    ],
)
def test_unusable_files_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_rows(write(tmp_path / "a.csv", text), ["code", NAME])


def test_an_absent_file_and_one_in_another_encoding(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_rows(tmp_path / "none.csv", [])
    (tmp_path / "latin.csv").write_bytes(b"code\n\xe6\xff\n")
    with pytest.raises(InputError, match=r"latin.csv, line 2, is not in UTF-8 \(byte 0xe6"):
        read_rows(tmp_path / "latin.csv", [])


def test_numbers_leave_gaps_and_refuse_text(tmp_path):
    rows = read_rows(write(tmp_path / "a.csv", "x,y,z\n1.5,a,inf\n,2,1\n"), [])
    assert read_column(rows["x"], Column("x", "number"), "f")[2] == 1.5
    assert read_column(rows["x"], Column("x", "number"), "f").isna().tolist() == [False, True]
    with pytest.raises(InputError, match=r"f: column 'y' is not a finite number: line 2 \('a'\)"):
        read_column(rows["y"], Column("y", "number"), "f")
    with pytest.raises(InputError, match="not a finite number"):
        read_column(rows["z"], Column("z", "number"), "f")


def test_truth_is_spelt_out():
    column = Column("c", "truth")
    assert read_column(pd.Series(["True", "false"]), column, "f").tolist() == [True, False]
    with pytest.raises(InputError, match=r"write true or false: row 1 \('yes'\)"):
        read_column(pd.Series(["true", "yes"]), column, "f")


def test_a_value_must_be_one(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"x": [["a"], ["b"]]}).to_parquet(path)
    with pytest.raises(InputError, match=r"'x' must hold one value: row 1 \(.*'a'"):
        read_column(read_table(path)["x"], Column("x", "label"), "f")


def test_the_same_rows_from_every_format(tmp_path):
    table = pd.DataFrame({"code": ["nan", "no"], "n": [1.0, 2.5]})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_parquet(tmp_path / "a.parquet")
    table.to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    found = [read_rows(tmp_path / f"a.{suffix}", ["code"]) for suffix in ("parquet", "jsonl")]
    for rows in [*found, read_rows(table, ["code"])]:
        assert rows.to_numpy().tolist() == [["nan", "1"], ["no", "2.5"]]
    assert read_rows(tmp_path / "a.csv", ["code"])["code"].tolist() == ["nan", "no"]
    places = [[where for where, _ in stream(tmp_path / f"a.{one}")] for one in ("csv", "parquet")]
    assert places == [
        [f"{tmp_path}/a.csv, line 2", f"{tmp_path}/a.csv, line 3"],
        [f"{tmp_path}/a.parquet, row 1", f"{tmp_path}/a.parquet, row 2"],
    ]


def test_members_of_an_array_are_counted(tmp_path):
    path = write(tmp_path / "a.jsonl", '[\n{"code": "a"},\n{"n": 1}\n]')
    rows = read_rows(path, ["code"])
    assert rows.index.name == "object"
    assert rows.index.tolist() == [1, 2]
    assert rows.to_numpy().tolist() == [["a", ""], ["", "1"]]


def test_lines_are_counted_through_quoted_ones_and_long_texts_are_read(tmp_path):
    text = "x" * 200_000
    path = write(tmp_path / "a.csv", f'code,n\n"a\nb",1\n{text},2\n')
    rows = read_rows(path, ["code"])
    assert rows.index.tolist() == [2, 4]
    assert rows["code"].tolist() == ["a\nb", text]
