"""Whole files or none, and hashes that follow content."""

import shutil
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import (
    PACKAGES,
    ROOT,
    agreed,
    hash_settings,
    hash_table,
    hash_tree,
    read_table,
    replacing,
    rounded,
    steady,
    write_table,
)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def break_off():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_come_back_as_they_were_written(tmp_path, suffix):
    table = pd.DataFrame({"language": ["nan", "eng"], "n": [1, 2], "x": [0.1, 1 / 3]})
    path = write_table(table, tmp_path / "deep" / f"table{suffix}")
    back = pd.read_csv(path, keep_default_na=False) if suffix == ".csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(back, table)


def test_halves_are_rounded_alike_whatever_their_last_digits():
    below, above = np.nextafter(0.274125, 0), np.nextafter(0.274125, 1)
    for decimals in (5, 6):
        found = rounded(pd.DataFrame({"x": [below, 0.274125, above], "n": [1, 2, 3]}), decimals)
        assert found["x"].nunique() == 1
        assert found["n"].tolist() == [1, 2, 3]
    assert rounded(pd.DataFrame({"x": [1.23456, np.nan]}), 2)["x"].iloc[0] == 1.23
    assert agreed(0.1 + 0.2) == 0.3


def test_numbers_in_a_csv_are_those_that_any_machine_finds(tmp_path):
    table = pd.DataFrame(
        {
            "estimate": [0.7803518551009245, -1234.5678901234, 1.23456789e-5, 1e-17, -0.0, np.nan],
            "p_value": [4.365412888011468e-27, 0.95219776, 1e-300, 0.0, 1.0, np.nan],
            "statistic": [13.287657581, -3.700031, 0.1, 0.0, -0.0, np.nan],
            "log_lik": [-207466.37447840563] * 6,
            "max_abs_gradient": [3.1e-7] * 6,
            "difference": [1.306493611 - 1.3065] * 6,
            "n": [1, 2, 3, 4, 5, 6],
            "text": list("abcdef"),
        }
    )
    table[7] = table["estimate"]
    kept = table.copy()
    found = steady(table)
    pd.testing.assert_frame_equal(table, kept)
    estimates = [0.780352, -1234.56789, 1.23457e-05, 0.0, 0.0, np.nan]
    np.testing.assert_array_equal(found["estimate"], estimates)
    np.testing.assert_array_equal(found[7], estimates)
    assert not np.signbit(found["estimate"][3:5]).any()
    np.testing.assert_array_equal(found["p_value"], [4.365e-27, 0.9522, 1e-300, 0, 1, np.nan])
    z = [13.2877, -3.70003, 0.1, 0.0, 0.0, np.nan]
    np.testing.assert_array_equal(found["statistic"], z)
    assert set(found["log_lik"]) == {-207466.3745}
    assert set(found["max_abs_gradient"]) == {0.0}
    assert set(found["difference"]) == {-6e-06}  # whatever their tenth digits
    assert found["n"].tolist() == [1, 2, 3, 4, 5, 6]
    noisy = table.assign(estimate=table["estimate"] * (1 + 1e-13))
    assert hash_table(table) == hash_table(noisy)
    noisy["log_lik"] += 1e-9
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    assert write_table(table, first).read_bytes() == write_table(noisy, second).read_bytes()
    assert "0.780351855101," in write_table(table, first, "%.12g").read_text()


def test_the_hash_of_a_table_follows_values_names_types_and_order():
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    changed = [
        table.assign(a=[1, 3]),
        table.assign(b=["x", "z"]),
        table.rename(columns={"a": "c"}),
        table.astype({"a": float}),
        table.iloc[::-1],
    ]
    hashes = {hash_table(version) for version in [table, *changed]}
    assert len(hashes) == 1 + len(changed)
    assert hash_table(table) == hash_table(table.reset_index(drop=True).copy())


