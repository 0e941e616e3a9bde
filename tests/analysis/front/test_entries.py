"""``from analysis import …``: cheap, complete, and helpful where a name is misspelt."""

import subprocess
import sys

import pytest

import analysis


def test_importing_the_package_imports_nothing_else():
    code = "import sys, analysis; print({'pandas', 'numpy', 'analysis.front'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_every_entry_is_there_listed_and_documented():
    assert set(analysis.__all__) == {*analysis.ENTRIES, *analysis.PACKAGES}
    assert dir(analysis) == sorted(analysis.__all__)  # what completion offers, and no more
    for name in analysis.ENTRIES:
        entry = getattr(analysis, name)
        assert entry.__name__ == name
        assert "Raises" in entry.__doc__, name


def test_tables_and_figures_are_the_packages_that_write():
    assert callable(analysis.tables.write)
    assert callable(analysis.figures.save)


def test_a_misspelt_entry_is_answered_with_a_near_one():
    with pytest.raises(AttributeError, match="'hold_ot'. Did you mean hold_out"):
        _ = analysis.hold_ot
    with pytest.raises(ImportError, match="cannot import name"):
        from analysis import nothing_like_it  # noqa: F401
