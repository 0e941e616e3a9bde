"""Operands and intermediates of marked solutions, and how many of them a response has."""

from fractions import Fraction

from capability_transfer.evaluation.answers.numbers import numbers
from capability_transfer.evaluation.answers.stages import (
    Coverage,
    coverage,
    intermediates,
    marks,
    operands,
)
from hypothesis import given
from hypothesis import strategies as st

SOLUTION = """First 6 inches * 2 remoras = <<6*2=12>>12 inches.
Then 12/4 inches/foot = <<12/4=3>>3 feet.
Half of it is <<0.5*3=1.5>>1.5, in all <<1.5+12=13.5=13.5>>13.5.
#### 13.5"""


def test_marks_are_split_at_the_last_equals_sign():
    assert marks("<<1+1=2>> and <<3=2+1=3>> and <<7>>") == [("1+1", "2"), ("3=2+1", "3"), ("", "7")]


def test_operands_are_distinct_and_quotients_are_one_value():
    expected = {6, 2, 3, Fraction(1, 2), Fraction(3, 2), 12, Fraction(27, 2)}
    assert operands(SOLUTION) == expected


def test_intermediates_are_distinct():
    assert intermediates(SOLUTION) == {12, 3, Fraction(3, 2), Fraction(27, 2)}


def test_decimal_commas_and_other_scripts():
    assert operands("<<2,5*4=10>>10", ",") == {Fraction(5, 2), 4}
    assert operands("<<२*५=१०>>१०") == {2, 5}
    assert intermediates("<<२*५=१०>>१०") == {10}


def test_a_difference_has_no_negative_operands():
    assert operands("<<50-10-5=35>>35") == {50, 10, 5}


def test_coverage_counts_values_not_occurrences():
    response = frozenset(numbers("6 and 6 and 6, so 12 and then 3/2"))
    assert coverage(operands(SOLUTION), response) == Coverage(3, 7)
    assert coverage(intermediates(SOLUTION), response) == Coverage(2, 4)


def test_a_solution_without_marks_has_nothing_to_cover():
    assert coverage(operands("just 5"), frozenset([Fraction(5)])) == Coverage(0, 0)


@given(st.text(), st.text(), st.sampled_from(".,"))
def test_no_text_breaks_it(solution, response, decimal):
    gold = operands(f"<<{solution}=1>>", decimal) | intermediates(solution, decimal)
    covered = coverage(gold, frozenset(numbers(response, decimal)))
    assert 0 <= covered.retrieved <= covered.count
