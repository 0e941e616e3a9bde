"""What the study and its neighbours published, and how it stands beside ours.

Every published figure of the package is read here, from ``data/*.csv``; their columns and sources
are in ``data/README.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import pandas as pd
from capability_transfer.common.errors import InputError, name_some, suggest


def read(name: str) -> pd.DataFrame:
    """The published table ``data/<name>.csv``, such as ``study_estimates`` or ``mgsm_pro/drops``.

    Raises InputError for a name that is not there.
    """
    return _read(name).copy()


def values(
    name: str, key: str | Sequence[str], column: str = "estimate", when: bool = True, **where: str
) -> pd.Series:
    """A column of a published table by its ``key``.

    Args:
        name: of the table, see ``read``.
        key: the column or columns of the index.
        column: the one of the values.
        when: whether anything was published for the case at hand; nothing is returned otherwise.
        where: values that other columns have, ``kind="fixed"``.
    """
    table = read(name)
    for other, value in where.items():
        table = table[table[other] == value]
    found = table.set_index(key)[column]
    return found if when else found.iloc[:0]


def beside(table: pd.DataFrame, known: pd.Series, key: str, value: str) -> pd.DataFrame:
    """``table`` with the columns published, NaN where nothing is, and difference (ours minus it).

    Args:
        table: ours.
        known: published values, see ``values``.
        key: the column of ``table`` that the index of ``known`` stands for.
        value: the column to compare.
    """
    published = table[key].map(known).astype(float)
    return table.assign(published=published, difference=table[value] - published)


@cache
def _read(name: str) -> pd.DataFrame:
    folder = resources.files("capability_transfer.analysis").joinpath("data")
    path = folder.joinpath(f"{name}.csv")
    if not path.is_file():
        known = [one.name.removesuffix(".csv") for one in folder.iterdir()]
        raise InputError(
            f"nothing is published as {name!r}; there are {name_some(sorted(known), 20)}."
            f"{suggest(name, known)}"
        )
    with path.open(encoding="utf-8") as stream:
        return pd.read_csv(stream)
