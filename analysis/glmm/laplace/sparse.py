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
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.ordering import Elimination, eliminate
from capability_transfer.analysis.glmm.laplace.schur import Posterior, check_definite
from scipy import sparse
from scipy.sparse.linalg import splu


class SparseSystem:
    """Builds sparse factors of H for a design without cross terms (``build(grid=False)``).

    A unit adds to H at the pairs of its effects. Where these stand is found once: factors and
    leverages are then sums and look-ups over units, pair by pair.
    """

    def __init__(self, design: Design, elimination: Elimination | None = None):
        self.design = design
        self.elimination = eliminate(design) if elimination is None else elimination
        index, value = [], []
        for start, term in zip(design.starts, design.terms, strict=False):
            copies = term.index[:, 0] // term.q
            index.append(start + copies[:, None] * term.q + np.arange(term.q))
            value.append(np.zeros((len(copies), term.q)))
            np.put_along_axis(value[-1], term.index % term.q, term.value, axis=1)
        self.value = np.concatenate(value, axis=1)
        ends = np.cumsum([0, *(term.q for term in design.terms)])
        self.own = [slice(*both) for both in pairwise(ends)]  # each term's part of a unit's loads
        self.index = np.concatenate(index, axis=1)
        self._find_pattern(self.index)

    def _find_pattern(self, index: np.ndarray) -> None:
        """The entries of H on and below the diagonal, by columns in the order of elimination."""
        size, order = self.design.effects, self.elimination.order
        place = np.empty(size, dtype=np.intp)
        place[order] = np.arange(size)
        at = place[index]
        self.pairs = list(combinations_with_replacement(range(at.shape[1]), 2))
        keys = [
            np.minimum(at[:, a], at[:, b]) * size + np.maximum(at[:, a], at[:, b])
            for a, b in self.pairs
        ]
        found = [np.arange(size) * (size + 1), *(pd.unique(key) for key in keys)]
        self.keys = np.unique(np.concatenate(found))
        self.places = [np.searchsorted(self.keys, key).astype(np.int32) for key in keys]
        column, row = np.divmod(self.keys, size)
        self.diagonal = np.flatnonzero(column == row)
        off = np.flatnonzero(column != row)
        numbers = np.concatenate([np.arange(len(row)), off]) + 1  # 0 would not be kept
        both = (np.concatenate([row, column[off]]), np.concatenate([column, row[off]]))
        self.whole = sparse.csc_array((numbers, both), shape=(size, size))

    def matrix(self, weight: np.ndarray, loads: np.ndarray) -> sparse.csc_array:
        """Σ weight z z' + I of the units' ``loads`` z, in the order of elimination."""
        out = np.zeros(len(self.keys))
        for (a, b), place in zip(self.pairs, self.places, strict=True):
            out += np.bincount(place, weight * loads[:, a] * loads[:, b], len(out))
        out[self.diagonal] += 1.0
        shared = (out[self.whole.data - 1], self.whole.indices, self.whole.indptr)
        return sparse.csc_array(shared, shape=self.whole.shape)

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> SparseFactor:
        """H's factor at the weights (units × 1) and the terms' blocks T."""
        return SparseFactor(self, weight[:, 0], blocks)

    @cached_property
    def selected(self) -> SelectedInverse:
        """The entries of the inverse that are computed."""
        return SelectedInverse(self.elimination)

    @cached_property
    def known(self) -> np.ndarray:
        """Where the entries of H stand among those of the inverse."""
        return self.selected.find(*np.divmod(self.keys, self.design.effects))


