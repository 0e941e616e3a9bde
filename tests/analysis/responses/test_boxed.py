"""The boxed answer: the last box, one number in it, whatever is set around it."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.responses.boxed import Answer, box_number, last_box, read_answer
from analysis.responses.numbers import decimal_sign


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("42", "eng", 42),
        (r"42\,\text{kg}", "eng", 42),
        (r"\frac{1}{2}", "eng", "0.5"),
        (r"-\frac{1}{2}", "eng", "-0.5"),
        (r"1\frac{1}{2}", "eng", "1.5"),
        ("1 1/2", "eng", "1.5"),
        ("1 000", "eng", 1000),
        (r"1\,000", "eng", 1000),
        ("1{,}000", "eng", 1000),
        ("1\u202f000", "fra", 1000),
        ("1.234,56", "dan", "1234.56"),
        ("1,234.56", "eng", "1234.56"),
        ("1,234.56", "dan", "1234.56"),
        ("1.234,56", "eng", "1234.56"),
        ("12,5", "eng", "12.5"),
        ("1.000", "dan", 1000),
        ("1.000", "eng", 1),
        ("१२", "hin", 12),
        ("٤٢", "ara", 42),
        ("５４０ 円", "jpn", 540),
        ("3分の2", "jpn", "2/3"),
        ("−5", "eng", -5),
        (r"-\$5", "eng", -5),
        ("- 5", "eng", -5),
        ("€12,50", "deu", "12.5"),
        (r"10\%", "eng", 10),
        ("x = 42", "eng", 42),
        (r"\text{The answer is } \mathbf{42}", "eng", 42),
        (r"90^\circ", "eng", 90),
        (r"12\ \text{m}^2", "eng", 12),
        (".5", "eng", "0.5"),
        ("10, 20", "eng", None),
        ("3:30", "eng", None),
        (r"\sqrt{16}", "eng", None),
        ("10^3", "eng", None),
        (r"\frac{a}{2}", "eng", None),
        ("forty-two", "eng", None),
        ("", "eng", None),
    ],
)
def test_box_numbers(text, language, expected):
    value = box_number(text, decimal_sign(language))
    assert value == (None if expected is None else Fraction(expected))


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (r"so \boxed{42}.", Answer(True, "42", Fraction(42))),
        (r"\boxed{1} no, \boxed{2}", Answer(True, "2", Fraction(2))),
        (r"\boxed{\boxed{7}}", Answer(True, "7", Fraction(7))),
        (r"\boxed{}", Answer(True, "", None)),
        (r"\boxed{1} then \boxed{}", Answer(True, "", None)),
        (r"\boxed{1} then \boxed{2", Answer(True, "1", Fraction(1))),
        (r"\boxed {\text{about }{5}}", Answer(True, r"\text{about }{5}", Fraction(5))),
        ("＼boxed｛１２｝", Answer(True, "12", Fraction(12))),
        ("42", Answer(False)),
        (r"\boxed 42", Answer(False)),
        (r"\boxed{42", Answer(False)),
        ("", Answer(False)),
    ],
)
def test_answers(response, expected):
    assert read_answer(response) == expected


def test_a_looping_response_takes_linear_time():
    assert last_box(r"\boxed{" * 100_000) is None
    assert last_box(r"\boxed{" * 50_000 + "}" * 50_000) == ""


@given(st.text(alphabet=st.characters() | st.sampled_from(list("\\boxed{}\\frac012,. ^"))))
def test_no_response_breaks_it(text):
    for response in (text, rf"\boxed{{{text}}}"):
        answer = read_answer(response, ",")
        assert answer.compliant or (answer.text is None and answer.number is None)


@given(st.integers(-(10**9), 10**9))
def test_a_boxed_integer_is_read_back(value):
    assert read_answer(rf"\boxed{{{value}}}").number == value
    assert read_answer(rf"\boxed{{{value:,}}}").number == value
