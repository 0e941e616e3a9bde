"""``fit``: estimates, tables, figure and levers of a fitted model."""

from xml.etree import ElementTree

import pandas as pd
import pytest
from capability_transfer.analysis import study as named
from capability_transfer.analysis.glmm.laplace import fit as laplace
from capability_transfer.analysis.presentation.result import ROWS, Sheet, as_html, as_text
from capability_transfer.analysis.studies.inference import Request
from capability_transfer.common.errors import InputError, speaking_options

from capability_transfer import fit


def test_estimates_are_those_of_the_engine_on_the_data_shown(model):
    again = laplace(model.formula, model.data)
    pd.testing.assert_series_equal(
        model.fixed_effects["estimate"], again.fixed_effects["estimate"], rtol=1e-4
    )
    assert set(model.random_effects["group"]) == {
        "variant", "language", "template", "variant:language",
    }  # fmt: skip
    assert model.data["size"].std() == pytest.approx(1)
    assert set(model.constants["feature"]) == {"resource", "distance", "fertility", "size"}


def test_published_figures_stand_beside_the_studys_model_only(published, model):
    assert published.fixed_effects["difference"].abs().max() < 0.001
    assert "Published" in repr(published)
    assert "published" not in model.fixed_effects.columns
    assert "Published" not in repr(model)


def test_a_model_shows_its_formula_data_and_warnings(model):
    for shown in (repr(model), model._repr_html_()):
        assert "(1 | template)" in shown
        assert "cells of the table of outcomes" in shown
    assert all(f"! {warning}" in repr(model) for warning in model.warnings())


@pytest.mark.parametrize("name", ["model", "published", "study", "predictions"])
def test_html_is_well_formed(name, request):
    ElementTree.fromstring(f"<div>{request.getfixturevalue(name)._repr_html_()}</div>")


def test_tables_show_themselves_and_are_those_of_the_command_line(published):
    tables = published.tables()
    assert list(tables) == ["table_03", "table_04"]
    for table in tables.values():
        ElementTree.fromstring(f"<div>{table._repr_html_()}</div>")
        assert table.note in repr(table)
        assert "published cells" in table.note


def test_sheets_escape_and_say_how_much_they_leave_out():
    display = pd.DataFrame({"": [f"<{i}>" for i in range(ROWS + 3)], "x": "1"})
    sheet = Sheet("a < b", {"k": "v & w"}, display, ("r > s",))
    html = as_html(sheet)
    ElementTree.fromstring(f"<div>{html}</div>")
    assert "&lt;0&gt;" in html
    assert "… and 3 more rows" in html
    assert f"<{ROWS}>" not in as_text(sheet)
    assert "… and 3 more rows" in as_text(sheet)


def test_the_forest_has_a_line_a_term_on_new_axes_and_on_given_ones(model, figure):
    own = model.plot()
    assert len(own.get_yticks()) == len(model.fixed_effects) - 1
    assert "cells of the table of outcomes" in own.figure.get_supxlabel()
    _, given = figure.subplots()
    assert model.plot(ax=given) is given
    assert len(given.get_yticks()) == len(own.get_yticks())


def test_intervals_come_with_the_fit_where_they_are_asked_for(study, model):
    asked = fit(study, model.formula, baseline=False, request=Request(intervals="wald"))
    assert asked.baseline is None
    table = asked.frames()["intervals"].set_index("term")
    fixed = model.fixed_effects.set_index("term")
    assert table.loc["size", "conf_low"] == pytest.approx(fixed.loc["size", "conf_low"], abs=1e-4)
    assert asked.views()[-1].title == "95% intervals (wald)"
    assert "intervals" not in model.frames()


def test_levers_are_read_off_the_fit(published, figure):
    levers = published.levers()
    effect = (
        published.fit.coefficients["size"] / published.constants.set_index("feature")["sd"]["size"]
    )
    assert levers.exchange_rates["parameters"] == pytest.approx(effect)
    assert levers.scale_cost["language"].iloc[-1] == "eng"
    assert levers.plot("distance", "reasoning").get_xlabel().startswith("URIEL")
    with pytest.raises(InputError, match="feature='resorce'.*Did you mean resource"):
        levers.plot("resorce")


def test_levers_need_the_features_they_move(study):
    with pytest.raises(InputError, match="this one lacks distance, reasoning"):
        fit(study, "~ resource * size + (1 | variant) + (1 | language)").levers()


def test_a_formula_or_an_engine_that_is_not_there_is_answered(study):
    with pytest.raises(InputError, match=r"names resorce.*Did you mean resource.*models= file"):
        fit(study, "~ resorce + (1 | language)")
    with pytest.raises(InputError, match=r"no engine 'laplce'.*Did you mean laplace"):
        fit(study, named.MAIN, engine="laplce")


@pytest.mark.needs("R")
def test_lme4s_verdict_is_shown_where_it_was_asked(study, model):
    judged = fit(study, "~ resource + size + (1 | variant) + (1 | language)", engine="lme4")
    differences = judged.lme4_check.set_index("quantity")["difference"]
    assert differences["log_lik"] == pytest.approx(0, abs=1e-4)
    assert "its log-likelihood at this optimum" in repr(judged)
    assert model.lme4_check.empty


PYTHON = "conf_int(method='t') or tidy(conf_method='t')"


def test_few_levels_are_said_of_every_fit_until_intervals_allow_for_them(model, study):
    few = (
        "few levels: (Intercept) (8 levels of language), resource (8 levels of language), distance "
        "(8 levels of language), size (23 levels of variant), reasoning (23 levels of variant)"
    )
    (told,) = [note for note in model.notes() if note.startswith("few levels")]
    assert told == f"{few}; Wald intervals are too narrow there, use {PYTHON}"
    assert all(few in text for text in (repr(model), model.report(), repr(model.summary())))
    with speaking_options():
        assert any(note.endswith("use --intervals t") for note in model.notes())
    better = fit(study, model.formula, request=Request(intervals="t"))
    assert not any("few levels" in note for note in better.notes())
