"""Alternative specifications: what each changes in the model, and what it finds."""

from dataclasses import replace

import numpy as np
import pytest
from capability_transfer.analysis import study
from capability_transfer.analysis.data import Study, load
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.laplace import fit
from capability_transfer.analysis.studies import specifications as s
from capability_transfer.common.errors import InputError


def of_some(templates: str, **changes) -> Study:
    """The study's models that were run both ways, on templates whose names end like that."""
    whole = load()
    modes = whole.features.models.groupby("base_model")["reasoning"].transform("nunique")
    chosen = whole.features.models["variant"][modes == 2]
    kept = whole.cells["variant"].isin(chosen) & whole.cells["template"].str.endswith(templates)
    cells = whole.cells[kept].reset_index(drop=True)
    return replace(whole, inputs=replace(whole.inputs, cells=cells, **changes))


@pytest.fixture(scope="module")
def small():
    """Fifteen languages, 22 runs, every tenth template."""
    return of_some("0")


@pytest.fixture(scope="module")
def result(small):
    return s.specifications(small, only=["script", "template_language"])


@pytest.fixture(scope="module")
def table(result):
    return result.table


def test_every_specification_is_the_main_model_with_one_change():
    main = parse(study.MAIN)
    for each in study.SPECIFICATIONS:
        formula = s.varied(each)
        fixed = formula.fixed != main.fixed
        gained = set(formula.random) - set(main.random)
        lost = set(main.random) - set(formula.random)
        assert fixed + bool(gained) + bool(lost) == (each.name != "main"), each.name
    assert s.varied(s.choose(["no_language"])[1]).random == tuple(
        term for term in main.random if term.group != "language"
    )


def test_the_added_columns(small):
    data = s.prepared(small.inputs)
    other = data.loc[data["non_latin"] == 1, "language"].unique()
    assert sorted(other) == ["ara", "hin", "jpn", "mar", "rus", "ukr", "zho"]
    assert data["cell"].is_unique


def test_rows_are_the_fits_own(small, table):
    data = s.prepared(small.inputs)
    own = fit(f"{study.MAIN} + (1 | template:language)", data)
    rows = table[table["specification"] == "template_language"]
    fixed = rows[rows["part"] == "fixed"].set_index("term")
    np.testing.assert_allclose(
        fixed.loc[own.coefficients.index, "estimate"], own.coefficients, atol=1e-5
    )
    spread = rows[rows["part"] == "random"].set_index("term")["estimate"]
    assert spread["template:language"] == pytest.approx(own.sd("template:language"), abs=1e-4)
    assert rows["aic"].iloc[0] == pytest.approx(own.aic, abs=1e-4)


def test_changes_are_against_the_main_model(table):
    wide = table[table["part"] == "fixed"].pivot(
        index="term", columns="specification", values="estimate"
    )
    rows = table[(table["part"] == "fixed") & (table["specification"] == "script")]
    rows = rows.set_index("term")
    expected = (wide["script"] - wide["main"]).rename(None)
    np.testing.assert_allclose(rows["change"], expected[rows.index], equal_nan=True)
    assert np.isnan(rows.loc["non_latin", "change"])
    assert (table.loc[table["specification"] == "main", "aic_change"] == 0).all()


def test_published_figures_stand_beside_the_studys_data_only(table):
    assert table["published"].notna().sum() == 5
    own = s.specifications(of_some("3", is_study=False), only=["script"])
    assert own.table["published"].isna().all()


def test_an_unknown_specification_is_refused_by_name():
    with pytest.raises(InputError, match="no specification 'scripts'.*Did you mean script"):
        s.choose(["scripts"])


def test_the_table_has_a_column_per_specification(result):
    built = result.tables()["table_specifications"]
    assert list(built.display.columns[1:]) == list(result.table["label"].unique())
    assert "SD Template × language" in built.display[""].tolist()


@pytest.mark.slow
def test_the_studys_alternatives():
    chosen = [each.name for each in study.SPECIFICATIONS if each.name != "observation"]
    table = s.specifications(only=chosen).table
    fixed = table[table["part"] == "fixed"].set_index(["specification", "term"])
    assert fixed.loc[("resource_distance", "resource:distance"), "p_value"] > 0.5
    assert fixed.loc[("script", "non_latin"), "p_value"] > 0.5
    assert abs(fixed.loc[("script", "distance"), "change"]) < 0.005
    rows = table[table["specification"] == "template_language"]
    spread = rows[rows["part"] == "random"].set_index("term")["estimate"]
    assert spread["template:language"] == pytest.approx(0.946, abs=5e-4)
    assert spread["variant:language"] == pytest.approx(0.61, abs=0.005)  # as printed
    assert spread["language"] == pytest.approx(0.246, abs=5e-4)  # printed 0.27: 16 languages
    assert rows["aic_change"].iloc[0] == pytest.approx(-102_281, abs=1)
    assert rows["explained_language"].iloc[0] == pytest.approx(0.9335, abs=5e-4)
    assert rows["explained_variant_language"].iloc[0] == pytest.approx(0.1887, abs=5e-4)
    # the effect that "doesn't reproduce under model ablation" (section 4.1.1)
    assert rows.loc[rows["significance_changed"], "term"].tolist() == ["distance:reasoning"]
    main = table[table["specification"] == "main"].iloc[0]
    assert main["explained_language"] == pytest.approx(0.917, abs=5e-4)
    assert main["explained_variant_language"] == pytest.approx(0.226, abs=5e-4)
