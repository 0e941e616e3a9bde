"""The system matrix of many scalar random effects that cross: sparse sums, one dense factor.

The same quantities as ``schur``'s for terms with one effect per level and no grid. Nothing but the
Cholesky factor of S and its inverse is dense: with D the part of A_ER where a level of the
eliminated term meets an effect of the rest, S and the profiled products P have entries where two
such effects share a level or a unit, and so have all entries of S⁻¹ that leverages and traces need.
Both factor and inverse are computed in place, in the lower triangle.

Where every level has one unit (an effect of each observation), what a level adds to P, and to
leverages, is a multiple of what its unit does: with w the unit's weight times z and a its leverage
over the rest, P = Σ (weight − M w²) z z', and the leverage is a + z² M − (2 − w z M) w z M a.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from capability_transfer.analysis.glmm.laplace import conjugate, packed
from capability_transfer.analysis.glmm.laplace.design import Design
from capability_transfer.analysis.glmm.laplace.eliminate import pairs_within
from capability_transfer.analysis.glmm.laplace.schur import Posterior, check_definite
from scipy import sparse

MOST_PAIRS = 8_000_000  # of effects that share a level of the eliminated term
TOLERANCE = 1e-12  # relative, of solutions
KEPT = 4_000  # effects whose dense factor can be kept: 64 MB


def suits(design: Design) -> bool:
    """Whether all effects are scalar, on one column, and pairs that share a level are few."""
    if design.shape[1] > 1 or any(term.size != term.copies for term in design.terms):
        return False
    own = design.terms[design.eliminated]
    units = np.bincount(own.index[:, 0], minlength=own.copies)
    pairs = float(np.sum((units * (len(design.terms) - 1.0)) ** 2) / 2)
    return pairs <= MOST_PAIRS


class ScalarSystem:
    """Builds factors of H for a design that ``suits``."""

    def __init__(self, design: Design):
        self.design = design
        self.direct = False  # whether solutions are by the dense factor, which is then kept
        own = design.terms[design.eliminated]
        others = [t for t in range(len(design.terms)) if t != design.eliminated]
        self.level, self.value, self.levels = own.index[:, 0], own.value[:, 0], own.copies
        self.span = design.span(design.eliminated)
        self.positions = np.concatenate(
            [np.arange(*design.span(t).indices(design.effects)) for t in others]
        )
        starts = np.cumsum([0, *(design.terms[t].size for t in others)])
        self.size, self.others = int(starts[-1]), others
        self.term = np.repeat(np.arange(len(others)), np.diff(starts))  # of every rest effect
        self.effect = np.stack(
            [design.terms[t].index[:, 0] + s for t, s in zip(others, starts, strict=False)], axis=1
        )
        self.loads = np.stack([design.terms[t].value[:, 0] for t in others], axis=1)
        self.lone = len(self.level) == self.levels
        self._find_pattern()

    def _find_pattern(self) -> None:
        """Where D has entries, and where those of P are, in the lower triangle by columns."""
        size = self.size
        keys = self.level[:, None] * size + self.effect
        pairs, place = np.unique(keys, return_inverse=True)
        self.place = place.reshape(keys.shape)
        self.met_level, self.met = np.divmod(pairs, size)
        self.pointers = np.searchsorted(self.met_level, np.arange(self.levels + 1))
        none = np.zeros(0, dtype=np.intp)
        self.left, self.right = (none, none) if self.lone else pairs_within(self.pointers)
        both = self.met[self.left], self.met[self.right]
        first, second = np.triu_indices(self.effect.shape[1])
        within = self.effect[:, first].T, self.effect[:, second].T  # pairs × units
        self.pair = np.where(first == second, 1.0, 2.0)
        loads = (self.loads[:, first] * self.loads[:, second]).T
        self.pair_loads = None if (loads == 1).all() else loads
        targets = [np.minimum(*ends) * size + np.maximum(*ends) for ends in (both, within)]
        self.entries, places = np.unique(
            np.concatenate([np.arange(size) * (size + 1), *(t.ravel() for t in targets)]),
            return_inverse=True,
        )
        ends = np.cumsum([size, targets[0].size])
        self.diagonal, self.by_pair, self.by_unit = np.split(places, ends)
        self.by_unit = self.by_unit.reshape(targets[1].shape)
        self.column, self.row = np.divmod(self.entries, size)
        self.packed = packed.places(size, self.row, self.column)
        pointers = np.arange(0, self.effect.size + 1, self.effect.shape[1])
        shape = (len(self.level), size)  # units × rest effects
        self.rows = sparse.csr_array((self.loads.ravel(), self.effect.ravel(), pointers), shape)

    def factor(self, weight: np.ndarray, blocks: list[np.ndarray]) -> ScalarFactor:
        """H's factor at the weights (units × 1) and the terms' SDs."""
        return ScalarFactor(self, weight[:, 0], blocks)


class ScalarFactor:
    """H at one W and Λ: solutions by conjugate gradients, what needs a dense factor when asked."""

    def __init__(self, system: ScalarSystem, weight: np.ndarray, blocks: list[np.ndarray]):
        self.system, self.weight = system, weight
        self.own_sd = blocks[system.design.eliminated][0, 0]
        self.sd = np.array([blocks[t][0, 0] for t in system.others])[system.term]
        self.own = np.bincount(system.level, weight * system.value**2, system.levels)
        inner = 1 + self.own_sd**2 * self.own
        check_definite((inner > 0).all())
        self.own_log_determinant = float(np.log(inner).sum())
        self.inner, self.spread = 1 / inner, self.own_sd**2 / inner  # J and M
        loaded = (weight * system.value)[:, None] * system.loads
        self.met = np.bincount(system.place.ravel(), loaded.ravel(), len(system.met))
        shape = (system.levels, system.size)
        self.across = sparse.csr_array((self.met, system.met, system.pointers), shape=shape)
        self.back = self.across.T.tocsr()
        if not system.direct:
            check_definite((self.diagonal > 0).all())
        if system.design.floor is not None:  # weights can be negative: S need not be definite
            check_definite(np.isfinite(self.log_determinant))

    @cached_property
    def within(self) -> sparse.csr_array:
        """A_R, before the eliminated term is profiled out."""
        rows = self.system.rows
        return rows.T @ (rows * self.weight[:, None])

    @cached_property
    def diagonal(self) -> np.ndarray:
        """S's."""
        profiled = self.within.diagonal() - self.back.power(2) @ self.spread
        return 1 + self.sd**2 * profiled

    @cached_property
    def root_diagonal(self) -> np.ndarray:
        """The root of S's diagonal."""
        return np.sqrt(self.diagonal)

    def scaled(self, x: np.ndarray) -> np.ndarray:
        """S scaled to a diagonal of ones, times x (rest effects × right sides)."""
        y = (self.sd / self.root_diagonal)[:, None] * x
        y = self.within @ y - self.back @ (self.spread[:, None] * (self.across @ y))
        return x / self.diagonal[:, None] + (self.sd / self.root_diagonal)[:, None] * y

    @cached_property
    def products(self) -> np.ndarray:
        """P, where it has entries."""
        system, count = self.system, len(self.system.entries)
        weight = self.weight
        if system.lone:
            weight = weight - self.spread[system.level] * (weight * system.value) ** 2
        weights = np.broadcast_to(weight, system.by_unit.shape)
        if system.pair_loads is not None:
            weights = weights * system.pair_loads
        products = np.bincount(system.by_unit.ravel(), weights.ravel(), count)
        if not system.lone:
            crossed = self.spread[system.met_level[system.left]]
            crossed = crossed * self.met[system.left] * self.met[system.right]
            products -= np.bincount(system.by_pair, crossed, count)
        return products

    @cached_property
    def log_determinant(self) -> float:
        """log|H|. The dense factor is kept until ``posterior`` has made the inverse of it."""
        system = self.system
        matrix = np.zeros(system.size * (system.size + 1) // 2)
        matrix[system.packed] = self.sd[system.column] * self.sd[system.row] * self.products
        diagonal = system.packed[system.diagonal]
        matrix[diagonal] += 1.0
        self._root, definite = packed.cholesky(system.size, matrix)
        check_definite(definite)
        return self.own_log_determinant + 2 * float(np.log(self._root[diagonal]).sum())

    def _root_at_hand(self) -> np.ndarray:
        check_definite(np.isfinite(self.log_determinant))  # which makes it
        return self._root

    def _inverse(self) -> np.ndarray:
        """S⁻¹, where P has entries."""
        root = self._root_at_hand()
        if self.system.direct:
            root = root.copy()
        else:
            self._root = None
        return packed.inverse(self.system.size, root)[self.system.packed]

    def solve(self, right: np.ndarray) -> np.ndarray:
        """H⁻¹ right; ``right`` is effects or effects × right sides."""
        system, matrix = self.system, right.reshape(len(right), -1)
        own = self.inner[:, None] * matrix[system.span]
        rest = matrix[system.positions]
        rest = rest - self.sd[:, None] * (self.back @ (self.own_sd * own))
        if system.direct:
            rest = packed.solve(system.size, self._root_at_hand(), rest)
        else:
            scale = self.root_diagonal[:, None]
            rest = conjugate.solve(self.scaled, rest / scale, TOLERANCE).values / scale
        back = self.across @ (self.sd[:, None] * rest)
        out = np.empty_like(matrix)
        out[system.positions] = rest
        out[system.span] = own - (self.inner * self.own_sd)[:, None] * back
        return out.reshape(right.shape)

    @cached_property
    def _posterior(self) -> Posterior:
        system, solved = self.system, self._inverse()
        covariance = solved * self.sd[system.column] * self.sd[system.row]
        found = covariance[system.by_unit]
        if system.pair_loads is not None:
            found *= system.pair_loads
        leverage = system.pair @ found  # over the rest
        if system.lone:
            met = self.weight * system.value
            gram = np.bincount(system.level, met**2 * leverage, system.levels)
            own = self.spread + self.spread**2 * gram
            share = met * system.value * self.spread[system.level]
            leverage *= (1 - share) ** 2
            leverage += system.value**2 * self.spread[system.level]
        else:
            gram, own, carried = self._shared(covariance)
            leverage += system.value**2 * own[system.level]
            taken = np.sum(system.loads * carried[system.place], axis=1)
            leverage -= 2 * system.value * self.spread[system.level] * taken
        variance = np.empty(system.design.effects)
        variance[system.span], variance[system.positions] = own, covariance[system.diagonal]
        return Posterior(leverage[:, None], self._traces(solved, gram), variance)

    def _shared(self, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """K, the variances of the eliminated effects, and A_ER V where a level meets an effect."""
        system = self.system
        shared = covariance[system.by_pair]
        # both orders of every pair but one's with itself
        carried = np.bincount(system.left, self.met[system.right] * shared, len(self.met))
        apart = system.left != system.right
        carried += np.bincount(
            system.right[apart], (self.met[system.left] * shared)[apart], len(self.met)
        )
        gram = np.bincount(system.met_level, self.met * carried, system.levels)
        return gram, self.spread + self.spread**2 * gram, carried

    def posterior(self) -> Posterior:
        """Leverages, traces and variances (see ``schur.Posterior``)."""
        return self._posterior

    def _traces(self, solved: np.ndarray, gram: np.ndarray) -> list[np.ndarray]:
        system, count = self.system, len(self.system.others)
        both = solved * self.products
        apart = system.column != system.row
        by_row = both * self.sd[system.column]
        by_column = (both * self.sd[system.row])[apart]
        sums = np.bincount(system.term[system.row], by_row, count)
        sums += np.bincount(system.term[system.column[apart]], by_column, count)
        traces = [np.empty(0)] * (count + 1)
        for place, t in enumerate(system.others):
            traces[t] = sums[[place]][:, None]
        inner = self.own - gram + gram * self.spread * self.own
        own = np.sum(self.inner * self.own_sd * inner)
        traces[system.design.eliminated] = np.array([[own]])
        return traces
