"""The system matrix where there are more random effects than rows: algebra in the space of rows.

With U = W^½ZΛ, H = U'U + I and B = U U' + I have one determinant, and

    H⁻¹ = I − U'B⁻¹U,    H⁻¹Λ'Z'W = Λ'Z'C  with  C = W^½B⁻¹W^½,

so that B, units × units, is all that is factored. Where weights are negative (``cells.observed``)
U is |W|^½ZΛ and their signs S take the place of I: H = U'SU + I, B = UU' + S. ZΛΛ'Z' is a sum over
terms of inner products of the units' loadings, masked to units that share a copy of the term.
Kernels by a factor have many more effects than rows soon: 35 base models × 15 languages a term.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.schur import (
    check_definite,
    cholesky,
    symmetric_inverse,
)
from capability_transfer.analysis.glmm.laplace.terms import Term
from scipy import sparse
from scipy.linalg import lapack

TINY = 1e-6  # share of data in a unit's variance below which 1 − (B⁻¹)ᵢᵢ has lost its digits


class RowSystem:
    """Builds factors of H for a design of one column, whose terms are all unit terms."""

    def __init__(self, design: Design):
        self.design = design
        self.terms = [TermPairs.of(term) for term in design.terms]
        columns = [start + pairs.columns
                   for start, pairs in zip(design.starts, self.terms, strict=False)]  # fmt: skip
        self.columns = np.concatenate(columns, axis=1)
        self._scaled: ScaledLoadings | None = None

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> RowFactor:
        """H's factor at the weights (units × 1) and the terms' blocks T."""
        # Newton's steps for the modes change the weights alone.
        if self._scaled is None or not self._scaled.is_at(blocks):
            self._scaled = ScaledLoadings(self, blocks)
        return RowFactor(self, weight[:, 0], self._scaled)


@dataclass(frozen=True, eq=False)
class TermPairs:
    """One term's loadings, and the pairs of units that share a copy of it.

    Attributes:
        loads: units × q.
        columns: where these stand among the term's effects.
        shared: units × units.
        at: positions of the shared pairs in units × units, where a unit loads on one effect and
            ``slice(None)`` if all share; None where it loads on several.
        effects: of each such pair, as positions in q × q; ``value`` the product of its loadings.
    """

    loads: np.ndarray
    columns: np.ndarray
    shared: np.ndarray
    at: np.ndarray | slice | None = None
    effects: np.ndarray | None = None
    value: np.ndarray | None = None

    @classmethod
    def of(cls, term: Term) -> TermPairs:
        copy, within = term.index[:, 0] // term.q, term.index % term.q
        loads = np.zeros((len(copy), term.q))
        np.put_along_axis(loads, within, term.value, axis=1)
        columns = copy[:, None] * term.q + np.arange(term.q)
        shared = copy[:, None] == copy
        if term.index.shape[1] > 1:
            return cls(loads, columns, shared)
        at = slice(None) if shared.all() else np.flatnonzero(shared)
        effects = (within * term.q + within.T).ravel()[at]
        return cls(loads, columns, shared, at, effects, (term.value * term.value.T).ravel()[at])

    def add_covariance(self, block: np.ndarray, out: np.ndarray) -> None:
        """Add the units' covariance under a block T."""
        if self.at is None:
            half = self.loads @ block
            out += (half @ half.T) * self.shared
        else:
            out.reshape(-1)[self.at] += (block @ block.T).ravel()[self.effects] * self.value

    def products(self, weighted: np.ndarray) -> np.ndarray:
        """Σ over shared pairs of the weights times the outer products of their loads, q × q."""
        if self.at is None:
            return self.loads.T @ ((weighted * self.shared) @ self.loads)
        q = self.loads.shape[1]
        own = weighted.ravel()[self.at] * self.value
        return np.bincount(self.effects, own, q * q).reshape(q, q)


class ScaledLoadings:
    """ZΛ (``relative``) and ZΛΛ'Z' (``covariance``) at the terms' blocks T."""

    def __init__(self, system: RowSystem, blocks: list[np.ndarray]):
        self.blocks = list(blocks)
        units = len(system.columns)
        self.covariance = np.zeros((units, units))
        for pairs, block in zip(system.terms, blocks, strict=True):
            pairs.add_covariance(block, self.covariance)
        half = [pairs.loads @ block for pairs, block in zip(system.terms, blocks, strict=True)]
        data = np.concatenate(half, axis=1)
        pointers = np.arange(0, data.size + 1, data.shape[1])
        shape = (units, system.design.effects)
        self.relative = sparse.csr_array((data.ravel(), system.columns.ravel(), pointers), shape)

    def is_at(self, blocks: list[np.ndarray]) -> bool:
        """Whether these are the same blocks."""
        return all(own is other for own, other in zip(self.blocks, blocks, strict=True))


