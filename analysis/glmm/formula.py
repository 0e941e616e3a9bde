"""lme4's formula syntax, read once for every engine.

``cbind(n_correct, n_total - n_correct) ~ (resource + distance) * size + (1 | language)``

The fixed part is expanded by formulaic (Wilkinson-Rogers, treatment contrasts, terms sorted by
degree as in R) and its columns carry R's names: ``(Intercept)``, ``splitsymbolic``,
``resource:size``. Random terms follow Bates et al. (2015), Table 2: ``(1 | g)``, ``(1 | g:h)``,
``(1 | g/h)``, ``(1 + x | g)``, ``(0 + x | g)`` and ``(x || g)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
from formulaic import Formula as FormulaicFormula
from formulaic import model_matrix
from formulaic.errors import FormulaicError

from common.errors import InputError, name_some, suggest

_NAME = re.compile(r"[A-Za-z_]\w*")
_TERMS = re.compile(r"(?:[A-Za-z_]\w*(?!\w*\s*\()|\d+|[-+*:/^()\s])*")
_RESPONSE = re.compile(r"[A-Za-z_]\w*|cbind\([\w\s+*-]+,[\w\s+*-]+\)")

BINOMIAL_RESPONSE = "cbind(n_correct, n_total - n_correct)"
INTERCEPT = "(Intercept)"


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

    def matrix(self, data: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
        """The covariates that vary by level: rows × columns, and the columns' names."""
        if self.lhs == "1":
            return np.ones((len(data), 1)), [INTERCEPT]
        return _matrix(self.lhs, data)

    def __str__(self) -> str:
        return f"({self.lhs} | {self.group})"


