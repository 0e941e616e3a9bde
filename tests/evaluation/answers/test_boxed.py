"""The boxed answer: the last box, one number in it, whatever is set around it."""

from fractions import Fraction

import pytest
from capability_transfer.evaluation.answers.boxed import Answer, box_number, last_box, read_answer
from capability_transfer.evaluation.answers.numbers import decimal_sign
from hypothesis import given
from hypothesis import strategies as st


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
        # thousands as LaTeX sets them apart, in languages of either decimal sign
        (r"8,\!000", "eng", 8000),
        (r"8,\!000", "deu", 8000),
        (r"8,\!000,\!000", "eng", 8_000_000),
        (r"8{,}\!000", "eng", 8000),
        (r"8{,}\!000", "deu", 8000),
        (r"8\,000", "eng", 8000),
        (r"8\,000", "deu", 8000),
        (r"8\;000\;000", "eng", 8_000_000),
        ("8~000", "eng", 8000),
        ("8{,}5", "deu", "8.5"),
        ("1'234", "eng", 1234),
        ("1\u2019234\u2019567.5", "eng", "1234567.5"),
        (r"1,\!234.50", "eng", "1234.5"),
        # boxes and fonts around it, empty ones too
        (r"\mbox{18}", "eng", 18),
        (r"\hbox{18}", "eng", 18),
        (r"\text{18}", "eng", 18),
        (r"\texttt{18}", "eng", 18),
        (r"\textsf{18}", "eng", 18),
        (r"\mathrm{18}", "eng", 18),
        (r"\mathtt{18}", "eng", 18),
        (r"\mathbf{\text{18}}", "eng", 18),
        (r"\operatorname{18}", "eng", 18),
        (r"\underline{18}", "eng", 18),
        (r"\bm{18}", "eng", 18),
        (r"\large 18", "eng", 18),
        (r"\text{}18", "eng", 18),
        (r"18\text{}", "eng", 18),
        (r"18\text{ eggs}", "eng", 18),
        (r"18~\mbox{km/h}", "eng", 18),
        (r"18\ \mathrm{km}^{2}", "eng", 18),
        (r"18\\", "eng", 18),
        (r"\(18\)", "eng", 18),
        (r"$18$", "eng", 18),
        # what a colour or a space is made of is not a number
        (r"\color{red}{18}", "eng", 18),
        (r"\color{red}18", "eng", 18),
        (r"\color{red!50}{18}", "eng", 18),
        (r"\textcolor{red}{18}", "eng", 18),
        (r"\textcolor[rgb]{1,0,0}{18}", "eng", 18),
        (r"{\color[HTML]{00FF00} 18}", "eng", 18),
        (r"\colorbox{yellow}{18}", "eng", 18),
        (r"\fcolorbox{red}{white}{18}", "eng", 18),
        (r"\phantom{0}18", "eng", 18),
        (r"18\hspace{1cm}", "eng", 18),
        # signs
        ("–5", "eng", -5),
        ("\u20125", "eng", -5),
        ("– 5", "eng", -5),
        (r"–\$5", "eng", -5),
        (r"\$18", "eng", 18),
        (r"\textdollar 18", "eng", 18),
        (r"\$1,\!800.50", "eng", "1800.5"),
        (r"18\%", "eng", 18),
        (r"18\,\%", "eng", 18),
        (r"\dfrac{1}{2}", "eng", "0.5"),
        (r"\nicefrac{1}{2}", "eng", "0.5"),
        (r"\frac12", "eng", "0.5"),
        (r"\frac{1}{2}\text{ cup}", "eng", "0.5"),
        # more than one
        (r"\color{red}{18} \text{ or } 20", "eng", None),
        ("10–15", "eng", None),
        (r"8,\ 000", "eng", None),
        (r"8,\!00", "eng", None),
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
        (r"\boxed 42", Answer(True, "42", Fraction(42))),
        (r"so $\boxed 1,234.$", Answer(True, "1,234", Fraction(1234))),
        (r"\boxed18 then", Answer(True, "18", Fraction(18))),
        (r"\boxed –5", Answer(True, "-5", Fraction(-5))),
        (r"\boxed \$18", Answer(True, "18", Fraction(18))),
        (r"\boxed 1, no, \boxed{2}", Answer(True, "2", Fraction(2))),
        (r"\boxed{1}, no, \boxed 2", Answer(True, "2", Fraction(2))),
        (r"\boxed\frac{1}{2}", Answer(True, r"\frac{1}{2}", Fraction(1, 2))),
        (r"\boxed -\dfrac12", Answer(True, r"-\dfrac12", Fraction(-1, 2))),
        (r"\boxed\text{42 eggs}.", Answer(True, r"\text{42 eggs}", Fraction(42))),
        (r"{\boxed\mathbf{42}} and \boxed{\boxed 7}", Answer(True, "7", Fraction(7))),
        (r"the \boxed answer is 42", Answer(False)),
        (r"in \boxed\text{form}", Answer(False)),
        (r"\boxedtext 42", Answer(False)),
        (r"\boxed{42", Answer(False)),
        ("", Answer(False)),
    ],
)
def test_answers(response, expected):
    assert read_answer(response) == expected


def test_a_looping_response_takes_linear_time():
    assert last_box(r"\boxed{" * 100_000) is None
    assert last_box(r"\boxed{" * 50_000 + "}" * 50_000) == ""
    assert last_box(r"\boxed\text{" + "1" * 200_000) is None
    assert last_box((r"\boxed" + " " * 1_000) * 200) is None


@given(st.text(alphabet=st.characters() | st.sampled_from(list("\\boxed{}\\frac012,. ^"))))
def test_no_response_breaks_it(text):
    for response in (text, rf"\boxed{{{text}}}"):
        answer = read_answer(response, ",")
        assert answer.compliant or (answer.text is None and answer.number is None)


@given(st.integers(-(10**9), 10**9))
def test_a_boxed_integer_is_read_back(value):
    assert read_answer(rf"\boxed{{{value}}}").number == value
    assert read_answer(rf"\boxed{{{value:,}}}").number == value
