"""The system matrix where the rest is too large for dense algebra: one sparse factorisation.

The same quantities as ``schur``'s, from SuperLU's factor of H = Λ'Z'WZΛ + I with a symmetric
minimum-degree ordering. Entries of the inverse come from solving for its columns, so gradients
cost as many solutions as there are random effects: correct, but slow beyond some 20,000.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from analysis.glmm.laplace.design import Design
from analysis.glmm.laplace.schur import Posterior, apply_block, block_trace

CHUNK = 4_000_000  # doubles in a block of the inverse's columns


class SparseSystem:
    """Builds sparse factors of H for a design without cross terms (``build(grid=False)``)."""

    def __init__(self, design: Design):
        self.design = design
        units, k = design.unit_index.shape
        value = np.ones((units, k)) if design.unit_value is None else design.unit_value
        pointers = np.arange(0, units * k + 1, k)
        shape = (units, design.effects)
        self.z = sparse.csr_array((value.ravel(), design.unit_index.ravel(), pointers), shape)
        once = sparse.csr_array((np.ones(units * k), self.z.indices, pointers), shape)
        self.pattern = sparse.csc_array(once.T @ once)

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> SparseFactor:
        """H's factor at the weights (units × 1) and the terms' blocks T."""
        return SparseFactor(self, weight[:, 0], blocks)


class SparseFactor:
    """H at one W and Λ, factored."""

    def __init__(self, system: SparseSystem, weight: np.ndarray, blocks: list[np.ndarray]):
        self.design, self.z, self.pattern = system.design, system.z, system.pattern
        terms = self.design.terms
        self.products = sparse.csr_array(self.z.T @ (self.z * weight[:, None]))
        parts = [
            sparse.kron(sparse.eye_array(term.copies), block)
            for term, block in zip(terms, blocks, strict=True)
        ]
        self.blocks = blocks
        self.relative = sparse.csc_array(sparse.block_diag(parts))
        identity = sparse.eye_array(self.design.effects)
        system_matrix = self.relative.T @ self.products @ self.relative + identity
        self.factor = splu(
            sparse.csc_matrix(system_matrix),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        self.log_determinant = float(np.log(np.abs(self.factor.U.diagonal())).sum())

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H⁻¹ right; ``right`` is effects or effects × right sides."""
        return self.factor.solve(np.ascontiguousarray(right))

    def posterior(self) -> Posterior:
        """Leverages, traces and variances, from the inverse's columns, a chunk at a time."""
        design, effects = self.design, self.design.effects
        traces = [np.zeros((term.q, term.q)) for term in design.terms]
        entries = np.empty(self.pattern.nnz)
        variance = np.empty(effects)
        step = max(CHUNK // effects, 1)
        for low in range(0, effects, step):
            high = min(low + step, effects)
            half = self.solve(self.relative.T[:, low:high].toarray())  # columns of H⁻¹Λ'
            covariance = np.empty_like(half)
            products = self.products[:, low:high].toarray()
            for t, term in enumerate(design.terms):
                span = design.span(t)
                covariance[span] = apply_block(term, self.blocks[t], half[span])
                traces[t] += block_trace(term, half[span], products[span])
            own = slice(self.pattern.indptr[low], self.pattern.indptr[high])
            columns = np.repeat(np.arange(high - low), np.diff(self.pattern.indptr[low : high + 1]))
            entries[own] = covariance[self.pattern.indices[own], columns]
            variance[low:high] = covariance[np.arange(low, high), np.arange(high - low)]
        found = sparse.csc_array(
            (entries, self.pattern.indices, self.pattern.indptr), self.pattern.shape
        )
        leverage = (self.z * (self.z @ found)).sum(axis=1)
        return Posterior(np.asarray(leverage).reshape(-1, 1), traces, variance)
