"""The report as people meet it: opened from disk, read, played with, printed."""

import json
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
NAMES = {"pes": "farsi", "zlm": "Malay", "uzn": "UZBEK", "nob": "bokmal", "hin": "हिन्दी"}
"""What people type for a few languages."""


def text(page, place):
    return page.locator(f"#{place}").text_content().strip()


def shown(page):
    """The numbers that the explorer shows."""
    ids = {"plug_in": "plug-in", "integrated": "integrated", "i50": "interval-50",
           "i80": "interval-80", "i95": "interval-95", "multiple": "multiple"}  # fmt: skip
    return {name: text(page, place).removeprefix("× ") for name, place in ids.items()}


def pick(page, box, typed):
    """Choose the first offer in a box that is searched by name."""
    page.click(f"#{box}")
    page.keyboard.type(typed)
    page.keyboard.press("Enter")


def describe(page, size=None, family=None):
    """Describe a model; places count from 0."""
    if not page.locator("#size").is_visible():
        pick(page, "model", "none of those")
    if size is not None:
        page.locator("#size").fill(str(size))
    if family is not None:
        page.select_option("#family", index=family)


def reason(page, mode):
    radio = page.locator(f"input[name=reasoning][value={mode}]")
    if radio.is_enabled():
        radio.check()


def known(page):
    """The predictions that stand in the page."""
    return json.loads(page.locator("#predictions").text_content())


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
        for change in (
            lambda: pick(page, "language", "marathi"), lambda: reason(page, "off"),
            lambda: pick(page, "model", "gemma 3 12b"), lambda: describe(page, size=2),
            lambda: describe(page, family=1),
        ):  # fmt: skip
            change()
            after = shown(page)
            assert after["plug_in"] != before["plug_in"]
            before = after


def settings(page):
    """Choose ``SETTINGS`` at random, one after the other: by name and described in turn."""
    draw, data = random.Random(SEED), known(page)
    bases = sorted({row["base"] for row in data["models"]})
    names = [NAMES.get(row["code"], row["name"]) for row in data["languages"]]
    for number in range(SETTINGS):
        pick(page, "language", draw.choice(names))
        if number % 2:
            describe(
                page, draw.randrange(len(data["sizes"])), draw.randrange(len(data["families"]))
            )
        else:
            pick(page, "model", draw.choice(bases))
        reason(page, draw.choice(("on", "off")))
        yield number


def test_it_says_what_transfer_predict_says(opened, built):
    with opened() as page:
        for _ in settings(page):
            command = text(page, "command")
            printed = transfer(*_words(command)[1:], "--out", built.parents[1])
            told = LINE.search(printed)
            assert told, printed
            assert shown(page) == {k: v for k, v in told.groupdict().items() if k != "language"}
            for warning in page.locator("#warnings li").all_text_contents():
                assert warning in printed.replace(" (?)", "")  # a mark of the table's
            assert "marked" not in text(page, "warnings")


def _words(command):
    """A command line as its words, quotes taken off."""
    return [a or b for a, b in re.findall(r"'([^']*)'|(\S+)", command)]


def test_the_multiple_is_the_size_at_which_predict_says_what_it_says_in_english(opened, built):
    with opened() as page:
        describe(page, size=5, family=1)
        said = text(page, "multiple-said")
        times = float(re.search(r"needs ([\d.]+) times", said)[1])
        english = text(page, "english")
        words = _words(text(page, "command"))[1:]
        at = words.index("--params") + 1
        there = transfer(*words[:at], f"{float(words[at]) * times:g}", *words[at + 1 :],
                         "--out", built.parents[1])  # fmt: skip
        assert float(LINE.search(there)["plug_in"]) == pytest.approx(float(english), abs=0.3)


@pytest.mark.parametrize(("code", "typed"), NAMES.items())
def test_languages_go_by_common_names_without_case_or_accents(opened, code, typed):
    with opened() as page:
        pick(page, "language", typed)
        assert f"language={code}" in page.url


