"""A symmetric matrix in half the memory: LAPACK's rectangular full packed format.

Of n × n only the n (n + 1) / 2 entries of the lower triangle are kept, in a rectangle on which
Cholesky's method is as quick as on the square (Gustavson et al. 2010).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack


def places(size: int, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Where entries of the lower triangle (column ≤ row) stand."""
    half, even = (size + 1) // 2, 1 - size % 2
    left = column < half
    down = np.where(left, row + even, column - half)
    across = np.where(left, column, row - half + 1 - even)
    return down + across * (size + even)


def cholesky(size: int, packed: np.ndarray) -> tuple[np.ndarray, bool]:
    """The factor, in place, and whether there is one."""
    root, failed = lapack.dpftrf(size, packed, transr="N", uplo="L", overwrite_a=1)
    return root, not failed


def solve(size: int, root: np.ndarray, right: np.ndarray) -> np.ndarray:
    """What the matrix with this factor takes to ``right`` (size × right sides)."""
    return lapack.dpftrs(size, root, right, transr="N", uplo="L")[0]


def inverse(size: int, root: np.ndarray) -> np.ndarray:
    """The inverse of the matrix with this factor, in place."""
    return lapack.dpftri(size, root, transr="N", uplo="L", overwrite_a=1)[0]
