"""Arguments: one value or several, of any kind of number; what cannot be is named."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.arguments import several, whole
from capability_transfer.common.errors import InputError

from capability_transfer import few_templates, hold_out, load, measures, power, predict, sample_size


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("swh", ["swh"]), (5, [5]), (np.int64(5), [5]), (pd.Series(["a", "b"], [7, 8]), ["a", "b"]),
     (range(2), [0, 1]), ((n for n in "ab"), ["a", "b"])],
)  # fmt: skip
def test_one_value_stands_for_a_list_of_one(given, wanted):
    assert several("x", given) == wanted


@pytest.mark.parametrize("value", [0, 1.5, "2", None, np.float64(2)])
def test_a_whole_number_is_one(value):
    assert whole("x", np.int32(3)) == 3
    with pytest.raises(InputError, match=r"x= is a whole number from 1 up"):
        whole("x", value)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda study, model: hold_out(study, []), "predictors= is empty"),
        (lambda study, model: hold_out(study, "study", []), "languages= is empty"),
        (lambda study, model: hold_out(study, "study", draws=1), "draws= is .* from 2 up, not 1"),
        (lambda study, model: hold_out(study, workers=0), "workers= is"),
        (lambda study, model: few_templates(study, []), "predictors= is empty"),
        (lambda study, model: few_templates(study, budgets=()), "budgets= is empty"),
        (lambda study, model: few_templates(study, draws=0), "draws= is"),
        (
            lambda study, model: few_templates(study, "grand_mean", budgets=2),
            "change GLMMs, not .*grand_mean",
        ),
        (lambda study, model: sample_size(study, templates=[]), "templates= is empty"),
        (lambda study, model: power(model, languages=[]), "languages= is empty"),
        (lambda study, model: power(model, languages=6.5), "languages= is a whole number"),
        (lambda study, model: predict([], study=study), "language= is empty"),
        (lambda study, model: predict("swh", items=0, study=study), "items= is"),
        (lambda study, model: load(outcomes={"variant": ["a"]}), "data frame, not from a dict"),
        (lambda study, model: load(outcomes=study.cells, models=[{}]), "not from a list"),
    ],
)
def test_what_cannot_be_is_named(study, model, call, told):
    with pytest.raises(InputError, match=told):
        call(study, model)


def test_one_budget_is_enough(study):
    assert set(sample_size(study, templates=5).templates["templates"]) == {5}


def test_what_a_reader_changes_is_theirs_alone(study):
    """The embedded study is read once a process: a change must not reach its next reader."""
    models = load().features.models
    models["size"] = -9.0
    assert (load().features.models["size"] > -9).all()
    found = measures(study, draws=5, formula=None)
    table = found.table
    table["variant"] = "changed"
    assert "changed" not in set(found.table["variant"])
    sizes = sample_size(study, templates=5)
    templates = sizes.templates
    templates["std_error"] = 0.0
    assert (sizes.templates["std_error"] > 0).all()