def test_the_first_screen_answers_in_four_steps(opened):
    """What would Qwen3-8B get in Swahili? A box, a name and Enter, twice at most."""
    with opened() as page:
        pick(page, "model", "qwen3-8b")
        pick(page, "language", "swahili")
        number = page.locator("#number")
        assert number.bounding_box()["y"] < 900
        assert number.inner_text() == f"{round(float(shown(page)['plug_in'])):.0f}%"
        low, high = shown(page)["i80"].split("–")
        assert text(page, "likely") == f"{low} to {high}%"
        assert "plug-in" not in page.locator("#explorer-form").inner_text().casefold()


def test_languages_stand_in_groups_and_those_without_data_apart(opened):
    with opened() as page:
        data = known(page)
        page.click("#language")
        groups = page.locator("#language-list [role=group]")
        heads = groups.locator(".group").all_inner_texts()
        assert heads[:2] == ["Evaluated", "Not evaluated"]
        assert heads[2].startswith("Hardly any data")
        counts = [groups.nth(i).locator("[role=option]").count() for i in range(3)]
        few = [row for row in data["languages"] if row["pages"] < 5000 and not row["seen"]]
        assert counts == [15, len(data["languages"]) - 15 - len(few), len(few)]
        assert {"got", "sux"} <= {row["code"] for row in few}


def test_how_far_a_language_is_from_the_data_is_said(opened):
    with opened() as page:
        for name, told, kind in (
            ("danish", "One of the languages learned from", "far-0"),
            ("portuguese", "Inside the data", "far-0"),
            ("swahili", "less text and is farther from English than any", "far-1"),
            ("sumerian", "Far outside the data: it has less text", "far-2"),
        ):
            pick(page, "language", name)
            assert told in text(page, "far")
            assert page.locator("#far").get_attribute("class") == kind


def test_what_was_observed_stands_beside_a_prediction(opened):
    with opened() as page:
        pick(page, "model", "gemma-3-4b")
        pick(page, "language", "marathi")
        row = next(row for row in known(page)["models"] if row["base"] == "gemma-3-4b-it")
        assert f"Observed: {row['accuracy']['mar']}%" in text(page, "beside")
        pick(page, "language", "swahili")
        assert "Observed" not in text(page, "beside")


def test_two_settings_are_compared_and_linked(opened):
    with opened() as page:
        page.click("#compare")
        pick(page, "model-2", "gemma 3 27b")
        pick(page, "language-2", "yoruba")
        first, second = (int(text(page, name).rstrip("%")) for name in ("number", "number-2"))
        assert text(page, "difference").startswith(f"{abs(second - first)} points")
        link, seen = page.url, [text(page, name) for name in ("setting", "setting-2", "sentence")]
        page.goto("about:blank")
        page.goto(link)
        assert [text(page, name) for name in ("setting", "setting-2", "sentence")] == seen
        page.click("#compare")
        assert page.locator("#compared").is_hidden()
        assert "language2" not in page.url


def test_what_is_copied_is_what_is_compared(opened):
    with opened() as page:
        page.evaluate("navigator.clipboard.writeText = async (text) => { window.taken = text }")
        pick(page, "model", "gemma 3 27b")
        page.click("#compare")
        pick(page, "language-2", "farsi")
        page.click("[data-copy=command]")
        first, second = page.evaluate("taken").splitlines()
        assert first == text(page, "command")
        assert second == "transfer predict --model gemma-3-27b-it --reasoning off --language pes"
        page.click("[data-copy=sentence]")
        assert page.evaluate("taken").count("is predicted to solve") == 2
        page.click("[data-copy=link]")
        assert page.evaluate("taken") == page.url


