"""The kinds of outcome table, their columns declared as data, and validation on entry.

Three kinds: ``instances`` (one row per question asked), ``cells`` (counts per variant, language
and template) and ``pairs`` (counts per variant, language and split). Whatever enters the analysis
passes ``validate``; what comes back has exactly the declared columns and types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest


@dataclass(frozen=True)
class Column:
    """One declared column: what it holds, and how it is read (``label``, ``score``, ``count``)."""

    name: str
    reads_as: str
    meaning: str
    required: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A kind of table: its columns in order, and those that together name a row."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @property
    def required(self) -> list[str]:
        return [column.name for column in self.columns if column.required]


_VARIANT = Column("variant", "label", "a model in one reasoning mode")
_LANGUAGE = Column("language", "label", "ISO 639-3 code")
_TEMPLATE = Column("template", "label", "question template")
_SPLITS = ("symbolic", "original")
_SPLIT = Column("split", "label", "symbolic or original questions", False, _SPLITS)
_N_CORRECT = Column("n_correct", "count", "correct answers")
_N_TOTAL = Column("n_total", "count", "scored answers, at least one")

KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "instances",
            (
                *(_VARIANT, _LANGUAGE, _TEMPLATE, _SPLIT),
                Column("instance", "label", "which instance of the template"),
                Column("correct", "score", "1 or true if the answer is correct, else 0 or false"),
            ),
            ("variant", "language", "template", "split", "instance"),
        ),
        Kind(
            "cells",
            (_VARIANT, _LANGUAGE, _TEMPLATE, _SPLIT, _N_CORRECT, _N_TOTAL),
            ("variant", "language", "template", "split"),
        ),
        Kind(
            "pairs",
            (_VARIANT, _LANGUAGE, replace(_SPLIT, required=True), _N_CORRECT, _N_TOTAL),
            ("variant", "language", "split"),
        ),
    )
}


def validate(table: pd.DataFrame, kind: str, source: str = "the table") -> pd.DataFrame:
    """The declared columns of a table, in order and with canonical types.

    Labels become strings without surrounding space (whole numbers without a decimal point),
    counts int64, scores bool. A score is 0, 1, true or false, as number, bool or text in any
    case; nothing else is turned into a score by guess. Other columns are left out.

    Args:
        table: rows to check. Messages name a row by the table's index: readers set it to line
            numbers and name it ``line``; an unnamed index is called ``row``.
        kind: ``instances``, ``cells`` or ``pairs``.
        source: the file or whatever else the rows came from, for messages.

    Raises InputError, naming source, column, rows and languages, for a missing or misspelt
    column, no rows, a missing label, a label outside a declared choice, a value that is not a
    score, a count that is not a whole number, n_correct above n_total, and rows with the same key.
    """
    declared = KINDS[kind]
    _check_columns(table, declared, source)
    if table.empty:
        raise InputError(f"{source} has no rows; at least one of {kind} is needed")
    checked = pd.DataFrame(index=table.index)
    for column in declared.columns:
        if column.name in table.columns:
            checked[column.name] = _read(table[column.name], column, checked, source)
    if "n_total" in checked.columns:
        _refuse(checked["n_total"] < 1, checked, source, "n_total is 0: leave such rows out")
        above = checked["n_correct"] > checked["n_total"]
        _refuse(above, checked, source, "n_correct is larger than n_total")
    key = [name for name in declared.key if name in checked.columns]
    unused = [str(name) for name in table.columns if name not in checked.columns]
    hint = f" (columns not looked at: {name_some(unused)})" if unused else ""
    repeated = checked.duplicated(key, keep=False)
    _refuse(repeated, checked, source, f"the same {', '.join(key)} more than once{hint}")
    return checked.reset_index(drop=True)


def kind_of(table: pd.DataFrame, source: str = "the table") -> str:
    """Whether a table holds ``instances`` or ``cells``, by its columns.

    A misspelt column does not hide the kind: what counts is the columns only one kind has.
    Raises InputError if the columns point to neither or to both.
    """
    names = set(table.columns)
    kinds = [KINDS["instances"], KINDS["cells"]]
    complete = [kind for kind in kinds if names.issuperset(kind.required)]
    own = [
        kind
        for kind, other in zip(kinds, reversed(kinds), strict=True)
        if names & (set(kind.required) - set(other.required))
    ]
    found = complete or own
    if len(found) == 1:
        return found[0].name
    wanted = " or ".join(f"{kind.name} ({', '.join(kind.required)})" for kind in kinds)
    problem = "has the columns of both" if found else f"has columns {name_some(names or ['none'])}"
    raise InputError(f"{source} {problem}; it must hold {wanted}")


def check_fit_ready(cells: pd.DataFrame, source: str = "the outcomes") -> None:
    """Refuse cells to which no crossed model can be fitted.

    Raises InputError for fewer than two languages, variants or templates, and for outcomes that
    are all correct or all wrong.
    """
    for column, plural in (
        ("language", "languages"),
        ("variant", "variants"),
        ("template", "templates"),
    ):
        levels = cells[column].unique()
        if len(levels) < 2:
            raise InputError(
                f"{source} holds one {column} only ({name_some(levels)}): "
                f"a model of differences between {plural} needs at least two"
            )
    correct, total = cells["n_correct"].sum(), cells["n_total"].sum()
    if correct in (0, total):
        raise InputError(
            f"every answer in {source} is {'correct' if correct else 'wrong'}: nothing to model"
        )


def _check_columns(table: pd.DataFrame, kind: Kind, source: str) -> None:
    names = [str(name) for name in table.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{source} has more than one column {name_some(twice)}")
    declared = [column.name for column in kind.columns]
    unknown = [name for name in names if name not in declared]
    folded = {_fold(name): name for name in unknown}
    problems = [
        f"no column {column.name!r} ({column.meaning}).{suggest(column.name, unknown)}"
        for column in kind.columns
        if column.name not in names and (column.required or _fold(column.name) in folded)
    ]
    if problems:
        raise InputError(
            f"{source} has {'; '.join(problems)} The columns of {kind.name} are "
            f"{', '.join(declared)}; these are there: {name_some(names or ['none'], 12)}"
        )


_SHOWN = 8  # wrong rows named in a message


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _read(values: pd.Series, column: Column, checked: pd.DataFrame, source: str) -> pd.Series:
    """One column read by its declaration; every distinct value is looked at once."""
    parse, dtype, advice = _READERS[column.reads_as]
    codes, distinct = pd.factorize(values.astype(object), use_na_sentinel=False)
    parsed = [parse(value) for value in distinct]
    unread = np.array([value is None for value in parsed])[codes]
    _refuse(unread, checked, source, f"column {column.name!r} {advice}", values)
    if column.name == "language":
        lost = np.array([str(value).casefold() in ("true", "false") for value in parsed])[codes]
        advice = "is a truth value: YAML reads the code no as one, quote it"
        _refuse(lost, checked, source, f"column 'language' {advice}", values)
    if column.choices:
        other = np.array([value not in column.choices for value in parsed])[codes]
        advice = f"is not one of {', '.join(column.choices)}"
        _refuse(other, checked, source, f"column {column.name!r} {advice}", values)
    return pd.Series(np.array(parsed, dtype=dtype)[codes], index=values.index)


def _label(value: object) -> str | None:
    if _is_missing(value):
        return None
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    return str(value).strip() or None


def _score(value: object) -> bool | None:
    text = str(value).strip().casefold()
    return {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}.get(
        text
    )


def _count(value: object) -> int | None:
    if isinstance(value, bool | np.bool_):
        return None
    text = str(value).strip()
    return int(float(text)) if re.fullmatch(r"\d{1,15}(\.0*)?", text, re.ASCII) else None


def _shown(value: object) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value


_READERS: dict[str, tuple[Callable[[object], object], type, str]] = {
    "label": (
        _label,
        object,
        "is empty or missing (if the language code nan, Min Nan Chinese, was meant, the program "
        "that wrote the table took it for a missing value: write the code as text)",
    ),
    "score": (
        _score,
        bool,
        "is neither 0/1 nor true/false: write 1 for a correct answer and 0 for a wrong one, and "
        "leave unscored answers out; letters and fractions are not coded by guess",
    ),
    "count": (_count, np.int64, "is not a whole number from 0 up"),
}


def _refuse(
    wrong: Collection[bool],
    checked: pd.DataFrame,
    source: str,
    problem: str,
    values: pd.Series | None = None,
) -> None:
    """Raise InputError if any row is wrong, naming the first of them and their languages."""
    rows = np.flatnonzero(wrong)
    if not rows.size:
        return
    word = checked.index.name or "row"
    places = []
    for row in rows[:_SHOWN]:
        about = [checked["language"].iloc[row]] if "language" in checked.columns else []
        about += [_shown(values.iloc[row])] if values is not None else []
        places.append(f"{word} {checked.index[row]}" + (f" ({', '.join(about)})" if about else ""))
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    raise InputError(f"{source}: {problem}: {'; '.join(places)}{more}")
