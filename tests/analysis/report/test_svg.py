"""Figures inside the page: apart from each other, in its colours, their numbers whole."""

import re

import matplotlib
import pandas as pd
import pytest
from capability_transfer.analysis.presentation.plots import OURS, RC, new_figure
from capability_transfer.analysis.report.svg import inline, panel, picture
from capability_transfer.analysis.studies import held_out, main_model


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
    svg = picture("forest", "effects", main_model.forest, table)
    assert "Resource level" in svg
    assert "−0.20" in svg
    assert "Intercept" not in svg


def test_coverage_is_a_curve_per_level_of_one_predictor_or_per_predictor_of_one_level():
    rows = [("smooth", "pair", 0.4), ("smooth", "language", 0.7), ("mean", "pair", 0.2)]
    table = pd.DataFrame(rows, columns=["predictor", "level", "coverage"]).assign(nominal=0.5)

    def drawn(part, by):
        (axes,) = panel(held_out.draw_coverage, part, by).axes
        return {line.get_label(): line.get_ydata()[0] for line in axes.lines[1:]}

    ours = drawn(table[table["predictor"] == "smooth"], "level")
    assert ours == pytest.approx({"pairs (model, language)": 40, "language means": 70})
    pairs = drawn(table[table["level"] == "pair"], "predictor")
    assert pairs[held_out.TITLES["smooth"]] == pytest.approx(40)
    assert len(pairs) == 2


def test_settings_replace_what_is_drawn_and_a_legend_of_ones_own_stays_alone():
    def own(axes):
        axes.plot([0, 1], [0, 1], label="a line")
        axes.set_xlabel("long")
        axes.legend()

    figure = panel(own, xlabel="short")
    assert figure.axes[0].get_xlabel() == "short"
    assert figure.legends == []
    assert len(panel(lambda axes: axes.plot([0], [0], label="a line")).legends) == 1
