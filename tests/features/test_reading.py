"""Reading users' files: nothing is guessed, and errors say where."""

import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.features.reading import numbers, read_rows, truth


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_no_cell_is_taken_for_missing_or_boolean(tmp_path):
    path = write(tmp_path / "a.csv", "code,value\nnan,NA\nno, true \n,x\n")
    rows = read_rows(path, ["code"], ["code"])
    assert rows["code"].tolist() == ["nan", "no", ""]
    assert rows["value"].tolist() == ["NA", "true", "x"]
    assert rows.index.tolist() == [2, 3, 4]


def test_lines_are_counted_past_blank_ones(tmp_path):
    rows = read_rows(write(tmp_path / "a.csv", "code\na\n\nb\n"), ["code"], ["code"])
    assert rows.index.tolist() == [2, 4]


def test_a_resembling_column_with_a_meaning_of_its_own_is_kept(tmp_path):
    rows = read_rows(write(tmp_path / "a.csv", "code,resource\na,1\n"), ["code"], ["source"])
    assert rows["resource"].tolist() == ["1"]


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path):
    (tmp_path / "a.csv").write_bytes("code\na\n".encode("utf-8-sig"))
    assert read_rows(tmp_path / "a.csv", ["code"], ["code"])["code"].tolist() == ["a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read"),
        ("code,name\n", "no rows"),
        ("cod,name\na,b\n", "lacks the column code.*cod"),
        ("code,names\na,b\n", "'names': write 'name'"),
        ("code,name\na,b,c,d\n", "cannot be read.*line 2"),
    ],
)
def test_unusable_files_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_rows(write(tmp_path / "a.csv", text), ["code"], ["code", "name"])


def test_an_absent_file_and_one_in_another_encoding(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_rows(tmp_path / "none.csv", [], [])
    (tmp_path / "latin.csv").write_bytes(b"code\n\xe6\xff\n")
    with pytest.raises(InputError, match=r"latin.csv, line 2, is not in UTF-8 \(byte 0xe6"):
        read_rows(tmp_path / "latin.csv", [], [])


def test_numbers_leave_gaps_and_refuse_text(tmp_path):
    rows = read_rows(write(tmp_path / "a.csv", "x,y,z\n1.5,a,inf\n,2,1\n"), [], [])
    assert numbers(rows, "x", "f")[2] == 1.5
    assert numbers(rows, "x", "f").isna().tolist() == [False, True]
    with pytest.raises(InputError, match="f, line 2: y is 'a'"):
        numbers(rows, "y", "f")
    with pytest.raises(InputError, match="not a finite number"):
        numbers(rows, "z", "f")


def test_truth_is_spelt_out():
    assert truth("True", "c", "f")
    assert not truth("false", "c", "f")
    with pytest.raises(InputError, match="write true or false"):
        truth("yes", "c", "f")
