"""``hold_out`` and ``few_templates`` on a part of the study."""

import warnings

import pytest
from capability_transfer.common.errors import InputError
from capability_transfer.common.parallel import replaced_quietly

from capability_transfer import few_templates, hold_out


@pytest.fixture(scope="module")
def held(study):
    return hold_out(study, ["model_mean", "study_pairs"], ["isl", "de"], draws=200, workers=1)


def test_held_out_languages_are_those_asked_for(held, study):
    assert set(held.pairs["language"]) == {"isl", "deu"}
    assert len(held.pairs) == 2 * 2 * study.cells["variant"].nunique()
    table = held.summary.set_index(["level", "predictor"])
    rows = held.pairs.query("predictor == 'study_pairs'")
    error = 100 * (rows["predicted"] - rows["observed"]).abs().mean()
    assert table.loc[("pair", "study_pairs"), "mae"] == pytest.approx(error)
    assert set(held.by_language["predictor"]) == {"model_mean", "study_pairs"}
    assert "deu isl" in repr(held)


def test_both_levels_are_drawn(held, figure):
    assert held.plot().get_title("left") == "study_pairs"
    _, given = figure.subplots()
    assert held.plot("model_mean", "pair", ax=given) is given
    with pytest.raises(InputError, match="smooth was not held out"):
        held.plot("smooth")
    with pytest.raises(InputError, match="level='pairs'"):
        held.plot(level="pairs")


def test_one_language_has_no_correlation(study, figure):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        axes = hold_out(study, "model_mean", "isl", workers=1).plot()
    (text,) = (text.get_text() for text in axes.texts if "MAE" in text.get_text())
    assert "r =" not in text


def test_predictors_and_languages_that_are_not_there(study):
    with pytest.raises(InputError, match=r"no predictor 'smoth'.*Did you mean smooth"):
        hold_out(study, "smoth")
    with pytest.raises(InputError, match="there are no outcomes in Swahili"):
        hold_out(study, "model_mean", ["swh"])


def test_templates_seen_make_the_prediction_better(study, figure):
    found = few_templates(study, languages="isl", budgets=[0, 5], draws=2, workers=1)
    table = found.table.query("level == 'pair' and truth == 'all'").set_index("k")["mae"]
    assert table[5] < table[0]
    assert set(found.errors["language"]) == {"isl"}
    assert set(found.coverage["k"]) == {0, 5}
    assert list(found.tables()) == ["table_few_templates"]  # Table 5 is of the study's predictor
    assert list(found.plot("pair", "all").get_xticks()) == [0, 5]
    with pytest.raises(InputError, match="truth='seen'"):
        found.plot(truth="seen")
    with pytest.raises(InputError, match="10 templates cannot be seen"):
        few_templates(study, languages="isl", budgets=[10])
    by_default = few_templates(study, languages="isl", draws=1, workers=1)
    assert set(by_default.errors["k"]) == {0, 1, 2, 5}  # of ten templates


def test_only_the_word_of_a_replaced_worker_is_kept_back():
    with warnings.catch_warnings(record=True) as caught, replaced_quietly():
        warnings.warn("A worker stopped while some jobs were given", stacklevel=1)
        warnings.warn("another", stacklevel=1)
    assert [str(warning.message) for warning in caught] == ["another"]
