"""The random terms that are not eliminated: their part of Z'WZ and of the leverages.

The rest's effects are ordered as unit terms, then cross terms as loadings × columns. With z the
row of Z of a cell in unit i and column j, Z'WZ = Σ w z z' is assembled from

    unit × unit     Σ_i (Σ_j w_ij) z_i z_i'
    unit × cross    Σ_i w_ij z_i f_i'        (column j)
    cross × cross   Σ_i w_ij f_i f_i'        (column j; zero between columns)

where f_i are the unit's loadings on the cross terms. All are fixed sparse maps of W or its row
sums.
"""

from __future__ import annotations

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design, loading
from scipy import sparse


class Rest:
    """Index arrays of the rest of a design, and the sums over cells that use them."""

    def __init__(self, design: Design):
        others = [t for t in range(len(design.terms)) if t != design.eliminated]
        units = [t for t in others if not design.terms[t].cross]
        crosses = [t for t in others if design.terms[t].cross]
        self.order = units + crosses
        self.terms = [design.terms[t] for t in self.order]
        spans = [np.arange(*design.span(t).indices(design.effects)) for t in self.order]
        self.positions = np.concatenate([np.zeros(0, dtype=np.intp), *spans])
        self.starts = np.cumsum([0, *(term.size for term in self.terms)])
        self.size = len(self.positions)
        rows, self.columns = design.shape
        none = np.zeros((rows, 0))
        index = [self.terms[k].index + self.starts[k] for k in range(len(units))]
        value = [self.terms[k].value for k in range(len(units))]
        self.index = np.concatenate([none.astype(np.intp), *index], axis=1)
        self.value = np.concatenate([none, *value], axis=1)
        self.units = int(self.starts[len(units)])  # effects of the unit terms
        self._pair_up()
        loads = [_loading(design.terms[t], rows) for t in crosses]
        self.loads = sum(f.shape[1] for f in loads)
        # One cross term with loading 1 everywhere (templates) needs no products with loadings.
        self.plain = self.loads == 1 and design.loadings[crosses[0]] is None
        if self.loads:
            self.loading = sparse.csr_array(sparse.hstack(loads))
            self.f_index, self.f_value = padded(self.loading)
            self.unit_map = scatter(self.index, self.value, self.units)
            self.uc_map = scatter_pairs(
                self.index, self.value, self.f_index, self.f_value, self.units, self.loads
            )
            self.cc_map = scatter_pairs(
                self.f_index, self.f_value, self.f_index, self.f_value, self.loads, self.loads
            )

    def _pair_up(self) -> None:
        """Positions in the unit × unit block (upper triangle) of the pairs of a unit's effects."""
        first, second = np.triu_indices(self.index.shape[1])
        self.pairs = (self.index[:, first] * self.units + self.index[:, second]).T.ravel()
        value = (self.value[:, first] * self.value[:, second]).T
        self.pair_value = None if (value == 1).all() else value
        self.pair_weight = np.where(first == second, 1.0, 2.0)

    def cross_block(self, matrix: np.ndarray) -> np.ndarray:
        """A writable view of the within-column part: loads × loads × columns."""
        size, columns = self.loads, self.columns
        part = matrix[self.units :, self.units :].reshape(size, columns, size, columns)
        return np.einsum("gjhj->ghj", part)

    def products(self, weight: np.ndarray, by_unit: np.ndarray) -> np.ndarray:
        """Z'WZ of the rest, dense; ``by_unit`` are the row sums of the weights."""
        out = np.zeros((self.size, self.size))
        if self.units:
            out[: self.units, : self.units] = self.unit_products(by_unit)
        if self.loads:
            out[: self.units, self.units :] = (self.uc_map @ weight).reshape(
                self.units, self.loads * self.columns
            )
            out[self.units :, : self.units] = out[: self.units, self.units :].T
            within = self.cross_block(out)
            within += (self.cc_map @ weight).reshape(within.shape)
        return out

    def unit_products(self, by_unit: np.ndarray) -> np.ndarray:
        """Σ_i weight_i z_i z_i' over the unit terms."""
        k = len(self.pair_weight)
        weights = np.broadcast_to(by_unit, (k, len(by_unit)))
        if self.pair_value is not None:
            weights = weights * self.pair_value
        upper = np.bincount(self.pairs, weights.ravel(), minlength=self.units**2)
        return symmetric(upper.reshape(self.units, self.units))

    def unit_leverage(self, covariance: np.ndarray) -> np.ndarray:
        """z_i' V z_i of every unit over the unit terms; ``covariance`` is V of the rest."""
        if not self.units:
            return np.zeros(len(self.index))
        k = len(self.pair_weight)
        block = np.ascontiguousarray(covariance[: self.units, : self.units])
        found = block.ravel()[self.pairs].reshape(k, -1)
        if self.pair_value is not None:
            found *= self.pair_value
        return self.pair_weight @ found

    def between(self, covariance: np.ndarray) -> np.ndarray:
        """V z over the unit terms, at the cross terms: units × loads·columns."""
        return self.unit_map.T @ covariance[: self.units, self.units :]

    def cross_leverage(self, covariance: np.ndarray, between: np.ndarray) -> np.ndarray:
        """2 f' D + f' V f of every cell, where D is V z at the cross terms (``Spread.cross``).

        ``between`` is D, and may be overwritten.
        """
        if self.plain:
            between *= 2
            between += covariance.diagonal()[self.units :]
            return between
        within = self.cross_block(covariance)
        out = self.cc_map.T @ within.reshape(-1, self.columns)
        between = between.reshape(len(between), self.loads, self.columns)
        rows = np.arange(len(between))
        for k in range(self.f_index.shape[1]):
            out += 2 * self.f_value[:, k, None] * between[rows, self.f_index[:, k]]
        return out


def _loading(term, units: int) -> sparse.csr_array:
    found = loading(term)
    return sparse.csr_array(np.ones((units, 1))) if found is None else found


def symmetric(upper: np.ndarray) -> np.ndarray:
    """The symmetric matrix with this upper triangle (what stands below must be zero)."""
    out = upper + upper.T
    np.fill_diagonal(out, upper.diagonal())
    return out


def padded(matrix: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """A sparse matrix's rows as units × k index and value arrays, short rows padded by zeros."""
    counts = np.diff(matrix.indptr)
    index = np.zeros((matrix.shape[0], int(counts.max(initial=0))), dtype=np.intp)
    value = np.zeros(index.shape)
    filled = np.arange(index.shape[1]) < counts[:, None]
    index[filled], value[filled] = matrix.indices, matrix.data
    return index, value


def scatter(index: np.ndarray, value: np.ndarray, size: int) -> sparse.csr_array:
    """The size × units matrix that adds a unit's row, times ``value``, to each of its effects."""
    units, k = index.shape
    rows = np.repeat(np.arange(units), k)
    return sparse.csr_array((value.ravel(), (index.ravel(), rows)), shape=(size, units))


def scatter_pairs(
    first: np.ndarray,
    first_value: np.ndarray,
    second: np.ndarray,
    second_value: np.ndarray,
    size: int,
    other: int,
) -> sparse.csr_array:
    """``scatter`` to all pairs of a unit's effects in two index arrays: (size · other) × units."""
    units = len(first)
    index = first[:, :, None] * other + second[:, None, :]
    value = first_value[:, :, None] * second_value[:, None, :]
    return scatter(index.reshape(units, -1), value.reshape(units, -1), size * other)
