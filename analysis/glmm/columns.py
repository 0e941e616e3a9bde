"""The columns of a sum of terms: R's ``model.matrix``, its contrasts and its names.

Text and categories are factors, whose levels belong to a fit and not to the rows at hand, as does
what a function such as ``scale`` learns: ``levels`` finds both in the data fitted, and any rows are
coded by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm import calls
from capability_transfer.analysis.glmm.wilkinson import Expansion
from capability_transfer.common.errors import InputError, name_some

INTERCEPT = "(Intercept)"
LOGICAL = ("FALSE", "TRUE")

CONTRASTS = ("treatment", "sum", "helmert", "poly")

Levels = Mapping[str, "tuple[str, ...] | calls.States"]
"""What a fit knows of its variables: a factor's levels (``Factor``, or a tuple with treatment
contrasts), and what functions have learned of the data. A variable that is not here is a number."""


class Factor(tuple):
    """The levels of a factor, in order, with the kind of its ``contrasts`` (``CONTRASTS``)."""

    contrasts = "treatment"

    @classmethod
    def coded(cls, levels: Iterable[str], contrasts: str) -> Factor:
        """The levels with contrasts of a kind."""
        made = cls(levels)
        made.contrasts = contrasts
        return made


@dataclass(frozen=True, eq=False)
class Columns:
    """A design matrix.

    Attributes:
        values: rows × columns.
        names: R's, e.g. ``(Intercept)``, ``splitsymbolic``, ``resource:size``.
        terms: which term each belongs to, e.g. ``resource:size``.
        aliased: which columns an interaction without its main effects has in full, so that R may
            find them to be sums of others whatever the data.
    """

    values: np.ndarray
    names: list[str]
    terms: list[str]
    aliased: np.ndarray


def levels(
    data: pd.DataFrame, names: Iterable[str], contrasts: Mapping[str, str] | None = None
) -> dict[str, Factor | calls.States]:
    """The levels of those of the named variables that hold no numbers, as R orders them.

    A categorical column keeps the order of its categories (those that occur), text is sorted;
    booleans are FALSE and TRUE. Functions that learn (``calls``) have what they learned. Raises
    InputError for a factor with one level.
    """
    found: dict[str, Factor | calls.States] = {}
    for name in sorted(names):
        states: calls.States = {}
        column = calls.evaluate(name, data, states, learning=True)
        if pd.api.types.is_datetime64_any_dtype(getattr(column, "dtype", None)):
            raise InputError(
                f"{name} holds dates: make a column of numbers of it (days since the first, say), "
                "or text of what they are grouped by"
            )
        if isinstance(column, np.ndarray) or is_number(column):
            if states:
                found[name] = states
            continue
        if states:
            raise InputError(f"{name} compares what it learns of the data: make a column of it")
        own = LOGICAL if is_logical(column) else own_levels(column)
        found[name] = Factor.coded(own, (contrasts or {}).get(name, "treatment"))
        present = column.nunique()
        if present < 2:
            only = name_some(column.dropna().unique())
            raise InputError(
                f"{name} has one level in these rows ({only}): there is nothing to compare; "
                "drop it from the formula"
            )
    return found


def labels(column: pd.Series) -> pd.Series:
    """A grouping factor's values as text; 3.0 is 3, as in R."""
    if pd.api.types.is_float_dtype(column):
        return column.map("{:.15g}".format)
    return column.astype(str)


def is_logical(column: pd.Series) -> bool:
    """Whether a column holds booleans, whatever its dtype."""
    if pd.api.types.is_bool_dtype(column):
        return True
    return pd.api.types.is_object_dtype(column) and all(
        isinstance(value, bool | np.bool_) for value in column
    )


def is_number(column: pd.Series) -> bool:
    """Whether a column holds numbers; booleans do not count."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def own_levels(column: pd.Series) -> tuple[str, ...]:
    """The labels of a column in R's order: of its categories, or sorted."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = column.cat.remove_unused_categories().cat.categories
        return tuple(dict.fromkeys(used.astype(str)))
    return tuple(sorted(set(column.astype(str))))


def codes(column: pd.Series, known: tuple[str, ...]) -> np.ndarray:
    """The position of every row's level among ``known``.

    Raises InputError naming a level that is not among them.
    """
    labels = column.astype(str)
    if known == LOGICAL:
        if pd.api.types.is_numeric_dtype(column) and column.isin((0, 1)).all():
            labels = column.astype(bool).astype(str)
        labels = labels.str.upper()
    found = pd.Index(known).get_indexer(pd.Index(labels))
    if (found < 0).any():
        unseen = name_some(labels[found < 0].unique())
        raise InputError(
            f"{column.name} is {unseen} in row {name_some(column.index[found < 0], 3)}, a level "
            f"that the fit has not seen; it has {name_some(known, 10)}"
        )
    return found


