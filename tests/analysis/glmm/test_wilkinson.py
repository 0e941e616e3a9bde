"""The algebra of terms: R's meaning of the operators, in bounded time whatever is written."""

import re

import pytest
from capability_transfer.analysis.glmm.wilkinson import MOST_TERMS, expand
from capability_transfer.common.errors import InputError
from hypothesis import given
from hypothesis import strategies as st


def terms(text):
    return [":".join(term) for term in expand(text).terms]


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("a * b", ["a", "b", "a:b"]),
        ("b:a + a", ["a", "b:a"]),
        ("(a + b + c)^2", ["a", "b", "c", "a:b", "a:c", "b:c"]),
        ("(a + b)**2 - a", ["b", "a:b"]),
        ("a / b", ["a", "a:b"]),
        ("(a + b) / c", ["a", "b", "a:b:c"]),
        ("a * b - a - -c", ["b", "c", "a:b"]),
        ("1", []),
    ],
)
def test_operators_mean_what_they_mean_in_r(text, means):
    assert terms(text) == means
    assert expand(text).intercept


@pytest.mark.parametrize(
    ("text", "intercept"),
    [("x - 1", False), ("0 + x", False), ("x - 0", True), ("0 + x + 1", True), ("x - (1)", False)],
)
def test_numbers_move_the_intercept(text, intercept):
    assert expand(text).intercept is intercept


@pytest.mark.parametrize("power", ["99999", "99999999", "9" * 5000])
def test_a_power_means_at_most_the_number_of_its_terms(power):
    assert expand(f"(a + b + c + d)^{power}") == expand("(a + b + c + d)^4")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("size^2", r"size\^2 is size again"),
        ("(a + b)^1", "whole number from 2"),
        ("(a + b)^c", "whole number from 2"),
        ("(a + b)^2^3", "power of a power"),
        ("9**9**9", "9 is not a term"),
        ("2 * a", "2 is not a term"),
        ("a * 1", "not multiplied"),
        ("a b", "out of place"),
        ("a +", "missing at the end"),
        ("(a + b", "not closed"),
        ("a)", "out of place"),
        ("cut(a)", "calls cut, which is not supported"),
        ("(" * 5000 + "a" + ")" * 5000, "deep"),
        (" * ".join(f"x{i}" for i in range(40)), f"more than {MOST_TERMS:,} terms"),
        (f"({' + '.join(f'x{i}' for i in range(40))})^40", f"more than {MOST_TERMS:,} terms"),
    ],
)
def test_what_is_no_sum_of_terms_is_refused_with_the_reason(text, says):
    with pytest.raises(InputError, match=says):
        expand(text)


@given(st.text(alphabet="ab01 9+-*:/^()", max_size=40))
def test_any_text_is_read_or_refused(text):
    try:
        found = expand(text)
    except InputError:
        return
    assert set().union(*found.terms) <= set(re.findall(r"[ab]\w*", text))
