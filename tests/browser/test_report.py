"""The report as people meet it: opened from disk, read, played with, printed."""

import random
import re

import pandas as pd
import pytest

from tests.browser.command_line import transfer

pytestmark = pytest.mark.browser

WIDTHS = (1280, 390)
SETTINGS = 50
SEED = 7
LINE = re.compile(
    r"\((?P<language>[a-z]{3})\)\s+(?P<plug_in>[\d.]+)\s+(?P<integrated>[\d.]+)"
    r"\s+(?P<i50>\d+–\d+)\s+(?P<i80>\d+–\d+)\s+(?P<i95>\d+–\d+)"
    r".*\s(?P<multiple>[\d.]+|–|≤1)\s*$",
    re.MULTILINE,
)


def shown(page):
    """The numbers that the explorer shows."""
    ids = {"plug_in": "plug-in", "integrated": "integrated", "i50": "interval-50",
           "i80": "interval-80", "i95": "interval-95"}  # fmt: skip
    texts = {name: page.locator(f"#{place}").inner_text() for name, place in ids.items()}
    return texts | {"multiple": page.locator("#multiple").inner_text().removeprefix("× ")}


def choose(page, language=None, size=None, family=None, reasoning=None):
    """Set controls as a hand would; places count from 0."""
    if language is not None:
        page.select_option("#language", index=language)
    if size is not None:
        page.locator("#size").fill(str(size))
    if family is not None:
        page.select_option("#family", index=family)
    if reasoning is not None:
        page.locator(f"input[name=reasoning][value={reasoning}]").check()


@pytest.mark.parametrize("width", WIDTHS)
def test_it_loads_from_disk_alone_and_says_nothing_on_the_console(opened, width):
    with opened(width) as page:
        page.wait_for_timeout(300)
        assert page.heard.requests == []
        assert page.heard.console == []
        assert page.locator("h1").count() == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(opened, width):
    with opened(width) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        too_wide = page.evaluate(
            """() => [...document.querySelectorAll('main *')].filter((one) =>
                 !one.closest('.scroll > *') && !one.closest('svg > *') && !one.closest('.hidden')
                 && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML
                 .slice(0, 80))"""
        )
        assert too_wide == []


def test_words_in_figures_can_be_read_on_a_phone(opened):
    with opened(390) as page:
        smallest = page.evaluate(
            """() => Math.min(...[...document.querySelectorAll('svg.figure')].flatMap((svg) =>
                 [...svg.querySelectorAll('text')].map((text) =>
                   parseFloat(getComputedStyle(text).fontSize)
                     * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)))"""
        )
        assert smallest >= 8.5


@pytest.mark.parametrize("width", WIDTHS)
def test_every_control_changes_the_number(opened, width):
    with opened(width) as page:
        before = shown(page)
        for change in ({"language": 5}, {"size": 2}, {"family": 1}, {"reasoning": "on"}):
            choose(page, **change)
            after = shown(page)
            assert after["plug_in"] != before["plug_in"], change
            before = after


def settings(page):
    """Choose ``SETTINGS`` at random, one after the other."""
    draw = random.Random(SEED)
    counts = {name: page.locator(f"#{name} option").count() for name in ("language", "family")}
    sizes = int(page.locator("#size").get_attribute("max")) + 1
    for number in range(SETTINGS):
        choose(page, draw.randrange(counts["language"]), draw.randrange(sizes),
               draw.randrange(counts["family"]), draw.choice(("on", "off")))  # fmt: skip
        yield number


def test_it_says_what_transfer_predict_says(opened, built):
    with opened() as page:
        for _ in settings(page):
            command = page.locator("#command").inner_text()
            printed = transfer(*_words(command)[1:], "--out", built.parents[1])
            told = LINE.search(printed)
            assert told, printed
            assert shown(page) == {k: v for k, v in told.groupdict().items() if k != "language"}
            for warning in page.locator("#warnings li").all_inner_texts():
                assert warning in printed


def _words(command):
    """A command line as its words, quotes taken off."""
    return [a or b for a, b in re.findall(r"'([^']*)'|(\S+)", command)]


def test_the_multiple_is_the_size_at_which_predict_says_what_it_says_in_english(opened, built):
    with opened() as page:
        page.select_option("#language", label="Swahili (swh)")
        said = page.locator("#multiple-said").inner_text()
        times = float(re.search(r"needs ([\d.]+) times", said)[1])
        english = page.locator("#english").inner_text()
        words = _words(page.locator("#command").inner_text())[1:]
        at = words.index("--params") + 1
        there = transfer(*words[:at], f"{float(words[at]) * times:g}", *words[at + 1 :],
                         "--out", built.parents[1])  # fmt: skip
        assert float(LINE.search(there)["plug_in"]) == pytest.approx(float(english), abs=0.3)


def test_the_keyboard_alone_works_it(opened):
    with opened() as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        reached, before = [], shown(page)
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement === document.body"):
                break  # past the last one
            name = page.evaluate("document.activeElement.id || document.activeElement.name")
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", name
            key = {"language": "ArrowDown", "size": "ArrowRight", "family": "ArrowDown",
                   "reasoning": "ArrowRight"}.get(name)  # fmt: skip
            if key and name not in reached:
                page.keyboard.press(key)
                after = shown(page)
                assert after != before, name
                reached, before = [*reached, name], after
        assert reached == ["language", "size", "family", "reasoning"]


def test_a_change_is_told_once_the_hand_rests(opened):
    with opened() as page:
        choose(page, size=3)
        page.wait_for_timeout(700)
        said = page.locator("#said")
        assert said.get_attribute("aria-live") == "polite"
        assert shown(page)["plug_in"] in said.inner_text()


def test_a_link_leads_back_to_what_was_chosen(opened):
    with opened() as page:
        for _ in settings(page):
            link, setting = page.url, page.locator("#setting").inner_text()
            wanted = shown(page)
            assert "#explorer?language=" in link
            page.goto("about:blank")
            page.goto(link)
            assert page.locator("#setting").inner_text() == setting
            assert shown(page) == wanted


def test_what_is_saved_is_what_is_shown(opened):
    with opened(accept_downloads=True) as page:
        page.select_option("#language", label="Swahili (swh)")
        wanted = shown(page)
        with page.expect_download() as download:
            page.click("#save")
        saved = pd.read_csv(download.value.path()).set_index("language")
    assert len(saved) > 100
    row = saved.loc["swh"]
    assert f"{100 * row['plug_in']:.1f}" == wanted["plug_in"]
    assert f"{100 * row['integrated']:.1f}" == wanted["integrated"]
    assert not row["evaluated"]
    assert saved.loc["eng", "evaluated"]


def test_all_languages_stand_in_order(opened):
    with opened() as page:
        page.click(".all-languages summary")
        titles = page.locator("#strip title").all_text_contents()
        values = [float(re.search(r": ([\d.]+)%", title)[1]) for title in titles]
        assert len(titles) == page.locator("#language option").count()
        assert values == sorted(values, reverse=True)


def test_it_prints(opened):
    with opened() as page:
        page.emulate_media(media="print")
        assert page.locator("nav").is_hidden()
        assert page.locator(".controls").is_hidden()
        assert page.locator("#setting").is_visible()
        paper = page.pdf(format="A4")
        assert paper.startswith(b"%PDF")
        assert paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") > 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing(opened, width, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with opened(width, color_scheme=scheme) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        found = axe.run(page).response["violations"]
        assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found] == []
