"""Random terms whose levels have a given correlation matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from capability_transfer.common.errors import InputError, name_some


@dataclass(frozen=True, eq=False)
class Kernel:
    """A random intercept over the levels of ``factor`` with covariance ``sd² × matrix``.

    With ``by`` every level of ``by`` (a factor, or an interaction such as ``variant:language``)
    has an independent copy, all with one SD. Levels that the data do not have are allowed: their
    modes are predictions from the others.

    Attributes:
        name: the term's name in the results, where a grouping factor's name would stand.
        factor: the column whose levels the matrix correlates.
        levels: the level labels of the matrix's rows and columns.
        matrix: levels × levels, symmetric and positive semi-definite; a correlation matrix makes
            ``sd`` the SD of a level's effect (log-odds).
        by: independent copies per level of this factor, or None for one copy.
    """

    name: str
    factor: str
    levels: Sequence[str]
    matrix: np.ndarray
    by: str | None = None

    def factors(self) -> tuple[str, ...]:
        """Every column the term reads."""
        return (self.factor, *self.by_factors())

    def by_factors(self) -> tuple[str, ...]:
        """The columns that ``by`` names; none without ``by``."""
        return tuple(name.strip() for name in self.by.split(":")) if self.by else ()

    def root(self) -> np.ndarray:
        """L with L L' = matrix, by eigendecomposition (the matrix may be singular).

        Raises InputError unless the matrix is square, finite, symmetric, positive semi-definite
        and has one row per level.
        """
        matrix = np.asarray(self.matrix, dtype=float)
        size = len(self.levels)
        if len(set(map(str, self.levels))) != size:
            raise InputError(f"kernel {self.name}: its levels are not distinct")
        if matrix.shape != (size, size):
            raise InputError(
                f"kernel {self.name}: the matrix is {matrix.shape}, but there are {size} levels"
            )
        if not np.isfinite(matrix).all():
            rows = name_some(np.asarray(self.levels)[~np.isfinite(matrix).all(axis=1)])
            raise InputError(f"kernel {self.name}: the matrix is not finite in row {rows}")
        top = np.abs(matrix).max(initial=0.0)
        if np.abs(matrix - matrix.T).max(initial=0.0) > 1e-8 * top:
            raise InputError(f"kernel {self.name}: the matrix is not symmetric")
        values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
        if not top > 0 or values[0] < -1e-8 * values[-1]:
            raise InputError(
                f"kernel {self.name}: the matrix is not a covariance matrix "
                f"(smallest eigenvalue {values[0]:.3g})"
            )
        return vectors * np.sqrt(np.maximum(values, 0.0))
