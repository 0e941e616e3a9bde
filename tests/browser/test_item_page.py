"""The page of odd items as a translator meets it: from disk, sorted, printed, in any script."""

import pytest

from tests.browser.command_line import transfer

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def opened(opener, tmp_path_factory):
    out = tmp_path_factory.mktemp("items")
    transfer("items", "--out", out)
    return opener(out / "items" / "index.html")


@pytest.mark.parametrize("width", [1280, 390])
def test_it_loads_from_disk_alone_and_fits_the_screen(opened, width):
    with opened(width) as page:
        assert page.heard.requests == []
        assert page.heard.console == []
        assert page.locator("h1").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def column(page, place):
    return [
        float(text)
        for text in page.locator(f"#items tbody td:nth-child({place})").evaluate_all(
            "cells => cells.map((one) => one.dataset.value)"
        )
    ]


def test_every_heading_sorts_both_ways(opened):
    with opened() as page:
        number = page.locator("#items tbody tr").count()
        assert number > 50
        for place in range(2, 9):
            head = page.locator(f"#items th:nth-child({place})")
            head.locator("button").click()
            assert head.get_attribute("aria-sort") == "ascending"
            assert column(page, place) == sorted(column(page, place))
            head.locator("button").click()
            assert head.get_attribute("aria-sort") == "descending"
            assert column(page, place) == sorted(column(page, place), reverse=True)
        assert page.locator("#items tbody tr").count() == number
        assert page.locator("#items th[aria-sort]").count() == 1


def test_a_line_leads_to_its_texts(opened):
    pytest.importorskip("multilingual_gsm_symbolic")
    with opened() as page:
        page.locator("#items a", has_text="Dutch 400").click()
        article = page.locator("article:target")
        assert "“ounce” is an English unit" in article.inner_text()
        assert "calories per ounce" in article.locator("p[lang=en]").inner_text()
        assert "Read and judged: faulty" in article.inner_text()


def test_arabic_runs_from_right_to_left_and_other_scripts_have_their_language(opened):
    pytest.importorskip("multilingual_gsm_symbolic")
    with opened() as page:
        arabic = page.locator("p[lang=ar]").first
        style = arabic.evaluate("(one) => [getComputedStyle(one).direction, one.dir]")
        assert style == ["rtl", "auto"]
        assert (
            page.locator("p[lang=hi]").first.evaluate("(one) => getComputedStyle(one).direction")
            == "ltr"
        )
        assert page.locator("p[lang=ja] mark").count() > 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(opened, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with opened(width, color_scheme=scheme) as page:
        found = axe.run(page).response["violations"]
        assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found] == []


def test_it_prints_a_language_per_sheet(opened):
    with opened() as page:
        page.emulate_media(media="print")
        breaks = page.locator("h2").evaluate_all(
            "heads => heads.map((one) => getComputedStyle(one).breakBefore)"
        )
        assert set(breaks) == {"page"}
        assert page.locator("nav").evaluate("(one) => getComputedStyle(one).display") == "none"
        assert len(page.pdf()) > 50_000
