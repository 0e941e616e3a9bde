"""lme4's formula syntax, read once for every engine.

``cbind(n_correct, n_total - n_correct) ~ (resource + distance) * size + (1 | language)``

The fixed part is R's (``wilkinson``, ``columns``, ``calls``): treatment contrasts unless others are
asked for, terms sorted by degree, R's names of columns such as ``(Intercept)``, ``splitsymbolic``,
``resource:size``. Random terms follow Bates et al. (2015), Table 2: ``(1 | g)``, ``(1 | g:h)``,
``(1 | g/h)``, ``(1 + x | g)``, ``(0 + x | g)`` and ``(x || g)``.

The response is ``cbind(successes, failures)``, a column of two values, or, with weights that are
the trials, a share of successes (a column, or ``successes / trials``).
Beyond lme4, a text may end in ``, floor = chance``: see ``Formula.with_floor``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import calls
from capability_transfer.analysis.glmm.codes import Codes, encode, interact
from capability_transfer.analysis.glmm.columns import (
    CONTRASTS,
    LOGICAL,
    Columns,
    Levels,
    is_logical,
    levels,
    matrix,
    numbers,
    own_levels,
)
from capability_transfer.analysis.glmm.wilkinson import Expansion, closing, expand, names, tokens
from capability_transfer.common.errors import InputError, name_some, suggest

_SHARE = re.compile(r"([A-Za-z_][\w.]*|`[^`]+`)(?:\s*/\s*([A-Za-z_][\w.]*|`[^`]+`))?")
_FLOOR = re.compile(r",\s*floor\s*=\s*([^\s,]+)\s*$")
WHOLE = 1e-6  # how near a share times its trials must come to a whole number
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

    def codes(self, data: pd.DataFrame) -> Codes:
        """The level of every row as an integer, in order of appearance, and the levels' labels."""
        return interact(encode(data[factor]) for factor in self.factors)

    def levels(self, data: pd.DataFrame) -> pd.Series:
        """The level label of every row (interactions joined by a colon, as lme4 does).

        Rows of one level share one text, so that millions of rows take little memory.
        """
        found = self.codes(data)
        return pd.Series(found.labels[found.codes], index=data.index, dtype=object)

    def matrix(self, data: pd.DataFrame, known: Levels) -> tuple[np.ndarray, list[str]]:
        """The covariates that vary by level: rows × columns, and the columns' names.

        ``known`` are the levels of the factors among them (``Formula.levels``).
        """
        found = matrix(expand(self.lhs), data, known)
        return found.values, found.names

    def covariates(self) -> set[str]:
        """The columns that ``lhs`` names."""
        return _columns(names(self.lhs))

    def variables(self) -> set[str]:
        """The names and calls that ``lhs`` is made of."""
        return set(names(self.lhs))

    def __str__(self) -> str:
        return f"({self.lhs} | {self.group})"