def test_the_hash_of_settings_does_not_depend_on_the_order_of_keys():
    assert hash_settings({"a": 1, "b": 2}) == hash_settings({"b": 2, "a": 1})
    assert hash_settings({"a": 1}) != hash_settings({"a": 2})


def test_text_has_one_hash_however_pandas_holds_it():
    values = ["x", None, "nan", "y"]
    kinds = (object, "str", "string", "category")
    tables = [pd.DataFrame({"a": pd.Series(values, dtype=kind)}) for kind in kinds]
    assert len({hash_table(table.fillna("nan")) for table in tables}) == 1
    plain = pd.DataFrame({"language": ["deu", "swh"], "n": [1, 2]})
    assert hash_table(plain) == hash_table(plain.astype({"language": object})) == "aa78384b71861e52"


@dataclass
class Options:
    name: str
    matrix: np.ndarray


def test_the_hash_of_settings_sees_every_value_of_an_array_and_refuses_what_it_cannot_see():
    large = np.zeros((100, 100))
    changed = large.copy()
    changed[50, 50] = 1e-9  # a printed array would leave this out
    hashes = {hash_settings(Options("a", matrix)) for matrix in (large, changed)}
    assert len(hashes) == 2
    assert hash_settings(Options("a", large)) == hash_settings(Options("a", large.copy()))
    with pytest.raises(TypeError, match="object cannot be hashed"):
        hash_settings(object())


def test_names_are_listed_up_to_a_limit_and_near_matches_offered():
    assert name_some(range(3)) == "0, 1, 2"
    assert name_some(range(20), limit=2) == "0, 1 and 18 more"
    assert "n_correct" in suggest("n_corect", ["variant", "n_correct"])
    assert suggest("zzz", ["variant"]) == ""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the project's packages, to change."""
    root = tmp_path_factory.mktemp("project")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.mark.parametrize(
    "name",
    [
        "features/resource.py", "features/data/common_crawl_pages.csv", "common/files.py",
        "analysis/inputs.py", "analysis/outcomes/mappings/inspect.yaml", "R/glmer.R",
        "evaluation/quality.py",
    ],
)  # fmt: skip
def test_a_change_anywhere_in_the_project_is_another_hash(tree, name):
    file = tree / name
    before, text = hash_tree(tree, PACKAGES), file.read_bytes()
    assert before == hash_tree(ROOT, PACKAGES)
    file.write_bytes(text + b"\n")
    changed = hash_tree(tree, PACKAGES)
    file.write_bytes(text)
    assert changed != before
    assert hash_tree(tree, PACKAGES) == before


def test_files_that_trade_places_are_another_hash(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").write_text("1")
    (tmp_path / "a" / "y.py").write_text("2")
    before = hash_tree(tmp_path, ["a"])
    (tmp_path / "a" / "x.py").write_text("2")
    (tmp_path / "a" / "y.py").write_text("1")
    assert hash_tree(tmp_path, ["a"]) != before


def test_byte_code_is_no_code(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").write_text("1")
    before = hash_tree(tmp_path, ["a"])
    (tmp_path / "a" / "__pycache__").mkdir()
    (tmp_path / "a" / "__pycache__" / "x.pyc").write_bytes(b"1")
    assert hash_tree(tmp_path, ["a"]) == before


def test_a_folder_without_files_has_no_hash(tmp_path):
    with pytest.raises(ValueError, match="no files"):
        hash_tree(tmp_path, ["a"])


@pytest.mark.parametrize("contents", [b"", b"\xff\xfe\x00", b'a,b\n1,2,3\n"', b"a\n1,2\n1,2,3\n"])
def test_a_file_that_is_no_table_of_results_is_named(tmp_path, contents):
    path = tmp_path / "a.csv"
    path.write_bytes(contents)
    with pytest.raises(InputError, match=r"a\.csv is not a table of results.*make it again"):
        read_table(path)
    with pytest.raises(InputError, match="is not a table of results"):
        read_table(tmp_path / "absent.csv")
