"""Kept work: what comes back, and that a file of unknown origin is data or is refused."""

import ast
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common import kept
from capability_transfer.common.errors import InputError

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("R", "analysis", "benchmarks", "common", "evaluation", "features", "tools")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
MODULES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve"}
CALLS = {"eval", "exec", "compile", "__import__"}
METHODS = {
    ("joblib", "load"), ("joblib", "dump"), ("pd", "eval"), ("yaml", "load"),
    ("yaml", "unsafe_load"), ("yaml", "full_load"),
}  # fmt: skip


def runs_code(source: str) -> list[str]:
    """Every place of a Python text that could run what a file holds, as ``line: what``."""
    found, tree = [], ast.parse(source)
    others = {  # functions of the same name from elsewhere
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "builtins"
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            names = [alias.name for alias in node.names]
            bad = {name.split(".")[0] for name in (module, *names)} & MODULES
            bad |= {f"{module}.{name}" for name in names if (module, name) in METHODS}
            found += [f"{node.lineno}: {name}" for name in sorted(bad)]
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id in CALLS - others:
            found.append(f"{node.lineno}: {function.id}")
        if isinstance(function, ast.Attribute):
            owner = getattr(function.value, "id", "")
            if (owner, function.attr) in METHODS or function.attr in (
                "read_pickle",
                "to_pickle",
                "eval",
            ):
                found.append(f"{node.lineno}: {owner}.{function.attr}")
        allowed = [word.value for word in node.keywords if word.arg == "allow_pickle"]
        if any(not (isinstance(v, ast.Constant) and v.value is False) for v in allowed):
            found.append(f"{node.lineno}: allow_pickle")
    return found


def test_no_source_runs_what_a_file_holds():
    found = {path: runs_code(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert len(found) > 200
    assert {str(path.relative_to(ROOT)): lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "text",
    [
        "import pickle", "from marshal import loads", "import shelve as s",
        "import joblib\njoblib.load(p)",
        "from joblib import load", "np.load(p, allow_pickle=True)", "np.load(p, allow_pickle=flag)",
        "eval(text)", "exec(text)", "from builtins import eval\neval(text)",
        "pd.read_pickle(p)", "table.eval(text)", "table.to_pickle(p)", "yaml.load(text)",
    ],
)  # fmt: skip
def test_the_walk_finds_them(text):
    assert len(runs_code(text)) == 1


def test_the_walk_lets_parallel_work_be():
    assert runs_code("from inspect_ai import eval\neval(task)") == []
    assert runs_code("from joblib import Parallel, delayed\nnp.load(p, allow_pickle=False)") == []


TABLE = pd.DataFrame(
    {
        "language": ["swh", None, "deu"],
        "n": [1, 2, 3],
        "share": [0.5, np.nan, np.inf],
        "seen": [True, False, True],
        "mixed": np.array([1, None, "x"], dtype=object),
        "whole": pd.array([1, None, 3], dtype="Int64"),
        "kind": pd.Categorical(["b", "a", "b"], ["b", "a"], ordered=True),
        "float32": np.array([1, 2, 3], dtype=np.float32),
    },
    index=pd.Index(["x", "y", "z"], name="label"),
)


@pytest.mark.parametrize(
    "value",
    [
        TABLE,
        TABLE.reset_index(),
        TABLE.iloc[:0],
        pd.DataFrame(np.eye(2), index=[3, 1], columns=[7, 8]),
        pd.DataFrame(index=["a", "b"]),
        TABLE["share"],
        pd.Series(["a", "b"], index=[2, 1], name="text"),
    ],
)
def test_tables_come_back_as_they_were(value, tmp_path):
    back = kept.read(kept.write(value, tmp_path / "a.npz"))
    equal = pd.testing.assert_frame_equal
    if isinstance(value, pd.Series):
        equal = pd.testing.assert_series_equal
    equal(back, value)


def test_plain_values_come_back_as_they_were(tmp_path):
    value = {
        "none": None, "text": "ä $", "number": 0.1, "whole": 2**60, "yes": True, "bytes": b"\0\xff",
        "tuple": (1, [2.5, ("a", None)]), "empty": {}, "numpy": np.float64(0.1),
    }  # fmt: skip
    back = kept.read(kept.write(value, tmp_path / "a.npz"))
    assert back == value
    assert isinstance(back["tuple"], tuple)
    array = np.arange(6, dtype=np.int16).reshape(2, 3)[:, ::-1]
    back = kept.read(kept.write(array, tmp_path / "b.npz"))
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


@pytest.mark.parametrize("value", [object(), {1: 2}, np.array([object()]), {"f": print}])
def test_what_is_no_plain_value_is_not_kept(value, tmp_path):
    with pytest.raises(TypeError):
        kept.write(value, tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def traps(folder: Path, sprung: Path) -> list[bytes]:
    """Contents of files that run code where they are unpickled."""
    trap = Trap(sprung)
    np.savez(folder / "trap.npz", **{kept.TREE: np.array([trap], dtype=object)})
    np.save(folder / "trap.npy", np.array([trap], dtype=object))
    return [
        pickle.dumps(trap),
        (folder / "trap.npz").read_bytes(),
        (folder / "trap.npy").read_bytes(),
    ]


def test_a_file_of_code_is_refused_and_does_not_run(tmp_path):
    sprung, path = tmp_path / "sprung", tmp_path / "a.npz"
    for contents in traps(tmp_path, sprung):
        path.write_bytes(contents)
        with pytest.raises(InputError, match="damaged, or was not written"):
            kept.read(path)
        with pytest.warns(UserWarning, match="it is made again"):
            assert kept.found(path) is None
    assert not sprung.exists()


def test_a_file_under_another_name_is_refused(tmp_path):
    path = kept.write(TABLE, tmp_path / "cache" / "a.npz")
    other = path.rename(path.with_name("b.npz"))
    with pytest.raises(InputError, match="it is 'cache/a.npz'"):
        kept.read(other)
    moved = other.rename(tmp_path / "a.npz")
    with pytest.raises(InputError, match="it is 'cache/a.npz'"):
        kept.read(moved)


def test_a_moved_results_folder_keeps_its_work(tmp_path):
    kept.write(TABLE, tmp_path / "results" / "cache" / "a.npz")
    (tmp_path / "results").rename(tmp_path / "elsewhere")
    pd.testing.assert_frame_equal(kept.read(tmp_path / "elsewhere" / "cache" / "a.npz"), TABLE)


def test_damaged_files_are_told_or_whole(tmp_path):
    """Any byte may be wrong or the end missing: an input error, or the value as it was."""
    value = {"table": TABLE.reset_index(), "array": np.linspace(0, 1, 7)}
    path = kept.write(value, tmp_path / "a.npz")
    contents, generator = path.read_bytes(), np.random.default_rng(1)
    refused = 0
    for trial in range(300):
        wrong = bytearray(contents)
        if trial % 3:
            for place in generator.integers(0, len(wrong), 1 + trial % 5):
                wrong[place] ^= 1 + generator.integers(255)
        else:
            del wrong[generator.integers(len(wrong)) :]
        path.write_bytes(wrong)
        try:
            back = kept.read(path)
        except InputError:
            refused += 1
            continue
        pd.testing.assert_frame_equal(back["table"], value["table"])
        np.testing.assert_array_equal(back["array"], value["array"])
    assert refused > 200


def test_nothing_kept_is_nothing_found(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kept.found(None) is None
        assert kept.found(tmp_path / "a.npz") is None


def test_what_cannot_be_made_of_a_file_is_warned_about(tmp_path):
    path = kept.write({"b": 1}, tmp_path / "a.npz")
    with pytest.warns(UserWarning, match="something else"):
        assert kept.found(path, lambda plain: plain["a"]) is None
