"""Odd outcomes, covariates and formulas: refused in words, or fitted as they are meant."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError

from capability_transfer import fit, hold_out, load, measures, predict

LANGUAGES = ["eng", "deu", "fra", "isl", "mar", "hin"]
VARIANTS = [f"Qwen2.5-{size}B-Instruct" for size in ("0.5", "1.5", "3", "7", "14")]
TERMS = "(1 | variant) + (1 | language) + (1 | template)"


@pytest.fixture(scope="module")
def cells():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        [(v, code, f"t{t}") for v in VARIANTS for code in LANGUAGES for t in range(5)],
        columns=["variant", "language", "template"],
    )
    level = 0.2 + 0.1 * table["variant"].map(VARIANTS.index)
    level += 0.04 * table["language"].map(LANGUAGES.index)
    return table.assign(n_correct=rng.binomial(10, level), n_total=10)


@pytest.fixture(scope="module")
def study(cells):
    return load(outcomes=cells)


@pytest.mark.parametrize("right", [True, False])
def test_one_answer_that_differs_from_all_others(cells, right):
    counts = np.full(len(cells), 10)
    counts[7] = 9
    outcomes = cells.assign(n_correct=counts if right else 10 - counts)
    study = load(outcomes=outcomes)
    model = fit(study, f"~ size + {TERMS}")
    mean = model.fit.coefficients["(Intercept)"]
    assert (mean > 3) == right
    assert (mean < -3) == (not right)
    found = predict("swh", "Qwen2.5-7B-Instruct", study=study).table["plug_in"].iloc[0]
    assert found == pytest.approx(float(right), abs=0.05)


def _languages(name, values):
    return pd.DataFrame({"language": LANGUAGES, name: values})


def _models(name, values):
    return pd.DataFrame(
        {"variant": VARIANTS, "base_model": VARIANTS, "family": "Q", "reasoning": "off",
         "params_b": [0.5, 1.5, 3, 7, 14], name: values}
    )  # fmt: skip


@pytest.mark.parametrize("name", ["split", "variant", "n_total", "n_correct", "base_model", "size",
                                  "reasoning", "fertility", "instance"])  # fmt: skip
def test_a_language_covariate_may_not_have_a_name_that_is_taken(cells, name):
    with pytest.raises(InputError, match=f"languages have a column {name},.*rename"):
        load(outcomes=cells, languages=_languages(name, [3, 2, 5, 1, 7, 4]))


@pytest.mark.parametrize("name", ["split", "language", "template", "n_total", "resource", "size"])
def test_a_model_covariate_may_not_have_a_name_that_is_taken(cells, name):
    with pytest.raises(InputError, match=f"models have a column {name},.*rename"):
        load(outcomes=cells, models=_models(name, [3, 2, 5, 1, 7]))


@pytest.mark.parametrize("name", ["cell", "weight", "intercept", "Intercept", "offset", "cbind",
                                  "mode", "level", "group", "T", "I", "lambda", "pi"])  # fmt: skip
def test_any_other_name_is_as_good_as_another(cells, name):
    values = [3.0, 2, 5, 1, 7, 4]
    own = fit(load(outcomes=cells, languages=_languages(name, values)), f"~ {name} + {TERMS}")
    plain = fit(load(outcomes=cells, languages=_languages("mine", values)), f"~ mine + {TERMS}")
    assert own.fit.coefficients[name] == pytest.approx(plain.fit.coefficients["mine"], abs=1e-6)


def test_a_covariate_of_both_files_is_refused(cells):
    study = load(
        outcomes=cells,
        languages=_languages("mine", [3, 2, 5, 1, 7, 4]),
        models=_models("mine", [3, 2, 5, 1, 7]),
    )
    with pytest.raises(InputError, match="mine is a column of the languages and of the models"):
        fit(study, f"~ mine + {TERMS}")


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_who_has_an_infinite_covariate_is_said(cells, value):
    study = load(outcomes=cells, languages=_languages("mine", [3, 2, value, 1, 7, 4]))
    with pytest.raises(InputError, match=f"mine of language fra is {value:g}: give a finite"):
        fit(study, f"~ mine + {TERMS}")
    study = load(outcomes=cells, models=_models("mine", [3, 2, 5, value, 7]))
    with pytest.raises(InputError, match="mine of model Qwen2.5-7B-Instruct is .?inf"):
        fit(study, f"~ mine + {TERMS}")


def test_a_spread_that_overflows_is_not_called_constant(cells):
    study = load(outcomes=cells, languages=_languages("mine", [3, 2, 1e308, 1, -1e308, 4]))
    with pytest.raises(InputError, match="too large to standardise"):
        fit(study, f"~ mine + {TERMS}")


def test_correct_on_the_left_side_is_the_counts(study):
    model, plain = (fit(study, f"{left}~ size + {TERMS}") for left in ("correct ", ""))
    assert model.fit.coefficients.to_dict() == plain.fit.coefficients.to_dict()
    assert model.formula.startswith("cbind(n_correct, n_total - n_correct)")
    wrong = fit(study, f"cbind(n_total - n_correct, n_correct) ~ size + {TERMS}")
    assert wrong.fit.coefficients["size"] == pytest.approx(
        -plain.fit.coefficients["size"], abs=1e-4
    )


@pytest.mark.parametrize("left", ["n_correct", "cbind(n_correct, n_total)", "resource", "score"])
def test_any_other_left_side_is_refused_with_what_to_write(study, left):
    with pytest.raises(InputError, match=r"leave it out.*or write cbind\(n_correct, n_total - n"):
        fit(study, f"{left} ~ size + {TERMS}")


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (f"~ offset(variant) + {TERMS}", "holds Qwen.* where the model needs numbers"),
        ("~ size + (1 | n_correct)", "n_correct is the outcome"),
        (f"~ size^2 + {TERMS}", r"size\^2 is size again"),
        (f"~ family + {TERMS}", r"family has one level in these rows \(Qwen2.5\)"),
    ],
)
def test_formulas_that_mean_nothing_here(study, formula, message):
    with pytest.raises(InputError, match=message):
        fit(study, formula)


def test_separated_fixed_effects_are_not_said_to_be_held_back(cells):
    odd = cells["language"].isin(["isl", "hin"])
    outcomes = cells.assign(n_correct=cells["n_correct"].clip(1, 9).mask(odd, 10))
    flags = _languages("odd", ["no", "no", "no", "yes", "no", "yes"])
    told = fit(load(outcomes=outcomes, languages=flags), f"~ odd + size + {TERMS}").warnings()
    assert any("oddyes" in text and "without error" in text for text in told)
    assert not any("held back" in text for text in told)


def test_grouping_factors_with_the_same_levels_are_said(study):
    told = fit(study, "~ size + (1 | base_model) + (1 | variant) + (1 | language)").warnings()
    assert any("(1 | base_model) and (1 | variant) cannot be told apart" in text for text in told)


def test_languages_are_named_as_people_name_them_everywhere(study):
    found = measures(study, source="English", formula=None, draws=20)
    pd.testing.assert_frame_equal(found.table, measures(study, formula=None, draws=20).table)
    held = hold_out(study, "model_mean", ["French", "IS"], workers=1)
    assert set(held.pairs["language"]) == {"fra", "isl"}


def test_a_wrong_source_or_language_is_refused_before_the_fit(study, monkeypatch):
    def never(*arguments, **options):
        raise AssertionError("a fit was made")

    monkeypatch.setattr("capability_transfer.analysis.studies.transfer_metrics.cached_fit", never)
    with pytest.raises(InputError, match="no outcomes in Swahili .* some in deu, eng"):
        measures(study, source="swh")
    with pytest.raises(InputError, match="unknown language 'xx'"):
        measures(study, source="xx")
    with pytest.raises(InputError, match="no outcomes in Swahili"):
        hold_out(study, "model_mean", "swahili")
    with pytest.raises(InputError, match="no engine 'laplas'.*laplace"):
        fit(study, engine="laplas")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda study: fit(study, 5), "a formula is a text"),
        (lambda study: fit(study, engine=["laplace"]), "no engine"),
        (lambda study: measures(study, draws="x"), "draws= is a whole number from 2"),
        (lambda study: measures(study, engine="laplas"), "no engine 'laplas'.*laplace"),
        (lambda study: predict("swh", params=8, items=10**19, study=study), "items= is a number"),
        (lambda study: predict("swh", params=[8], study=study), "not \\[8\\]"),
        (lambda study: predict(None, params=8, study=study), "a language is named by its code"),
    ],
)
def test_arguments_of_another_kind_are_refused(study, ask, message):
    with pytest.raises(InputError, match=message):
        ask(study)


def test_too_few_languages_to_learn_from(cells):
    two = load(outcomes=cells[cells["language"].isin(["eng", "deu"])])
    with pytest.raises(InputError, match="^there are 2 languages to learn from; at least 3"):
        predict("swh", "Qwen2.5-7B-Instruct", study=two)
