"""lme4's formula syntax, read once for every engine.

``cbind(n_correct, n_total - n_correct) ~ (resource + distance) * size + (1 | language)``

The fixed part is R's (``wilkinson``, ``columns``): treatment contrasts, terms sorted by degree,
R's names of columns such as ``(Intercept)``, ``splitsymbolic``, ``resource:size``. Random terms
follow Bates et al. (2015), Table 2: ``(1 | g)``, ``(1 | g:h)``, ``(1 | g/h)``, ``(1 + x | g)``,
``(0 + x | g)`` and ``(x || g)``.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.columns import Columns, Levels, levels, matrix, numbers
from capability_transfer.analysis.glmm.wilkinson import Expansion, expand, tokens
from capability_transfer.common.errors import InputError, name_some, suggest

_NAME = re.compile(r"[A-Za-z_]\w*")
_RESPONSE = re.compile(r"[A-Za-z_]\w*|cbind\(.*\)", re.DOTALL)
_LONGEST_NUMBER = 15  # digits

BINOMIAL_RESPONSE = "cbind(n_correct, n_total - n_correct)"


@dataclass(frozen=True)
class RandomTerm:
    """One random-effects term: the covariates ``lhs`` vary over the levels of ``factors``.

    ``factors`` of length two or more is their interaction. Columns of one term are correlated
    with each other; uncorrelated ones (``||``) come as separate terms.
    """

    lhs: str
    factors: tuple[str, ...]

    @property
    def group(self) -> str:
        """The grouping factor's name, e.g. ``variant:language``."""
        return ":".join(self.factors)

    def levels(self, data: pd.DataFrame) -> pd.Series:
        """The level label of every row (interactions joined by a colon, as lme4 does)."""
        labels = data[self.factors[0]].astype(str)
        for factor in self.factors[1:]:
            labels = labels + ":" + data[factor].astype(str)
        return labels

    def matrix(self, data: pd.DataFrame, known: Levels) -> tuple[np.ndarray, list[str]]:
        """The covariates that vary by level: rows × columns, and the columns' names.

        ``known`` are the levels of the factors among them (``Formula.levels``).
        """
        found = matrix(expand(self.lhs), data, known)
        return found.values, found.names

    def covariates(self) -> set[str]:
        """The columns that ``lhs`` names."""
        return set(_NAME.findall(self.lhs))

    def __str__(self) -> str:
        return f"({self.lhs} | {self.group})"


