"""Outcome files: CSV and Parquet, instances and cells, and what is wrong with a file."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.outcomes import files
from capability_transfer.analysis.outcomes.files import place, read_outcomes
from capability_transfer.analysis.outcomes.schema import pair_totals, to_cells, validate
from capability_transfer.analysis.outcomes.study import study_cells
from capability_transfer.common.errors import InputError


@pytest.fixture
def instances():
    rng = np.random.default_rng(1)
    rows = [
        (variant, language, template, instance, int(rng.random() < 0.6))
        for variant in ("b", "a")
        for language in ("nan", "no")
        for template in ("007", "t2", "t3")
        for instance in range(5)
    ]
    names = ["variant", "language", "template", "instance", "correct"]
    return pd.DataFrame(rows, columns=names).sample(frac=1, random_state=2)


def test_every_way_to_the_same_cells(instances, tmp_path):
    cells = to_cells(validate(instances, "instances"))
    assert len(cells) == 12
    assert (cells["n_total"] == 5).all()
    assert cells["n_correct"].sum() == instances["correct"].sum()
    group = instances.query("variant == 'a' and language == 'no' and template == 't2'")
    row = cells.query("variant == 'a' and language == 'no' and template == 't2'")
    assert row["n_correct"].item() == group["correct"].sum()
    instances.to_csv(tmp_path / "instances.csv", index=False)
    instances.assign(correct=instances["correct"] == 1).to_parquet(tmp_path / "i.parquet")
    cells.sample(frac=1, random_state=3).to_csv(tmp_path / "cells.csv", index=False)
    cells.to_parquet(tmp_path / "cells.parquet", index=False)
    for name in ("instances.csv", "i.parquet", "cells.csv", "cells.parquet"):
        read = read_outcomes(tmp_path / name)
        pd.testing.assert_frame_equal(read, cells)
        assert name in read.attrs["data_source"]


def test_a_csv_file_too_large_for_memory_gives_the_same_cells(instances, tmp_path, monkeypatch):
    """In parts of which none holds all, blank lines, spaces and an unknown column between them."""
    path = tmp_path / "mine.csv"
    lines = instances.assign(note="x", split="original").to_csv(index=False).splitlines()
    path.write_text("\n".join([*lines[:9], "", *(line.replace(",", " , ") for line in lines[9:])]))
    whole = read_outcomes(path)
    monkeypatch.setattr("capability_transfer.common.tables.PART", 7)
    pd.testing.assert_frame_equal(read_outcomes(path), whole)
    monkeypatch.setattr(files, "LARGE", 0)
    staged = read_outcomes(path)
    pd.testing.assert_frame_equal(staged, whole)
    assert staged.attrs == whole.attrs
    whole.to_csv(path, index=False)
    assert read_outcomes(path).equals(whole)


def test_cells_of_this_toolkit_say_where_they_come_from(tmp_path):
    cells = study_cells(languages=["dan", "eng"])
    cells.to_parquet(tmp_path / "cells.parquet", index=False)
    read = read_outcomes(tmp_path / "cells.parquet")
    assert len(read) == len(cells)
    assert "published cells" in read.attrs["data_source"]


def test_splits_stay_apart(instances, tmp_path):
    both = pd.concat([instances.assign(split=split) for split in ("symbolic", "original")])
    both.to_csv(tmp_path / "both.csv", index=False)
    cells = read_outcomes(tmp_path / "both.csv")
    assert len(cells) == 24
    totals = pair_totals(cells)
    assert list(totals.columns[:4]) == ["variant", "language", "split", "accuracy"]
    assert (totals["n_total"] == 15).all()
    assert np.allclose(totals["accuracy"], totals["n_correct"] / 15)


HEADER = "variant,language,template,instance,correct\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (HEADER, "has no rows"),
        (HEADER + "a,dan,t,1,1\n\na,deu,t,1,C\n", r"line 4 \(deu, 'C'\)"),
        (HEADER + "a,dan,t,1,1\na,dan,t,2,\n", r"line 3 \(dan, ''\)"),
        (HEADER + "a,dan,t,1,1\na,dan,t,,1\n", "'instance' is empty or missing.*line 3"),
        (HEADER.replace("instance", "instanse") + "a,dan,t,1,1\n", "instanse"),
        (HEADER + "a,dan,t,1,1\na,dan,t,1,0\n", "more than once: line 2.*line 3"),
        (HEADER + "a,dan,t,1,1\na,dan,t,2,0,9\n", "line 3 has 6 fields, the header 5"),
        (HEADER + "a,dan,t,1,1,7\na,dan,t,2,0,9\n", "line 2 has 6 fields, the header 5"),
        (HEADER + "a,dan,t,1\n", "line 2 has 4 fields, the header 5"),
        (HEADER + 'a,dan,t,1,"1"1\n', "comma-separated"),
        (HEADER[:-1] + ",variant\na,dan,t,1,1,b\n", "has the column variant more than once"),
        ("variant;language;template\na;b;c\n", "is separated by ';'"),
    ],
)
@pytest.mark.parametrize("large", [files.LARGE, 0])
def test_bad_csv(tmp_path, monkeypatch, text, message, large):
    monkeypatch.setattr(files, "LARGE", large)
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"(?s)bad\.csv.*{message}"):
        read_outcomes(path)


def test_bad_files(tmp_path):
    with pytest.raises(InputError, match="no file"):
        read_outcomes(tmp_path / "none.csv")
    (tmp_path / "log.txt").write_text("x")
    with pytest.raises(InputError, match=r"no reader for \.txt.*\.csv, \.parquet"):
        read_outcomes(tmp_path / "log.txt")
    (tmp_path / "x.parquet").write_text("not parquet")
    with pytest.raises(InputError, match="not a Parquet file"):
        read_outcomes(tmp_path / "x.parquet")
    (tmp_path / "latin.csv").write_bytes((HEADER + "a,dan,\xe6,1,1\n").encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.csv, line 2, is not in UTF-8 \(byte 0xe6"):
        read_outcomes(tmp_path / "latin.csv")


def test_a_place_is_named_in_the_terms_of_what_was_given(tmp_path):
    table = pd.DataFrame({"language": ["eng", "xx", "deu", "xx"], "n_correct": [1, 2, 3, 4]})
    table.to_csv(tmp_path / "own.csv", index=False)
    table.to_parquet(tmp_path / "own.parquet", index=False)
    path = tmp_path / "own.csv"
    assert place(path, "language", ["xx"]) == f"{path}, line 3 and 1 more row: "
    assert place(path, "language", ["deu"]) == f"{path}, line 4: "
    assert place(path, "language", ["absent"]) == ""
    table.to_csv(tmp_path / "LOUD.CSV", index=False)
    assert place(tmp_path / "LOUD.CSV", "language", ["deu"]) == f"{tmp_path}/LOUD.CSV, line 4: "
    assert place(tmp_path / "own.parquet", "language", ["xx"]).startswith(f"{tmp_path}/own.parquet")
    assert "index 1 and 1 more row: " in place(table, "language", ["xx"])
    assert place(path, "variant", ["xx"]) == place(tmp_path / "logs", "language", ["xx"]) == ""
