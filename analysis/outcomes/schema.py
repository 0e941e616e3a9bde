"""The kinds of outcome table: their columns declared as data, validation, and adding up.

Four kinds: ``instances`` (one row per question asked), ``cells`` (counts per variant, language
and template), ``pairs`` (counts per variant, language and split) and ``aggregates`` (counts per
benchmark, model and language, as results are published). Whatever enters the analysis passes
``validate``; what comes back has exactly the declared columns and types. Answers are added up here
only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.tables import Column, check_columns, read_column, refuse


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
_BENCHMARK = Column("benchmark", "label", "which benchmark the items are of", False)
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
        Kind(
            "aggregates",
            (
                replace(_BENCHMARK, required=True),
                Column("model", "label", "a model as it was published"),
                _LANGUAGE,
                Column("prompt", "label", "prompt or run, where there are several", False),
                Column("floor", "number", "share that guessing gets right (0-1)", False),
                *(_N_CORRECT, _N_TOTAL),
            ),
            ("benchmark", "model", "language", "prompt"),
        ),
    )
}

_CELL = ["variant", "language", "template", "split"]
_PAIR = ["variant", "language", "split"]


def validate(table: pd.DataFrame, kind: str, source: str = "the table") -> pd.DataFrame:
    """The declared columns of a table, in order and with canonical types.

    Labels become strings without surrounding space (whole numbers without a decimal point),
    counts int64, scores bool. A score is 0, 1, true or false, as number, bool or text in any
    case; nothing else is turned into a score by guess. Other columns are left out.

    Args:
        table: rows to check. Messages name a row by the table's index: readers set it to line
            numbers and name it ``line``; an unnamed index is called ``row``.
        kind: ``instances``, ``cells``, ``pairs`` or ``aggregates``.
        source: the file or whatever else the rows came from, for messages.

    Raises InputError, naming source, column, rows and languages, for a missing or misspelt
    column, no rows, a missing label, a label outside a declared choice, a value that is not a
    score, a count that is not a whole number, n_correct above n_total, and rows with the same key.
    """
    declared = KINDS[kind]
    check_columns(table.columns, declared.columns, source, kind)
    if table.empty:
        raise InputError(f"{source} has no rows; at least one of {kind} is needed")
    checked = pd.DataFrame(index=table.index)
    for column in declared.columns:
        if column.name in table.columns:
            checked[column.name] = read_column(table[column.name], column, source, checked)
    if "n_total" in checked.columns:
        refuse(checked["n_total"] < 1, checked, source, "n_total is 0: leave such rows out")
        above = checked["n_correct"] > checked["n_total"]
        refuse(above, checked, source, "n_correct is larger than n_total")
    key = [name for name in declared.key if name in checked.columns]
    unused = [str(name) for name in table.columns if name not in checked.columns]
    hint = f" (columns not looked at: {name_some(unused)})" if unused else ""
    repeated = checked.duplicated(key, keep=False)
    refuse(repeated, checked, source, f"the same {', '.join(key)} more than once{hint}")
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


def to_cells(instances: pd.DataFrame) -> pd.DataFrame:
    """One row per (variant, language, template[, split]) from validated instances.

    Returns the key, n_correct and n_total, sorted by the key, so that the order of the instances
    does not matter. ``split`` is there if the instances have it.
    """
    key = [name for name in _CELL if name in instances.columns]
    grouped = instances.groupby(key, sort=True, as_index=False)
    cells = grouped.agg(n_correct=("correct", "sum"), n_total=("correct", "size"))
    return cells.astype({"n_correct": "int64", "n_total": "int64"})


def pair_totals(cells: pd.DataFrame) -> pd.DataFrame:
    """One row per (variant, language[, split]): accuracy (0 to 1), n_correct, n_total.

    Rows keep the order in which the pairs first appear.
    """
    key = [name for name in _PAIR if name in cells.columns]
    totals = cells.groupby(key, sort=False, as_index=False)[["n_correct", "n_total"]].sum()
    totals.insert(len(key), "accuracy", totals["n_correct"] / totals["n_total"])
    return totals


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
