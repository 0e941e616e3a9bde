"""Figures inside the page: apart from each other, in its colours, their numbers whole."""

import re

import matplotlib
import pandas as pd
from capability_transfer.analysis.presentation.plots import OURS, RC, new_figure
from capability_transfer.analysis.report import figures
from capability_transfer.analysis.report.svg import inline


def drawn(text="r = 0.95949"):
    with matplotlib.rc_context(RC):
        figure = new_figure(4, 3)
        axes = figure.add_subplot()
        axes.plot([0.123456, 1], [0, 1], color=OURS, label="a line")
        axes.text(0.5, 0.5, text)
    return figure


def test_ids_of_two_figures_do_not_meet_and_references_follow():
    one, two = (inline(drawn(), name, "a line") for name in ("one", "two"))
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (one, two)]
    assert ids[0]
    assert not ids[0] & ids[1]
    references = set(re.findall(r'(?:href="|url\()#([^")]+)', one))
    assert references <= ids[0]


def test_numbers_in_words_stay_whole():
    assert "r = 0.95949" in inline(drawn(), "one", "a line")


def test_it_has_a_name_and_the_pages_colours():
    svg = inline(drawn(), "one", 'accuracy < 50% of "all"')
    assert 'role="img" aria-label="accuracy &lt; 50% of &quot;all&quot;"' in svg
    assert "var(--ours)" in svg
    assert OURS not in svg
    assert "<metadata" not in svg
    assert 'xmlns' not in svg.split(">")[0]  # fmt: skip


def test_the_same_figure_gives_the_same_text():
    assert inline(drawn(), "one", "a line") == inline(drawn(), "one", "a line")


def test_a_forest_draws_every_term_but_the_intercept():
    table = pd.DataFrame({"term": ["(Intercept)", "resource", "resource:size"],
                          "estimate": [0.1, 0.5, -0.2], "conf_low": [0, 0.4, -0.3],
                          "conf_high": [0.2, 0.6, -0.1], "published": [None] * 3})  # fmt: skip
    svg = inline(figures.forest(table), "forest", "effects")
    assert "Resource level" in svg
    assert "−0.20" in svg
    assert "Intercept" not in svg
