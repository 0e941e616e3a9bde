r"""The answer that a response gives in ``\boxed{}``, and whether it gives one at all.

Source: the study's Section 3.5: the prompt asks for the final number in ``\boxed{}``, and a
response without a readable one is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from capability_transfer.evaluation.answers.numbers import (
    latex_fractions,
    latex_groups,
    normalise,
    numbers,
)

_UNBRACED = (
    r"[+-]?\d(?:[\d.,]*\d)?"
    r"|[+-]?\\[dtc]?frac\s*(?:\{[^{}]*\}|\d)\s*(?:\{[^{}]*\}|\d)"
    r"|\\(?:text|math)[a-z]*\s*\{[^{}\d]*\d[^{}]*\}"
)
_BRACE = re.compile(
    r"(?P<box>\\boxed\s*\{)|(?<!\\)[{}]"
    rf"|\\boxed(?![A-Za-z])[\s\\$]*(?P<bare>{_UNBRACED})"
)
_DRESSING = re.compile(
    r"\\(?:text(?:bf|it|md|normal|rm|sc|sf|sl|tt|up)?|math(?:bf|it|normal|rm|sf|tt)?|[hm]box|fbox|"
    r"operatorname|emph|underline|boldsymbol|bm|pmb|bf|it|rm|sf|tt|bfseries|itshape|ttfamily|"
    r"tiny|small|normalsize|large|Large|LARGE|huge|Huge|left|right|displaystyle|textstyle|limits|"
    r"quad|qquad|thinspace|enspace|degree|approx|euro|pounds|yen|textdollar|texteuro|dollar)"
    r"(?![A-Za-z])|\\[$%#&,;:! ()\[\]\\]|[*_~{}]"
)
_UNIT_EXPONENT = re.compile(
    r"\^\s*\{?\s*\\(?:circ|degree)\s*\}?|(?<=[^\W\d])\}?\^(?:\{[^{}]*\}|\w)"
)
_GROUP_SPACE = re.compile(r"(?<=\d)(?:[\s~]|\\[,;:! ])+(?=\d{3}(?!\d))")
_LEADING_POINT = re.compile(r"(?<![\w.,)\]])[.,](?=\d)")
_SIGN_SPACE = re.compile(r"^(\W*[+-])\s+(?=\d)")
_MIXED = re.compile(r"^(-?)(\d{1,20})\s+(\d{1,20})/(\d{1,20})$")


@dataclass(frozen=True)
class Answer:
    """A response's final answer.

    ``compliant``: it has a complete ``\\boxed{}``, or a number right after ``\\boxed``. ``text``:
    what is in the last one. ``number``: the one number there, None if there is none or more than
    one.
    """

    compliant: bool
    text: str | None = None
    number: Fraction | None = None


def read_answer(response: str, decimal: str = ".") -> Answer:
    r"""The answer in the last complete ``\boxed{}`` of a response.

    Args:
        response: the text of the response (a reasoning trace kept apart is not looked at).
        decimal: the language's decimal sign, see ``numbers.decimal_sign``.

    ``\boxed{}`` is compliant and has no number; a box that never closes is not a box. ``\boxed 42``
    is a box, since whoever writes that means it.
    """
    text = last_box(response)
    return Answer(False) if text is None else Answer(True, text, box_number(text, decimal))


def last_box(response: str) -> str | None:
    r"""What stands in the last complete ``\boxed{}``, the innermost of nested ones, or None."""
    text = normalise(response)
    opened: list[tuple[bool, int]] = []
    boxes: list[tuple[int, int]] = []
    for brace in _BRACE.finditer(text):
        if brace["bare"] is not None:
            boxes.append(brace.span("bare"))
        elif brace[0] != "}":
            opened.append((brace["box"] is not None, brace.end()))
        elif opened:
            boxed, start = opened.pop()
            boxes += [(start, brace.start())] if boxed else []
    if not boxes:
        return None
    start, end = max(boxes)
    return text[start:end].strip()


def box_number(text: str, decimal: str = ".") -> Fraction | None:
    """The one number in a box, or None if there is none or more than one.

    A box holds one number, so more is understood than in running text: a space groups thousands,
    units, currency and an equation before the number are left out, ``1\\frac{1}{2}`` is a mixed
    number, and where the language's own convention does not give one number, the other is tried
    (``12,5`` in English, ``1,234.56`` in Danish).
    """
    text = _undressed(text)
    if "\\" in text:  # a root, a power of ten, an unknown command: no plain number
        return None
    if (mixed := _MIXED.match(text)) and int(mixed[4]):
        value = int(mixed[2]) + Fraction(int(mixed[3]), int(mixed[4]))
        return -value if mixed[1] else value
    for sign in (decimal, "." if decimal == "," else ","):
        found = numbers(text, sign)
        if len(found) == 1:
            return found[0]
    return None


def _undressed(text: str) -> str:
    """The content of a box without an equation before its number and LaTeX around it."""
    text = normalise(text).rsplit("=", 1)[-1]
    text = _GROUP_SPACE.sub("", latex_groups(text))
    text = latex_fractions(_UNIT_EXPONENT.sub(" ", text))
    text = _DRESSING.sub(" ", text)
    text = "".join(" " if unicodedata.category(sign) == "Sc" else sign for sign in text)
    return _SIGN_SPACE.sub(r"\1", _LEADING_POINT.sub("0.", text.strip())).strip()