@dataclass(frozen=True)
class Formula:
    """A parsed formula; ``str`` gives it back in lme4's syntax."""

    response: str
    fixed: str
    random: tuple[RandomTerm, ...]
    offsets: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [self.fixed, *(f"offset({name})" for name in self.offsets), *map(str, self.random)]
        return f"{self.response} ~ {' + '.join(parts)}"

    def variables(self) -> set[str]:
        """Every column that the formula needs of its data."""
        names = set(_NAME.findall(self.response)) - {"cbind"}
        names |= set(_NAME.findall(self.fixed)) | set(self.offsets)
        for term in self.random:
            names |= set(term.factors) | set(_NAME.findall(term.lhs))
        return names

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
            bad = column.isna()
            if pd.api.types.is_numeric_dtype(column):
                bad = bad | ~np.isfinite(column.astype(float))
            if bad.any():
                rows = name_some(data.index[bad], 5)
                raise InputError(f"column {name} is missing or not finite in row {rows}")

    def counts(self, data: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Successes and trials of every row, as floats; a 0/1 response has one trial a row."""
        match = re.fullmatch(r"cbind\((.*)\)", self.response, flags=re.DOTALL)
        if match is None:
            success = data[self.response].astype(float).to_numpy()
            if not np.isin(success, (0.0, 1.0)).all():
                raise InputError(f"response {self.response} must be 0 or 1 in every row")
            return success, np.ones_like(success)
        arguments = _split(match.group(1), ",")
        if len(arguments) != 2:
            raise InputError(f"cbind takes successes and failures: {self.response}")
        success, failure = (np.asarray(data.eval(part), dtype=float) for part in arguments)
        for label, count in (("successes", success), ("failures", failure)):
            bad = (count < 0) | (count != np.round(count))
            if bad.any():
                row = data.index[int(np.argmax(bad))]
                raise InputError(f"{label} of row {row} are {count[bad][0]:g}: not a count")
        return success, success + failure

    def fixed_matrix(self, data: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
        """The fixed-effects design: rows × terms, and the terms' names (R's)."""
        return _matrix(self.fixed, data)

    def offset(self, data: pd.DataFrame) -> np.ndarray:
        """The sum of the offsets (log-odds) of every row."""
        total = np.zeros(len(data))
        for name in self.offsets:
            total += data[name].astype(float).to_numpy()
        return total


def parse(text: str) -> Formula:
    """Read a formula in lme4's syntax; without a left side the response is ``cbind`` of counts.

    Raises InputError for what is not such a formula or has no random term.
    """
    response, tilde, right = text.partition("~")
    if not tilde:
        raise InputError(f"a formula needs a '~': {text!r}")
    if "~" in right:
        raise InputError(f"a formula has one '~': {text!r}")
    response = response.strip() or BINOMIAL_RESPONSE
    if not _RESPONSE.fullmatch(response):
        raise InputError(f"the left side is a 0/1 column or cbind(successes, failures): {response}")
    fixed, offsets, random = [], [], []
    for sign, part in _terms(" ".join(right.split())):
        inner = _unwrap(part)
        if inner is not None and "|" in inner:
            if sign == "-":
                raise InputError(f"a random term cannot be subtracted: {part}")
            random += _random_terms(inner)
        elif match := re.fullmatch(r"offset\(\s*([A-Za-z_]\w*)\s*\)", part):
            offsets.append(match.group(1))
        elif "|" in part:
            raise InputError(f"put the random term in parentheses of its own: {part}")
        else:
            fixed.append(part if sign == "+" and not fixed else f"{sign} {part}")
    if not random:
        raise InputError(f"the formula has no random term such as (1 | language): {text!r}")
    repeated = [str(term) for i, term in enumerate(random) if term in random[:i]]
    if repeated:
        raise InputError(f"the random term {repeated[0]} stands twice")
    for terms in [*fixed, *(term.lhs for term in random)]:
        _check_terms(terms)
    formula = Formula(response, " ".join(fixed) or "1", tuple(random), tuple(offsets))
    try:
        FormulaicFormula(formula.fixed)
        for term in formula.random:
            FormulaicFormula(term.lhs)
    except FormulaicError as error:
        raise InputError(f"the formula cannot be read: {text!r} ({error})") from error
    return formula


def _check_terms(terms: str) -> None:
    """Raise InputError unless these are names, numbers and operators.

    Formulas reach evaluators of Python and R: nothing that they could run gets there.
    """
    if not _TERMS.fullmatch(terms):
        raise InputError(
            f"a term is made of column names and + - * : / ^ ( ): {terms!r}. "
            "Functions are not evaluated: put a transformed column into the data instead"
        )


def _matrix(terms: str, data: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    try:
        # the empty context leaves no names but the data's to refer to
        matrix = model_matrix(terms, data, na_action="raise", context={})
    except FormulaicError as error:
        raise InputError(f"cannot build the columns of {terms!r}: {error}") from error
    names = [_r_name(str(name)) for name in matrix.columns]
    return np.ascontiguousarray(matrix.to_numpy(dtype=float)), names


def _r_name(name: str) -> str:
    """formulaic's ``split[T.symbolic]`` is R's ``splitsymbolic``."""
    if name == "Intercept":
        return INTERCEPT
    return re.sub(r"\[(?:T\.)?([^\]]*)\]", r"\1", name)


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
            sign, current = character, ""
        else:
            current += character
    if current.strip():
        raise InputError(f"a parenthesis is not closed: {text!r}")
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
    """What one pair of parentheses encloses, or None if the text is no such pair."""
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
    return [
        RandomTerm(column, factors)
        for factors in _groups(group)
        for column in ([lhs] if bar == "|" else _uncorrelated(lhs))
    ]


def _uncorrelated(lhs: str) -> list[str]:
    """``1 + x`` of ``(1 + x || g)`` as terms of their own: ``1`` and ``0 + x``."""
    names = [name for _, name in _terms(lhs)]
    slopes = [f"0 + {name}" for name in names if name not in ("0", "1")]
    return slopes if "0" in names else ["1", *slopes]


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
