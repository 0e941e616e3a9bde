"""``sample_size``, ``power`` and ``measures`` on a part of the study."""

import pytest
from capability_transfer.common.errors import InputError

from capability_transfer import measures, power, sample_size


def test_sample_sizes_follow_the_root_of_the_templates(study, figure):
    found = sample_size(study, templates=[2, 8], instances=[5], wanted=[4])
    errors = found.templates.drop_duplicates("templates").set_index("templates")["std_error"]
    assert errors[2] == pytest.approx(2 * errors[8])
    assert found.needed["std_error"].tolist() == [4]
    assert "standard error of 4 points" in repr(found)
    assert "published" not in found.tables()["table_02"].display.columns
    for what in ("precision", "ranking", "instances"):
        assert found.plot(what).get_xlabel()
    with pytest.raises(InputError, match=r"what='presision'.*Did you mean precision"):
        found.plot("presision")
    with pytest.raises(InputError, match="templates= is a whole number from 1 up, not 0"):
        sample_size(study, templates=[0])


def test_power_of_every_combination(model, figure):
    found = power(model, languages=[4, 8], variants=8, templates=4, instances=5, simulations=3,
                  effects={"resource": 0.0}, workers=1)  # fmt: skip
    assert set(found.table["languages"]) == {4, 8}
    assert set(found.table["simulations"]) == {3}
    assert found.table.query("term == 'resource'")["effect"].tolist() == [0, 0]
    assert found.plot().get_xlabel().startswith("power")
    assert "table_power" in found.tables()
    with pytest.raises(InputError, match=r"no effect 'resorce'.*Did you mean resource"):
        power(model, effects={"resorce": 1})
    with pytest.raises(InputError, match="at least 4 languages, not 2"):
        power(model, languages=2)
    with pytest.raises(InputError, match=r"power starts from what fit\(\) returns"):
        power(model.study)


@pytest.fixture(scope="module")
def found(study):
    formula = "~ resource + size + (1 | variant) + (1 | language) + (1 | template)"
    return measures(study, draws=50, formula=formula)


def test_measures_by_model(found, study, figure):
    table = found.table.set_index("variant")
    assert len(table) == study.cells["variant"].nunique()
    assert (table["xlt_gap"] + table["target_accuracy"]).to_numpy() == pytest.approx(
        table["source_accuracy"].to_numpy()
    )
    assert {"glmm_level", "glmm_effect"} <= set(found.comparison.columns)
    made = {f"table_{name}" for name in ("transfer_metrics", "transfer_correlations",
                                         "script_contrast")}  # fmt: skip
    assert set(found.tables()) == made
    assert found.plot("xlt_gap", "glmm_level").get_xlabel() == "XLT gap"
    with pytest.raises(InputError, match="no measure 'glmm_distance_slope'"):
        found.plot("glmm_distance_slope")


def test_measures_without_the_glmm_and_from_another_source(study):
    found = measures(study, source="deu", draws=20, formula=None)
    assert set(found.table["source"]) == {"deu"}
    assert "glmm_level" not in found.comparison.columns
    with pytest.raises(InputError, match="swh"):
        measures(study, source="swh", draws=20, formula=None)
