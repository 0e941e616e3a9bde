"""Numbers in running text of any script, by a language's decimal convention.

Source of the rules: the study's Appendix I.1. Text is normalised (NFKC, decimal digits of every
script); in languages with a decimal comma, dots that group thousands are removed and a comma
between digits is the decimal sign; in the others commas group. ``a分のb`` and ``a/b`` are
quotients, read before plain numbers. Number words, and units such as 万 or "million", are not
read. Refined here where the study says nothing: no-break and thin spaces group as well, Indian
groups (1,00,000) are groups, so are Swiss ones (1'234) and LaTeX's (``1,\\!234``, ``1\\,234``),
exponents and index digits are not part of a number, an en dash that stands like a sign is one, and
LaTeX fractions are quotients. ``{,}`` is a comma, so it follows the language's convention.

Numbers are exact fractions: 0.5 equals 1/2, and two thirds equal no decimal.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import cache

from capability_transfer.features.languages import registry

LONGEST = 60
"""Digits of the longest number that is read; longer runs are noise (and slow to multiply)."""

_GROUP_SPACES = re.compile(r"(?<=\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))")
_SMALL_DIGITS = re.compile(r"[\u00b2\u00b3\u00b9\u2070-\u209c]+")
_VULGAR = re.compile(r"(?=[\u00bc-\u00be\u2150-\u215e\u2189])")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_SIGNS = str.maketrans(
    {
        **dict.fromkeys(
            "\u2010\u2011\u2012\u2013\u2212", "-"
        ),  # hyphens, figure and en dash, minus
        **dict.fromkeys("\u2044\u2215", "/"),
        "\u066b": ".",
    }
)

_LATEX_UNSEEN = re.compile(
    r"\\(?:(?:text)?color|colorbox|fcolorbox\s*\{[^{}]*\}|[hv]space\*?|[hv]?phantom)"
    r"\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\}"
)
_TIGHT_GROUP = re.compile(r"(?<=\d),(?:\\!)+(?=\d{3}(?!\d))")
_SPACE_GROUP = re.compile(r"(?<=\d)(?:\\[,!;: ])+(?=\d{3}(?!\d))")
_SWISS_GROUPS = re.compile(r"(?<![\d.,'])[1-9]\d{0,2}(?:['\u2019]\d{3})+(?!['\u2019]?\d)")
_LATEX_FRACTION = re.compile(
    r"(?P<whole>\d\s*)?\\(?:[dtc]?frac|nicefrac|sfrac)\s*(?:\{\s*(-?[\d.,]+)\s*\}|(\d))\s*(?:\{\s*(-?[\d.,]+)\s*\}|(\d))"
)
_DOT_GROUPS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?!\.?\d)")
_COMMA_GROUPS = re.compile(
    r"(?<![\d.,])(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?!\d)"
)
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")

# A sign counts unless it stands after what can be subtracted from, or inside a word: 10-5, top-5.
# Scripts written without spaces have a letter before a sign as well, so their letters are let by.
_SIGN = r"(?:(?<![\d)\]}%.]|[^\W\u0e00-\u0eff\u1780-\u17ff\u3040-\u9fff]|[\u0900-\u0dff])[+-])?"
_PLAIN = r"\d+(?:\.\d+)?"
_FREE = r"(?<![\d.])"
_END = r"(?!\.?\d)"
_NUMBER = re.compile(
    rf"(?P<below>{_SIGN}{_FREE}{_PLAIN})分の(?P<above>{_PLAIN}){_END}"
    rf"|(?P<over>{_SIGN}(?<![\d./]){_PLAIN})/(?P<under>-?{_PLAIN})(?!\.?\d|/\d)"
    rf"|(?P<plain>{_SIGN}{_FREE}{_PLAIN}){_END}"
)


def decimal_sign(language: str) -> str:
    """The decimal sign of a registered language, ``.`` or ``,``; ``.`` for any other."""
    return _decimal_signs().get(language) or "."


def normalise(text: str) -> str:
    """Text with ASCII digits and signs, compatibility forms folded, groups of spaces closed.

    Full-width forms become plain, minus and short dashes a hyphen-minus, U+066B a dot; a no-break,
    figure, thin or narrow no-break space between a digit and a group of three digits goes; raised
    and lowered digits become spaces (5² is not 52); ½ is set apart from a digit before it.
    """
    text = _GROUP_SPACES.sub("", text)
    text = _SMALL_DIGITS.sub(" ", text)
    text = _VULGAR.sub(" ", text)
    text = unicodedata.normalize("NFKC", text)
    text = _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)
    text = text.translate(_SIGNS).replace("\u066c", ",")
    return text


def numbers(text: str, decimal: str = ".") -> list[Fraction]:
    """The numbers in a text, in order, as exact fractions.

    Args:
        text: any text.
        decimal: the language's decimal sign, see ``decimal_sign``.

    A number must not touch another digit or a dot, so version numbers and dotted dates are left
    out; a quotient by zero is read as two numbers. Nothing in a text raises an error.
    """
    text = latex_fractions(latex_groups(normalise(text)))
    if decimal == ",":
        text = _DOT_GROUPS.sub(lambda match: match[0].replace(".", ""), text)
        text = _DECIMAL_COMMA.sub(".", text)
    else:
        text = _COMMA_GROUPS.sub(lambda match: match[0].replace(",", ""), text)
    return [number for match in _NUMBER.finditer(text) for number in _values(match)]


def latex_groups(text: str) -> str:
    r"""Text with the thousands that LaTeX sets apart closed, without what it does not print.

    ``8,\!000`` (a comma with its space taken back) and ``8\,000`` are 8000 in every language, and
    so is ``8'000``; ``{,}`` is a comma. Colours, spaces of a given width and phantoms go with what
    describes them; what a colour is given to stays.
    """
    text = _LATEX_UNSEEN.sub(" ", text).replace("{,}", ",")
    text = _SPACE_GROUP.sub("", _TIGHT_GROUP.sub("", text))
    return _SWISS_GROUPS.sub(lambda match: re.sub("['\u2019]", "", match[0]), text)


def latex_fractions(text: str) -> str:
    r"""Text with every LaTeX fraction of two numbers as ``a/b``, apart from a number before it."""

    def slashed(match: re.Match[str]) -> str:
        whole, above, digit_above, below, digit_below = match.groups()
        before = f"{whole} " if whole else ""
        return f"{before}{above or digit_above}/{below or digit_below} "

    return _LATEX_FRACTION.sub(slashed, text)


def _values(match: re.Match[str]) -> list[Fraction]:
    above, below = match["above"] or match["over"], match["below"] or match["under"]
    if not above:
        return _read(match["plain"])
    top, bottom = _read(above), _read(below)
    if top and bottom and bottom[0]:
        return [top[0] / bottom[0]]
    return top + bottom


def _read(literal: str) -> list[Fraction]:
    return [Fraction(literal)] if len(literal) <= LONGEST else []


@cache
def _decimal_signs() -> dict[str, str]:
    rows = registry()
    return dict(zip(rows["language"], rows["decimal"], strict=True))
