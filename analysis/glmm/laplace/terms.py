"""One random term: how its effects enter the linear predictor and how its SDs scale them.

The effects of a term are ``copies`` independent blocks of ``size q``: b = T u with u standard
normal. A random intercept has q = 1 and T = σ; correlated slopes have a lower-triangular T
(lme4's relative covariance factor); a kernel has T = σ L with L L' its matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.codes import Codes
from capability_transfer.analysis.glmm.columns import INTERCEPT, Levels
from capability_transfer.analysis.glmm.formula import RandomTerm
from capability_transfer.analysis.glmm.laplace.kernels import Kernel
from capability_transfer.analysis.glmm.laplace.layout import Layout
from capability_transfer.common.errors import InputError, name_some


@cache
def _triangle(size: int) -> tuple[np.ndarray, np.ndarray]:
    columns, rows = np.triu_indices(size)
    return rows, columns


@dataclass(frozen=True, eq=False)
class Term:
    """A random term on a grid of units × columns.

    Effects are stored as (copies, q, width). A *unit* term has width 1: its levels are functions
    of the unit. A *cross* term's levels differ by column: width is the number of columns and
    ``copies`` counts the levels of its other factors.

    Attributes:
        group: the grouping factor's or kernel's name.
        columns: names of the covariates that vary (one name for a kernel).
        levels: labels, in the order of copies (× q for a kernel) × width.
        index: units × k; where and with what weight a unit loads on copies × q.
        value: see ``index``.
        scale: per column, what the covariate was divided by.
        root: a kernel's L, else None.
    """

    group: str
    columns: tuple[str, ...]
    levels: np.ndarray
    copies: int
    q: int
    width: int
    index: np.ndarray
    value: np.ndarray
    scale: np.ndarray
    root: np.ndarray | None = None

    @property
    def cross(self) -> bool:
        """Whether the levels differ by column."""
        return self.width > 1

    @property
    def size(self) -> int:
        """The number of random effects."""
        return self.copies * self.q * self.width

    @property
    def parameters(self) -> int:
        """The number of entries of θ: one SD, or the lower triangle of T."""
        return 1 if self.root is not None else self.q * (self.q + 1) // 2

    def triangle(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of T's parameters, column by column (lme4's order of θ)."""
        return _triangle(1 if self.root is not None else self.q)

    def block(self, theta: np.ndarray) -> np.ndarray:
        """T, q × q, on the scaled covariates."""
        if self.root is not None:
            return theta[0] * self.root
        block = np.zeros((self.q, self.q))
        block[self.triangle()] = theta
        return block

    def theta(self, block: np.ndarray) -> np.ndarray:
        """The parameters of a block (a kernel's: its SD relative to the root)."""
        if self.root is not None:
            return np.array([np.linalg.norm(block) / np.linalg.norm(self.root)])
        return block[self.triangle()]

    def theta_gradient(self, gradient: np.ndarray) -> np.ndarray:
        """∂/∂θ from ∂/∂T (q × q)."""
        if self.root is not None:
            return np.array([np.vdot(gradient, self.root)])
        return gradient[self.triangle()]

    def theta_names(self) -> list[str]:
        """lme4's names of the parameters: ``language.(Intercept)``, ``language.x.(Intercept)``."""
        names = self.columns
        return [
            f"{self.group}.{names[row]}" + (f".{names[column]}" if row != column else "")
            for row, column in zip(*self.triangle(), strict=True)
        ]


def formula_term(
    term: RandomTerm,
    data: pd.DataFrame,
    known: Levels,
    layout: Layout,
    codes: dict[str, Codes],
) -> Term:
    """The term of a formula on the grid; interactions with the column factor are cross terms."""
    covariates, columns = term.matrix(data.iloc[layout.first], known)
    q = len(columns)
    group, rows = _groups(term.factors, layout, codes)
    varies = np.ptp(covariates, axis=0) > 0
    scale = np.where(varies, np.sqrt(np.mean(covariates**2, axis=0)), 1.0)
    return Term(
        group=term.group,
        columns=tuple(columns),
        levels=_labels(term.factors, layout, codes, rows).ravel(),
        copies=len(rows),
        q=q,
        width=layout.columns if layout.factor in term.factors else 1,
        index=group[:, None] * q + np.arange(q),
        value=covariates / scale,
        scale=scale,
    )


def kernel_term(kernel: Kernel, layout: Layout, codes: dict[str, Codes]) -> Term:
    """A kernel's term on the grid.

    Raises InputError for a level of the data that the kernel's matrix does not have.
    """
    root = kernel.root()
    place = {str(level): position for position, level in enumerate(kernel.levels)}
    factor = codes[kernel.factor]
    if unknown := [label for label in factor.labels if label not in place]:
        raise InputError(
            f"kernel {kernel.name}: its matrix has no {kernel.factor} {name_some(unknown)}"
        )
    position = np.array([place[label] for label in factor.labels])[factor.codes[layout.first]]
    q, by = len(place), kernel.by_factors()
    group, rows = _groups(by, layout, codes)
    own = np.array(list(place), dtype=object)[None, :, None]
    copies = _labels(by, layout, codes, rows)[:, None, :] + ":" if by else ""
    return Term(
        group=kernel.name,
        columns=(INTERCEPT,),
        levels=(copies + own).ravel(),
        copies=len(rows),
        q=q,
        width=layout.columns if layout.factor in by else 1,
        index=(group * q + position)[:, None],
        value=np.ones((layout.units, 1)),
        scale=np.ones(q),
        root=root,
    )


def _groups(
    factors: tuple[str, ...], layout: Layout, codes: dict[str, Codes]
) -> tuple[np.ndarray, np.ndarray]:
    """The combination of factors (the column factor aside) of every unit, and a row of each."""
    group = np.zeros(layout.units, dtype=np.intp)
    for name in factors:
        if name != layout.factor:
            part = codes[name]
            group, _ = pd.factorize(group * len(part) + part.codes[layout.first])
    _, first = np.unique(group, return_index=True)
    return group, layout.first[first]


def _labels(
    factors: tuple[str, ...], layout: Layout, codes: dict[str, Codes], rows: np.ndarray
) -> np.ndarray:
    """Level labels, groups × width: the factors' labels joined by a colon, as lme4 does."""
    parts = []
    for name in factors:
        labels = codes[name].labels
        is_column = name == layout.factor
        parts.append(labels[None, :] if is_column else labels[codes[name].codes[rows]][:, None])
    joined = parts[0]
    for part in parts[1:]:
        joined = joined + ":" + part
    return joined
