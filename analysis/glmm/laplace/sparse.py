"""The system matrix where elimination leaves little fill: one sparse factorisation.

The same quantities as ``schur``'s, from H = Λ'Z'WZΛ + I factored by SuperLU in the order of
``ordering``. The entries of the inverse that leverages and traces need lie where the factor has
entries, and follow from it column by column, last first (Takahashi, Fagan & Chin 1973):

    Z_Sj = −Z_SS L_Sj,    Z_jj = 1/d_j − L_Sj' Z_Sj,

S the rows of column j. Columns at one depth of the elimination tree do not need each other and
are computed together.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.ordering import Elimination, eliminate
from capability_transfer.analysis.glmm.laplace.schur import Posterior
from scipy import sparse
from scipy.sparse.linalg import splu


class SparseSystem:
    """Builds sparse factors of H for a design without cross terms (``build(grid=False)``)."""

    def __init__(self, design: Design, elimination: Elimination | None = None):
        self.design = design
        self.elimination = eliminate(design) if elimination is None else elimination
        units, k = design.unit_index.shape
        value = np.ones((units, k)) if design.unit_value is None else design.unit_value
        pointers = np.arange(0, units * k + 1, k)
        shape = (units, design.effects)
        self.z = sparse.csr_array((value.ravel(), design.unit_index.ravel(), pointers), shape)

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> SparseFactor:
        """H's factor at the weights (units × 1) and the terms' blocks T."""
        return SparseFactor(self, weight[:, 0], blocks)

    @cached_property
    def selected(self) -> SelectedInverse:
        """What entries of the inverse are computed, and from which."""
        return SelectedInverse(self.elimination)


class SelectedInverse:
    """The entries of the inverse where the factor has entries (positions in elimination order)."""

    def __init__(self, elimination: Elimination):
        structs = elimination.structs
        self.size, self.order = len(structs), elimination.order
        counts = np.array([len(own) for own in structs], dtype=np.intp)
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.rows = np.concatenate([np.zeros(0, dtype=np.intp), *structs])
        self.columns = np.repeat(np.arange(self.size), counts)
        self.keys = self.columns * self.size + self.rows
        self.batches = [self._batch(members, structs) for members in _by_depth(structs, counts)]

    def _batch(self, members: np.ndarray, structs: list[np.ndarray]):
        """Columns with as many rows each: members, places of their entries, and of Z_SS."""
        own = self.starts[members][:, None] + np.arange(len(structs[members[0]]))
        rows = self.rows[own]
        first, second = rows[:, :, None], rows[:, None, :]
        low, high = np.minimum(first, second), np.maximum(first, second)
        off = np.searchsorted(self.keys, low * self.size + high)
        return members, own, np.where(low == high, len(self.keys) + low, off)

    def entries(self, lower: sparse.csc_array, pivots: np.ndarray) -> sparse.csr_array:
        """H⁻¹ on the pattern of L + L', effects × effects, from H = L diag(pivots) L'.

        ``lower`` and ``pivots`` are in elimination order.
        """
        coo = sparse.coo_array(lower)
        off = coo.row > coo.col
        found = np.searchsorted(self.keys, coo.col[off].astype(np.intp) * self.size + coo.row[off])
        load = np.zeros(len(self.keys))
        load[found] = coo.data[off]
        z = np.empty(len(self.keys) + self.size)
        for members, own, inner in self.batches:
            part = load[own]
            column = -np.einsum("mij,mj->mi", z[inner], part)
            z[own] = column
            z[len(self.keys) + members] = 1 / pivots[members] - np.sum(part * column, axis=1)
        i, j, diagonal = self.order[self.rows], self.order[self.columns], self.order
        data = np.concatenate([z[: len(i)], z[: len(i)], z[len(i) :]])
        index = (np.concatenate([i, j, diagonal]), np.concatenate([j, i, diagonal]))
        return sparse.csr_array((data, index), shape=(self.size, self.size))


def _by_depth(structs: list[np.ndarray], counts: np.ndarray) -> list[np.ndarray]:
    """Columns of one depth in the elimination tree and one number of rows, roots first."""
    depth = np.zeros(len(structs), dtype=np.intp)
    for column in range(len(structs) - 1, -1, -1):
        if counts[column]:
            depth[column] = depth[structs[column][0]] + 1
    keys = depth * (counts.max(initial=0) + 1) + counts
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    return np.split(order, ends)


class SparseFactor:
    """H at one W and Λ, factored."""

    def __init__(self, system: SparseSystem, weight: np.ndarray, blocks: list[np.ndarray]):
        self.system, self.design, self.z = system, system.design, system.z
        self.products = sparse.csr_array(self.z.T @ (self.z * weight[:, None]))
        parts = [
            sparse.kron(sparse.eye_array(term.copies), block)
            for term, block in zip(self.design.terms, blocks, strict=True)
        ]
        self.relative = sparse.csr_array(sparse.block_diag(parts))
        identity = sparse.eye_array(self.design.effects)
        system_matrix = sparse.csr_array(self.relative.T @ self.products @ self.relative + identity)
        order = system.elimination.order
        self.factor = splu(
            sparse.csc_matrix(system_matrix[order][:, order]),
            permc_spec="NATURAL",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        if not np.array_equal(self.factor.perm_r, self.factor.perm_c):
            raise FloatingPointError("the system matrix is not finite or not positive definite")
        self.pivots = self.factor.U.diagonal()
        self.log_determinant = float(np.log(np.abs(self.pivots)).sum())

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H⁻¹ right; ``right`` is effects or effects × right sides."""
        order = self.system.elimination.order
        out = np.empty_like(right)
        out[order] = self.factor.solve(np.ascontiguousarray(right[order]))
        return out

    def posterior(self) -> Posterior:
        """Leverages, traces and variances, from the selected entries of the inverse."""
        # SuperLU numbers the tree's nodes anew, children before parents: perm_c leads there
        place = self.factor.perm_c
        back = np.argsort(place, kind="stable")
        lower = sparse.coo_array(self.factor.L)
        moved = (lower.data, (back[lower.row], back[lower.col]))
        inverse = self.system.selected.entries(
            sparse.csc_array(moved, shape=lower.shape), self.pivots[place]
        )
        covariance = sparse.csr_array(self.relative @ inverse @ self.relative.T)
        half = sparse.csr_array((self.relative.T @ self.products).T)  # Z'WZΛ: symmetric products
        traces = []
        for t, term in enumerate(self.design.terms):
            span = self.design.span(t)
            left, right = inverse[span], half[span]
            trace = [
                [(left[a :: term.q] * right[b :: term.q]).sum() for b in range(term.q)]
                for a in range(term.q)
            ]
            traces.append(np.array(trace, dtype=float))
        leverage = np.asarray((self.z * (self.z @ covariance)).sum(axis=1))
        return Posterior(leverage.reshape(-1, 1), traces, covariance.diagonal())
