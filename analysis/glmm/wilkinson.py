"""What a sum of terms stands for: Wilkinson & Rogers' algebra (1973) as R reads it.

``(a + b)^2 - a`` is an intercept and the terms b and a:b. Nothing is evaluated: text is read into
variables (names, and calls such as ``log(x)``, see ``calls``), whole numbers and the operators + -
* : / ^ (and ** for ^), and into nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from capability_transfer.analysis.glmm.calls import canonical
from capability_transfer.common.errors import InputError

MOST_TERMS = 5_000
DEEPEST = 50  # parentheses within one another

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[^\W\d][\w.]*|`[^`]+`)|(?P<number>\d+)|(?P<sign>\*\*|[-+*/:^()]))"
)

Variables = frozenset[str]


@dataclass(frozen=True)
class Expansion:
    """The terms that a sum stands for.

    Attributes:
        terms: each the names that it multiplies; sorted by degree and then as written, names in
            the order of their first appearance in the text (R's).
        intercept: whether there is one.
    """

    terms: tuple[tuple[str, ...], ...]
    intercept: bool

    def variables(self) -> set[str]:
        """The names and calls that the terms are made of."""
        return {name for term in self.terms for name in term}


def expand(text: str) -> Expansion:
    """Read a sum of terms. Raises InputError for a text that is not one, or that stands for too
    many terms."""
    return _Reader(text).read()


def tokens(text: str) -> list[tuple[str, str]]:
    """Variables, numbers and signs of a text, in order, as (kind, text); a call is one name.

    Raises InputError for anything else.
    """
    found, position = [], 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or (match.lastgroup == "name" and not match["name"][0].isascii()):
            raise InputError(
                f"a term is made of column names, functions of them and + - * : / ^ ( ): {text!r}"
            )
        kind, token, position = match.lastgroup, match[match.lastgroup], match.end()
        if kind == "name" and text[position:].lstrip().startswith("("):
            end = closing(text, text.index("(", position))
            token = canonical(text[match.start() : end + 1])
            position = end + 1
        found.append((kind, token))
    return found


def closing(text: str, opening: int) -> int:
    """Where the parenthesis closes that opens at ``opening``."""
    depth = 0
    for position in range(opening, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return position
    raise InputError(f"the formula cannot be read: a parenthesis is not closed in {text!r}")


def names(text: str) -> list[str]:
    """The variables of a text, each once, as they appear."""
    return list(dict.fromkeys(name for kind, name in tokens(text) if kind == "name"))


class _Reader:
    """Recursive descent. A value is a list of distinct terms; numbers only move the intercept."""

    def __init__(self, text: str):
        self.text = text
        self.tokens = tokens(text)
        self.position = self.depth = 0
        self.intercept, self.adding = True, True
        names = [name for kind, name in self.tokens if kind == "name"]
        self.order = {name: place for place, name in enumerate(dict.fromkeys(names))}

    def read(self) -> Expansion:
        if not self.tokens:
            raise self._wrong("there is nothing")
        terms = self._sum()
        if self.position < len(self.tokens):
            raise self._wrong(f"{self.tokens[self.position][1]!r} is out of place")
        ordered = [tuple(sorted(term, key=self.order.__getitem__)) for term in terms]
        return Expansion(tuple(sorted(ordered, key=len)), self.intercept)

    def _next(self) -> str:
        """The next sign, or an empty text before a name, a number or the end."""
        if self.position < len(self.tokens) and self.tokens[self.position][0] == "sign":
            return self.tokens[self.position][1]
        return ""

    def _sum(self) -> list[Variables]:
        terms: list[Variables] = []
        first = True
        while first or self._next() in ("+", "-"):
            taken = False
            while self._next() in ("+", "-"):
                taken ^= self._next() == "-"
                self.position += 1
            self.adding ^= taken
            part = self._product()
            self.adding ^= taken
            if taken:
                terms = [term for term in terms if term not in part]
            else:
                terms = self._distinct([*terms, *part])
            first = False
        return terms

    def _product(self) -> list[Variables]:
        left = self._interaction()
        while (sign := self._next()) in ("*", "/"):
            self.position += 1
            right = self._interaction()
            if sign == "*":
                left = self._distinct([*left, *right, *self._crossed(left, right)])
            else:  # b within all of a
                within = [frozenset().union(*left)]
                left = self._distinct([*left, *self._crossed(within, right)])
        return left

    def _interaction(self) -> list[Variables]:
        left = self._power()
        while self._next() == ":":
            self.position += 1
            left = self._crossed(left, self._power())
        return left

    def _power(self) -> list[Variables]:
        base = self._atom()
        if self._next() not in ("^", "**"):
            return base
        self.position += 1
        kind, number = self._take()
        if kind != "number" or int(number[:6]) < 2:
            raise self._wrong("a power is a whole number from 2")
        if self._next() in ("^", "**"):
            raise self._wrong("a power of a power")
        if len(base) == 1:
            name = ":".join(sorted(base[0], key=self.order.__getitem__))
            raise self._wrong(
                f"a power crosses terms, so that {name}^{number[:6]} is {name} again: for a "
                f"curve write I({name}^{number[:6]}) or poly({name}, {number[:6]})"
            )
        terms = base
        # each product adds a name to a term, so that more products than names change nothing
        for _ in range(min(int(number[:6]), len(self.order)) - 1):
            grown = self._crossed(terms, base)
            if grown == terms:
                break
            terms = grown
        return terms

    def _atom(self) -> list[Variables]:
        kind, text = self._take()
        if kind == "name":
            return [frozenset([text])]
        if kind == "number":
            if text not in ("0", "1"):
                raise self._wrong(f"{text} is not a term; 0 and 1 stand for the intercept")
            self.intercept = self.adding == (text == "1")
            self._stands_alone()
            return []
        if text == "(":
            self.depth += 1
            if self.depth > DEEPEST:
                raise InputError(f"parentheses stand more than {DEEPEST} deep in a formula")
            terms = self._sum()
            if self._next() != ")":
                raise self._wrong("a parenthesis is not closed")
            self.position += 1
            self.depth -= 1
            return terms
        raise self._wrong(f"{text!r} is out of place")

    def _stands_alone(self) -> None:
        """Raise InputError where a number is multiplied: only a sum gives it a meaning."""
        before = self.position - 2
        ahead = "" if before < 0 else self.tokens[before][1]
        if ahead in ("*", ":", "/") or self._next() in ("*", ":", "/", "^", "**"):
            raise self._wrong("numbers are added or subtracted, not multiplied")

    def _take(self) -> tuple[str, str]:
        if self.position == len(self.tokens):
            raise self._wrong("something is missing at the end")
        self.position += 1
        return self.tokens[self.position - 1]

    def _crossed(self, left: list[Variables], right: list[Variables]) -> list[Variables]:
        found: dict[Variables, None] = {}
        for first in left:
            found |= dict.fromkeys(first | second for second in right)
            self._check_count(found)
        return list(found)

    def _distinct(self, terms: list[Variables]) -> list[Variables]:
        self._check_count(terms)
        return list(dict.fromkeys(terms))

    def _check_count(self, terms) -> None:
        if len(terms) > 2 * MOST_TERMS:
            raise InputError(f"the formula stands for more than {MOST_TERMS:,} terms")

    def _wrong(self, problem: str) -> InputError:
        return InputError(f"the formula cannot be read: {problem} in {self.text!r}")
