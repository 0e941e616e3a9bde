"""How far a response gets on the gold solution's way: operands read, intermediate values reached.

Source: the study's Section 4.4 and Appendix I.1. A gold solution marks its calculations as
``<<lhs=rhs>>``: operands are the numbers left of the last ``=``, intermediates those right of it.
Both are sets of distinct values over all marks. Coverage counts how many of them occur anywhere in
the response. The numbers of both sides are read by the same rules (`evaluation.answers.numbers`),
so ``12/4`` on a left side is one quotient there as it is in a response.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from fractions import Fraction

from capability_transfer.evaluation.answers.numbers import normalise, numbers

_MARK = re.compile(r"<<([^<>]*)>>")


@dataclass(frozen=True)
class Coverage:
    """How many of ``count`` gold values a response has; ``count`` 0 where nothing is marked."""

    retrieved: int
    count: int


def marks(solution: str) -> list[tuple[str, str]]:
    """The left and right sides of a solution's marks, split at the last ``=``, in order.

    A mark without ``=`` has no left side.
    """
    found = []
    for content in _MARK.findall(normalise(solution)):
        left, _, right = content.rpartition("=")
        found.append((left, right))
    return found


def operands(solution: str, decimal: str = ".") -> frozenset[Fraction]:
    """The distinct numbers left of the last ``=`` in the marks of a gold solution."""
    return frozenset(value for left, _ in marks(solution) for value in numbers(left, decimal))


def intermediates(solution: str, decimal: str = ".") -> frozenset[Fraction]:
    """The distinct numbers right of the last ``=`` in the marks of a gold solution."""
    return frozenset(value for _, right in marks(solution) for value in numbers(right, decimal))


def coverage(gold: Set[Fraction], response: Set[Fraction]) -> Coverage:
    """How many gold values are among the numbers of a response.

    Numbers of a response: ``frozenset(numbers(text, decimal))``.
    """
    return Coverage(len(gold & response), len(gold))
