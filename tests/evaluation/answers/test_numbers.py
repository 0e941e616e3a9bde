"""Numbers in text: the study's rules (Appendix I.1) by examples, and that no text breaks them."""

from fractions import Fraction

import pytest
from capability_transfer.evaluation.answers.numbers import decimal_sign, numbers
from hypothesis import given
from hypothesis import strategies as st


def found(text: str, language: str = "eng") -> list[Fraction]:
    return numbers(text, decimal_sign(language))


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("١٢٫٥", "ara", ["12.5"]),
        ("١٬٢٣٤٫٥", "ara", ["1234.5"]),
        ("१२३", "hin", ["123"]),
        ("１２", "jpn", ["12"]),
        ("1.234,56", "dan", ["1234.56"]),
        ("1,234.56", "eng", ["1234.56"]),
        ("1,00,000 रुपये", "hin", ["100000"]),
        ("3分の2", "jpn", ["2/3"]),
        ("2/3", "eng", ["2/3"]),
        ("−5", "eng", ["-5"]),
        ("1\u00a0000", "fra", ["1000"]),
        ("1\u202f000", "fra", ["1000"]),
        ("1 000", "fra", ["1", "0"]),
        ("हिन्दी 5", "hin", ["5"]),
        ("0,125 og 0.125", "dan", ["0.125", "0.125"]),
        ("12.5 og 12,5", "dan", ["12.5", "12.5"]),
        ("12.000 kr.", "dan", ["12000"]),
        ("12.000 USD", "eng", ["12"]),
        ("3, 5, 7", "eng", ["3", "5", "7"]),
        ("50-10-5=35", "eng", ["50", "10", "5", "35"]),
        ("= -5 or (-3)", "eng", ["-5", "-3"]),
        ("a 10-foot top-5", "eng", ["10", "5"]),
        ("答案是-5", "zho", ["-5"]),
        ("v1.2.3 on 1/2/2023", "eng", ["1", "2", "2023"]),
        ("5/0", "eng", ["5", "0"]),
        ("It is 12.", "eng", ["12"]),
        ("5² m", "eng", ["5"]),
        ("1½ h", "eng", ["1", "1/2"]),
        (r"$-\frac{1}{2}$ of 1{,}234 and \frac34", "eng", ["-1/2", "1234", "3/4"]),
        ("10% of $40", "eng", ["10", "40"]),
        (r"$8,\!000$, 8{,}\!000 og $8\,000$", "dan", ["8000", "8000", "8000"]),
        (r"$8,\!000 + 8\,000$", "eng", ["8000", "8000"]),
        (r"$8{,}5$ kg", "deu", ["8.5"]),
        (r"$x=1,\,200$", "eng", ["1", "200"]),
        ("CHF 1'234 oder 1\u2019234", "deu", ["1234", "1234"]),
        ("5'10 and 1'2345", "eng", ["5", "10", "1", "2345"]),
        (r"\color{red!50}{18} \hspace{1cm} \textcolor[rgb]{1,0,0}{7}", "eng", ["18", "7"]),
        (r"\texttt{18} + \mathrm{7}", "eng", ["18", "7"]),
        ("x = –5, pages 10–15, a – 5", "eng", ["-5", "10", "15", "5"]),
        ("twelve 三 万", "eng", []),
        ("9" * 10_000, "eng", []),
        ("", "eng", []),
    ],
)
def test_examples(text, language, expected):
    assert found(text, language) == [Fraction(value) for value in expected]


def test_languages_with_a_decimal_comma_in_the_study():
    comma = ["dan", "deu", "fao", "fra", "isl", "ita", "nld", "nob", "por"]
    point = ["ara", "eng", "est", "hin", "jpn", "mar", "rus", "ukr", "zho"]
    assert {decimal_sign(language) for language in comma} == {","}
    assert {decimal_sign(language) for language in point} == {"."}


def test_commands_that_never_close_take_linear_time():
    for part in ("\\color{", "\\color[", "\\color ", "\\hspace" + " " * 1000):
        assert numbers(part * 2_000 + "7") == [7]


def test_a_language_that_is_not_registered_has_a_point():
    assert decimal_sign("xx-of-mine") == "."


@given(st.text(), st.sampled_from(".,"))
def test_no_text_breaks_it(text, decimal):
    assert all(isinstance(value, Fraction) for value in numbers(text, decimal))


@given(st.text(alphabet="0123456789.,/-+ −٣३１分の½²\u00a0\\frac{}", max_size=60))
def test_no_mixture_of_digits_and_signs_breaks_it(text):
    assert len(numbers(text)) <= len(text)


@given(st.integers(0, 10**12), st.sampled_from(["eng", "dan", "hin", "ara", "jpn"]))
def test_grouped_numbers_are_read_back(value, language):
    group = "." if decimal_sign(language) == "," else ","
    assert found(f"x {value:,} y".replace(",", group), language) == [value]


@given(st.integers(0, 10**6), st.sampled_from("٠०০੦０"))
def test_digits_of_any_script_are_read(value, zero):
    text = "".join(chr(ord(zero) + int(digit)) for digit in str(value))
    assert numbers(f"= {text}.") == [value]


@given(
    st.integers(-(10**6), 10**6),
    st.integers(1, 10**4),
    st.sampled_from(["{}/{}", r"\frac{{{}}}{{{}}}"]),
)
def test_quotients_are_exact(above, below, written):
    assert numbers(written.format(above, below)) == [Fraction(above, below)]
