"""The faults to plant fit the sources, and planting tells what is caught from what is not."""

import ast

import pytest

from tools import mutations
from tools.mutations import ROOT, Fault

LISTED = mutations.faults()


def test_every_fault_stands_in_the_source_and_is_python():
    assert len({fault.name for fault in LISTED}) == len(LISTED) >= 54
    for fault in LISTED:
        ast.parse(fault.planted(ROOT))
        assert fault.text != fault.replacement


def test_every_fault_names_tests_that_there_are():
    for fault in LISTED:
        for test in fault.tests:
            path, _, name = test.partition("::")
            assert (ROOT / path).exists(), test
            assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


@pytest.fixture
def project(tmp_path):
    """A project of one function and two tests of it."""
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "half.py").write_text("def half(x):\n    return x / 2\n")
    for name, test in (("good", "half(3) == 1.5"), ("weak", "half(0) == 0")):
        text = f"from half import half\n\n\ndef test_{name}():\n    assert {test}\n"
        (tmp_path / f"test_{name}.py").write_text(text)
    return tmp_path


def test_a_fault_is_caught_by_a_test_that_fails_and_taken_out_again(project):
    found = {}
    for test in ("test_good.py", "test_weak.py"):
        fault = Fault("third", "half.py", "x / 2", "x / 3", (test,))
        found[test] = mutations.is_caught(fault, project)
        assert (project / "half.py").read_text() == "def half(x):\n    return x / 2\n"
    assert found == {"test_good.py": True, "test_weak.py": False}


def test_no_tests_is_not_caught_and_what_cannot_run_is_an_error(project):
    (project / "test_none.py").write_text("")
    fault = Fault("third", "half.py", "x / 2", "x / 3", ("test_none.py",))
    assert not mutations.is_caught(fault, project)
    with pytest.raises(RuntimeError, match="ended with 4"):
        mutations.run(project, ["test_absent.py"])


@pytest.mark.parametrize("text", ["x / 3", "x"])
def test_a_text_stands_once(project, text):
    with pytest.raises(ValueError, match="times in half.py"):
        Fault("none", "half.py", text, "", ("test_good.py",)).planted(project)
