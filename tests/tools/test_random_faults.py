"""Faults drawn at random are single changes of what computes, and know their tests."""

import ast

import pytest

from tools.mutations import ROOT
from tools.random_faults import changes, draw, related

SOURCE = '''"""A module of 2 lines."""
LIMIT = 3


@dataclass(frozen=True)
class A:
    x: int = 5


def f(a, b=None, *, axis=0):
    """Returns 1."""
    if a > LIMIT and not b:
        raise InputError(f"{a + 1} is more than {3 * 4}")
    found = np.sum(a * 2.5, axis=axis)
    return found, b[:a]
'''


@pytest.fixture(scope="module")
def found():
    return [(ast.unparse(node), ast.unparse(wrong)) for node, wrong in changes(ast.parse(SOURCE))]


@pytest.mark.parametrize(
    "change",
    [
        ("3", "4"),
        ("5", "6"),
        ("a > LIMIT and (not b)", "a > LIMIT or not b"),
        ("a > LIMIT and (not b)", "False"),
        ("a > LIMIT", "a >= LIMIT"),
        ("a > LIMIT", "a <= LIMIT"),
        ("not b", "b"),
        ("np.sum", "np.mean"),
        ("np.sum(a * 2.5, axis=axis)", "np.sum(a * 2.5)"),
        ("a * 2.5", "a / 2.5"),
        ("2.5", "5.0"),
        ("(found, b[:a])", "(b[:a], found)"),
        ("b[:a]", "b[:a + 1]"),
    ],
)
def test_what_computes_is_changed(found, change):
    assert change in found


def test_what_is_said_is_not(found):
    said = {"'A module of 2 lines.'", "'Returns 1.'", "a + 1", "3 * 4", "1", "True", "dataclass"}
    assert not said & {before for before, _ in found}
    assert ("0", "1") in found  # a default is code


def test_a_draw_is_of_its_seed(tmp_path):
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "a.py").write_text(SOURCE)
    once, again, other = (draw(tmp_path, 4, seed) for seed in (7, 7, 8))
    assert once == again != other
    assert len({fault.name.split(":")[0] for fault in once}) == 4


def test_every_fault_is_other_python():
    for fault in draw(ROOT, 30, 7):
        source = (ROOT / fault.file).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(fault.planted(ROOT))) != ast.dump(ast.parse(source))
        assert fault.tests


def test_related_are_the_mirror_then_its_folder_then_who_imports_it(tmp_path):
    for name, text in {
        "features/test_b.py": "",
        "features/test_size.py": "",
        "analysis/test_c.py": "from capability_transfer.features import size\n",
        "analysis/test_d.py": "from capability_transfer.features.size import parse_size\n",
        "analysis/test_e.py": "from capability_transfer.features import table\n",
    }.items():
        path = tmp_path / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert related(tmp_path, "features/size.py") == (
        "tests/features/test_size.py",
        "tests/features/test_b.py",
        "tests/analysis/test_c.py",
        "tests/analysis/test_d.py",
    )
