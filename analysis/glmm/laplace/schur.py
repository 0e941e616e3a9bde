"""The system matrix H = Λ'Z'WZΛ + I: its determinant, solutions and inverse where needed.

The largest block-diagonal term is eliminated (see ``eliminate``); the dense rest
S = Λ_R' P Λ_R + I is factored by Cholesky. log|H| = −Σ log|J| + log|S|.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.direct import DirectElimination, suits
from capability_transfer.analysis.glmm.laplace.eliminate import (
    CrossElimination,
    UnitElimination,
    per_level,
)
from capability_transfer.analysis.glmm.laplace.rest import Rest
from capability_transfer.analysis.glmm.laplace.terms import Term
from scipy.linalg import lapack


@dataclass(frozen=True, eq=False)
class Posterior:
    """Parts of the conditional covariance Λ H⁻¹ Λ' of the random effects.

    Attributes:
        leverage: z'ΛH⁻¹Λ'z of every cell, units × columns.
        traces: per term the q × q matrix Σ over copies of the diagonal blocks of H⁻¹Λ'Z'WZ.
        variance: the diagonal, in the order of the effects.
    """

    leverage: np.ndarray
    traces: list[np.ndarray]
    variance: np.ndarray


class SchurSystem:
    """Builds factors of H for one design."""

    def __init__(self, design: Design):
        self.design = design
        self.rest = Rest(design)
        term = design.terms[design.eliminated]
        kind = CrossElimination if term.cross else UnitElimination
        if suits(design, self.rest):
            kind = DirectElimination
        self.elimination = kind(design, self.rest)

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> SchurFactor:
        """H's factor at the weights (units × columns) and the terms' blocks T."""
        return SchurFactor(self, weight, blocks)


class SchurFactor:
    """H at one W and Λ, factored."""

    def __init__(self, system: SchurSystem, weight: np.ndarray, blocks: list[np.ndarray]):
        self.design, self.rest = system.design, system.rest
        self.elimination = copy(system.elimination)  # index arrays shared, products its own
        self.own = blocks[self.design.eliminated]
        self.relative = Relative(self.rest, [blocks[t] for t in self.rest.order])
        by_unit = weight @ np.ones(weight.shape[1])
        self.own_products = self.elimination.load(weight, by_unit)
        self._invert_own()
        self.products = self.elimination.profile(weight, by_unit, self.spread)
        system_matrix = self.relative.around(self.products)
        system_matrix.flat[:: self.rest.size + 1] += 1.0
        self.root = cholesky(system_matrix)
        self.log_determinant = self.own_log_determinant + 2 * np.log(self.root.diagonal()).sum()

    def _invert_own(self) -> None:
        t = self.own
        if t.shape[0] == 1:
            inner = 1.0 + t[0, 0] ** 2 * self.own_products
            check_definite((inner > 0).all())
            self.inner = 1.0 / inner
            self.spread = t[0, 0] ** 2 * self.inner
            self.own_log_determinant = float(np.log(inner).sum())
        else:
            inner = t.T @ self.own_products @ t + np.eye(len(t))
            try:
                np.linalg.cholesky(inner)
            except np.linalg.LinAlgError:
                check_definite(False)
            self.inner = np.linalg.inv(inner)
            self.spread = t @ self.inner @ t.T
            self.own_log_determinant = float(np.linalg.slogdet(inner)[1].sum())

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H⁻¹ right; ``right`` is effects or effects × right sides."""
        matrix = right.reshape(len(right), -1)
        span = self.design.span(self.design.eliminated)
        own = per_level(self.inner, self._by_level(matrix[span]))
        moved = per_level(self.own[None], own).reshape(matrix[span].shape)
        rest = matrix[self.rest.positions]
        if self.rest.size:
            taken = self.elimination.transposed_times(moved)
            rest = rest - self.relative.times(taken, transpose=True)
            rest = lapack.dpotrs(self.root, rest, lower=1)[0]
        return self._join(own, rest).reshape(right.shape)

    def draws(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """Effects with mean zero and covariance H⁻¹, × ``count``: the rest's, then the eliminated
        term's given them."""
        normal = generator.standard_normal((self.design.effects, count))
        span = self.design.span(self.design.eliminated)
        own = per_level(np.linalg.cholesky(self.inner), self._by_level(normal[span]))
        rest = normal[self.rest.positions]
        if self.rest.size:
            rest = lapack.dtrtrs(self.root, rest, lower=1, trans=1)[0]
        return self._join(own, rest)

    def _join(self, own: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """All effects from those of the rest and what the eliminated term's are without these."""
        if self.rest.size:
            back = self.elimination.times(self.relative.times(rest))
            own = own - per_level(self.inner, per_level(self.own.T[None], self._by_level(back)))
        out = np.empty((self.design.effects, own.shape[-1]))
        out[self.rest.positions] = rest
        out[self.design.span(self.design.eliminated)] = own.reshape(-1, own.shape[-1])
        return out

    def _by_level(self, x: np.ndarray) -> np.ndarray:
        return x.reshape(-1, self.elimination.q, x.shape[-1])

    def posterior(self) -> Posterior:
        """Leverages, traces and variances (see ``Posterior``)."""
        rest, design = self.rest, self.design
        inverse = symmetric_inverse(self.root)
        half = self.relative.times(inverse).T  # S⁻¹ Λ'
        covariance = self.relative.times(half)
        found = self.elimination.spread(covariance, self.spread)
        leverage = np.zeros(design.shape)
        if rest.loads:
            leverage = rest.cross_leverage(covariance, found.cross)
        if found.cell is not None:
            leverage += found.cell
        leverage += (rest.unit_leverage(covariance) + found.unit)[:, None]
        traces: list[np.ndarray] = [np.empty(0)] * len(design.terms)
        for k, t in enumerate(rest.order):
            part = slice(rest.starts[k], rest.starts[k + 1])
            traces[t] = block_trace(rest.terms[k], half[part], self.products[part])
        own, m = self.own_products, self.spread
        inner = own - found.gram + found.gram @ m @ own
        traces[design.eliminated] = (self.inner @ self.own.T @ inner).sum(axis=0)
        variance = np.empty(design.effects)
        variance[rest.positions] = covariance.diagonal()
        by_level = m + m @ found.gram @ m
        variance[design.span(design.eliminated)] = np.einsum("laa->la", by_level).ravel()
        return Posterior(leverage, traces, variance)


class Relative:
    """Λ_R, from the rest's blocks T."""

    def __init__(self, rest: Rest, blocks: list[np.ndarray]):
        self.rest, self.blocks = rest, blocks
        self.diagonal = None
        if all(term.q == 1 for term in rest.terms):
            sds = [block[0, 0] for block in blocks]
            self.diagonal = np.repeat(sds, [term.size for term in rest.terms])

    def times(self, x: np.ndarray, transpose: bool = False) -> np.ndarray:
        """Λ_R x, or Λ_R' x, of effects × right sides: each term's block applied to its rows."""
        if self.diagonal is not None:
            return self.diagonal[:, None] * x
        out = np.empty(x.shape)
        for k, (term, block) in enumerate(zip(self.rest.terms, self.blocks, strict=True)):
            part = slice(self.rest.starts[k], self.rest.starts[k + 1])
            out[part] = apply_block(term, block.T if transpose else block, x[part])
        return out

    def around(self, matrix: np.ndarray) -> np.ndarray:
        """Λ_R' matrix Λ_R of a symmetric matrix."""
        return self.times(self.times(matrix, transpose=True).T, transpose=True)


def apply_block(term: Term, block: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(I ⊗ block) x for one term's effects x (its size, or its size × right sides)."""
    if term.q == 1:
        return x * block[0, 0]
    return (block @ x.reshape(term.copies, term.q, -1)).reshape(x.shape)


def block_trace(term: Term, half: np.ndarray, products: np.ndarray) -> np.ndarray:
    """Σ over copies of the q × q diagonal blocks of (S⁻¹Λ') P, from the term's rows of both."""
    if term.q == 1:
        return np.array([[np.vdot(half, products)]])
    shape = (term.copies, term.q, -1)
    left = half.reshape(shape).swapaxes(0, 1).reshape(term.q, -1)
    right = products.reshape(shape).swapaxes(0, 1).reshape(term.q, -1)
    return left @ right.T


def cholesky(matrix: np.ndarray) -> np.ndarray:
    if not len(matrix):
        return matrix
    root, info = lapack.dpotrf(matrix, lower=1, clean=0)
    check_definite(not info)
    return root


def check_definite(definite: bool) -> None:
    """Raise FloatingPointError for a system matrix that is not."""
    if not definite:
        raise FloatingPointError("the system matrix is not finite or not positive definite")


def symmetric_inverse(root: np.ndarray) -> np.ndarray:
    if not len(root):
        return root
    lower = lapack.dpotri(root, lower=1)[0]
    return np.where(np.tri(len(lower), dtype=bool), lower, lower.T)
