"""What the rows share: a grid of row units × levels of one factor, found in the data.

In a fully crossed benchmark everything but the template is a function of the pair (variant,
language). Counts are then a dense units × columns array and no sparse matrix is ever formed.
Where no factor makes such a grid, distinct rows are the units and there is one column.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.codes import Codes, interact

SPARSEST_GRID = 1.5  # cells of the grid per distinct row, at most


@dataclass(frozen=True, eq=False)
class Layout:
    """Rows placed in a units × columns grid.

    Attributes:
        unit: of every row.
        column: see ``unit``.
        first: for every unit, the number of a row that has its values.
        units: the grid's shape.
        columns: see ``units``.
        factor: the columns' factor, or None where rows are the units.
    """

    unit: np.ndarray
    column: np.ndarray
    first: np.ndarray
    units: int
    columns: int
    factor: str | None

    def reordered(self, order: np.ndarray) -> Layout:
        """The same grid with units in another order (``order``: new position → old)."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return Layout(
            place[self.unit], self.column, self.first[order], self.units, self.columns, self.factor
        )


def find_layout(codes: dict[str, Codes], candidates: Iterable[str]) -> Layout:
    """The best grid whose columns are one of the ``candidates``, or rows as units.

    ``codes`` has every variable of the model. A candidate f makes a grid if the other variables
    take few combinations (the units) and most units × levels of f occur. Combinations are
    compared by a sum of random 64-bit keys, one per variable and level, and then verified.
    """
    n = len(next(iter(codes.values())).codes)
    generator = np.random.default_rng(64)
    keys = {name: generator.integers(2**64, size=len(c), dtype=np.uint64)
            for name, c in codes.items()}  # fmt: skip
    total = np.zeros(n, dtype=np.uint64)
    for name, c in codes.items():
        total += keys[name][c.codes]
    rows, uniques = pd.factorize(total)
    distinct = len(uniques)
    best = None
    for name in candidates:
        levels = len(codes[name])
        unit, uniques = pd.factorize(total - keys[name][codes[name].codes])
        if len(uniques) * levels <= SPARSEST_GRID * distinct and (
            best is None or len(uniques) < best.units
        ):
            best = _layout(unit, codes[name].codes, len(uniques), levels, name)
    if best is None or best.columns == 1:
        best = _layout(rows, np.zeros(n, dtype=np.intp), distinct, 1, None)
    shared = {name: c for name, c in codes.items() if name != best.factor}
    if not all((c.codes[best.first][best.unit] == c.codes).all() for c in shared.values()):
        everything = interact(list(shared.values()))  # keys collided: compare the slow, sure way
        return _layout(everything.codes, best.column, len(everything), best.columns, best.factor)
    return best


def _layout(unit, column, units: int, columns: int, factor: str | None) -> Layout:
    first = np.empty(units, dtype=np.intp)
    first[unit[::-1]] = np.arange(len(unit))[::-1]
    return Layout(np.asarray(unit, dtype=np.intp), column, first, units, columns, factor)