def test_the_picture_names_its_models_to_pointer_and_keyboard(opened):
    with opened() as page:
        lines = page.locator("#lines [role=option]")
        assert lines.count() == 46
        box = page.locator("#lines rect").bounding_box()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
        assert re.match(r".+: [\d.]+% in \w+", text(page, "picture-said"))
        page.mouse.move(0, 0)
        page.locator("#lines").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        chosen = page.locator("#lines").get_attribute("aria-activedescendant")
        name = page.locator(f"#{chosen}").get_attribute("aria-label").partition(": ")[0]
        assert name in text(page, "picture-said")
        page.keyboard.press("Enter")
        assert page.locator("#model").input_value() in name


def test_the_keyboard_alone_works_it(opened):
    with opened() as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        keys = {"model": ["ArrowDown", "ArrowDown", "Enter"], "reasoning": ["ArrowLeft"],
                "language": ["ArrowDown", "ArrowDown", "Enter"]}  # fmt: skip
        reached, before = [], shown(page)
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement === document.body"):
                break  # past the last one
            name = page.evaluate("document.activeElement.id || document.activeElement.name")
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", name
            if name in keys and name not in reached:
                for key in keys[name]:
                    page.keyboard.press(key)
                after = shown(page)
                assert after != before, name
                reached, before = [*reached, name], after
        assert reached == list(keys)


def test_escape_leaves_what_was_chosen(opened):
    with opened() as page:
        before = shown(page)
        page.click("#language")
        page.keyboard.type("dan")
        page.keyboard.press("Escape")
        assert page.locator("#language").input_value() == "Swahili"
        assert shown(page) == before


def test_a_change_is_told_once_the_hand_rests(opened):
    with opened() as page:
        describe(page, size=3)
        page.wait_for_timeout(700)
        said = page.locator("#said")
        assert said.get_attribute("aria-live") == "polite"
        assert text(page, "number") in said.text_content()


def test_a_link_leads_back_to_what_was_chosen(opened):
    with opened() as page:
        for _ in settings(page):
            link, setting = page.url, text(page, "setting")
            wanted = shown(page)
            assert "#explorer?" in link
            page.goto("about:blank")
            page.goto(link)
            assert text(page, "setting") == setting
            assert shown(page) == wanted


def saved(page, button):
    with page.expect_download() as download:
        page.click(f"#{button}")
    return pd.read_csv(download.value.path())


def test_what_is_saved_is_what_is_shown(opened):
    with opened(accept_downloads=True) as page:
        wanted = shown(page)
        own, every = saved(page, "save"), saved(page, "save-all")
        data = known(page)
    own = own.set_index("language")
    assert len(own) > 100
    row = own.loc["swh"]
    assert f"{100 * row['plug_in']:.1f}" == wanted["plug_in"]
    assert f"{100 * row['integrated']:.1f}" == wanted["integrated"]
    assert not row["evaluated"]
    assert own.loc["eng", "evaluated"]
    settings = len(data["models"]) + 2 * len(data["families"]) * len(data["sizes"])
    assert len(every) == settings * len(own)
    mine = every.query("model == 'Qwen3-8B' and reasoning == 'on'").set_index("language")
    assert mine["plug_in"].tolist() == own["plug_in"].tolist()


def test_all_languages_stand_in_order(opened):
    with opened() as page:
        page.click(".all-languages summary")
        titles = page.locator("#strip title").all_text_contents()
        values = [float(re.search(r": ([\d.]+)%", title)[1]) for title in titles]
        few = sum(row["pages"] < 5000 for row in known(page)["languages"])
        assert len(titles) == len(known(page)["languages"])
        for part in (values[:-few], values[-few:]):
            assert part == sorted(part, reverse=True)


def test_it_prints(opened):
    with opened() as page:
        page.emulate_media(media="print")
        assert page.locator("nav").is_hidden()
        assert page.locator(".controls").first.is_hidden()
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
        page.click("#compare")
        page.click("#language")  # its list open
        found = axe.run(page).response["violations"]
        assert [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found] == []
