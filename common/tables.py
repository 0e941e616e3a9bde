"""Tables as other programs take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def records(table: pd.DataFrame) -> list[dict]:
    """A table's rows as plain values, a missing value as None whatever the column's type.

    pandas keeps missing text as NaN, which is true, and which JSON does not have.
    """
    return table.astype(object).where(table.notna(), None).to_dict("records")