def matrix(expansion: Expansion, data: pd.DataFrame, known: Levels) -> Columns:
    """The columns of ``expansion`` for the rows of ``data``, factors coded by the levels ``known``.

    A factor has treatment contrasts where R gives it those (the margin without it is in the sum),
    else an indicator of every level. Variables without ``known`` levels are numbers. Raises
    InputError for an unseen level, and for text or missing values where numbers are needed.
    """
    parts = [np.ones((len(data), 1))] if expansion.intercept else []
    names = [INTERCEPT] if expansion.intercept else []
    terms, aliased = list(names), [False] * len(names)
    full = _first_in_full(expansion, known)
    read: dict[str, np.ndarray] = {}
    for place, term in enumerate(expansion.terms):
        block, labels, margin_free = np.ones((len(data), 1)), [""], False
        for name in term:
            if name not in read:
                read[name] = _read(data, name, known)
            if not isinstance(known.get(name), tuple):
                columns = read[name]
                places = range(1, columns.shape[1] + 1)
                own = [name] if columns.shape[1] == 1 else [f"{name}{place}" for place in places]
            else:
                whole = (term, name) == full or not _has_contrasts(expansion, place, name)
                margin_free |= whole and len(term) > 1
                coding, suffixes = _coding(known[name], whole)
                columns = coding[read[name]]
                own = [f"{name}{suffix}" for suffix in suffixes]
            # the first variable's columns vary fastest
            width = columns.shape[1] * block.shape[1]
            block = (columns[:, :, None] * block[:, None, :]).reshape(len(data), width)
            labels = [f"{before}:{own_label}" for own_label in own for before in labels]
        parts.append(block)
        names += [label[1:] for label in labels]
        terms += [":".join(term)] * len(labels)
        aliased += [margin_free] * len(labels)
    values = np.concatenate([np.zeros((len(data), 0)), *parts], axis=1)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns of the model are called {twice}: rename a variable or level")
    return Columns(np.ascontiguousarray(values), names, terms, np.array(aliased, dtype=bool))


def _read(data: pd.DataFrame, name: str, known: Levels) -> np.ndarray:
    """A variable's numbers (rows × columns), or the positions of its levels."""
    coding = known.get(name, {})
    factor = isinstance(coding, tuple)
    value = calls.evaluate(name, data, {} if factor else coding)
    if factor:
        return codes(pd.Series(value, name=name), coding)
    return value if isinstance(value, np.ndarray) else numbers(value)[:, None]


def _coding(levels: tuple[str, ...], whole: bool) -> tuple[np.ndarray, list[str]]:
    """The columns of every level (levels × columns), and what R calls them after the name."""
    count, kind = len(levels), getattr(levels, "contrasts", "treatment")
    if whole:
        return np.eye(count), list(levels)
    if kind == "treatment":
        return np.eye(count)[:, 1:], list(levels[1:])
    numbered = [str(place) for place in range(1, count)]
    if kind == "sum":
        return np.vstack([np.eye(count - 1), -np.ones(count - 1)]), numbered
    if kind == "helmert":
        below = -np.triu(np.ones((count, count - 1)))
        below[np.arange(1, count), np.arange(count - 1)] = np.arange(1, count)
        return below, numbered
    from formulaic.transforms import poly

    named = [".L", ".Q", ".C", *(f"^{power}" for power in range(4, count))][: count - 1]
    return np.asarray(poly(np.arange(count), count - 1, _state={})), named


def numbers(column: pd.Series) -> np.ndarray:
    """A column as finite floats. Raises InputError for text and for missing or infinite values."""
    if not pd.api.types.is_numeric_dtype(column):
        raise InputError(
            f"column {column.name} holds {name_some(column.astype(str).unique(), 3)} where the "
            "model needs numbers"
        )
    values = column.to_numpy(dtype=float, na_value=np.nan)
    if not np.isfinite(values).all():
        rows = name_some(column.index[~np.isfinite(values)], 5)
        raise InputError(f"column {column.name} is missing or not finite in row {rows}")
    return values


def _has_contrasts(expansion: Expansion, place: int, name: str) -> bool:
    """R's rule (Chambers & Hastie 1992, p. 38): an earlier term contains the rest of this one."""
    rest = set(expansion.terms[place]) - {name}
    return not rest or any(rest <= set(term) for term in expansion.terms[:place])


def _first_in_full(expansion: Expansion, known: Levels) -> tuple[tuple[str, ...], str] | None:
    """Without an intercept R gives the first factor that it meets an indicator of every level."""
    if expansion.intercept:
        return None
    found = (
        (term, name)
        for term in expansion.terms
        for name in term
        if isinstance(known.get(name), tuple)
    )
    return next(found, None)
