"""``from capability_transfer import …``: cheap, complete, and helpful where a name is misspelt."""

import subprocess
import sys
from importlib.metadata import version
from inspect import signature

import pytest

import capability_transfer as ct


def test_importing_the_package_imports_nothing_else():
    code = "import sys, capability_transfer; print({'pandas', 'numpy'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_what_an_answer_does_not_use_is_not_imported():
    """They take longer than an answer: what draws, what reads logs, and statistics."""
    code = """
import sys
import capability_transfer as ct
ct.load(), ct.predict
print({"matplotlib", "statsmodels", "scipy.stats", "duckdb"} & set(sys.modules))
ct.fit, ct.penalty
print("matplotlib" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["set()", "False"]


def test_every_entry_is_there_listed_and_documented():
    assert set(ct.__all__) == {*ct.ENTRIES, *ct.MODULES}
    assert dir(ct) == sorted(ct.__all__)  # what completion offers, and no more
    for name in sorted(set(ct.ENTRIES) - {"InputError"}):  # which is raised, not called
        entry = getattr(ct, name)
        assert entry.__name__ == name
        assert "Raises" in entry.__doc__ or not signature(entry).parameters, name


def test_tables_and_figures_are_the_packages_that_write():
    assert callable(ct.tables.write)
    assert callable(ct.figures.save)


def test_a_misspelt_entry_is_answered_with_a_near_one():
    with pytest.raises(AttributeError, match="'hold_ot'. Did you mean hold_out"):
        _ = ct.hold_ot
    with pytest.raises(ImportError, match="cannot import name"):
        from capability_transfer import nothing_like_it  # noqa: F401


def test_the_version_is_that_of_the_distribution():
    assert ct.__version__ == version("capability-transfer")
