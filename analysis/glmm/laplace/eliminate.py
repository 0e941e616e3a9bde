"""Eliminating the largest random term, whose part of Z'WZ is block diagonal.

Write A = Z'WZ in blocks for the eliminated term E and the rest R, and T for E's q × q block of
relative covariance. Per level, with J = (T'A_E T + I)⁻¹ and M = T J T',

    P = A_R − A_RE M A_ER                       (the rest's cross-products, E profiled out)
    V = Λ_R (Λ_R' P Λ_R + I)⁻¹ Λ_R'             (the rest's conditional covariance)
    V_ER = −M A_ER V,   V_E = M + M K M,   K = A_ER V A_RE  (its diagonal blocks)

so that a cell's leverage z'Vz needs only M, V and A_ER V at the places where z is not zero.
``UnitElimination`` is for a term whose levels are functions of the unit (variant:language),
``CrossElimination`` for one whose levels differ by column (template:language).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from capability_transfer.analysis.glmm.laplace.design import Design, loading
from capability_transfer.analysis.glmm.laplace.rest import Rest, scatter, scatter_pairs, symmetric
from scipy import sparse
from scipy.linalg import blas

CHUNK = 4_000_000  # doubles in a dense temporary


@dataclass(frozen=True, eq=False)
class Spread:
    """Terms that elimination adds to the leverages.

    Attributes:
        gram: K, levels × q × q.
        unit: leverage by unit (zero where it differs by cell).
        cell: leverage by cell, or None.
        cross: units × loads·columns, V z at the rest's cross terms; or 0 without them.
    """

    gram: np.ndarray
    unit: np.ndarray | float
    cell: np.ndarray | None
    cross: np.ndarray | float


class UnitElimination:
    """Elimination of a unit term with blocks of q × q; units of a level stand together."""

    def __init__(self, design: Design, rest: Rest):
        term = design.terms[design.eliminated]
        self.rest, self.levels, self.q = rest, term.copies, term.q
        self.level = term.index[:, 0] // term.q
        self.value = term.value
        self.width = rest.loads * rest.columns
        self.unit_ends = np.searchsorted(self.level, np.arange(self.levels + 1))
        self._find_pattern()
        own = self.level[:, None] * self.q + np.arange(self.q)
        if rest.loads:
            self.cross_map = scatter_pairs(
                own, self.value, rest.f_index, rest.f_value, self.levels * self.q, rest.loads
            )

    def _find_pattern(self) -> None:
        """The (level, rest effect) pairs that occur, and how their products are summed."""
        rest = self.rest
        keys = self.level[:, None] * max(rest.units, 1) + rest.index
        pairs, place = np.unique(keys, return_inverse=True)
        self.place = place.reshape(keys.shape)
        self.pair_level, self.pair_effect = np.divmod(pairs, max(rest.units, 1))
        self.pointers = np.searchsorted(self.pair_level, np.arange(self.levels + 1))
        counts = np.diff(self.pointers)
        products = int((counts * (counts + 1) // 2).sum())
        dense = self.levels * self.q * rest.units**2
        self.thin = products <= CHUNK and 50 * products * self.q <= dense + 1_000_000
        if self.thin:
            left, right = pairs_within(self.pointers)
            self.left, self.right = left, right
            self.target = self.pair_effect[left] * rest.units + self.pair_effect[right]

    def load(self, weight: np.ndarray, by_unit: np.ndarray) -> np.ndarray:
        """Take in the weights; return A_E (levels × q × q)."""
        q, n = self.q, len(self.pair_level)
        own = np.empty((self.levels, q, q))
        self.data = np.empty((q, n))
        for a in range(q):
            loaded = by_unit * self.value[:, a]
            for b in range(q):
                own[:, a, b] = np.bincount(self.level, loaded * self.value[:, b], self.levels)
            products = loaded[:, None] * self.rest.value
            self.data[a] = np.bincount(self.place.ravel(), products.ravel(), minlength=n)
        self.rows = [self._sparse(data) for data in self.data]
        self.turned = [rows.T for rows in self.rows]
        if self.rest.loads:
            self.cross = (self.cross_map @ weight).reshape(self.levels, q, self.width)
        else:
            self.cross = np.zeros((self.levels, q, 0))
        return own

    def profile(self, weight: np.ndarray, by_unit: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """P, from the weights, their sums by unit and M (``spread``)."""
        units = self.rest.units
        products = self.rest.products(weight, by_unit)
        if units:
            products[:units, :units] -= self._unit_gram(spread)
        if self.width:
            scaled = per_level(spread, self.cross)
            products[units:, units:] -= self._cross_gram(spread, scaled)
            between = sum(self.turned[a] @ scaled[:, a] for a in range(self.q))
            products[:units, units:] -= between
            products[units:, :units] -= between.T
        return products

    def _cross_gram(self, spread: np.ndarray, scaled: np.ndarray) -> np.ndarray:
        """The cross terms' part of A_RE M A_ER; ``scaled`` is M A_ER's."""
        if self.q == 1:
            return inner_products((np.sqrt(spread) * self.cross).reshape(-1, self.width))
        return self.cross.reshape(-1, self.width).T @ scaled.reshape(-1, self.width)

    def _unit_gram(self, spread: np.ndarray) -> np.ndarray:
        units = self.rest.units
        if self.thin:
            by_pair = spread[self.pair_level]
            scaled = [sum(by_pair[:, a, b] * self.data[b] for b in range(self.q))
                      for a in range(self.q)]  # fmt: skip
            pairs = zip(self.data, scaled, strict=True)
            weights = sum(x[self.left] * y[self.right] for x, y in pairs)
            upper = np.bincount(self.target, weights, minlength=units**2)
            return symmetric(upper.reshape(units, units))
        out = np.zeros((units, units))
        for low, high in self._chunks(units):
            rows = np.stack([self.rows[a][low:high].toarray() for a in range(self.q)], axis=1)
            out += rows.reshape(-1, units).T @ per_level(spread[low:high], rows).reshape(-1, units)
        return out

    def _sparse(self, data: np.ndarray) -> sparse.csr_array:
        """A_ER's unit part at one coordinate: levels × units' effects."""
        shape = (self.levels, self.rest.units)
        return sparse.csr_array((data, self.pair_effect, self.pointers), shape=shape)

    def _chunks(self, width: int) -> list[tuple[int, int]]:
        step = max(CHUNK // max(width * self.q, 1), 1)
        return [(low, min(low + step, self.levels)) for low in range(0, self.levels, step)]

    def times(self, x: np.ndarray) -> np.ndarray:
        """A_ER x: levels·q × right sides."""
        units = self.rest.units
        out = np.stack([self.rows[a] @ x[:units] for a in range(self.q)], axis=1)
        out = out.reshape(self.levels * self.q, -1)
        return out + self.cross.reshape(len(out), -1) @ x[units:] if self.width else out

    def transposed_times(self, y: np.ndarray) -> np.ndarray:
        """A_RE y: rest effects × right sides."""
        parts = y.reshape(self.levels, self.q, -1)
        unit = sum(self.turned[a] @ parts[:, a] for a in range(self.q))
        return np.concatenate([unit, self.cross.reshape(len(y), -1).T @ y])

    def spread(self, covariance: np.ndarray, own: np.ndarray) -> Spread:
        """Leverages and K, from V of the rest and M (``own``)."""
        rest, q, units = self.rest, self.q, self.rest.units
        gram = np.empty((self.levels, q, q))
        by_unit = np.empty(len(self.level))
        cross = rest.between(covariance) if self.width else 0.0
        for low, high in self._chunks(rest.size):
            at = slice(self.unit_ends[low], self.unit_ends[high])
            pairs = slice(self.pointers[low], self.pointers[high])
            level, effect = self.pair_level[pairs] - low, self.pair_effect[pairs]
            carried = np.stack(  # A_ER V
                [self.rows[a][low:high] @ covariance[:units] for a in range(q)], axis=1
            )
            if self.width:
                flat = self.cross[low:high].reshape(-1, self.width)
                carried += (flat @ covariance[units:]).reshape(carried.shape)
            for a in range(q):
                for b in range(q):
                    products = self.data[a, pairs] * carried[level, b, effect]
                    gram[low:high, a, b] = np.bincount(level, products, minlength=high - low)
            if self.width:
                cross_part = (self.cross[low:high], carried[:, :, units:])
                gram[low:high] += np.einsum("law,lbw->lab", *cross_part)
            m = own[low:high]
            block = m + m @ gram[low:high] @ m
            moved = per_level(m, carried)
            here, value = self.level[at] - low, self.value[at]
            leverage = np.einsum("ia,iab,ib->i", value, block[here], value)
            for a in range(q):
                taken = moved[here[:, None], a, rest.index[at]] * rest.value[at]
                leverage -= 2 * value[:, a] * taken.sum(axis=1)
            by_unit[at] = leverage
            if self.width:
                cross[at] -= sum(value[:, a, None] * moved[here, a, units:] for a in range(q))
        return Spread(gram, by_unit, None, cross)


class CrossElimination:
    """Elimination of a cross term with one effect per group and column; units are by group."""

    q = 1

    def __init__(self, design: Design, rest: Rest):
        term = design.terms[design.eliminated]
        self.rest, self.groups, self.columns = rest, term.copies, term.width
        self.levels = term.size
        self.group, self.value = term.index[:, 0], term.value
        rows = design.shape[0]
        found = loading(term)
        self.own = sparse.csr_array(np.ones((rows, 1))) if found is None else found
        self.own_square = scatter(term.index, term.value**2, self.groups)
        keys = self.group[:, None] * max(rest.units, 1) + rest.index
        pairs, place = np.unique(keys, return_inverse=True)
        self.pair_group, self.pair_effect = np.divmod(pairs, max(rest.units, 1))
        self.pointers = np.searchsorted(self.pair_group, np.arange(self.groups + 1))
        self.place = place.reshape(keys.shape)
        self.unit_map = scatter(self.place, rest.value * self.value, len(pairs))
        if rest.loads:
            self.cross_map = scatter_pairs(
                term.index, self.value, rest.f_index, rest.f_value, self.groups, rest.loads
            )

    def load(self, weight: np.ndarray, by_unit: np.ndarray) -> np.ndarray:
        """Take in the weights; return A_E (levels × 1 × 1)."""
        self.data = self.unit_map @ weight
        self.cross = np.zeros((self.groups, self.rest.loads, self.columns))
        if self.rest.loads:
            self.cross = (self.cross_map @ weight).reshape(self.cross.shape)
        return (self.own_square @ weight).reshape(-1, 1, 1)

    def _group_parts(self):
        """Per group: its number, its rest effects and its part of A_ER (effects × columns)."""
        for g in range(self.groups):
            pairs = slice(self.pointers[g], self.pointers[g + 1])
            yield g, self.pair_effect[pairs], self.data[pairs]

    def profile(self, weight: np.ndarray, by_unit: np.ndarray, spread: np.ndarray) -> np.ndarray:
        """P, from the weights, their sums by unit and M (``spread``)."""
        products = self.rest.products(weight, by_unit)
        units = self.rest.units
        m = spread.reshape(self.groups, self.columns)
        between = np.zeros((units, self.rest.loads, self.columns))
        for g, effects, part in self._group_parts():
            products[np.ix_(effects, effects)] -= (part * m[g]) @ part.T
            between[effects] += part[:, None, :] * (m[g] * self.cross[g])
        if self.rest.loads:
            flat = between.reshape(units, self.rest.loads * self.columns)
            products[:units, units:] -= flat
            products[units:, :units] -= flat.T
            within = self.rest.cross_block(products)
            within -= np.einsum("ghj,gj,gij->hij", self.cross, m, self.cross)
        return products

    def times(self, x: np.ndarray) -> np.ndarray:
        """A_ER x: levels × right sides."""
        units, n = self.rest.units, x.shape[1]
        out = np.empty((self.groups, self.columns, n))
        for g, effects, part in self._group_parts():
            out[g] = part.T @ x[effects]
        if self.rest.loads:
            out += np.einsum("ghj,hjn->gjn", self.cross, x[units:].reshape(-1, self.columns, n))
        return out.reshape(self.levels, n)

    def transposed_times(self, y: np.ndarray) -> np.ndarray:
        """A_RE y: rest effects × right sides."""
        parts = y.reshape(self.groups, self.columns, -1)
        unit = np.zeros((self.rest.units, y.shape[1]))
        for g, effects, part in self._group_parts():
            unit[effects] += part @ parts[g]
        cross = np.einsum("ghj,gjn->hjn", self.cross, parts)
        return np.concatenate([unit, cross.reshape(-1, y.shape[1])])

    def spread(self, covariance: np.ndarray, own: np.ndarray) -> Spread:
        """Leverages and K, from V of the rest and M (``own``)."""
        rest, units = self.rest, self.rest.units
        m = own.reshape(self.groups, self.columns)
        shape = (units, rest.loads, self.columns)
        between = covariance[:units, units:].reshape(shape)
        within = rest.cross_block(covariance) if rest.loads else np.zeros((0, 0, self.columns))
        carried = np.empty_like(self.data)  # A_ER V at the group's unit effects
        loads = np.einsum("ghj,hij->gij", self.cross, within)  # and at its column's cross effects
        gram = np.empty((self.groups, self.columns))
        for g, effects, part in self._group_parts():
            pairs = slice(self.pointers[g], self.pointers[g + 1])
            to_cross = between[effects]
            carried[pairs] = covariance[np.ix_(effects, effects)] @ part
            carried[pairs] += np.einsum("rhj,hj->rj", to_cross, self.cross[g])
            loads[g] += np.einsum("rj,rhj->hj", part, to_cross)
            gram[g] = np.einsum("rj,rj->j", part, carried[pairs])
        gram += np.einsum("ghj,ghj->gj", self.cross, loads)
        value = self.value
        cell = value**2 * (m + m * gram * m)[self.group]
        taken = scatter(self.place, rest.value, len(self.data)).T @ carried
        for k in range(rest.f_index.shape[1] if rest.loads else 0):
            taken += rest.f_value[:, k, None] * loads[self.group, rest.f_index[:, k]]
        cell -= 2 * value * m[self.group] * taken
        cross = rest.between(covariance) if rest.loads else 0.0
        return Spread(gram.reshape(-1, 1, 1), 0.0, cell, cross)


def inner_products(root: np.ndarray) -> np.ndarray:
    """root' root, at half the work of a product of two matrices."""
    return symmetric(np.triu(blas.dsyrk(1.0, root.T)))


def per_level(blocks: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """blocks (levels × q × q) times rows (levels × q × n), level by level."""
    return blocks * rows if blocks.shape[1] == 1 else blocks @ rows


def pairs_within(pointers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (x ≤ y) of positions that stand in one segment, as two arrays."""
    counts = np.diff(pointers)
    ends = np.repeat(pointers[1:], counts)
    own = np.arange(pointers[-1])
    repeats = ends - own
    left = np.repeat(own, repeats)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return left, left + offset