class SelectedInverse:
    """The entries of the inverse where the factor has entries (positions in elimination order)."""

    def __init__(self, elimination: Elimination):
        structs = elimination.structs
        self.size = len(structs)
        counts = np.array([len(own) for own in structs], dtype=np.intp)
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.rows = np.concatenate([np.zeros(0, dtype=np.intp), *structs])
        self.columns = np.repeat(np.arange(self.size), counts)
        self.keys = self.columns * self.size + self.rows
        self.batches = [self._batch(members, structs) for members in _by_depth(structs, counts)]
        self.last = (None, None, None)

    def _batch(self, members: np.ndarray, structs: list[np.ndarray]):
        """Columns with as many rows each: members, places of their entries, and of Z_SS."""
        own = self.starts[members][:, None] + np.arange(len(structs[members[0]]))
        rows = self.rows[own]  # in ascending order
        first, second = np.triu_indices(rows.shape[1])
        inner = np.empty((*rows.shape, rows.shape[1]), dtype=np.intp)
        inner[:, first, second] = self.find(rows[:, first], rows[:, second])
        inner[:, second, first] = inner[:, first, second]
        return members, own, inner

    def find(self, column: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Where ``entries`` has those of columns and rows (none above the diagonal)."""
        off = np.searchsorted(self.keys, column * self.size + row)
        return np.where(column == row, len(self.keys) + column, off)

    def load(self, lower: sparse.csc_array, place: np.ndarray) -> np.ndarray:
        """The entries of L below its diagonal, of a factor whose tree's nodes have other numbers:
        ``place`` of ours."""
        told = (lower.indices, lower.indptr, place)
        if not all(map(np.array_equal, self.last[:3], told)):  # most have one pattern
            back = np.argsort(place, kind="stable")
            row = back[lower.indices]
            column = np.repeat(back, np.diff(lower.indptr))
            off = np.flatnonzero(row > column)
            found = np.searchsorted(self.keys, column[off] * self.size + row[off])
            self.last = (*told, off, found)
        *_, off, found = self.last
        out = np.zeros(len(self.keys))
        out[found] = lower.data[off]
        return out

    def entries(self, load: np.ndarray, pivots: np.ndarray) -> np.ndarray:
        """H⁻¹ where L has entries, then its diagonal, from H = L diag(pivots) L'.

        ``load`` has L's entries, ``pivots`` are in elimination order.
        """
        z = np.empty(len(self.keys) + self.size)
        for members, own, inner in self.batches:
            part = load[own]
            column = -np.einsum("mij,mj->mi", z[inner], part)
            z[own] = column
            z[len(self.keys) + members] = 1 / pivots[members] - np.sum(part * column, axis=1)
        return z


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
        self.system, self.weight, self.blocks = system, weight, blocks
        parts = [system.value[:, own] @ block
                 for own, block in zip(system.own, blocks, strict=True)]  # fmt: skip
        self.loads = np.concatenate(parts, axis=1)  # ZΛ
        self.factor = splu(
            system.matrix(weight, self.loads),
            permc_spec="NATURAL",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        check_definite(np.array_equal(self.factor.perm_r, self.factor.perm_c))
        self.pivots = self.factor.U.diagonal()
        check_definite((self.pivots > 0).all())
        self.log_determinant = float(np.log(self.pivots).sum())

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H⁻¹ right; ``right`` is effects or effects × right sides."""
        order = self.system.elimination.order
        out = np.empty_like(right)
        out[order] = self.factor.solve(np.ascontiguousarray(right[order]))
        return out

    def draws(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """Effects with mean zero and covariance H⁻¹, × ``count``.

        H is the covariance of Λ'Z'W^½ε + ε', so that H⁻¹ times it has covariance H⁻¹ (Papandreou &
        Yuille 2010).
        """
        right = generator.standard_normal((self.system.design.effects, count))
        noise = generator.standard_normal((len(self.weight), count))
        data = self.loads * np.sqrt(self.weight)[:, None]
        pointers = np.arange(0, data.size + 1, data.shape[1])
        shape = (len(data), len(right))
        loads = sparse.csr_array((data.ravel(), self.system.index.ravel(), pointers), shape)
        return self.solve(right + loads.T @ noise)

    def posterior(self) -> Posterior:
        """Leverages, traces and variances, from the selected entries of the inverse."""
        # SuperLU numbers the tree's nodes anew, children before parents: perm_c leads there
        system, place = self.system, self.factor.perm_c
        load = system.selected.load(self.factor.L, place)
        inverse = system.selected.entries(load, self.pivots[place])[system.known]
        solved = np.zeros_like(self.loads)  # H⁻¹Λ'z of every unit, at its own effects
        for (a, b), at in zip(system.pairs, system.places, strict=True):
            entries = inverse[at]
            solved[:, a] += entries * self.loads[:, b]
            if a != b:
                solved[:, b] += entries * self.loads[:, a]
        leverage = np.sum(self.loads * solved, axis=1)
        solved *= self.weight[:, None]
        traces = [solved[:, own].T @ system.value[:, own] for own in system.own]
        return Posterior(leverage[:, None], traces, self._variance(inverse))

    def _variance(self, inverse: np.ndarray) -> np.ndarray:
        """The diagonal of ΛH⁻¹Λ', from the entries of H⁻¹ where H has some."""
        system, design = self.system, self.system.design
        out = np.empty(design.effects)
        place = dict(zip(system.pairs, system.places, strict=True))
        for t, (term, block) in enumerate(zip(design.terms, self.blocks, strict=True)):
            first, q = system.own[t].start, term.q
            copies, unit = np.unique(term.index[:, 0] // q, return_index=True)  # a unit of each
            within = np.tile(np.eye(q), (term.copies, 1, 1))
            for a, b in combinations_with_replacement(range(q), 2):
                entries = inverse[place[first + a, first + b][unit]]
                within[copies, a, b] = within[copies, b, a] = entries
            out[design.span(t)] = np.einsum("ab,cbd,ad->ca", block, within, block).ravel()
        return out
