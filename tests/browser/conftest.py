"""The report, built from the committed results, in a browser that may load nothing else."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The page that ``transfer report`` writes from the committed tables; fits and predictions are
    taken from, and kept in, the results' cache."""
    from tests.browser.command_line import transfer

    out = tmp_path_factory.mktemp("site") / "results"
    shutil.copytree(ROOT / "results", out,
                    ignore=shutil.ignore_patterns("cache", "report", "*.png", "*.pdf"))  # fmt: skip
    cache = ROOT / "results" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    (out / "cache").symlink_to(cache)
    transfer("report", "--out", out)
    return out / "report" / "index.html"


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "no Chromium: tools/browser.sh installs Debian's"
    # containers: no sandbox for root, little shared memory
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@dataclass
class Heard:
    """What a page asked of the network, and what it said on the console."""

    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def opener(chromium):
    """A function that makes one that opens a page: ``with opened(width=390) as page``."""

    def of(path):
        @contextmanager
        def open_page(width=1280, height=900, **options):
            context = chromium.new_context(viewport={"width": width, "height": height}, **options)
            page, heard = context.new_page(), Heard()

            def only_the_page(route):
                if route.request.url.partition("#")[0] == path.as_uri():
                    route.continue_()
                else:
                    heard.requests.append(route.request.url)
                    route.abort()

            page.route("**/*", only_the_page)
            page.on("console", lambda said: heard.console.append(f"{said.type}: {said.text}"))
            page.on("pageerror", lambda error: heard.console.append(f"error: {error}"))
            page.heard = heard
            page.goto(path.as_uri())
            yield page
            context.close()

        return open_page

    return of


@pytest.fixture(scope="session")
def opened(opener, built):
    """A function that opens the report: ``with opened(width=390) as page``; ``page.heard``."""
    return opener(built)
