"""lme4's formula syntax: what is read, what is refused, and R's column names."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis import study
from capability_transfer.analysis.glmm.formula import RandomTerm, parse
from capability_transfer.common.errors import InputError


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        rng.normal(size=(8, 4)), columns=["resource", "distance", "fertility", "size"]
    )
    frame["reasoning"] = [0, 1] * 4
    frame["split"] = pd.Categorical(["original", "symbolic"] * 4, ["original", "symbolic"])
    frame["language"] = list("aabbccdd")
    frame["variant"] = list("xyxyxyxy")
    frame["n_correct"], frame["n_total"] = 3, 20
    return frame


def test_the_main_model_has_table_3s_terms_in_the_house_order(data):
    _, names = parse(study.MAIN).fixed_matrix(data)
    assert names == [
        "(Intercept)", "resource", "distance", "fertility", "size", "reasoning",
        "resource:size", "distance:size", "fertility:size",
        "resource:reasoning", "distance:reasoning", "fertility:reasoning", "size:reasoning",
    ]  # fmt: skip


def test_factor_columns_carry_rs_names_and_products_are_products(data):
    matrix, names = parse("~ split * size + (1 | language)").fixed_matrix(data)
    assert names == ["(Intercept)", "splitsymbolic", "size", "splitsymbolic:size"]
    np.testing.assert_allclose(matrix[:, 3], matrix[:, 1] * matrix[:, 2])
    np.testing.assert_array_equal(matrix[:, 1], data["split"] == "symbolic")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("(1 | a)", [("1", ("a",))]),
        ("(1 | a:b)", [("1", ("a", "b"))]),
        ("(1 | a/b)", [("1", ("a",)), ("1", ("a", "b"))]),
        ("(1 + x | a)", [("1 + x", ("a",))]),
        ("(0 + x | a)", [("0 + x", ("a",))]),
        ("(x || a)", [("1", ("a",)), ("0 + x", ("a",))]),
        ("(0 + x || a)", [("0 + x", ("a",))]),
    ],
)
def test_random_terms_follow_bates_et_al_table_2(text, terms):
    assert parse(f"y ~ 1 + {text}").random == tuple(RandomTerm(*term) for term in terms)


def test_a_formula_reads_back_what_it_writes():
    formula = parse("y ~ x * z - 1 + offset(w) + (1 + x | a) + (z || b)")
    assert parse(str(formula)) == formula
    assert formula.variables() == {"y", "x", "z", "w", "a", "b"}


def test_interaction_levels_are_joined_by_a_colon(data):
    (term,) = parse("~ 1 + (1 | variant:language)").random
    assert term.group == "variant:language"
    assert list(term.levels(data).iloc[:2]) == ["x:a", "y:a"]


def test_counts_are_successes_and_trials(data):
    success, trials = parse("~ 1 + (1 | language)").counts(data)
    assert set(success) == {3.0}
    assert set(trials) == {20.0}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("resource + (1 | language)", "needs a '~'"),
        ("~ resource", "no random term"),
        ("~ resource + (1 | language", "not closed"),
        ("~ resource) + (1 | language)", "never opened"),
        ("~ resource + 1 | language", "its own parentheses"),
        ("~ resource - (1 | language)", "cannot be subtracted"),
        ("~ 1 + (1 | language) + (1 | language)", "occurs twice"),
        ("~ 1 + (1 | log(language))", "not a grouping factor"),
    ],
)
def test_what_is_no_formula_is_refused_with_the_reason(text, says):
    with pytest.raises(InputError, match=says.replace("(", r"\(").replace("|", r"\|")):
        parse(text)


@pytest.mark.parametrize(
    "term",
    [
        'I(resource.to_csv("stolen.csv"))',
        '{resource.to_csv("stolen.csv")}',
        "log(resource.to_csv('stolen.csv'))",
        "poly(resource, __import__('os'))",
        "log(lambda: resource)",
        "I(resource if size else size)",
        "I((resource))(1)",
        "I(f'{resource}')",
        "poly(resource, degree=[2])",
        "system('id')",
        "np.exp(resource)",
        "resource[0]",
        "resource.real()",
        '"resource"',
        "@resource",
    ],
)
def test_nothing_but_names_and_operators_reaches_an_evaluator(term):
    for text in (f"~ {term} + (1 | language)", f"~ 1 + ({term} | language)"):
        with pytest.raises(InputError):
            parse(text)
    with pytest.raises(InputError, match="left side"):
        parse(f"{term} ~ 1 + (1 | language)")


def test_names_of_the_formula_library_are_ordinary_columns(data):
    formula = parse("~ C + (1 | language)")
    assert "C" in formula.variables()
    matrix, names = formula.fixed_matrix(data.assign(C=data["size"]))
    assert names == ["(Intercept)", "C"]
    np.testing.assert_array_equal(matrix[:, 1], data["size"])


def test_a_misspelt_column_is_named_with_a_near_match(data):
    with pytest.raises(InputError, match="resorce.*Did you mean resource"):
        parse("~ resorce + (1 | language)").check(data)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_missing_or_not_finite_are_located(data, value):
    broken = data.copy()
    broken.loc[5, "resource"] = value
    with pytest.raises(InputError, match="resource .* row 5"):
        parse("~ resource + (1 | language)").check(broken)


def test_counts_that_are_no_counts_are_refused(data):
    broken = data.assign(n_correct=[3] * 7 + [21])
    with pytest.raises(InputError, match="failures of row 7"):
        parse("~ 1 + (1 | language)").counts(broken)
    with pytest.raises(InputError, match="0 or 1"):
        parse("resource ~ 1 + (1 | language)").counts(data)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("(x * z || g)", ["1", "0 + x", "0 + z", "0 + x:z"]),
        ("(x - 1 || g)", ["0 + x"]),
        ("(1 + x + x:z || g)", ["1", "0 + x", "0 + x:z"]),
        ("((x + z)^2 - x || g)", ["1", "0 + z", "0 + x:z"]),
    ],
)
def test_two_bars_part_every_term_from_the_others(text, columns):
    assert [term.lhs for term in parse(f"y ~ 1 + {text}").random] == columns


def test_the_text_that_was_written_is_kept_beside_what_it_means():
    formula = parse("~ x + (x*z || g)")
    assert formula.source == "cbind(n_correct, n_total - n_correct) ~ x + (x*z || g)"
    assert parse(formula.source) == parse(str(formula)) == formula
    other = replace(formula, fixed="z")
    assert other.source == str(other)
    assert other.source.startswith("cbind(n_correct, n_total - n_correct) ~ z + (1 | g)")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("y ~ 0 + (1 | variant)", "no fixed effect"),
        ("y ~ x + (0 | variant)", "no effect"),
        ("y ~ x + (0 || variant)", "no effect"),
        ("cbind(n_correct, 9**9**9) ~ x + (1 | g)", "whole numbers"),
        ("cbind(n_correct, 1 - -x) ~ x + (1 | g)", "whole numbers"),
        ("cbind(n_correct, 99999999999999999) ~ x + (1 | g)", "whole numbers"),
        ("cbind(n_correct, n_total.mean()) ~ x + (1 | g)", "left side"),
        ("cbind(n_correct) ~ x + (1 | g)", "successes and failures"),
        ("~ x^99999999 + (1 | g)", "is x again"),
        ("~ x + (1 | n_correct)", "n_correct is the outcome"),
        ("y ~ x + y + (1 | g)", "y is the outcome"),
        ("y ~ x + (1 | g) +", "ends in its sign"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, says):
    with pytest.raises(InputError, match=says):
        parse(text)


def test_counts_are_sums_and_products_of_columns(data):
    formula = parse("cbind(n_correct, 2 * n_total - n_correct - 1) ~ 1 + (1 | language)")
    success, trials = formula.counts(data)
    assert set(success) == {3.0}
    assert set(trials) == {39.0}


def test_text_where_numbers_are_needed_is_named(data):
    with pytest.raises(InputError, match="column split holds original, symbolic where"):
        parse("cbind(split, n_total) ~ 1 + (1 | language)").counts(data)
    with pytest.raises(InputError, match="column split holds"):
        parse("~ size + offset(split) + (1 | language)").offset(data)


@pytest.mark.parametrize("name", ["resource.__class__", "`resource + size`", "a.b"])
def test_a_name_with_dots_or_in_backticks_is_a_column_and_nothing_else(data, name):
    column = name.strip("`")
    formula = parse(f"~ {name} + (1 | language)")
    assert column in formula.variables()
    with pytest.raises(InputError, match="which the data do not have"):
        formula.check(data)
    matrix, names = formula.fixed_matrix(data.assign(**{column: data["size"] + 1}))
    assert names == ["(Intercept)", name]
    np.testing.assert_array_equal(matrix[:, 1], data["size"] + 1)


@pytest.mark.parametrize(
    ("response", "weights", "success", "trials"),
    [
        ("flag", "", [1, 0, 1, 0], [1, 1, 1, 1]),
        ("answer", "", [0, 1, 1, 0], [1, 1, 1, 1]),
        ("ordered", "", [1, 0, 0, 1], [1, 1, 1, 1]),
        ("share", "n", [1, 2, 0, 4], [2, 2, 5, 4]),
        ("k/n", "n", [1, 2, 0, 4], [2, 2, 5, 4]),
        ("flag", "n", [2, 0, 5, 0], [2, 2, 5, 4]),
    ],
)
def test_a_response_of_two_values_or_a_share_is_counted(response, weights, success, trials):
    frame = pd.DataFrame(
        {
            "flag": [True, False, True, False],
            "answer": ["no", "yes", "yes", "no"],
            "ordered": pd.Categorical(["no", "yes", "yes", "no"], ["yes", "no"]),
            "share": [0.5, 1, 0, 1],
            "k": [1, 2, 0, 4],
            "n": [2, 2, 5, 4],
            "g": list("aabb"),
        }
    )
    found = parse(f"{response} ~ 1 + (1 | g)", weights).counts(frame)
    np.testing.assert_array_equal(found[0], success)
    np.testing.assert_array_equal(found[1], trials)


def test_a_response_that_is_no_share_is_refused(data):
    frame = data.assign(share=0.37, three=list("abcabcab"))
    for text, weights, says in (
        ("share ~ 1 + (1 | language)", "", "trials are needed"),
        ("share ~ 1 + (1 | language)", "n_total", "comes to a whole number"),
        ("three ~ 1 + (1 | language)", "", "has 3 levels"),
    ):
        with pytest.raises(InputError, match=says):
            parse(text, weights).counts(frame)
    with pytest.raises(InputError, match="has its trials already"):
        parse("cbind(n_correct, n_total) ~ 1 + (1 | g)", "n_total")