@dataclass(frozen=True)
class Formula:
    """A parsed formula; ``str`` gives it back in lme4's syntax, ``||`` written out.

    ``weights`` is the column of trials of a response that is a share, ``contrasts`` are those of
    the factors that have others than treatment; ``floor`` is a column, a number or None
    (``with_floor``).
    """

    response: str
    fixed: str
    random: tuple[RandomTerm, ...]
    offsets: tuple[str, ...] = ()
    weights: str = ""
    contrasts: tuple[tuple[str, str], ...] = ()
    floor: str | float | None = None
    # not an argument, so that ``dataclasses.replace`` makes a formula without it
    written: str = field(default="", init=False, compare=False, repr=False)

    def __str__(self) -> str:
        parts = [self.fixed, *map("offset({})".format, self.offsets), *map(str, self.random)]
        return f"{self.response} ~ {' + '.join(parts)}{self._ending()}"

    def _ending(self) -> str:
        return "" if self.floor is None else f", floor = {self.floor}"

    @property
    def source(self) -> str:
        """The text that was parsed, for another reader of formulas to judge by; else ``str``."""
        return self.written + self._ending() if self.written else str(self)

    def with_floor(self, floor: str | float | None) -> Formula:
        """The same model with P(success) = c + (1 − c) · expit(η), c = ``floor`` in [0, 1).

        ``floor`` is a column's name or a number: the share of answers that guessing gets right,
        1/4 where one of four choices is right. None or 0 is no floor.

        Raises InputError for what is neither a column's name nor such a number.
        """
        number = isinstance(floor, Real) and not isinstance(floor, bool)
        if number and not 0 <= floor < 1:
            raise InputError(f"a floor is 0 or more and less than 1, not {floor:g}")
        named = isinstance(floor, str) and floor.replace(".", "_").isidentifier()
        if not (number or named or floor is None):
            raise InputError(f"a floor is a column's name or a number, not {floor!r}")
        other = replace(self, floor=(float(floor) or None) if number else floor)
        object.__setattr__(other, "written", self.written)
        _check_left(other)
        return other

    def explanatory(self) -> set[str]:
        """The columns that a row's probability depends on, groups aside."""
        floor = {self.floor} if isinstance(self.floor, str) else set()
        return self.covariates() | _columns(self.offsets) | floor

    def variables(self) -> set[str]:
        """Every column that the formula needs of its data."""
        needed = self.outcomes() | self.explanatory()
        return needed.union(*(term.factors for term in self.random))

    def outcomes(self) -> set[str]:
        """The columns on the left side, and the weights."""
        weights = {self.weights} if self.weights else set()
        counted = _cbind(self.response)
        if counted is None:
            return weights | _columns(filter(None, _SHARE.fullmatch(self.response).groups()))
        return _columns(text for side in counted for kind, text in side if kind == "name")

    def covariates(self) -> set[str]:
        """The columns that enter as numbers or factors: fixed, or varying by group."""
        fixed = _columns(names(self.fixed))
        return fixed.union(*(term.covariates() for term in self.random))

    def without(self, names: Collection[str]) -> Formula:
        """The same model without the terms that have one of these columns in them."""
        if not self.variables().intersection(names):
            return self
        slopes = [(term, _terms_without(term.lhs, names)) for term in self.random]
        return replace(
            self,
            fixed=_terms_without(self.fixed, names) or "1",
            random=tuple(replace(term, lhs=lhs) for term, lhs in slopes if lhs),
            offsets=tuple(text for text in self.offsets if not calls.columns(text) & set(names)),
        )

    def expansion(self) -> Expansion:
        """The terms of the fixed part."""
        return expand(self.fixed)

    def levels(self, data: pd.DataFrame) -> dict[str, tuple[str, ...]]:
        """What a fit codes rows by: the levels of the covariates that are factors in ``data``, and
        what functions learn of the others (``columns.levels``).

        Raises InputError for a factor with one level, and for contrasts of what is no factor.
        """
        covariates = set(names(self.fixed)).union(*(term.variables() for term in self.random))
        found = levels(data, covariates, dict(self.contrasts))
        for name, _ in self.contrasts:
            if not isinstance(found.get(name), tuple):
                factors = [other for other, value in found.items() if isinstance(value, tuple)]
                raise InputError(
                    f"contrasts are given for {name}, which is no factor of the formula; its "
                    f"factors: {name_some(factors) or 'none'}"
                )
        return found

    def check_names(self, data: pd.DataFrame, names: Collection[str] | None = None) -> None:
        """Raise InputError unless every variable (or of ``names`` each) is a column of ``data``."""
        needed = sorted(self.variables() if names is None else names)
        absent = [name for name in needed if name not in data.columns]
        if absent:
            hints = "".join(suggest(name, data.columns) for name in absent[:1])
            raise InputError(
                f"the formula names {name_some(absent)}, which the data do not have.{hints} "
                f"Columns: {name_some(data.columns, 20)}"
            )

    def check(self, data: pd.DataFrame) -> None:
        """Raise InputError unless every variable is a complete, finite column of ``data``."""
        self.check_names(data)
        if data.empty:
            raise InputError("there are no rows to fit")
        for name in sorted(self.variables()):
            column = data[name]
            if column.ndim > 1:
                raise InputError(f"the data have {column.shape[1]} columns called {name}")
            bad = column.isna()
            if pd.api.types.is_numeric_dtype(column):
                bad = bad | ~np.isfinite(column.astype(float))
            if bad.any():
                rows = name_some(data.index[bad], 5)
                raise InputError(f"column {name} is missing or not finite in row {rows}")
        floor = self.floors(data)
        if (bad := (floor < 0) | (floor >= 1)).any():
            raise InputError(
                f"column {self.floor} is a floor, 0 or more and less than 1; in row "
                f"{name_some(data.index[bad], 5)} it is {floor[bad][0]:g}"
            )

    def counts(self, data: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Successes and trials of every row, as floats; without weights a response that is not
        ``cbind`` has one trial per row."""
        counted = _cbind(self.response)
        if counted is None:
            return self._shares(data)
        success, failure = (_evaluate(argument, data) for argument in counted)
        for label, count in (("successes", success), ("failures", failure)):
            bad = (count < 0) | (count != np.round(count))
            if bad.any():
                row = data.index[int(np.argmax(bad))]
                raise InputError(f"{label} of row {row} are {count[bad][0]:g}: not a count")
        return success, success + failure

    def fixed_factors(self, data: pd.DataFrame) -> list[str]:
        """The variables of the fixed part that are factors in ``data``."""
        found = self.levels(data)
        return [name for name in names(self.fixed) if isinstance(found.get(name), tuple)]

    def with_successes(
        self, data: pd.DataFrame, success: np.ndarray, trials: np.ndarray
    ) -> pd.DataFrame:
        """``data`` with a response of other successes, of the same trials.

        Raises InputError where the left side does not say which columns these are.
        """
        counted = _cbind(self.response)
        if counted is not None:
            first, second = counted
            if len(first) != 1 or first[0][0] != "name":
                raise InputError(
                    f"which column has the successes of {self.response} cannot be told: fit a "
                    "formula whose cbind begins with a column"
                )
            changed = data.assign(**{_column(first[0][1]): success})
            if len(second) == 1 and second[0][0] == "name":
                changed = changed.assign(**{_column(second[0][1]): trials - success})
            return changed
        above, below = _SHARE.fullmatch(self.response).groups()
        if below:
            share = np.divide(success, trials, out=np.zeros(len(data)), where=trials > 0)
            return data.assign(**{_column(above): share * numbers(data[_column(below)])})
        if self.weights:
            return data.assign(**{_column(above): np.divide(success, np.maximum(trials, 1))})
        if (second := self.success_level(data)) in (None, LOGICAL[1]):
            return data.assign(**{_column(above): success})
        levels = own_levels(data[_column(above)])
        answers = pd.Categorical.from_codes(success.astype(int), levels)
        return data.assign(**{_column(above): answers})

    def success_level(self, data: pd.DataFrame) -> str | None:
        """Which of two labels of the response is a success: the second, as in R; None where the
        response is made of numbers or booleans.

        Raises InputError for a response of labels that are not two.
        """
        if _cbind(self.response) is not None or _SHARE.fullmatch(self.response)[2]:
            return None
        column = data[_column(self.response)]
        if pd.api.types.is_numeric_dtype(column):
            return None
        if is_logical(column):
            return LOGICAL[1]
        found = own_levels(column)
        if len(found) != 2:
            raise InputError(
                f"the response {self.response} has {len(found)} levels ({name_some(found, 4)}): a "
                "binomial model has two; make a column of it that says which is a success"
            )
        return found[1]

    def _shares(self, data: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """``counts`` of a response that is one column, or a quotient of two."""
        above, below = _SHARE.fullmatch(self.response).groups()
        column = data[_column(above)]
        second = self.success_level(data)
        if second is None:
            share = numbers(column)
        else:
            own = column.astype(str)
            own = own.str.upper() if second == LOGICAL[1] else own
            share = (own == second).to_numpy(float)
        if below:
            divisor = numbers(data[_column(below)])
            share = np.divide(share, divisor, out=np.zeros(len(share)), where=divisor != 0)
        if not self.weights:
            if not np.isin(share, (0.0, 1.0)).all():
                raise InputError(
                    f"response {self.response} must be 0 or 1 in every row; of a share of "
                    "successes the trials are needed too (in Python: weights=, a column)"
                )
            return share, np.ones_like(share)
        trials = numbers(data[self.weights])
        success = share * trials
        whole = np.round(success)
        for label, value, bad in (
            ("the weight (trials)", trials, (trials < 0) | (trials != np.round(trials))),
            ("the response times its weight", success, np.abs(success - whole) > WHOLE),
            ("the response", share, (share < 0) | (share > 1)),
        ):
            if bad.any():
                row = data.index[int(np.argmax(bad))]
                raise InputError(
                    f"{label} of row {row} is {value[bad][0]:g}: {self.response} is a share of "
                    f"{self.weights} trials, both 0 or more, that comes to a whole number"
                )
        return whole, trials

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
            value = calls.evaluate(name, data, {})
            if not isinstance(value, np.ndarray):
                value = numbers(value)
            total += value.reshape(len(data))
        return total

    def floors(self, data: pd.DataFrame) -> np.ndarray:
        """The floor of every row's probability; zeros where there is none."""
        if isinstance(self.floor, str):
            return numbers(data[self.floor])
        return np.full(len(data), self.floor or 0.0)


def parse(text: str, weights: str = "", contrasts: Mapping[str, str] | None = None) -> Formula:
    """Read a formula in lme4's syntax; without a left side the response is ``cbind`` of counts.

    Args:
        text: the formula.
        weights: the column of trials, where the response is a share of successes.
        contrasts: of factors, by their names in the formula: ``treatment``, ``sum``, ``helmert``
            or ``poly``, with or without R's ``contr.``.

    Raises InputError for what is not such a formula or has no random term.
    """
    floor = _FLOOR.search(text) if isinstance(text, str) else None
    if floor is not None:
        plain = parse(text[: floor.start()], weights, contrasts)
        return plain.with_floor(_number_or_name(floor.group(1)))
    left, right = _sides(text)
    fixed, offsets, random = _parts(right)
    if not random:
        raise InputError(f"the formula has no random term such as (1 | language): {text!r}")
    if weights and _cbind(left) is not None:
        raise InputError(f"{left} has its trials already: weights= goes with a share of successes")
    coded = tuple(sorted((name, _kind(kind)) for name, kind in (contrasts or {}).items()))
    formula = Formula(left, " ".join(fixed) or "1", tuple(random), tuple(offsets), weights, coded)
    _check_effects(formula)
    _check_left(formula)
    object.__setattr__(formula, "written", f"{left} ~ {right}")
    return formula


def _kind(contrasts: object) -> str:
    kind = str(contrasts).removeprefix("contr.").casefold()
    if kind not in CONTRASTS:
        raise InputError(
            f"contrasts are {', '.join(CONTRASTS)}, not {contrasts!r}.{suggest(kind, CONTRASTS)}"
        )
    return kind


def _columns(variables: Iterable[str]) -> set[str]:
    """The columns of the data that names and calls are made of."""
    return set().union(*map(calls.columns, variables))


def _column(name: str) -> str:
    """The column of a name, which may be in backticks."""
    return name.strip("`")


def _number_or_name(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


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
    if not (_SHARE.fullmatch(left) or re.fullmatch(r"cbind\s*\(.*\)", left)):
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
        elif match := re.fullmatch(r"offset\s*\((.*)\)", part):
            if sign == "-":
                raise InputError(f"an offset cannot be subtracted: {part}")
            offsets.append(_offset(match[1].strip()))
        elif "|" in part:
            raise InputError(f"put the random term in its own parentheses: {part}")
        else:
            fixed.append(part if sign == "+" and not fixed else f"{sign} {part}")
    return fixed, offsets, random


def _offset(text: str) -> str:
    """What an offset adds: a name, a call, or a sum in ``I()``."""
    is_one = re.fullmatch(r"[A-Za-z_][\w.]*|`[^`]+`", text) or (
        (call := re.match(r"[A-Za-z][\w.]*\s*\(", text))
        and closing(text, call.end() - 1) == len(text) - 1
    )
    text = text if is_one else f"I({text})"
    return text if calls.is_plain(text) else calls.canonical(text)


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
    kept = [":".join(term) for term in found.terms if not _columns(term) & set(names)]
    if found.intercept:
        return " + ".join(["1", *kept])
    return " + ".join(["0", *kept]) if kept else ""


def _check_left(formula: Formula) -> None:
    """Raise InputError for an outcome that is to explain itself."""
    counted = _cbind(formula.response)
    counts = [argument[0][1] for argument in counted or () if len(argument) == 1]
    outcomes = set(counts) if counted else formula.outcomes() - {formula.weights}
    right = formula.covariates() | _columns(formula.offsets)
    right = right.union([formula.floor], *(t.factors for t in formula.random))
    if both := sorted(outcomes & right):
        raise InputError(f"{both[0]} is the outcome: it cannot stand on the right side too")


def _cbind(response: str) -> list[list[tuple[str, str]]] | None:
    """The tokens of successes and failures of ``cbind(…)``; None for a column's name.

    Raises InputError for what is not sums and products of columns and whole numbers.
    """
    if not re.match(r"cbind\s*\(", response):
        return None
    arguments = _split(response[response.index("(") + 1 : -1], ",")
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
            value = numbers(data[_column(text)]) if kind == "name" else float(text)
            product = product * value
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
        if not all(re.fullmatch(r"[A-Za-z_][\w.]*|`[^`:/]+`", name) for name in factors):
            raise InputError(
                f"not a grouping factor: {text!r}; it is a column, or a:b or a/b of columns"
            )
        factors = tuple(map(_column, factors))
        groups.append((groups[-1] if groups else ()) + factors)
    return groups