@dataclass(frozen=True)
class Formula:
    """A parsed formula; ``str`` gives it back in lme4's syntax, ``||`` written out."""

    response: str
    fixed: str
    random: tuple[RandomTerm, ...]
    offsets: tuple[str, ...] = ()
    # not an argument, so that ``dataclasses.replace`` makes a formula without it
    written: str = field(default="", init=False, compare=False, repr=False)

    def __str__(self) -> str:
        parts = [self.fixed, *(f"offset({name})" for name in self.offsets), *map(str, self.random)]
        return f"{self.response} ~ {' + '.join(parts)}"

    @property
    def source(self) -> str:
        """The text that was parsed, for another reader of formulas to judge by; else ``str``."""
        return self.written or str(self)

    def variables(self) -> set[str]:
        """Every column that the formula needs of its data."""
        names = self.outcomes() | self.covariates() | set(self.offsets)
        return names.union(*(term.factors for term in self.random))

    def outcomes(self) -> set[str]:
        """The columns on the left side."""
        return set(_NAME.findall(self.response)) - {"cbind"}

    def covariates(self) -> set[str]:
        """The columns that enter as numbers or factors: fixed, or varying by group."""
        names = set(_NAME.findall(self.fixed))
        return names.union(*(term.covariates() for term in self.random))

    def without(self, names: Collection[str]) -> Formula:
        """The same model without the terms that have one of these columns in them."""
        if not self.variables().intersection(names):
            return self
        slopes = [(term, _terms_without(term.lhs, names)) for term in self.random]
        return replace(
            self,
            fixed=_terms_without(self.fixed, names) or "1",
            random=tuple(replace(term, lhs=lhs) for term, lhs in slopes if lhs),
            offsets=tuple(name for name in self.offsets if name not in names),
        )

    def expansion(self) -> Expansion:
        """The terms of the fixed part."""
        return expand(self.fixed)

    def levels(self, data: pd.DataFrame) -> dict[str, tuple[str, ...]]:
        """The levels of the covariates that are factors in ``data``: what a fit codes rows by.

        Raises InputError for a factor with one level.
        """
        return levels(data, self.covariates())

    def check(self, data: pd.DataFrame) -> None:
        """Raise InputError unless every variable is a complete, finite column of ``data``."""
        needed = sorted(self.variables())
        absent = [name for name in needed if name not in data.columns]
        if absent:
            hints = "".join(suggest(name, data.columns) for name in absent[:1])
            raise InputError(
                f"the formula names {name_some(absent)}, which the data do not have.{hints} "
                f"Columns: {name_some(data.columns, 20)}"
            )
        if data.empty:
            raise InputError("there are no rows to fit")
        for name in needed:
            column = data[name]
            if column.ndim > 1:
                raise InputError(f"the data have {column.shape[1]} columns called {name}")
            bad = column.isna()
            if pd.api.types.is_numeric_dtype(column):
                bad = bad | ~np.isfinite(column.astype(float))
            if bad.any():
                rows = name_some(data.index[bad], 5)
                raise InputError(f"column {name} is missing or not finite in row {rows}")

    def counts(self, data: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Successes and trials of every row, as floats; a 0/1 response has one trial per row."""
        counted = _cbind(self.response)
        if counted is None:
            success = numbers(data[self.response])
            if not np.isin(success, (0.0, 1.0)).all():
                raise InputError(f"response {self.response} must be 0 or 1 in every row")
            return success, np.ones_like(success)
        success, failure = (_evaluate(argument, data) for argument in counted)
        for label, count in (("successes", success), ("failures", failure)):
            bad = (count < 0) | (count != np.round(count))
            if bad.any():
                row = data.index[int(np.argmax(bad))]
                raise InputError(f"{label} of row {row} are {count[bad][0]:g}: not a count")
        return success, success + failure

    def fixed_matrix(
        self, data: pd.DataFrame, known: Levels | None = None
    ) -> tuple[np.ndarray, list[str]]:
        """The fixed-effects design: rows × columns, and the columns' names (R's).

        ``known`` are the levels of a fit; without them those of ``data`` (``Formula.levels``).
        """
        found = self.fixed_columns(data, self.levels(data) if known is None else known)
        return found.values, found.names

    def fixed_columns(self, data: pd.DataFrame, known: Levels) -> Columns:
        """The fixed-effects design with all that is known of its columns."""
        return matrix(self.expansion(), data, known)

    def offset(self, data: pd.DataFrame) -> np.ndarray:
        """The sum of the offsets (log-odds) of every row."""
        total = np.zeros(len(data))
        for name in self.offsets:
            total += numbers(data[name])
        return total


def parse(text: str) -> Formula:
    """Read a formula in lme4's syntax; without a left side the response is ``cbind`` of counts.

    Raises InputError for what is not such a formula or has no random term.
    """
    left, right = _sides(text)
    fixed, offsets, random = _parts(right)
    if not random:
        raise InputError(f"the formula has no random term such as (1 | language): {text!r}")
    formula = Formula(left, " ".join(fixed) or "1", tuple(random), tuple(offsets))
    _check_effects(formula)
    _check_left(formula)
    object.__setattr__(formula, "written", f"{left} ~ {right}")
    return formula


def _sides(text: object) -> tuple[str, str]:
    """The response, ``cbind`` of counts where none is written, and what explains it."""
    if not isinstance(text, str):
        raise InputError(f"a formula is a text such as '~ size + (1 | language)', not {text!r}")
    left, tilde, right = text.partition("~")
    if not tilde:
        raise InputError(f"a formula needs a '~': {text!r}")
    if "~" in right:
        raise InputError(f"a formula has one '~': {text!r}")
    left = " ".join(left.split()) or BINOMIAL_RESPONSE
    if not _RESPONSE.fullmatch(left):
        raise InputError(f"the left side is a 0/1 column or cbind(successes, failures): {left}")
    _cbind(left)
    return left, " ".join(right.split())


def _parts(right: str) -> tuple[list[str], list[str], list[RandomTerm]]:
    """Fixed terms with their signs, offsets, and random terms of the right side."""
    fixed, offsets, random = [], [], []
    for sign, part in _terms(right):
        inner = _unwrap(part)
        if inner is not None and "|" in inner:
            if sign == "-":
                raise InputError(f"a random term cannot be subtracted: {part}")
            random += _random_terms(inner)
        elif match := re.fullmatch(r"offset\(\s*([A-Za-z_]\w*)\s*\)", part):
            offsets.append(match.group(1))
        elif "|" in part:
            raise InputError(f"put the random term in its own parentheses: {part}")
        else:
            fixed.append(part if sign == "+" and not fixed else f"{sign} {part}")
    return fixed, offsets, random


def _check_effects(formula: Formula) -> None:
    """Raise InputError for a random term that occurs twice, and for parts without an effect."""
    random = formula.random
    if repeated := [str(term) for i, term in enumerate(random) if term in random[:i]]:
        raise InputError(f"the random term {repeated[0]} occurs twice")
    if formula.expansion() == Expansion((), False):
        raise InputError("the formula has no fixed effect: 0 takes the intercept away; write 1")
    for term in random:
        if expand(term.lhs) == Expansion((), False):
            raise InputError(f"{term} has no effect: 0 takes the intercept away")


def _terms_without(terms: str, names: Collection[str]) -> str:
    """A sum, expanded, without the terms that have one of ``names``; empty if nothing is left."""
    found = expand(terms)
    kept = [":".join(term) for term in found.terms if not set(term).intersection(names)]
    if found.intercept:
        return " + ".join(["1", *kept])
    return " + ".join(["0", *kept]) if kept else ""


def _check_left(formula: Formula) -> None:
    """Raise InputError for an outcome that is to explain itself."""
    counted = _cbind(formula.response) or [[("name", formula.response)]]
    counts = [argument for argument in counted if len(argument) == 1]
    right = formula.covariates().union(formula.offsets, *(t.factors for t in formula.random))
    if both := sorted({text for ((_, text),) in counts} & right):
        raise InputError(f"{both[0]} is the outcome: it cannot stand on the right side too")


def _cbind(response: str) -> list[list[tuple[str, str]]] | None:
    """The tokens of successes and failures of ``cbind(…)``; None for a column's name.

    Raises InputError for what is not sums and products of columns and whole numbers.
    """
    if not response.startswith("cbind("):
        return None
    arguments = _split(response[len("cbind(") : -1], ",")
    if len(arguments) != 2:
        raise InputError(f"cbind takes successes and failures: {response}")
    found = []
    for argument in arguments:
        parts = _response_tokens(argument, response)
        signs = [kind == "sign" for kind, _ in parts]
        operators = all(text in "+-*" for kind, text in parts if kind == "sign")
        alternate = signs == [place % 2 == 1 for place in range(len(signs))]
        long = any(kind == "number" and len(text) > _LONGEST_NUMBER for kind, text in parts)
        if not parts or signs[-1] or not operators or not alternate or long:
            raise InputError(
                "the left side's counts are columns and whole numbers, added, subtracted or "
                f"multiplied: {response}"
            )
        found.append(parts)
    return found


def _response_tokens(argument: str, response: str) -> list[tuple[str, str]]:
    try:
        return tokens(argument)
    except InputError:
        raise InputError(
            f"the left side is a 0/1 column or cbind(successes, failures): {response}"
        ) from None


def _evaluate(parts: list[tuple[str, str]], data: pd.DataFrame) -> np.ndarray:
    """A sum of products, as ``_cbind`` reads them, for every row."""
    total, product, sign = np.zeros(len(data)), np.ones(len(data)), 1.0
    for kind, text in parts:
        if kind == "sign":
            if text != "*":
                total, product = total + sign * product, np.ones(len(data))
                sign = 1.0 if text == "+" else -1.0
        else:
            product = product * (numbers(data[text]) if kind == "name" else float(text))
    return total + sign * product


def _terms(text: str) -> list[tuple[str, str]]:
    """The signed terms of a sum, split outside parentheses."""
    signed, sign, current, depth = [], "+", "", 0
    for character in text + "+":
        depth += (character == "(") - (character == ")")
        if depth < 0:
            raise InputError(f"a parenthesis closes that never opened: {text!r}")
        if depth == 0 and character in "+-":
            if current.strip():
                signed.append((sign, current.strip()))
                sign = character
            else:  # a sign after a sign
                sign = "+" if sign == character else "-"
            current = ""
        else:
            current += character
    if current.strip():
        raise InputError(f"a parenthesis is not closed: {text!r}")
    if text.rstrip().endswith(("+", "-")):
        raise InputError(f"a sum ends in its sign: {text!r}")
    return signed


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator that stands outside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth == 0 and character == separator:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _unwrap(text: str) -> str | None:
    """What one pair of parentheses encloses, or None if the text is not such a pair."""
    if not (text.startswith("(") and text.endswith(")")):
        return None
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and position < len(text) - 1:
            return None
    return text[1:-1]


def _random_terms(inner: str) -> list[RandomTerm]:
    match = re.fullmatch(r"([^|]+)(\|\|?)([^|]+)", inner)
    if match is None:
        raise InputError(f"not a random term: ({inner})")
    lhs, bar, group = (part.strip() for part in match.groups())
    columns = [lhs] if bar == "|" else _uncorrelated(lhs)
    if not columns:
        raise InputError(f"({inner}) has no effect: 0 takes the intercept away")
    return [RandomTerm(column, factors) for factors in _groups(group) for column in columns]


def _uncorrelated(lhs: str) -> list[str]:
    """``x * z`` of ``(x * z || g)`` as separate terms: 1, 0 + x, 0 + z and 0 + x:z.

    lme4's ``expandDoubleVerts``: a factor's columns stay together and correlate.
    """
    found = expand(lhs)
    slopes = [f"0 + {':'.join(term)}" for term in found.terms]
    return ["1", *slopes] if found.intercept else slopes


def _groups(text: str) -> list[tuple[str, ...]]:
    """``a/b`` is a and a:b; ``a:b`` is their interaction."""
    nested = [part.strip() for part in text.split("/")]
    groups: list[tuple[str, ...]] = []
    for part in nested:
        factors = tuple(name.strip() for name in part.split(":"))
        if not all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in factors):
            raise InputError(f"not a grouping factor: {text!r}")
        groups.append((groups[-1] if groups else ()) + factors)
    return groups
