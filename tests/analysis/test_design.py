"""Joining features to cells and standardising them: Table 4, and what is refused or dropped."""

from importlib import resources

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis import design, study
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.inputs import load
from capability_transfer.common.errors import InputError
from capability_transfer.common.seeds import DEFAULT_SEED

FEATURES = ["resource", "distance", "fertility", "size", "reasoning"]


@pytest.fixture(scope="module")
def inputs():
    return load(None, None, None, DEFAULT_SEED)


@pytest.fixture(scope="module")
def built(inputs):
    return design.build(inputs.cells, inputs.features, FEATURES)


def test_table_4_comes_out_of_our_own_builders(built):
    expected = pd.read_csv("tests/expected/standardisation.csv", comment="#")
    both = expected.merge(built.constants, on="feature", suffixes=("_expected", ""))
    assert len(both) == 4
    np.testing.assert_allclose(both["mean"], both["mean_expected"], atol=0.0005)
    np.testing.assert_allclose(both["sd"], both["sd_expected"], atol=0.0005)


def test_the_study_has_69000_complete_cells_of_20(built):
    assert len(built.data) == 69_000
    assert built.dropped.empty
    assert set(built.data["n_total"]) == {20}
    levels = built.data[["variant", "base_model", "family", "language", "template"]].nunique()
    assert levels.tolist() == [46, 35, 9, 15, 100]


def test_z_scores_have_mean_0_and_sd_1_and_reasoning_stays_0_or_1(built):
    scaled = built.data[["resource", "distance", "fertility", "size"]]
    np.testing.assert_allclose(scaled.mean(), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(ddof=1), 1, atol=1e-12)
    assert set(built.data["reasoning"]) == {0, 1}


def test_constants_of_a_training_set_apply_to_a_held_out_language(inputs):
    raw, _ = design.join(inputs.cells, inputs.features, FEATURES)
    training, held_out = raw[raw["language"] != "mar"], raw[raw["language"] == "mar"]
    _, constants = design.standardise(training, ["resource"])
    scaled, same = design.standardise(held_out, ["resource"], constants)
    expected = (held_out["resource"] - training["resource"].mean()) / training["resource"].std()
    np.testing.assert_allclose(scaled["resource"], expected)
    assert same is constants


def _without(inputs, table, key, name, feature):
    tables = inputs.features
    changed = getattr(tables, table).copy()
    changed.loc[changed[key] == name, feature] = np.nan
    return type(tables)(**{**vars(tables), table: changed})


def test_a_language_without_a_feature_is_named_or_dropped_and_counted(inputs):
    tables = _without(inputs, "languages", "language", "mar", "resource")
    with pytest.raises(InputError, match="language mar has no resource.*drop_missing=True"):
        design.build(inputs.cells, tables, FEATURES)
    built = design.build(inputs.cells, tables, FEATURES, drop_missing=True)
    assert len(built.data) == 69_000 - 4_600
    assert built.dropped.to_dict("records") == [
        {"kind": "language", "name": "mar", "feature": "resource", "rows": 4_600}
    ]


def test_a_model_without_a_feature_is_named(inputs):
    tables = _without(inputs, "models", "variant", "gemma-3-4b-it", "size")
    with pytest.raises(InputError, match="model gemma-3-4b-it has no size"):
        design.build(inputs.cells, tables, FEATURES)


def test_features_that_the_model_does_not_need_may_be_missing(inputs):
    tables = _without(inputs, "languages", "language", "mar", "resource")
    built = design.build(inputs.cells, tables, ["size"])
    assert len(built.data) == 69_000


def test_a_constant_feature_is_refused(inputs):
    english = inputs.cells[inputs.cells["language"] == "eng"]
    with pytest.raises(InputError, match="resource is constant"):
        design.build(english, inputs.features, FEATURES)


def test_published_figures_are_packaged_with_their_source():
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_estimates.csv")
        .open() as file
    ):
        table = pd.read_csv(file)
    assert table["source"].notna().all()
    assert table.groupby("kind").size().to_dict() == {
        "fixed": 13, "random": 6, "baseline": 2, "explained": 2, "mean": 4, "sd": 4, "fit": 2,
    }  # fmt: skip


class TestModelsOfOurs:
    """What these data cannot tell is left out of a model that we chose, and said."""

    def test_whole_data_leave_the_model_as_it_is(self, inputs):
        formula, told = design.of_ours(study.MAIN, inputs.cells, inputs.features)
        assert (formula, told) == (parse(study.MAIN), ())

    @pytest.mark.parametrize("column", ["language", "variant"])
    def test_one_pair_without_fertility_takes_it_out(self, inputs, column):
        name = inputs.cells[column].iloc[0]
        tables = _without(inputs, "pairs", column, name, "fertility")
        formula, told = design.of_ours(study.MAIN, inputs.cells, tables)
        assert "fertility" not in formula.variables()
        kept = [term for term in parse(study.MAIN).expansion().terms if "fertility" not in term]
        assert list(formula.expansion().terms) == kept
        assert formula.random == parse(study.MAIN).random
        kind = {"language": "language", "variant": "model"}[column]
        assert len(told) == 1
        assert f"not known for {kind} {name}:" in told[0]

    def test_rows_without_it_may_be_dropped_instead(self, inputs):
        tables = _without(inputs, "pairs", "language", "mar", "fertility")
        assert design.of_ours(study.MAIN, inputs.cells, tables, drop_missing=True)[1] == ()

    def test_models_of_one_mode_have_no_effect_of_reasoning(self, inputs):
        off = inputs.features.models.query("reasoning == 0")["variant"]
        cells = inputs.cells[inputs.cells["variant"].isin(off)]
        formula, told = design.of_ours(study.MAIN, cells, inputs.features)
        assert "reasoning" not in formula.variables()
        assert told[0] == "the model is without reasoning, which is off throughout"

    def test_a_group_of_one_level_and_levels_alike_are_left_out(self, inputs):
        cells = inputs.cells[inputs.cells["variant"].str.startswith("Qwen2.5")]
        formula, told = design.of_ours(study.MAIN, cells, inputs.features)
        groups = [term.group for term in formula.random]
        assert groups == ["variant", "template", "language", "variant:language"]
        assert "there is one family (Qwen2.5)" in told[-2]
        assert "without (1 | base_model): its levels are those of variant" in told[-1]