def _solver(matrix: np.ndarray, negative: int) -> Callable[[np.ndarray], np.ndarray]:
    """What solves B x = y for a B with ``negative`` negative signs (Bunch & Kaufman).

    H is positive definite if B has as many negative eigenvalues (Haynsworth); of the factor's
    blocks of two, every one has one.
    """
    lower, pivots, failed = lapack.dsytrf(matrix, lower=1)
    single = pivots > 0
    found = (lower.diagonal()[single] < 0).sum() + (~single).sum() // 2
    check_definite(not failed and found == negative)
    return lambda right: lapack.dsytrs(lower, pivots, right, lower=1)[0]


class RowFactor:
    """H at one W and Λ, by the factor of B; with negative weights it solves alone."""

    def __init__(self, system: RowSystem, weight: np.ndarray, scaled: ScaledLoadings):
        self.system, self.weight, self.blocks = system, weight, scaled.blocks
        self.covariance, self.relative = scaled.covariance, scaled.relative
        self.scale = np.sqrt(np.abs(weight))
        inner = self.covariance * self.scale[:, None] * self.scale
        inner.flat[:: len(weight) + 1] += np.where(weight < 0, -1.0, 1.0)
        if (weight < 0).any():
            self.solve_rows = _solver(inner, int((weight < 0).sum()))
            return
        self.root = cholesky(inner)
        self.solve_rows = lambda right: lapack.dpotrs(self.root, right, lower=1)[0]
        self.log_determinant = 2 * float(np.log(self.root.diagonal()).sum())

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H⁻¹ right; ``right`` is effects or effects × right sides."""
        matrix = right.reshape(len(right), -1)
        moved = self.scale[:, None] * (self.relative @ matrix)
        moved = self.solve_rows(moved) if matrix.shape[1] else moved
        return (matrix - self.relative.T @ (self.scale[:, None] * moved)).reshape(right.shape)

    def draws(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """Effects with mean zero and covariance H⁻¹, × ``count`` (Matheron's rule): what is left
        of prior draws when noisy observations of them are explained."""
        prior = generator.standard_normal((self.relative.shape[1], count))
        seen = self.scale[:, None] * (self.relative @ prior)
        seen += generator.standard_normal(seen.shape)
        solved = lapack.dpotrs(self.root, seen, lower=1)[0]
        return prior - self.relative.T @ (self.scale[:, None] * solved)

    def posterior(self) -> RowPosterior:
        """Leverages and traces; variances on demand (see ``schur.Posterior``)."""
        return RowPosterior(self)


class RowPosterior:
    """Parts of the conditional covariance ΛH⁻¹Λ', as ``schur.Posterior`` names them."""

    def __init__(self, factor: RowFactor):
        self.factor = factor
        inverse = symmetric_inverse(factor.root)
        self.weighted = inverse * factor.scale[:, None] * factor.scale  # C
        leverage = factor.covariance.diagonal().copy()
        light = factor.weight * leverage < TINY
        leverage[~light] = (1 - inverse.diagonal()[~light]) / factor.weight[~light]
        across = factor.covariance[light]
        leverage[light] -= np.sum(across * (across @ self.weighted), axis=1)
        self.leverage = leverage[:, None]
        self.traces = [
            block.T @ pairs.products(self.weighted)
            for block, pairs in zip(factor.blocks, factor.system.terms, strict=True)
        ]

    @cached_property
    def variance(self) -> np.ndarray:
        """The diagonal of ΛH⁻¹Λ', in the order of the effects: units × effects work."""
        design, factor = self.factor.system.design, self.factor
        out = np.empty(design.effects)
        for t, (term, block) in enumerate(zip(design.terms, factor.blocks, strict=True)):
            span = design.span(t)
            whole = block @ block.T
            carried = (
                factor.relative[:, span]
                @ sparse.kron(sparse.eye_array(term.copies), block.T, format="csr")
            ).toarray()  # ZΛΛ'
            lost = np.sum(carried * (self.weighted @ carried), axis=0)
            out[span] = np.tile(whole.diagonal(), term.copies) - lost
        return out
