"""CITATION.cff, the changelog and the package speak of one version, in the format's fields."""

from __future__ import annotations

import tomllib

import yaml

from tests.docs.pages import PAGES, ROOT

PERSON = {"given-names", "family-names"}
REFERENCE = {
    *("authors", "title", "type", "notes", "year", "month", "url", "doi", "identifiers"),
    *("journal", "volume", "issue", "conference"),
}
"""Of Citation File Format 1.2.0, those that are used."""


def test_citation():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert (cited["type"], cited["cff-version"]) == ("software", "1.2.0")
    assert cited["version"] == package["version"]
    assert cited["license"] == package["license"]
    for work in cited["references"]:
        assert {"authors", "title", "type"} <= set(work) <= REFERENCE
        assert all(set(author) == PERSON for author in work["authors"])


def test_the_address_of_the_repository_is_in_one_place():
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert urls["Paper"] == cited["references"][0]["url"]
    for page in (*PAGES, ROOT / "CITATION.cff", ROOT / "mkdocs.yml"):
        assert urls["Source"] not in page.read_text(encoding="utf-8"), page


def test_the_changelog_has_the_version():
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"\n## {package['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
