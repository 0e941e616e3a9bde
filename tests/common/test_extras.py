"""What is told to who lacks an optional package."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from capability_transfer.common import extras
from capability_transfer.common.errors import InputError

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def test_every_extra_says_what_it_offers():
    assert set(extras.OFFERS) == set(PROJECT["optional-dependencies"])


@pytest.mark.parametrize("extra", extras.OLDEST)
def test_an_extra_that_needs_a_later_python_is_empty_before_it(extra):
    version = ".".join(map(str, extras.OLDEST[extra]))
    for package in PROJECT["optional-dependencies"][extra]:
        assert f"python_version >= '{version}'" in package


def test_a_missing_package_names_its_extra_and_the_way_to_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "multilingual_gsm_symbolic", None)
    monkeypatch.setattr(sys, "version_info", (3, 12, 1))
    with pytest.raises(InputError) as told:
        extras.load("multilingual_gsm_symbolic", "templates")
    assert str(told.value) == (
        "multilingual-gsm-symbolic is not installed; it comes with the extra templates (the "
        "templates of multilingual-gsm-symbolic: their checks, instances drawn from them, and "
        "tokens counted on their questions). In a clone: make setup EXTRAS=templates. Into another "
        "environment, from a clone: pip install '.[templates]'"
    )


def test_on_a_python_too_old_for_the_extra_the_way_is_another_python(monkeypatch):
    monkeypatch.setitem(sys.modules, "multilingual_gsm_symbolic", None)
    monkeypatch.setattr(sys, "version_info", (3, 11, 2))
    monkeypatch.setattr(sys, "version", "3.11.2 (main)")
    with pytest.raises(InputError, match=r"needs Python 3\.12 or later, and this is 3\.11\.2\. In"):
        extras.load("multilingual_gsm_symbolic", "templates")


def test_an_error_within_an_installed_package_is_not_hidden(monkeypatch, tmp_path):
    (tmp_path / "half_there.py").write_text("import nowhere_to_be_found")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        extras.load("half_there", "tokenizers")


@pytest.mark.parametrize(
    "module",
    [
        "capability_transfer.evaluation.folders",
        "capability_transfer.evaluation.instances",
        "capability_transfer.evaluation.quality",
    ],
)
def test_the_templates_package_is_not_needed_to_import(module):
    code = f"import sys; sys.modules['multilingual_gsm_symbolic'] = None; import {module}"
    subprocess.run([sys.executable, "-c", code], check=True)
