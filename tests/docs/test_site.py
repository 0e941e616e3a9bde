"""The site builds without a warning, asks nothing of a network, and names files that exist."""

from __future__ import annotations

import re

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tests.docs.pages import PAGES, ROOT, titled
from tools import docs_hooks

LOADED = re.compile(r'<(?:script|img|iframe|link)\b[^>]*(?:src|href)="(https?:)?//[^"]*"')
TOP = "analysis|benchmarks|common|docs|evaluation|features|notebooks|R|results|tests|tools"
PATH = re.compile(rf"`((?:{TOP})/[^`\s]*)`")
MADE = ("results/cache/", "results/report/")
"""Files that are made, and not committed."""


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    return load_config(
        str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(tmp_path_factory.mktemp("site"))
    )


@pytest.fixture(scope="module")
def site(config):
    build(config)
    return config.site_dir


def test_a_strict_build_needs_no_network(site):
    pages = [*type(ROOT)(site).rglob("*.html")]
    assert len(pages) > 20
    for page in pages:
        assert not LOADED.search(page.read_text(encoding="utf-8")), page


def test_every_command_is_in_the_reference(site):
    text = (type(ROOT)(site) / "reference" / "command-line.html").read_text(encoding="utf-8")
    for option in ("--language", "--check-laplace", "--drop-missing", "--irt"):
        assert option in text
    assert "transfer interval-check" in text


def test_a_link_to_a_file_that_is_no_page_fails(site, config):
    file = File.generated(config, "some/page.md", content="")
    page = Page("", file, config)
    lead = docs_hooks.on_page_markdown
    shown = lead("![x](../../results/figures/figure_02.png) [y](#z)", page, config, Files([]))
    assert shown == "![x](../figures/figure_02.png) [y](#z)"
    with pytest.raises(PluginError, match="is not a page"):
        lead("[x](../../Makefile)", page, config, Files([]))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_named_exist(path):
    text = path.read_text(encoding="utf-8")
    written = {name for page in (ROOT / "docs").glob("*.md") for name in titled(page.name)}
    for name in PATH.findall(text):
        if name.startswith(MADE) or name in written:
            continue
        assert [*ROOT.glob(name.rstrip("/"))], f"{path.name} names {name}"
