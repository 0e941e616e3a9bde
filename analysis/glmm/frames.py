"""Somebody's data as the engines take them: a pandas frame whose rows are complete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

import narwhals as nw
import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.formula import Formula
from capability_transfer.common.errors import InputError, name_some

NA_ACTIONS = ("fail", "drop")


class Wide(pd.DataFrame):
    """A data frame that prints unbroken, four digits of each number, ``attrs["note"]`` below."""

    @property
    def _constructor(self) -> type[Wide]:
        return Wide

    def _written(self, write: Callable[..., str]) -> str:
        unnamed = self.index.equals(pd.RangeIndex(len(self)))
        return write(float_format="{:.4g}".format, index=not unnamed, na_rep="", max_rows=60)

    def __repr__(self) -> str:
        text = self._written(self.to_string)
        return f"{text}\n({self.attrs['note']})" if self.attrs.get("note") else text

    def _repr_html_(self) -> str:
        return self._written(self.to_html) + f"<p>{escape(self.attrs.get('note', ''))}</p>"


def as_frame(data: object) -> pd.DataFrame:
    """A data frame of any library (pandas, polars, pyarrow, …) or a mapping of columns in pandas.

    An index that does not tell the rows apart is left out.

    Raises InputError for what is no table.
    """
    if isinstance(data, pd.DataFrame):
        found = data
    elif isinstance(data, Mapping):
        found = pd.DataFrame(dict(data))
    else:
        try:
            found = nw.from_native(data)
        except TypeError:
            raise InputError(
                "data is a table (a data frame of pandas, polars or pyarrow, or a dictionary of "
                f"columns), not {type(data).__name__}"
            ) from None
        found = (found.collect() if isinstance(found, nw.LazyFrame) else found).to_pandas()
    if isinstance(found.columns, pd.MultiIndex):
        raise InputError("the data have columns on several levels: give each a name of its own")
    found = found.rename(columns=str)
    if twice := list(dict.fromkeys(found.columns[found.columns.duplicated()])):
        raise InputError(f"the data have more than one column {name_some(twice)}")
    return found if found.index.is_unique else found.reset_index(drop=True)


def complete(
    formula: Formula, data: pd.DataFrame, na_action: str
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The columns of a formula without rows in which one is missing, and what was dropped.

    Raises InputError where a value is missing and ``na_action`` is not ``drop``.
    """
    if na_action not in NA_ACTIONS:
        raise InputError(f"na_action= is 'fail' or 'drop', not {na_action!r}")
    formula.check_names(data)
    rows = data[sorted(formula.variables())]
    missing = rows.isna()
    for name in rows.columns[rows.dtypes.map(pd.api.types.is_float_dtype)]:
        missing[name] |= ~np.isfinite(rows[name].astype(float))
    lacking = missing.any(axis=1)
    if not lacking.any():
        return rows, ()
    counts = missing.sum()
    where = name_some(f"{name} in {count}" for name, count in counts[counts > 0].items())
    if na_action == "fail":
        raise InputError(
            f"{int(lacking.sum())} of {len(rows):,} rows have missing or infinite values ({where}; "
            f"first in row {name_some(rows.index[lacking], 3)})",
            ["drop these rows with na_action='drop'"],
        )
    told = f"dropped {int(lacking.sum()):,} of {len(rows):,} rows with missing values: {where}"
    return rows[~lacking], (told,)
